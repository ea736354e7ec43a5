/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <terrarium/table.h>

#include "base/err.h"
#include "base/utf8.h"
#include "session/session.h"

static void question_free(struct question *question)
{
	free(question->code);
	free(question->find);
	free(question);
}

void question_answer(struct question *question, const char *json, const struct trm_error *why)
{
	question->fn(question->user, json, why);
	question_free(question);
}

static struct question *unlink_question(struct kernel *k, struct question **at)
{
	struct question *question = *at;
	*at = question->next;
	if (!*at)
		k->questions_end = at;
	question->next = NULL;
	return question;
}

static struct question *take_first(struct kernel *k)
{
	return unlink_question(k, &k->questions);
}

void question_drop(struct trm_session *session, const void *user)
{
	struct trm_error why;
	trm_error_set(&why, TRM_ECANCELED, "the answer is no longer needed");
	for (size_t i = 0; i < trm_lang_count(); i++) {
		struct kernel *k = &session->kernels[i];
		for (struct question **at = &k->questions; *at; at = &(*at)->next)
			if ((*at)->user == user) {
				question_answer(unlink_question(k, at), NULL, &why);
				return;
			}
	}
}

void question_fail_all(struct kernel *k, const struct trm_error *why)
{
	struct question *question = k->question;
	k->question = NULL;
	if (question)
		question_answer(question, NULL, why);
	while (k->questions)
		question_answer(take_first(k), NULL, why);
}

void question_take_back(struct kernel *k)
{
	struct question *question = k->question;
	k->question = NULL;
	question->next = k->questions;
	if (!k->questions)
		k->questions_end = &question->next;
	k->questions = question;
	k->is_awaited = k->is_clearing = false;
	k->hurries = 0;
	stop_reset(k);
}

void question_hurry(struct kernel *k)
{
	if (k->is_awaited || k->is_clearing || !k->is_ready || stop_is_under_way(k)
			|| kernel_spec(k->lang)->answers_quickly)
		return;
	k->is_awaited = true;
	trm_timer_start(k->timer, HURRY_MS, 0);
}

bool question_is_restart(const struct kernel *k, const struct question *question)
{
	return question->op == KERNEL_OP_RESET && kernel_spec(k->lang)->resets_by_restart;
}

/* An interpreter that is absent or still starting has no state to lose. The question is then sent to it like
 * any other, and gets an empty answer. */
static bool begin_restart(struct kernel *k)
{
	if (!k->is_ready || !question_is_restart(k, k->questions))
		return false;
	k->question = take_first(k);
	kernel_restart(k);
	return true;
}

static int send_question(struct kernel *k, struct question *q, struct trm_error *reterr)
{
	q->id = share_question_id(k->session);
	share_use_turn(k);
	struct kernel_request request = {.op = q->op,
			.id = q->id,
			.code = q->code,
			.code_len = q->code_len,
			.cursor = q->cursor,
			.table = &q->table};
	return kernel_send(k, &request, reterr);
}

/* Returns 1 if the question must wait because another client has the turn. */
static int send_first(struct kernel *k, struct trm_error *reterr)
{
	int r = kernel_ensure(k, reterr);
	if (r < 0 || !share_has_turn(k))
		return r < 0 ? r : 1;
	return send_question(k, k->questions, reterr);
}

void question_next(struct kernel *k, bool in_turn)
{
	struct trm_error why;
	if (k->questions && run_peer(k->run))
		/* if the client with the turn is gone, its run may wait for an answer of ours */
		share_want_turn(k);
	while (k->questions && kernel_is_free(k) && !k->session->is_closed) {
		if (begin_restart(k))
			return;
		int r = send_first(k, &why);
		if (r > 0)
			return;
		if (r == 0) {
			k->question = take_first(k);
			if (k->is_ready)
				trm_timer_start(k->timer, ANSWER_TIMEOUT_MS, 0);
		} else if (in_turn) {
			question_answer(take_first(k), NULL, &why);
		} else {
			session_due(k->session);
			return;
		}
	}
}

static struct question *question_new(
		enum trm_question what, const char *code, size_t cursor, trm_answer_fn *fn, void *user)
{
	static const enum kernel_op OPS[] = {
			[TRM_ASK_COMPLETE] = KERNEL_OP_COMPLETE,
			[TRM_ASK_INSPECT] = KERNEL_OP_INSPECT,
			[TRM_ASK_IS_COMPLETE] = KERNEL_OP_IS_COMPLETE,
			[TRM_ASK_VARIABLES] = KERNEL_OP_VARIABLES,
			[TRM_ASK_RESET] = KERNEL_OP_RESET,
			[TRM_ASK_MEMBERS] = KERNEL_OP_MEMBERS,
			[TRM_ASK_TABLE] = KERNEL_OP_TABLE,
	};
	struct question *q = calloc(1, sizeof *q);
	char *copy = strdup(code ? code : "");
	if (!q || !copy) {
		free(q);
		free(copy);
		return NULL;
	}
	*q = (struct question){.op = OPS[what],
			.code = copy,
			.code_len = strlen(copy),
			.cursor = cursor,
			.fn = fn,
			.user = user};
	return q;
}

static void on_drained(void *user, const char *json, const struct trm_error *why)
{
	(void)user;
	(void)json;
	(void)why;
}

bool question_drain_interrupt(struct kernel *k)
{
	struct trm_error why;
	if (!share_has_turn(k))
		return false;
	struct question *q = question_new(TRM_ASK_IS_COMPLETE, "", 0, on_drained, NULL);
	if (q && send_question(k, q, &why) == 0) {
		k->question = q;
		return true;
	}
	if (q)
		question_free(q);
	return false;
}

static void queue_question(struct trm_session *session, const struct trm_lang *lang, struct question *q)
{
	struct kernel *k = &session->kernels[lang->index];
	*k->questions_end = q;
	k->questions_end = &q->next;
	session_pump(session, false);
}

int trm_session_ask(struct trm_session *session, const struct trm_lang *lang, enum trm_question question,
		const char *code, size_t cursor, trm_answer_fn *fn, void *user, struct trm_error *reterr)
{
	if (!lang || !fn || question > TRM_ASK_TABLE)
		return trm_error_set(
				reterr, TRM_EINVAL, "a question needs a language, a kind and a callback");
	if (code && !utf8_is_valid(code, strlen(code)))
		return trm_error_set(reterr, TRM_EINVAL, "the code is not valid UTF-8");
	if (!session_is_open(session))
		return session_refuse(session, reterr);
	struct question *q = question_new(question, code, cursor, fn, user);
	if (!q)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	if (question == TRM_ASK_TABLE)
		trm_table_query_default(&q->table);
	queue_question(session, lang, q);
	return 0;
}

int trm_session_table(struct trm_session *session, const struct trm_lang *lang,
		const struct trm_table_query *query, trm_answer_fn *fn, void *user, struct trm_error *reterr)
{
	struct question *q;
	if (!lang || !fn || !query || !query->path || !*query->path)
		return trm_error_set(reterr, TRM_EINVAL, "a page of a table needs a language and a variable");
	if (!utf8_is_valid(query->path, strlen(query->path))
			|| (query->find && !utf8_is_valid(query->find, strlen(query->find))))
		return trm_error_set(reterr, TRM_EINVAL, "the text is not valid UTF-8");
	if (query->rows > TRM_TABLE_ROWS_MAX || query->columns > TRM_TABLE_COLUMNS_MAX)
		return trm_error_set(reterr, TRM_EINVAL, "a page has at most %d rows and %d columns",
				TRM_TABLE_ROWS_MAX, TRM_TABLE_COLUMNS_MAX);
	if (!session_is_open(session))
		return session_refuse(session, reterr);
	char *find = query->find ? strdup(query->find) : NULL;
	if ((query->find && !find) || !(q = question_new(TRM_ASK_TABLE, query->path, 0, fn, user))) {
		free(find);
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	}
	q->table = *query;
	q->table.path = q->code;
	q->table.find = q->find = find;
	queue_question(session, lang, q);
	return 0;
}
