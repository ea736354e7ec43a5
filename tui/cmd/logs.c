/* SPDX-License-Identifier: MIT */
/* Prints the runs of a running sandbox. Its kernels keep their newest output for later clients, and this
 * program attaches as an observer. Runs are collected until all earlier output has arrived; then they are
 * printed in the order of their start. With --follow, later output is printed as it arrives. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/logs.h"
#include "cmd/sandbox_list.h"

/* ---- entries -------------------------------------------------------------------------- */

static struct logs_entry *add_logs_entry(struct logs *l, const struct trm_lang *lang, uint64_t number)
{
	struct logs_entry *e = calloc(1, sizeof *e);
	if (!e)
		return NULL;
	*e = (struct logs_entry){.logs = l, .lang = lang, .number = number, .displays = {.is_plain = true}};
	writer_init(&e->text, LOGS_KEPT_MAX);
	*l->end = e;
	l->end = &e->next;
	return e;
}

static void entry_free(struct logs_entry *e)
{
	displays_finish(&e->displays);
	writer_finish(&e->text);
	free(e->code);
	free(e->file);
	free(e);
}

/* Remove an entry that was printed completely. */
static void drop_logs_entry(struct logs *l, struct logs_entry *e)
{
	struct logs_entry **at = &l->first;
	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	if (!*at)
		l->end = at;
	if (l->reported_last == e)
		l->reported_last = NULL;
	entry_free(e);
}

/* Sort by the time of the start. Entries of one kernel keep their order. */
static void sort(struct logs *l)
{
	struct logs_entry *sorted = NULL;
	while (l->first) {
		struct logs_entry *e = l->first, **at = &sorted;
		l->first = e->next;
		while (*at && (*at)->began_ms <= e->began_ms)
			at = &(*at)->next;
		e->next = *at;
		*at = e;
	}
	l->first = sorted;
	l->end = &l->first;
	while (*l->end)
		l->end = &(*l->end)->next;
}

/* ---- events of the session ------------------------------------------------------------------ */

static void on_logs_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct logs_entry *e = user;
	(void)run;
	(void)stream;
	if (!e->logs->is_json)
		logs_put_output(e, bytes, n);
}

/* What was typed is not shown; the line is over. */
static void on_logs_answered(void *user, struct trm_run *run)
{
	on_logs_output(user, run, TRM_STDOUT, "\n", 1);
}

static void on_logs_display(void *user, struct trm_run *run, const struct trm_display *display)
{
	struct logs_entry *e = user;
	(void)run;
	if (!e->logs->is_json)
		displays_add(&e->displays, e->number, display, &logs_displays, e);
}

static void on_logs_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct logs_entry *e = user;
	struct logs *l = e->logs;
	bool is_running = l->is_over && result->status == TRM_STATUS_LOST;
	(void)run;
	e->run = NULL;
	if (l->is_json) {
		logs_print_json(l, e, result, is_running);
	} else {
		displays_end(&e->displays, &logs_displays, e);
		if (is_running)
			logs_put_line(e, "--- still running ---");
		else
			logs_put_end(e, result);
	}
	if (l->is_live || l->is_json)
		drop_logs_entry(l, e);
}

static const struct trm_run_cb run_cb = {.output = on_logs_output,
		.answered = on_logs_answered,
		.display = on_logs_display,
		.done = on_logs_done};

static void on_logs_joined(void *user, struct trm_run *run, const struct trm_origin *origin)
{
	struct logs *l = user;
	if (l->only && l->only != origin->lang)
		return;
	struct logs_entry *e = add_logs_entry(l, origin->lang, trm_run_number(run));
	if (!e)
		return;
	e->run = run;
	e->is_command = origin->is_command;
	e->began_ms = origin->began_ms;
	e->lost_bytes = origin->lost_bytes;
	e->code = strndup(origin->code, origin->code_len);
	e->code_len = e->code ? origin->code_len : 0;
	e->code_cut = origin->code_cut;
	e->file = strdup(origin->filename);
	snprintf(e->by, sizeof e->by, "%s", origin->by);
	trm_run_follow(run, &run_cb, e);
	if (l->is_live && !l->is_json)
		logs_turn_to(l, e);
}

static void on_logs_late(void *user, const struct trm_lang *lang, uint64_t number, int stream,
		const void *bytes, size_t n)
{
	struct logs *l = user;
	struct logs_entry *e = l->first;
	(void)stream;
	if (l->is_json || (l->only && l->only != lang))
		return;
	while (e && !(e->is_late && e->lang == lang && e->number == number))
		e = e->next;
	if (!e && (e = add_logs_entry(l, lang, number))) {
		e->is_late = true;
		for (const struct logs_entry *run = l->first; run; run = run->next)
			if (run->lang == lang && run->began_ms > e->began_ms)
				e->began_ms = run->began_ms;
	}
	if (e)
		logs_put_output(e, bytes, n);
}

static void on_logs_caught_up(void *user)
{
	struct logs *l = user;
	l->is_live = true;
	sort(l);
	for (struct logs_entry *e = l->first, *next; e && !l->is_json; e = next) {
		next = e->next;
		logs_turn_to(l, e);
		sink_pass(&l->out, e->text.bytes ? e->text.bytes : "", e->text.n);
		writer_clear(&e->text);
		if (!e->run && !e->is_late)
			drop_logs_entry(l, e);
	}
	l->is_over |= !l->follows;
}

static const struct trm_session_cb session_cb = {
		.late = on_logs_late, .joined = on_logs_joined, .caught_up = on_logs_caught_up};

/* ---- the session -------------------------------------------------------------------------------- */

static void on_logs_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct logs *l = user;
	(void)sandbox;
	l->sandbox = NULL;
	if (why->code != TRM_OK && !l->is_over)
		cmd_fail("%s", why->msg);
	if (why->code != TRM_OK && !l->is_live)
		l->exit_code = CMD_FAILED;
	l->is_over = true;
}

static const struct trm_sandbox_cb sandbox_cb = {.closed = on_logs_closed};

static void on_logs_signal(void *user, int signo)
{
	struct logs *l = user;
	l->exit_code = CMD_SIGNALED + signo;
	l->is_over = true;
}

static void on_logs_broken(void *user, struct sink *sink, int saved_errno)
{
	struct logs *l = user;
	(void)sink;
	l->is_over = true;
	l->is_pipe_broken = saved_errno == EPIPE;
	if (!l->is_pipe_broken)
		l->exit_code = cmd_fail("cannot write the output: %s", strerror(saved_errno));
}

static const struct sink_cb sink_cb = {.broken = on_logs_broken};

static int open_logs_session(struct logs *l, const char *name, struct trm_error *reterr)
{
	static const int signals[] = {SIGINT, SIGTERM};
	struct trm_session_opts opts;
	int r = trm_loop_create(&l->loop, reterr);
	if (r == 0)
		r = trm_loop_add_signals(l->loop, signals, 2, on_logs_signal, l, &l->signals, reterr);
	if (r == 0)
		r = trm_sandbox_attach(l->loop, name, NULL, &sandbox_cb, l, &l->sandbox, reterr);
	if (r < 0)
		return r;
	trm_session_opts_default(&opts);
	opts.is_shared = opts.wants_recent = true;
	opts.client = "terrarium logs";
	if (!l->is_json)
		opts.output_keep_bytes = 0;
	sink_init(&l->out, l->loop, STDOUT_FILENO, FILTER_LINES, &sink_cb, l);
	return trm_session_open(l->sandbox, &opts, &session_cb, l, &l->session, reterr);
}

static void show_logs(struct logs *l, const char *name)
{
	struct trm_error why;
	if (open_logs_session(l, name, &why) < 0)
		l->exit_code = cmd_fail("%s", why.msg);
	while (l->session && !l->is_over)
		trm_loop_step(l->loop, -1);
	trm_session_close(l->session); /* runs that are still active are printed now */
	while (l->session && !l->out.is_broken && !sink_is_empty(&l->out) && !l->exit_code)
		trm_loop_step(l->loop, -1);
	l->is_over = true;
	if (l->sandbox)
		trm_sandbox_close(l->sandbox);
	while (l->sandbox)
		trm_loop_step(l->loop, -1);
	sink_finish(&l->out);
	while (l->first)
		drop_logs_entry(l, l->first);
	trm_signal_remove(l->signals);
	trm_loop_destroy(l->loop);
}

/* ---- the command line ----------------------------------------------------------------------- */

static const struct option_spec options[] = {
		{"--follow", 'f', NULL, "keep printing new runs as they happen, until Ctrl-C"},
		{"--json", 'j', NULL, "print a JSON object per line for each run that has ended"},
		{0},
};

static int parse_logs(struct logs *l, struct options *o, const char **ret_name)
{
	int got;
	while ((got = options_next(o)) != OPTIONS_END) {
		switch (got) {
		case OPTIONS_OPERAND:
			if (*ret_name)
				return cmd_fail("'logs' takes one NAME, and '%s' is a second one", o->value);
			*ret_name = o->value;
			break;
		case 0: l->follows = true; break;
		case 1: l->is_json = true; break;
		default: return got;
		}
	}
	return *ret_name ? 0 : cmd_fail("which sandbox? Give its NAME; 'terrarium ps' lists them");
}

/* Only an option selects a language. A language in the config is meant for running code. */
static int choose_language(struct logs *l, const struct options *o, const struct trm_config *config)
{
	struct trm_error why;
	if (!options_has(o, "language"))
		return 0;
	return trm_lang_find(config->language, &l->only, &why) < 0 ? cmd_fail("%s", why.msg) : 0;
}

static int logs_main(const struct cmd *cmd, int argc, char **argv)
{
	struct logs l = {.has_color = cmd_has_color()};
	struct trm_config config;
	const char *name = NULL;
	struct options o;
	l.end = &l.first;
	options_init(&o, cmd->name, options, argc, argv);
	int got = parse_logs(&l, &o, &name);
	if (got)
		return got == OPTIONS_HELP ? cmd_print_help(cmd) : CMD_FAILED;
	if (options_check_starts_none(&o) < 0 || options_config(&o, &config) < 0)
		return CMD_FAILED;
	if (sandbox_list_is_remote(&config))
		return cmd_fail("a server does not show earlier runs; on its own machine 'terrarium logs NAMESPACE.NAME' "
				"shows it");
	if (choose_language(&l, &o, &config))
		return CMD_FAILED;
	show_logs(&l, name);
	if (l.is_pipe_broken)
		cmd_die_of_pipe();
	return l.exit_code;
}

static const char *const settings[] = {"language", NULL};

const struct cmd cmd_logs = {
		.name = "logs",
		.usage = "logs NAME [--follow] [--json] [-l LANG]",
		.summary = "show recent runs",
		.help = "Prints the recent runs of a running sandbox, by all clients: number, language, "
			"client, time, first line of the code, output, and how the run ended. A sandbox "
			"keeps the newest 256 KiB of output of each language. A terminal gets only text "
			"and colors; a pipe gets every byte unchanged.",
		.options = options,
		.settings = settings,
		.operands = "NAME",
		.run = logs_main,
};
