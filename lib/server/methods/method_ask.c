/* SPDX-License-Identifier: MIT */
/* sandbox.repl.ask: questions to an interpreter (<terrarium/session.h>) about completions, documentation
 * and variables. */
#include <cjson/cJSON.h>
#include <string.h>

#include <terrarium/lang.h>
#include <terrarium/session.h>
#include <terrarium/table.h>

#include "rpc/params.h"
#include "server/jsonrpc/call.h"
#include "server/jsonrpc/method.h"
#include "server/jsonrpc/server.h"
#include "server/methods/use.h"
#include "server/sandboxes/fleet.h"
#include "server/sandboxes/image.h"
#include "session/session.h"

struct ask_call {
	struct use use;
	const char *language, *code; /* of the call's params */
	enum trm_question question;
	bool is_restart; /* restart the interpreter instead of asking it */
	uint64_t cursor;
	struct trm_table_query table;
};

static int find_question(const char *name, struct ask_call *c, struct trm_error *why)
{
	static const char *const names[] = {[TRM_ASK_COMPLETE] = "complete",
			[TRM_ASK_INSPECT] = "inspect",
			[TRM_ASK_IS_COMPLETE] = "is_complete",
			[TRM_ASK_VARIABLES] = "variables",
			[TRM_ASK_RESET] = "reset",
			[TRM_ASK_MEMBERS] = "members",
			[TRM_ASK_TABLE] = "table"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(name, names[i]) == 0) {
			c->question = (enum trm_question)i;
			return 0;
		}
	}
	c->is_restart = strcmp(name, "restart") == 0;
	return c->is_restart ? 0
			     : trm_error_set(why, TRM_EINVAL,
					     "`question` is none of complete, inspect, is_complete, "
					     "variables, members, table, reset, restart");
}

static void on_answer(void *user, const char *json, const struct trm_error *why)
{
	struct ask_call *c = user;
	struct trm_error own = {0};
	cJSON *answer = json ? cJSON_Parse(json) : NULL;
	if (!answer) {
		if (json)
			trm_error_set(&own, TRM_ENOMEM, "out of memory");
		use_fail(&c->use, json ? &own : why);
		return;
	}
	call_result(c->use.call, answer);
	use_end(&c->use);
}

static int ask(struct use *u, struct trm_error *why)
{
	struct ask_call *c = (struct ask_call *)u;
	const struct trm_lang *lang;
	int r = image_language(u->served->languages, c->language, &lang, why);
	if (r < 0)
		return r;
	if (c->is_restart) {
		if ((r = trm_session_restart(u->served->session, lang, why)) == 0)
			on_answer(c, "{}", NULL);
		return r;
	}
	if (c->question == TRM_ASK_TABLE)
		return trm_session_table(u->served->session, lang, &c->table, on_answer, c, why);
	return trm_session_ask(u->served->session, lang, c->question, c->code, c->cursor, on_answer, c, why);
}

static void leave(struct use *u)
{
	question_drop(u->served->session, u);
}

/* The page that is wanted: what is not given is as in trm_table_query_default(). */
static int read_page(const cJSON *params, struct ask_call *c, struct trm_error *why)
{
	struct trm_table_query *q = &c->table;
	uint64_t rows = 50, columns = 20, sort = UINT32_MAX;
	trm_table_query_default(q);
	q->path = c->code;
	int r = rpc_get_number(params, "row", UINT32_MAX, &q->row, why);
	if (r == 0)
		r = rpc_get_number(params, "rows", TRM_TABLE_ROWS_MAX, &rows, why);
	if (r == 0)
		r = rpc_get_number(params, "column", UINT32_MAX, &q->column, why);
	if (r == 0)
		r = rpc_get_number(params, "columns", TRM_TABLE_COLUMNS_MAX, &columns, why);
	if (r == 0)
		r = rpc_get_number(params, "sort", UINT32_MAX, &sort, why);
	if (r == 0)
		r = rpc_get_bool(params, "descending", &q->is_descending, why);
	if (r == 0)
		r = rpc_get_text(params, "find", &q->find, why);
	if (r == 0)
		r = rpc_get_number(params, "from", UINT32_MAX, &q->find_from, why);
	q->rows = (unsigned)rows;
	q->columns = (unsigned)columns;
	q->sort = sort == UINT32_MAX ? -1 : (int64_t)sort;
	return r;
}

static int read_params(struct use *u, struct trm_error *why)
{
	struct ask_call *c = (struct ask_call *)u;
	const cJSON *params = u->call->params;
	const char *question;
	c->code = "";
	int r = rpc_need_text(params, "language", &c->language, why);
	if (r == 0)
		r = rpc_need_text(params, "question", &question, why);
	if (r == 0)
		r = find_question(question, c, why);
	if (r == 0)
		r = rpc_get_text(params, "code", &c->code, why);
	if (r == 0)
		r = rpc_get_number(params, "cursor", UINT32_MAX, &c->cursor, why);
	return r == 0 && c->question == TRM_ASK_TABLE && !c->is_restart ? read_page(params, c, why) : r;
}

static const struct use_kind KIND = {.size = sizeof(struct ask_call),
		.wrong_params = RPC_PARAMS,
		.read = read_params,
		.begin = ask,
		.gone = leave};

void method_ask(struct call *call)
{
	use_begin(call, &KIND);
}
