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
	unsigned number_before; /* among those that were there before, from 1; else 0 */
	uint64_t began_ms;
	bool is_file, is_command;
	char by[160], title[32]; /* title: "[3]" or "command" */
	struct other *next;
};

/* Output of a run that was there before, from this place on. */
struct earlier {
	size_t place, end;
	uint64_t began_ms;
	unsigned number_before;
};

/* ---- output of the run --------------------------------------------------------------------- */

/* The output that is gathered now belongs to this run. Kernels report their past one after the other, in any
 * order. */
static void turn_to(struct other *o)
{
	struct repl *r = o->r;
	const struct earlier *last = r->n_earlier ? &r->earlier[r->n_earlier - 1] : NULL;
	if (!show_is_gathering(&r->show) || !o->number_before
			|| (last && last->number_before == o->number_before))
		return;
	if (r->n_earlier == r->earlier_cap) {
		size_t cap = r->earlier_cap ? 2 * r->earlier_cap : 32;
		struct earlier *more = realloc(r->earlier, cap * sizeof *more);
		if (!more)
			return;
		r->earlier = more;
		r->earlier_cap = cap;
	}
	r->earlier[r->n_earlier++] = (struct earlier){.place = show_place(&r->show),
			.began_ms = o->began_ms,
			.number_before = o->number_before};
}

static void on_peer_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct other *o = user;
	(void)run;
	turn_to(o);
	if (sink_held(&o->r->show.out) < HELD_MAX) /* this terminal never slows down the other client's run */
		show_output(&o->r->show, stream, bytes, n, false);
}

static void on_peer_display(void *user, struct trm_run *run, const struct trm_display *display)
{
	struct other *o = user;
	turn_to(o);
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
	turn_to(o);
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
			.began_ms = origin->began_ms,
			.number_before = origin->is_recent ? ++r->n_before : 0,
			.next = r->others};
	snprintf(o->by, sizeof o->by, "%s", origin->by);
	if (o->is_command)
		snprintf(o->title, sizeof o->title, "command");
	else
		snprintf(o->title, sizeof o->title, "[%" PRIu64 "]", trm_run_number(run));
	r->others = o;
	turn_to(o);
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
	r->n_earlier = 0;
	show_gather(&r->show);
}

static int by_time(const void *a, const void *b)
{
	const struct earlier *x = a, *y = b;
	if (x->began_ms != y->began_ms)
		return x->began_ms < y->began_ms ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void sort_by_time(struct repl *r)
{
	for (size_t i = 0; i < r->n_earlier; i++)
		r->earlier[i].end = i + 1 < r->n_earlier ? r->earlier[i + 1].place : show_place(&r->show);
	if (r->n_earlier)
		qsort(r->earlier, r->n_earlier, sizeof *r->earlier, by_time);
}

/* The first part of the newest PEER_RUNS_BEFORE runs. Each run has parts side by side. */
static size_t first_shown(const struct repl *r)
{
	size_t at = r->n_earlier;
	for (unsigned n = 0; at > 0; at--) {
		bool is_next = at == r->n_earlier
			       || r->earlier[at - 1].number_before != r->earlier[at].number_before;
		if (is_next && n++ == PEER_RUNS_BEFORE)
			break;
	}
	return at;
}

void peer_runs_show(struct repl *r)
{
	char text[160] = "";
	if (!show_is_gathering(&r->show))
		return;
	unsigned n = r->n_before <= PEER_RUNS_BEFORE ? 0 : r->n_before - PEER_RUNS_BEFORE;
	struct show_part *parts = calloc(r->n_earlier + 1, sizeof *parts);
	if (n)
		snprintf(text, sizeof text, "(%u earlier run%s: terrarium logs %s)", n, n == 1 ? "" : "s",
				r->cli_session.sandbox ? trm_sandbox_name(r->cli_session.sandbox) : "");
	size_t n_parts = 0;
	if (parts)
		parts[n_parts++] = (struct show_part){
				0, r->n_earlier ? r->earlier[0].place : show_place(&r->show)};
	sort_by_time(r);
	for (size_t i = first_shown(r); i < r->n_earlier && parts; i++)
		parts[n_parts++] = (struct show_part){r->earlier[i].place, r->earlier[i].end};
	show_parts(&r->show, parts, n_parts, text);
	free(parts);
}

void peer_runs_close(struct repl *r)
{
	while (r->others)
		forget_other(r->others);
	free(r->earlier);
	r->earlier = NULL;
}
