/* SPDX-License-Identifier: MIT */
/* Commands about the REPL itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repl/command.h"
#include "repl/repl_internal.h"

enum { LEFT_COLS = 19 };

/* Inputs without a colon, listed at the end of :help. */
static const struct repl_command signs[] = {
		{.name = "!COMMAND", .args = "", .brief = "in the sandbox"},
		{.name = "%%LANGUAGE", .args = "", .brief = "for one input"},
		{.name = "?NAME", .args = "", .brief = "explain a name"},
};
#define N_SIGNS (sizeof signs / sizeof *signs)

static const struct repl_command *row_at(size_t i, size_t n)
{
	return i < n ? &repl_command_table[i] : i < n + N_SIGNS ? &signs[i - n] : NULL;
}

static void write_cell(char *out, size_t cap, const struct repl_command *c)
{
	char left[64];
	snprintf(left, sizeof left, "%s%s%s%s", strchr("!?%", *c->name) ? "" : ":", c->name,
			*c->args ? " " : "", c->args);
	bool has_dots = strstr(left, "…") != NULL; /* one column, three bytes */
	snprintf(out, cap, "%-*s %s", LEFT_COLS + (has_dots ? 2 : 0), left, c->brief);
}

/* List all commands in two columns. */
static void list_all(struct repl *r)
{
	size_t n = 0;
	while (repl_command_table[n].name)
		n++;
	size_t rows = (n + N_SIGNS + 1) / 2;
	for (size_t i = 0; i < rows; i++) {
		char a[80], b[80] = "";
		write_cell(a, sizeof a, row_at(i, n));
		if (row_at(i + rows, n))
			write_cell(b, sizeof b, row_at(i + rows, n));
		show_answer(&r->show, ROLE_TEXT, "%-*s%s",
				*b ? LEFT_COLS + REPL_COMMAND_BRIEF + 2 + (strstr(a, "…") ? 2 : 0) : 0, a, b);
	}
	show_answer(&r->show, ROLE_DIM,
			"You can shorten names. Tab completes, Ctrl-R searches, Ctrl-C interrupts.\n"
			"Put a space before code that looks like a command.");
}

void repl_command_help(struct repl *r, const char *rest)
{
	size_t n = 0;
	rest += *rest == ':';
	if (!*rest) {
		list_all(r);
		return;
	}
	for (const struct repl_command *c = repl_command_table; c->name; c++) {
		if (!strcasestr(c->name, rest) && !strcasestr(c->help, rest))
			continue;
		show_answer(&r->show, ROLE_TEXT, ":%s%s%s: %s", c->name, *c->args ? " " : "", c->args,
				c->help);
		n++;
	}
	if (!n)
		repl_error(r, "no command matches '%s'; :help lists them", rest);
}

void repl_command_history(struct repl *r, const char *rest)
{
	const struct history *h = &r->history;
	size_t from = *rest || h->n < 40 ? 0 : h->n - 40;
	for (size_t i = from; i < h->n; i++)
		if (strstr(h->items[i], rest))
			show_answer(&r->show, ROLE_TEXT, "%5zu  %s", i + 1, h->items[i]);
	if (!h->n && repl_has_person(r))
		repl_say(r, "there is no history yet");
	if (!h->path[0] && repl_has_person(r))
		repl_say(r, "private: inputs are forgotten at the end");
}

void repl_command_quit(struct repl *r, const char *rest)
{
	(void)rest;
	repl_leave(r);
}

void repl_command_timeout(struct repl *r, const char *rest)
{
	struct trm_error why = {0};
	if (*rest && trm_config_set(&r->config, setting_find("timeout"), rest, ":timeout", &why) < 0)
		repl_error(r, "%s", why.msg);
	else if (r->config.timeout_ms)
		show_answer(&r->show, ROLE_TEXT, "runs have a time limit of %.6g s",
				r->config.timeout_ms / 1000.0);
	else
		show_answer(&r->show, ROLE_TEXT, "runs have no time limit");
}

static void list_themes(struct repl *r)
{
	struct theme_list list = {0};
	if (theme_list_init(&list) < 0)
		return;
	for (size_t i = 0; i < list.n; i++)
		show_answer(&r->show, ROLE_TEXT, "%c %s",
				strcmp(list.names[i], r->paint.theme.name) ? ' ' : '*', list.names[i]);
	theme_list_finish(&list);
}

void repl_command_theme(struct repl *r, const char *rest)
{
	struct trm_error why = {0};
	if (!*rest)
		list_themes(r);
	else if (paint_load(&r->paint, rest, r->show.is_terminal, &why) < 0)
		repl_error(r, "%s", why.msg);
}

void repl_command_language(struct repl *r, const char *rest)
{
	struct trm_error why = {0};
	const struct trm_lang *lang;
	if (!*rest) {
		for (unsigned i = 0; i < trm_lang_count(); i++)
			show_answer(&r->show, ROLE_TEXT, "%c %s", trm_lang_at(i) == r->lang ? '*' : ' ',
					trm_lang_at(i)->name);
	} else if (trm_lang_find(rest, &lang, &why) < 0) {
		repl_error(r, "%s", why.msg);
	} else {
		repl_set_language(r, lang);
	}
}

void repl_command_attach(struct repl *r, const char *rest)
{
	const char *name = trm_sandbox_name(r->cli_session.sandbox);
	char way[TRM_REMOTE_OPTIONS_BYTES];
	(void)rest;
	repl_server_options(r, way);
	show_answer(&r->show, ROLE_TEXT,
			"this is the sandbox %s. While it runs, use it elsewhere with:\n"
			"  terrarium attach %s%s          the workbench on it\n"
			"  terrarium attach %s%s --repl   another REPL\n"
			"  terrarium run %s--name %s -c CODE",
			name, way, name, way, name, way, name);
}

void repl_command_keep(struct repl *r, const char *rest)
{
	struct trm_error why = {0};
	bool is_on = !*rest || !strcmp(rest, "on");
	if (!is_on && strcmp(rest, "off") != 0) {
		repl_error(r, ":keep takes on or off, not '%s'", rest);
		return;
	}
	const char *name = trm_sandbox_name(r->cli_session.sandbox);
	if (trm_sandbox_keep(r->cli_session.sandbox, is_on, &why) < 0)
		repl_error(r, "%s", why.msg);
	else if (is_on)
		repl_say(r, "%s keeps running when this REPL ends: terrarium attach %s --repl", name, name);
	else
		repl_say(r, "%s ends with this REPL", name);
}

void repl_command_confirm(struct repl *r, const char *rest)
{
	static const char *const says[] = {[CONFIRM_NEVER] = "code runs without a question",
			[CONFIRM_HIGH] = "the REPL asks only about findings of high severity",
			[CONFIRM_EACH] = "the REPL asks before each input"};
	if (*rest && strcmp(rest, "on") != 0 && strcmp(rest, "off") != 0) {
		repl_error(r, ":confirm takes on or off, not '%s'", rest);
		return;
	}
	if (*rest)
		r->confirm_mode = rest[1] == 'n' ? CONFIRM_EACH : CONFIRM_HIGH;
	show_answer(&r->show, ROLE_TEXT, "%s", says[r->confirm_mode]);
}

void repl_command_env(struct repl *r, const char *rest)
{
	(void)rest;
	shell_start(r, "env | LC_ALL=C sort");
}
