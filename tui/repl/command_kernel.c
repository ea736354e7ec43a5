/* SPDX-License-Identifier: MIT */
/* Commands that ask the kernel for something. */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "repl/answer.h"
#include "repl/command.h"
#include "repl/repl_internal.h"

struct question {
	struct repl *r;
	uint64_t serial;
	void (*tell)(struct repl *r, const cJSON *answer);
};

static void on_answer(void *user, const char *json, const struct trm_error *why)
{
	struct question q = *(struct question *)user;
	free(user);
	if (q.serial != q.r->question)
		return;
	cJSON *answer = json ? cJSON_Parse(json) : NULL;
	if (answer)
		q.tell(q.r, answer);
	else
		repl_error(q.r, "%s", json ? "the interpreter's answer is invalid" : why->msg);
	cJSON_Delete(answer);
	repl_done(q.r);
}

static void on_interrupt(struct repl *r)
{
	r->question++;
	repl_done(r);
}

static const struct activity asking = {.what = "asking the interpreter", .interrupt = on_interrupt};

static void ask(struct repl *r, enum trm_question what, void (*tell)(struct repl *r, const cJSON *answer))
{
	struct trm_error why = {0};
	struct question *q = malloc(sizeof *q);
	if (!q)
		return;
	*q = (struct question){r, ++r->question, tell};
	repl_begin(r, &asking);
	if (trm_session_ask(r->session, r->lang, what, "", TRM_VARIABLES_WHOLE, on_answer, q, &why) == 0)
		return;
	free(q);
	repl_error(r, "%s", why.msg);
	repl_done(r);
}

static void print_variables(struct repl *r, const cJSON *answer)
{
	const cJSON *rows = cJSON_GetObjectItemCaseSensitive(answer, "variables"), *row;
	if (!cJSON_GetArraySize(rows))
		repl_say(r, "there are no variables yet");
	cJSON_ArrayForEach(row, rows)
	{
		const char *size = answer_text(row, "size");
		show_answer(&r->show, ROLE_TEXT, "%-16s %s%s%s  %s", answer_text(row, "name"),
				answer_text(row, "type"), *size ? " " : "", size, answer_text(row, "value"));
	}
}

static void print_reset(struct repl *r, const cJSON *answer)
{
	(void)answer;
	repl_say(r, "forgot the variables of %s", r->lang->name);
}

void repl_command_variables(struct repl *r, const char *rest)
{
	(void)rest;
	ask(r, TRM_ASK_VARIABLES, print_variables);
}

void repl_command_reset(struct repl *r, const char *rest)
{
	(void)rest;
	ask(r, TRM_ASK_RESET, print_reset);
}

void repl_command_restart(struct repl *r, const char *rest)
{
	struct trm_error why = {0};
	(void)rest;
	if (trm_session_restart(r->session, r->lang, &why) < 0)
		repl_error(r, "%s", why.msg);
	else
		repl_say(r, "%s was restarted: its variables are lost, files are kept", r->lang->name);
}

void repl_command_interrupt(struct repl *r, const char *rest)
{
	(void)rest;
	if (!peer_runs_interrupt(r))
		repl_say(r, "no other client is running anything in %s", r->lang->name);
}
