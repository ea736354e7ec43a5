/* SPDX-License-Identifier: MIT */
/* Runs of other clients of the sandbox, shown live above the prompt. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/runs.h"
#include "repl/command.h"
#include "repl/repl_internal.h"
#include "text/format.h"

enum { HELD_MAX = 8 << 20, EXCERPT = 200 };

struct other {
	struct repl *r;
	struct trm_run *run;
	const struct trm_lang *lang;
	bool is_file, is_command;
	char by[160], title[32]; /* title: "[3]" or "command" */
	struct other *next;
};

/* ---- output of the run --------------------------------------------------------------------- */

static void on_peer_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct other *o = user;
	(void)run;
	if (sink_held(&o->r->show.out) < HELD_MAX) /* this terminal never slows down the other client's run */
		show_output(&o->r->show, stream, bytes, n, false);
}

static void on_peer_display(void *user, struct trm_run *run, const struct trm_display *display)
{
	struct other *o = user;
	repl_artifacts_keep(o->r, trm_run_number(run), display);
	displays_add(&o->r->displays, trm_run_number(run), display, &repl_run_displays, o->r);
}

static void on_peer_input(void *user, struct trm_run *run, const char *prompt, bool is_secret)
{
	struct other *o = user;
	(void)prompt, (void)is_secret;
	repl_say(o->r,
			"run %" PRIu64
			" waits for a line, but the program that started it is gone: it gets end of file",
			trm_run_number(run));
	trm_run_close_stdin(run);
}

/* What was typed is not shown; the line is over. */
static void on_peer_answered(void *user, struct trm_run *run)
{
	on_peer_output(user, run, TRM_STDOUT, "\n", 1);
}

static void forget_other(struct other *o)
{
	struct other **at = &o->r->others;
	while (*at != o)
		at = &(*at)->next;
	*at = o->next;
	free(o);
}

static void on_peer_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct other *o = user;
	struct repl *r = o->r;
	char time[24] = "";
	(void)run;
	displays_end(&r->displays, &repl_run_displays, r);
	repl_run_show(r, result, !o->is_file);
	if (!result->is_wall_unknown)
		format_duration(time, result->wall_us);
	repl_say(r, "└─ %s %s%s%s", o->title, trm_status_name(result->status), *time ? ", " : "", time);
	if (!o->is_command && o->lang == r->lang && result->number >= r->number)
		r->number = result->number + 1;
	forget_other(o);
	repl_renew_prompt(r);
}

static const struct trm_run_cb run_cb = {.output = on_peer_output,
		.display = on_peer_display,
		.input = on_peer_input,
		.answered = on_peer_answered,
		.done = on_peer_done};

static void on_quiet_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	(void)run, (void)result;
	forget_other(user);
}

/* A transcript does not show runs of others, but an interrupt reaches them. */
static const struct trm_run_cb quiet_cb = {.done = on_quiet_done};

/* ---- start of the run ------------------------------------------------------------------------- */

static void announce(struct repl *r, const struct other *o, const struct trm_origin *origin)
{
	char code[EXCERPT];
	size_t n = 0;
	while (n < origin->code_len && origin->code[n] != '\n')
		n++;
	if (o->is_file)
		trm_text_clean_line(code, sizeof code, origin->filename, strlen(origin->filename));
	else
		trm_text_clean_line(code, sizeof code, origin->code, n);
	repl_say(r, "┌─ %s%s%s, %s%s: %s%s", o->title, o->is_command ? "" : " ",
			o->is_command ? "" : o->lang->name, *o->by ? o->by : "another client",
			origin->is_recent ? " (before)" : "", code,
			!o->is_file && n < origin->code_len ? " …" : "");
}

void peer_runs_joined(void *user, struct trm_run *run, const struct trm_origin *origin)
{
	struct repl *r = user;
	struct other *o = calloc(1, sizeof *o);
	if (!o)
		return;
	*o = (struct other){.r = r,
			.run = run,
			.lang = origin->lang,
			.is_command = origin->is_command,
			/* not "<run 3>" */
			.is_file = !origin->is_command && origin->filename && *origin->filename != '<',
			.next = r->others};
	snprintf(o->by, sizeof o->by, "%s", origin->by);
	if (o->is_command)
		snprintf(o->title, sizeof o->title, "command");
	else
		snprintf(o->title, sizeof o->title, "[%" PRIu64 "]", trm_run_number(run));
	r->others = o;
	if (origin->is_recent)
		r->before[r->n_before++ % PEER_RUNS_BEFORE] = show_place(&r->show);
	if (repl_has_person(r))
		announce(r, o, origin);
	trm_run_follow(run, repl_has_person(r) ? &run_cb : &quiet_cb, o);
}

void peer_runs_print_wait(struct repl *r)
{
	for (struct other *o = r->others; o && repl_has_person(r); o = o->next)
		if (o->lang == r->lang && !o->is_command)
			repl_say(r, "waiting for run %" PRIu64 " of %s; Ctrl-C gives up, :interrupt stops it",
					trm_run_number(o->run), *o->by ? o->by : "another client");
}

bool peer_runs_interrupt(struct repl *r)
{
	bool any = false;
	for (struct other *o = r->others; o; o = o->next)
		if (o->lang == r->lang && !o->is_command) {
			trm_run_interrupt(o->run);
			any = true;
		}
	return any;
}

void peer_runs_gather(struct repl *r)
{
	r->n_before = 0;
	show_gather(&r->show);
}

void peer_runs_show(struct repl *r)
{
	char text[160];
	if (!show_is_gathering(&r->show))
		return;
	bool is_all = r->n_before <= PEER_RUNS_BEFORE;
	unsigned n = is_all ? 0 : r->n_before - PEER_RUNS_BEFORE;
	snprintf(text, sizeof text, "(%u earlier run%s: terrarium logs %s)", n, n == 1 ? "" : "s",
			r->cli_session.sandbox ? trm_sandbox_name(r->cli_session.sandbox) : "");
	show_from(&r->show, is_all ? 0 : r->before[r->n_before % PEER_RUNS_BEFORE], text);
}

void peer_runs_close(struct repl *r)
{
	while (r->others)
		forget_other(r->others);
}
