/* SPDX-License-Identifier: MIT */
/* "python calm-fern [3]> ", and below that line "                 ...> ". Without isolation, the first line
 * also says so. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repl/repl_internal.h"
#include "stream/tty.h"

/* Readline wants color sequences between \001 and \002, because they take no room. */
static void add_prompt_text(struct repl *r, char *out, size_t cap, enum role role, const char *text)
{
	const char *on = paint_on(&r->paint, role);
	size_t n = strlen(out);
	if (*on)
		snprintf(out + n, cap - n, "\001%s\002%s\001%s\002", on, text, paint_off(&r->paint));
	else
		snprintf(out + n, cap - n, "%s", text);
}

#define NO_ISOLATION " NO ISOLATION"

static bool is_open(const struct repl *r)
{
	return r->cli_session.sandbox && trm_sandbox_isolation(r->cli_session.sandbox) == TRM_ISOLATION_NONE;
}

static void write_first(struct repl *r, char *out, size_t cap, bool has_name)
{
	char number[32], name[70];
	snprintf(number, sizeof number, " [%" PRIu64 "]> ", r->number);
	snprintf(name, sizeof name, " %s", trm_sandbox_name(r->cli_session.sandbox));
	add_prompt_text(r, out, cap, ROLE_OUT_OK, r->lang->name);
	if (has_name)
		add_prompt_text(r, out, cap, ROLE_TITLE, name);
	if (is_open(r))
		add_prompt_text(r, out, cap, ROLE_STATUS_ERROR, NO_ISOLATION);
	add_prompt_text(r, out, cap, ROLE_DIM, number);
}

static size_t prompt_width(const struct repl *r, bool has_name)
{
	return strlen(r->lang->name) + (has_name ? 1 + strlen(trm_sandbox_name(r->cli_session.sandbox)) : 0)
	       + (is_open(r) ? strlen(NO_ISOLATION) : 0)
	       + (size_t)snprintf(NULL, 0, " [%" PRIu64 "]> ", r->number);
}

void repl_offer(struct repl *r, const char *text)
{
	free(r->offered);
	r->offered = strdup(text);
}

static void write_prompt(struct repl *r, char *out, size_t cap)
{
	static const char *const questions[] = {
			[QUESTION_START] = "Run what you enter? [y]es, [e]ach time ask, [n]o: ",
			[QUESTION_RUN] = "Run this? [y]es, [n]o, [a]lways: ",
			[QUESTION_ANYWAY] = "Run this? [y]es, [n]o: "};
	char dots[128];
	struct winsize size;
	tty_size(&size);
	bool has_name = prompt_width(r, true) * 2 < size.ws_col;
	size_t width = prompt_width(r, has_name);
	out[0] = '\0';
	if (r->question_shown) {
		add_prompt_text(r, out, cap, ROLE_WARN, questions[r->question_shown]);
	} else if (r->has_gathered) {
		snprintf(dots, sizeof dots, "%*s", (int)(width < sizeof dots ? width : sizeof dots - 1),
				"...> ");
		add_prompt_text(r, out, cap, ROLE_DIM, dots);
	} else {
		write_first(r, out, cap, has_name);
	}
}

void repl_prompt(struct repl *r)
{
	char prompt[600];
	write_prompt(r, prompt, sizeof prompt);
	char *offered = r->question_shown ? NULL : r->offered;
	r->offered = r->question_shown ? r->offered : NULL;
	line_show(r->line, prompt, offered ? offered : r->has_gathered ? r->indent : "");
	free(offered);
}

void repl_renew_prompt(struct repl *r)
{
	char prompt[600];
	write_prompt(r, prompt, sizeof prompt);
	line_set_prompt(r->line, prompt);
}
