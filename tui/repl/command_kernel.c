/* SPDX-License-Identifier: MIT */
/* Commands that ask the kernel for something. */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "output/runs.h"
#include "repl/answer.h"
#include "repl/command.h"
#include "repl/repl_internal.h"

struct question {
	struct repl *r;
	uint64_t serial;
	void (*tell)(struct repl *r, const cJSON *answer);
};

static void on_kernel_answer(void *user, const char *json, const struct trm_error *why)
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

static void on_kernel_interrupt(struct repl *r)
{
	r->question++;
	repl_done(r);
}

static const struct activity asking = {.what = "asking the interpreter", .interrupt = on_kernel_interrupt};

static void ask_repl_kernel(
		struct repl *r, enum trm_question what, void (*tell)(struct repl *r, const cJSON *answer))
{
	struct trm_error why = {0};
	struct question *q = malloc(sizeof *q);
	if (!q)
		return;
	*q = (struct question){r, ++r->question, tell};
	repl_begin(r, &asking);
	if (trm_session_ask(r->session, r->lang, what, "", TRM_VARIABLES_WHOLE, on_kernel_answer, q, &why)
			== 0)
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
	ask_repl_kernel(r, TRM_ASK_VARIABLES, print_variables);
}

void repl_command_reset(struct repl *r, const char *rest)
{
	(void)rest;
	ask_repl_kernel(r, TRM_ASK_RESET, print_reset);
}

/* Whoever leaves before the old interpreter has ended leaves it to the next client, whose run then reports a
 * loss. So a restart takes until the new one is ready. */
static void stop_waiting(struct repl *r)
{
	repl_done(r);
}

static const struct activity restarting = {.what = "restarting the interpreter", .interrupt = stop_waiting};

void repl_command_restart(struct repl *r, const char *rest)
{
	struct trm_error why = {0};
	(void)rest;
	repl_begin(r, &restarting);
	if (trm_session_restart(r->session, r->lang, &why) == 0)
		return;
	repl_error(r, "%s", why.msg);
	repl_done(r);
}

void repl_kernel_changed(struct repl *r, const struct trm_lang *lang, enum trm_kernel_state state)
{
	if (r->activity.interrupt != stop_waiting || lang != r->lang)
		return;
	if (state == TRM_KERNEL_IDLE)
		repl_say(r, "%s was restarted: %s", lang->name, run_restarted_text(lang));
	else if (state == TRM_KERNEL_NONE)
		repl_error(r, "%s has ended and was not started again: the next run starts it", lang->name);
	else
		return;
	repl_done(r);
}

void repl_command_interrupt(struct repl *r, const char *rest)
{
	(void)rest;
	if (!peer_runs_interrupt(r))
		repl_say(r, "no other client is running anything in %s", r->lang->name);
}
