/* SPDX-License-Identifier: MIT */
/* What ran in a sandbox that is running: its kernels keep the newest of what they wrote, for whoever comes
 * later, and this is one who only looks. Until all that has been before is there, runs are collected, then
 * told in the order in which they began; with --follow what comes next is told as it comes. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/json_out.h"
#include "record/writer.h"
#include "stream/displays.h"
#include "stream/sink.h"

enum {
	HELD_MAX = 16 << 20, /* that a reader has not taken; then output is passed over */
	KEPT_MAX = 64 << 20, /* of one run that is not to be told yet */
};

/* A run, or what came of one after its end. */
struct entry {
	struct logs *logs;
	struct entry *next;
	struct trm_run *run; /* NULL: over */
	uint64_t number, began_ms, lost_bytes;
	const struct trm_lang *lang;
	char by[128];
	char *code, *file;
	size_t code_len, code_cut;
	bool is_late; /* output of a run that was over */
	bool is_told; /* its head is */
	struct displays displays;
	struct writer text; /* what is to be told of it when its time comes */
};

struct logs {
	bool is_json, follows, has_colour;
	const struct trm_lang *only; /* NULL: all languages */
	struct trm_loop *loop;
	struct trm_sandbox *sandbox;
	struct trm_session *session;
	struct trm_signal *signals[2];
	struct sink out;
	struct entry *first, **end;
	struct entry *told_last; /* whose output stands last on the screen */
	bool is_live;            /* what has been before is told */
	bool is_over, is_pipe_broken;
	int exit_code;
};

/* ---- entries -------------------------------------------------------------------------- */

static struct entry *add(struct logs *l, const struct trm_lang *lang, uint64_t number)
{
	struct entry *e = calloc(1, sizeof *e);
	if (!e)
		return NULL;
	*e = (struct entry){.logs = l, .lang = lang, .number = number, .displays = {.is_plain = true}};
	writer_init(&e->text, KEPT_MAX);
	*l->end = e;
	l->end = &e->next;
	return e;
}

static void entry_free(struct entry *e)
{
	displays_finish(&e->displays);
	writer_finish(&e->text);
	free(e->code);
	free(e->file);
	free(e);
}

/* Told and over: nothing more will be said of it. */
static void drop(struct logs *l, struct entry *e)
{
	struct entry **at = &l->first;
	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	if (!*at)
		l->end = at;
	if (l->told_last == e)
		l->told_last = NULL;
	entry_free(e);
}

/* By the time they began; entries of one kernel keep their order. */
static void sort(struct logs *l)
{
	struct entry *sorted = NULL;
	while (l->first) {
		struct entry *e = l->first, **at = &sorted;
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

/* ---- as text -------------------------------------------------------------------------- */

static void clock_of(uint64_t ms, char *out, size_t cap)
{
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm;
	if (!ms || !localtime_r(&seconds, &tm) || !strftime(out, cap, ", %H:%M:%S", &tm))
		*out = '\0';
}

/* One line of the program's own: dim where there are colours, and without any that the code has left on. */
static void say(struct logs *l, const char *text)
{
	char line[1200];
	snprintf(line, sizeof line, "%s%.1100s%s", l->has_colour ? "\x1b[0;2m" : "", text,
			l->has_colour ? "\x1b[0m" : "");
	sink_line(&l->out, line);
}

static size_t count_lines(const char *s, size_t n)
{
	size_t lines = 0;
	for (const char *at = s; at < s + n && (at = memchr(at, '\n', (size_t)(s + n - at))); at++)
		lines++;
	return lines + (n && s[n - 1] != '\n');
}

/* "> first line (4 lines)" */
static void say_code(struct logs *l, const struct entry *e)
{
	char first[400], line[520];
	size_t lines = count_lines(e->code, e->code_len);
	trm_text_clean_line(first, sizeof first, e->code, strcspn(e->code, "\n"));
	if (lines > 1 || e->code_cut)
		snprintf(line, sizeof line, "> %s (%zu lines%s)", first, lines,
				e->code_cut ? " and more" : "");
	else
		snprintf(line, sizeof line, "> %s", first);
	say(l, line);
}

static void say_head(struct logs *l, struct entry *e)
{
	char line[400], when[32];
	clock_of(e->began_ms, when, sizeof when);
	if (e->is_late)
		snprintf(line, sizeof line, "--- %s, later output of run %" PRIu64 " ---", e->lang->name,
				e->number);
	else
		snprintf(line, sizeof line, "--- run %" PRIu64 ", %s, %s%s%s ---", e->number, e->lang->name,
				*e->by ? e->by : "by nobody known", when, e->is_told ? ", goes on" : "");
	say(l, line);
	if (!e->is_told && !e->is_late)
		say_code(l, e);
	if (!e->is_told && e->lost_bytes) {
		snprintf(line, sizeof line, "(%" PRIu64 " bytes that came before are not kept any more)",
				e->lost_bytes);
		say(l, line);
	}
	e->is_told = true;
}

/* The next words come from this one. */
static void turn_to(struct logs *l, struct entry *e)
{
	if (l->told_last != e)
		say_head(l, e);
	l->told_last = e;
}

static void tell(struct entry *e, const char *bytes, size_t n)
{
	struct logs *l = e->logs;
	if (!l->is_live || l->is_json) {
		writer_put(&e->text, bytes, n);
		return;
	}
	turn_to(l, e);
	if (sink_held(&l->out) < HELD_MAX)
		sink_pass(&l->out, bytes, n);
}

/* A line of its own among what the code wrote. */
static void tell_line(void *user, const char *text)
{
	struct entry *e = user;
	struct logs *l = e->logs;
	bool is_kept = !l->is_live || l->is_json;
	char last = is_kept ? (e->text.n ? e->text.bytes[e->text.n - 1] : '\n') : l->out.last;
	if (last != '\n' && (is_kept || l->told_last == e))
		tell(e, "\n", 1);
	tell(e, text, strlen(text));
	tell(e, "\n", 1);
}

static const struct displays_out displays_out = {.text = tell_line, .note = tell_line};

static void tell_end(struct entry *e, const struct trm_result *r)
{
	char line[700], took[40] = "";
	if (r->value)
		tell_line(e, r->value);
	for (char **row = r->traceback; row && *row; row++)
		tell_line(e, *row);
	if (r->error_name && !(r->traceback && *r->traceback)) {
		snprintf(line, sizeof line, "%s: %s", r->error_name, r->error_message);
		tell_line(e, line);
	}
	if (!r->is_wall_unknown)
		snprintf(took, sizeof took, ", %.3f s", (double)r->wall_us / 1e6);
	snprintf(line, sizeof line, "= %s%s%s%.500s%s", trm_status_name(r->status), r->reason ? ", " : "",
			r->reason ? r->reason : "", "", took);
	if (r->status == TRM_STATUS_ERROR && !r->error_name)
		snprintf(line, sizeof line, "= error, exit code %d%s", r->exit_code, took);
	tell_line(e, line);
}

/* ---- as JSON --------------------------------------------------------------------------- */

/* The bytes of one stream, malloc'd and NUL-terminated; what is NUL in them becomes U+FFFD. */
static void put_stream(struct json_out *j, const char *key, const struct trm_result *r, int stream)
{
	struct writer w;
	writer_init(&w, KEPT_MAX);
	for (size_t i = 0; i < r->n_chunks; i++)
		if (r->chunks[i].stream == stream)
			for (size_t k = 0; k < r->chunks[i].n; k++) {
				const char *byte = r->output + r->chunks[i].offset + k;
				writer_put(&w, *byte ? byte : "\xef\xbf\xbd", *byte ? 1 : 3);
			}
	json_put_text(j, key, w.bytes ? w.bytes : "");
	writer_finish(&w);
}

static void print_json(struct logs *l, const struct entry *e, const struct trm_result *r, bool is_running)
{
	struct json_out j;
	json_init(&j);
	j.depth = 1; /* an entry of a list that nobody closes: all of it on one line */
	json_open(&j, NULL, '{');
	json_put_u64(&j, "run", e->number);
	json_put_text(&j, "language", e->lang->name);
	json_put_text(&j, "by", *e->by ? e->by : NULL);
	if (e->began_ms)
		json_put_u64(&j, "began_ms", e->began_ms);
	else
		json_put_null(&j, "began_ms");
	json_put_text(&j, "file", e->file);
	json_put_text(&j, "code", e->code);
	json_put_u64(&j, "code_cut_bytes", e->code_cut);
	json_put_u64(&j, "lost_bytes", e->lost_bytes);
	json_put_text(&j, "status", is_running ? "running" : trm_status_name(r->status));
	if (is_running)
		json_put_null(&j, "exit_code");
	else
		json_put_number(&j, "exit_code", r->exit_code, 0);
	json_put_text(&j, "reason", is_running ? NULL : r->reason);
	json_put_text(&j, "value", r->value);
	json_put_text(&j, "error_name", r->error_name);
	json_put_text(&j, "error_message", r->error_message);
	put_stream(&j, "stdout", r, TRM_STDOUT);
	put_stream(&j, "stderr", r, TRM_STDERR);
	json_put_u64(&j, "displays", r->n_displays);
	if (r->is_wall_unknown || is_running)
		json_put_null(&j, "wall_ms");
	else
		json_put_number(&j, "wall_ms", (double)r->wall_us / 1000, 3);
	json_close(&j, '}');
	if (j.w.error)
		l->exit_code = cmd_fail("cannot print this as JSON: %s", trm_strerror(j.w.error));
	else
		sink_line(&l->out, j.w.bytes);
	writer_finish(&j.w);
}

/* ---- what the session tells ------------------------------------------------------------------ */

static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct entry *e = user;
	(void)run;
	(void)stream;
	if (!e->logs->is_json)
		tell(e, bytes, n);
}

static void on_display(void *user, struct trm_run *run, const struct trm_display *display)
{
	struct entry *e = user;
	(void)run;
	if (!e->logs->is_json)
		displays_add(&e->displays, e->number, display, &displays_out, e);
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct entry *e = user;
	struct logs *l = e->logs;
	bool is_running = l->is_over && result->status == TRM_STATUS_LOST;
	(void)run;
	e->run = NULL;
	if (l->is_json) {
		print_json(l, e, result, is_running);
	} else {
		displays_end(&e->displays, &displays_out, e);
		if (is_running)
			tell_line(e, "= still running");
		else
			tell_end(e, result);
	}
	if (l->is_live || l->is_json)
		drop(l, e);
}

static const struct trm_run_cb run_cb = {.output = on_output, .display = on_display, .done = on_done};

static void on_joined(void *user, struct trm_run *run, const struct trm_origin *origin)
{
	struct logs *l = user;
	if (l->only && l->only != origin->lang)
		return;
	struct entry *e = add(l, origin->lang, trm_run_number(run));
	if (!e)
		return;
	e->run = run;
	e->began_ms = origin->began_ms;
	e->lost_bytes = origin->lost_bytes;
	e->code = strndup(origin->code, origin->code_len);
	e->code_len = e->code ? origin->code_len : 0;
	e->code_cut = origin->code_cut;
	e->file = strdup(origin->filename);
	snprintf(e->by, sizeof e->by, "%s", origin->by);
	trm_run_follow(run, &run_cb, e);
	if (l->is_live && !l->is_json)
		turn_to(l, e);
}

static void on_late(void *user, const struct trm_lang *lang, uint64_t number, int stream, const void *bytes,
		size_t n)
{
	struct logs *l = user;
	struct entry *e = l->first;
	(void)stream;
	if (l->is_json || (l->only && l->only != lang))
		return;
	while (e && !(e->is_late && e->lang == lang && e->number == number))
		e = e->next;
	if (!e && (e = add(l, lang, number))) {
		e->is_late = true;
		for (const struct entry *run = l->first; run; run = run->next)
			if (run->lang == lang && run->began_ms > e->began_ms)
				e->began_ms = run->began_ms;
	}
	if (e)
		tell(e, bytes, n);
}

static void on_caught_up(void *user)
{
	struct logs *l = user;
	l->is_live = true;
	sort(l);
	for (struct entry *e = l->first, *next; e && !l->is_json; e = next) {
		next = e->next;
		turn_to(l, e);
		sink_pass(&l->out, e->text.bytes ? e->text.bytes : "", e->text.n);
		writer_clear(&e->text);
		if (!e->run && !e->is_late)
			drop(l, e);
	}
	l->is_over |= !l->follows;
}

static const struct trm_session_cb session_cb = {
		.late = on_late, .joined = on_joined, .caught_up = on_caught_up};

/* ---- the frame -------------------------------------------------------------------------------- */

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
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

static const struct trm_sandbox_cb sandbox_cb = {.closed = on_closed};

static void on_signal(void *user, int signo)
{
	struct logs *l = user;
	l->exit_code = CMD_SIGNALLED + signo;
	l->is_over = true;
}

static void on_broken(void *user, struct sink *sink, int saved_errno)
{
	struct logs *l = user;
	(void)sink;
	l->is_over = true;
	l->is_pipe_broken = saved_errno == EPIPE;
	if (!l->is_pipe_broken)
		l->exit_code = cmd_fail("cannot write the output: %s", strerror(saved_errno));
}

static const struct sink_cb sink_cb = {.broken = on_broken};

static int open_all(struct logs *l, const char *name, struct trm_error *reterr)
{
	static const int SIGNALS[] = {SIGINT, SIGTERM};
	struct trm_session_opts opts;
	int r = trm_loop_create(&l->loop, reterr);
	for (int i = 0; r == 0 && i < 2; i++)
		r = trm_loop_add_signal(l->loop, SIGNALS[i], on_signal, l, &l->signals[i], reterr);
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

static void perform(struct logs *l, const char *name)
{
	struct trm_error why;
	if (open_all(l, name, &why) < 0)
		l->exit_code = cmd_fail("%s", why.msg);
	while (l->session && !l->is_over)
		trm_loop_step(l->loop, -1);
	trm_session_close(l->session); /* what is still running is told */
	while (l->session && !l->out.is_broken && !sink_is_empty(&l->out) && !l->exit_code)
		trm_loop_step(l->loop, -1);
	l->is_over = true;
	if (l->sandbox)
		trm_sandbox_close(l->sandbox);
	while (l->sandbox)
		trm_loop_step(l->loop, -1);
	sink_finish(&l->out);
	while (l->first)
		drop(l, l->first);
	for (int i = 0; i < 2; i++)
		trm_signal_remove(l->signals[i]);
	trm_loop_destroy(l->loop);
}

/* ---- the command line ----------------------------------------------------------------------- */

static const struct option_spec options[] = {
		{"--follow", 'f', NULL, "stay, and print what comes as it comes, until Ctrl-C"},
		{"--json", 'j', NULL, "one JSON object per run, on a line, when the run has ended"},
		{0},
};

static int parse(struct logs *l, struct options *o, const char **ret_name)
{
	int got;
	while ((got = options_next(o)) != OPTIONS_END) {
		switch (got) {
		case OPTIONS_OPERAND:
			if (*ret_name)
				return cmd_fail("logs takes one NAME, and got '%s' too", o->value);
			*ret_name = o->value;
			break;
		case 0: l->follows = true; break;
		case 1: l->is_json = true; break;
		default: return got;
		}
	}
	return *ret_name ? 0 : cmd_fail("whose logs? Give the NAME of a sandbox (terrarium ps lists them)");
}

/* Only what the line says: a language in the config is for what one runs. */
static int choose_language(struct logs *l, const struct options *o)
{
	struct trm_config config;
	struct trm_error why;
	if (!options_has(o, "language"))
		return 0;
	if (options_config(o, &config) < 0)
		return CMD_FAILED;
	return trm_lang_find(config.language, &l->only, &why) < 0 ? cmd_fail("%s", why.msg) : 0;
}

static int run(const struct cmd *cmd, int argc, char **argv)
{
	struct logs l = {.has_colour = cmd_has_colour()};
	const char *name = NULL;
	struct options o;
	l.end = &l.first;
	options_init(&o, cmd->name, options, argc, argv);
	int got = parse(&l, &o, &name);
	if (got)
		return got == OPTIONS_HELP ? cmd_print_help(cmd) : CMD_FAILED;
	if (choose_language(&l, &o))
		return CMD_FAILED;
	perform(&l, name);
	if (l.is_pipe_broken)
		cmd_die_of_pipe();
	return l.exit_code;
}

static const char *const settings[] = {"language", NULL};

const struct cmd cmd_logs = {
		.name = "logs",
		.usage = "logs NAME [--follow] [--json] [-l LANG]",
		.summary = "what ran in it lately",
		.help = "Prints the runs of a running sandbox, whosesoever they were: number, language, who "
			"ran it and when, the first line of the code, what it printed and how it ended. A "
			"sandbox keeps the newest 256 KiB of what each language's kernel wrote. On a terminal "
			"the text is made safe to look at; in a pipe it comes byte by byte.",
		.options = options,
		.settings = settings,
		.operands = "NAME",
		.run = run,
};
