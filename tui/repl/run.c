/* SPDX-License-Identifier: MIT */
/* Runs, and how they are shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/install.h>
#include <terrarium/magic.h>

#include "output/runs.h"
#include "repl/command.h"
#include "repl/repl_internal.h"
#include "stream/exit_code.h"
#include "stream/install_hint.h"
#include "stream/missing_file.h"
#include "stream/policy_gate.h"
#include "stream/tty.h"
#include "text/format.h"

enum { LATE_HELD_MAX = 8 << 20, STEP_MS = 300, LONG_MS = 1000, NEAR_MS = 10000, LOOK_MS = 500 };

/* ---- output ----------------------------------------------------------------------------- */

void repl_run_released(struct repl *r, size_t n)
{
	if (r->run)
		trm_run_consumed(r->run, n);
}

static void on_code_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct repl *r = user;
	(void)run;
	if (stream == TRM_STDERR)
		tail_note(&r->tail, bytes, n);
	show_output(&r->show, stream, bytes, n, true);
}

/* Of something that outlived its run: it is not held back by what the reader takes. */
static void on_code_late(void *user, const struct trm_lang *lang, uint64_t number, int stream,
		const void *bytes, size_t n)
{
	struct repl *r = user;
	(void)lang, (void)number;
	if (sink_held(stream == TRM_STDERR ? &r->show.err : &r->show.out) < LATE_HELD_MAX)
		show_output(&r->show, stream, bytes, n, false);
}

static void on_code_caught_up(void *user)
{
	repl_caught_up(user);
}

static void on_code_kernel(void *user, const struct trm_lang *lang, enum trm_kernel_state state)
{
	repl_kernel_changed(user, lang, state);
}

static void on_code_ended(void *user, const struct trm_lang *lang, const char *reason)
{
	repl_say(user, "%s has ended: %s; %s", lang->name, reason, run_restarted_text(lang));
}

const struct trm_session_cb repl_run_session_cb = {.kernel = on_code_kernel,
		.late = on_code_late,
		.joined = peer_runs_joined,
		.caught_up = on_code_caught_up,
		.ended = on_code_ended};

static void show_text(void *user, const char *text)
{
	struct repl *r = user;
	show_line(&r->show, ROLE_OUT_STDOUT, text);
}

static void show_note(void *user, const char *text)
{
	struct repl *r = user;
	repl_say(r, "%s", text);
}

static bool show_image(void *user, const uint8_t *bytes, size_t n, const struct image_info *info)
{
	return images_draw(user, bytes, n, info);
}

const struct displays_out repl_run_displays = {.text = show_text, .note = show_note, .image = show_image};

static void on_code_display(void *user, struct trm_run *run, const struct trm_display *display)
{
	struct repl *r = user;
	repl_artifacts_keep(r, trm_run_number(run), display);
	displays_add(&r->displays, trm_run_number(run), display, &repl_run_displays, r);
}

/* ---- input -------------------------------------------------------------------------------- */

/* Bash's commands read without a word: what is typed while they run is theirs. */
static bool reads_unasked(const struct repl *r)
{
	return r->lang->style == TRM_STYLE_SHELL;
}

static void send_line_end(struct repl *r)
{
	trm_run_write(r->run, "\n", 1, NULL);
}

static void send_stdin(struct repl *r, const char *bytes, size_t n)
{
	struct trm_error why = {0};
	const char *end = memchr(bytes, '\r', n); /* typed in the moment when the terminal changed its mode */
	if (end && trm_run_write(r->run, bytes, (size_t)(end - bytes), NULL) == 0) {
		send_line_end(r);
		n -= (size_t)(end + 1 - bytes);
		bytes = end + 1;
	}
	if (n && trm_run_write(r->run, bytes, n, &why) < 0 && why.code != TRM_ECLOSED)
		repl_error(r, "%s", why.msg);
	echo_off_end(&r->echo_off);
	r->reads = false;
	show_typed(&r->show, bytes, n);
	repl_watch_keys(r, reads_unasked(r));
}

static void on_code_keys(struct repl *r, const char *bytes, size_t n)
{
	if (r->run)
		send_stdin(r, bytes, n);
}

static void on_keys_end(struct repl *r)
{
	if (r->run)
		trm_run_close_stdin(r->run);
	echo_off_end(&r->echo_off);
	r->reads = false;
	repl_watch_keys(r, false);
}

static void on_code_input(void *user, struct trm_run *run, const char *prompt, bool is_secret)
{
	struct repl *r = user;
	size_t n = 0;
	(void)run;
	r->reads = true;
	if (!repl_has_person(r)) {
		piped_answer(r);
		return;
	}
	if (!r->lang->prints_prompts)
		show_output(&r->show, TRM_STDERR, prompt, strlen(prompt), false);
	char *ahead = line_take_ahead(r->line, &n);
	repl_watch_keys(r, true);
	if (is_secret)
		echo_off_begin(&r->echo_off, STDIN_FILENO);
	if (n && !is_secret)
		show_output(&r->show, TRM_STDOUT, ahead, n, false); /* it was not echoed when it was typed */
	if (n)
		send_stdin(r, ahead, n);
	free(ahead);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void on_code_memory(void *user, struct trm_run *run, uint64_t used_bytes, uint64_t limit_bytes)
{
	struct repl *r = user;
	char used[24], limit[24];
	(void)run;
	if (repl_has_person(r))
		repl_say(r, "%s of %s of memory in use; Ctrl-C interrupts and keeps the state",
				format_bytes(used, used_bytes), format_bytes(limit, limit_bytes));
}

/* ---- stopping ------------------------------------------------------------------------------- */

static void on_code_interrupt(struct repl *r)
{
	if (!repl_has_person(r)) { /* nobody wants the rest of the transcript */
		repl_fail(r, 130);
		repl_leave(r);
	}
	if (repl_has_person(r)) {
		size_t n;
		if (tty_shows_interrupt())
			show_typed(&r->show, "^C", 2);
		else
			show_output(&r->show, TRM_STDOUT, "^C", 2, false);
		free(line_take_ahead(r->line, &n)); /* as a terminal does */
	}
	if (r->run)
		trm_run_interrupt(r->run);
}

static void print_step(void *user)
{
	struct repl *r = user;
	const struct trm_stopping *s = &r->stopping;
	char when[40] = "";
	if (s->next_ms >= 0)
		snprintf(when, sizeof when, " in %.3g s", (double)s->next_ms / 1000);
	if (s->next == TRM_STOP_TERMINATE)
		repl_say(r, "it ignores Ctrl-C: SIGTERM%s loses the variables (Ctrl-C again: now)", when);
	else if (s->next == TRM_STOP_KILL)
		repl_say(r, "%s: the kill%s loses the variables (Ctrl-C again: now)",
				s->step == TRM_STOP_TERMINATE ? "SIGTERM was sent" : "it ignores Ctrl-C",
				when);
}

/* ---- the time limit --------------------------------------------------------------------------- */

/* The clock stands while the interpreter starts, while code is compiled and while the run is paused. So the
 * time that is left is looked at again when it should be short. */
static void watch_limit(void *user)
{
	struct repl *r = user;
	int64_t limit_ms = r->config.timeout_ms, near_ms = limit_ms / 2 < NEAR_MS ? limit_ms / 2 : NEAR_MS;
	int64_t left_ms = r->run ? trm_run_time_left_ms(r->run) : 0;

	if (!r->run || !limit_ms)
		return;
	if (left_ms < 0 || left_ms > near_ms)
		trm_timer_start(r->limit_timer,
				left_ms > near_ms + LOOK_MS ? (uint64_t)(left_ms - near_ms) : LOOK_MS, 0);
	else if (left_ms >= LONG_MS)
		repl_say(r, "time limit: stops in %.0f s; Ctrl-C interrupts now (:timeout is for later runs)",
				(double)left_ms / 1000);
}

int repl_run_open(struct repl *r, struct trm_error *reterr)
{
	int e = trm_loop_add_timer(r->cli_session.loop, print_step, r, &r->step_timer, reterr);
	return e < 0 ? e : trm_loop_add_timer(r->cli_session.loop, watch_limit, r, &r->limit_timer, reterr);
}

/* Most code stops at the first word: nothing is told then. What a kill has done is told by the result. */
static void on_code_stopping(void *user, struct trm_run *run, const struct trm_stopping *how)
{
	struct repl *r = user;
	(void)run;
	r->stopping = *how;
	trm_timer_stop(r->step_timer);
	if (!repl_has_person(r) || how->step == TRM_STOP_KILL)
		return;
	r->stopping.next_ms -= how->next_ms > STEP_MS ? STEP_MS : 0;
	trm_timer_start(r->step_timer, STEP_MS, 0);
}

/* ---- the end ---------------------------------------------------------------------------------- */

/* Python's `  File "x", line 3`: where it was is told apart from what. */
static enum role role_of(const char *row)
{
	const char *word = row + strspn(row, " ");
	bool is_place = word > row && (!strncmp(word, "File \"", 6) || !strncmp(word, "at ", 3));
	return is_place ? ROLE_OUT_LINK : ROLE_OUT_ERROR;
}

static void show_error(struct repl *r, const struct trm_result *result)
{
	for (char **row = result->traceback; row && *row; row++)
		show_line(&r->show, r->show.is_terminal ? role_of(*row) : ROLE_OUT_ERROR, *row);
	if (result->error_name && !(result->traceback && *result->traceback))
		show_print(&r->show, ROLE_OUT_ERROR, "%s: %s", result->error_name,
				result->error_message ? result->error_message : "");
	if (result->reason && result->status == TRM_STATUS_LOST)
		snprintf(r->lost_why, sizeof r->lost_why, "%s", result->reason);
	if (result->reason)
		show_print(&r->show, ROLE_OUT_ERROR, "%s%s",
				r->show.is_terminal ? "" : "terrarium: ", result->reason);
	char hint[MISSING_FILE_HINT];
	if (result->hint)
		repl_say(r, "%s", result->hint);
	else if (result->status == TRM_STATUS_ERROR
			&& missing_file_hint(r->cli_session.sandbox, INSTALL_HINT_REPL, NULL,
					result->error_message ? result->error_message : tail_text(&r->tail),
					hint))
		repl_say(r, "%s", hint);
	else if (repl_has_person(r) && install_hint_of_result(result, INSTALL_HINT_REPL, "", NULL, hint))
		repl_say(r, "%s", hint);
	if (result->state_lost && !r->leaving.is_wanted && result->status != TRM_STATUS_LOST)
		repl_say(r, "%s was restarted: %s", result->lang->name, run_restarted_text(result->lang));
}

static void show_cost(struct repl *r, const struct trm_result *result)
{
	bool is_shown = result->error_name || result->reason;
	char wall[24], cpu[24], more[120] = "";
	size_t n = 0;
	if (!repl_has_person(r))
		return;
	if (result->exit_code && !is_shown)
		repl_say(r, "exit code %d", result->exit_code);
	if (result->wall_us + result->install_us < LONG_MS * 1000u)
		return;
	format_duration(wall, result->wall_us);
	if (result->has_install)
		n = (size_t)snprintf(more, sizeof more, ", and %s for the installation before",
				format_duration(cpu, result->install_us));
	if (result->has_compile)
		n += (size_t)snprintf(more + n, sizeof more - n, ", compiled in %s",
				format_duration(cpu, result->compile_us));
	if (result->has_cpu)
		snprintf(more + n, sizeof more - n, ", CPU time %s", format_duration(cpu, result->cpu_us));
	repl_say(r, "took %s%s", wall, more);
}

void repl_run_show(struct repl *r, const struct trm_result *result, bool has_value)
{
	show_end(&r->show);
	if (result->value && has_value && !displays_have_value(result))
		show_line(&r->show, ROLE_OUT_VALUE, result->value);
	if (!r->is_over && r->cli_session.sandbox)
		show_error(r, result);
}

static void end_input_run(struct repl *r)
{
	r->run = NULL;
	r->reads = false;
	trm_timer_stop(r->step_timer);
	trm_timer_stop(r->limit_timer);
	echo_off_end(&r->echo_off);
	displays_end(&r->displays, &repl_run_displays, r);
}

static void on_code_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct repl *r = user;
	(void)run;
	end_input_run(r);
	r->number = result->number + 1;
	repl_run_show(r, result, !r->filename);
	show_cost(r, result);
	repl_fail(r, exit_code_of(result));
	free(r->filename);
	r->filename = NULL;
	repl_done(r);
}

static const struct trm_run_cb run_cb = {.output = on_code_output,
		.display = on_code_display,
		.input = on_code_input,
		.memory = on_code_memory,
		.stopping = on_code_stopping,
		.done = on_code_done};

static const struct activity running = {
		.what = "running", .interrupt = on_code_interrupt, .input = on_code_keys, .eof = on_keys_end};

/* A refusal names the first finding, and says how many there are. */
static void list_code_findings(struct repl *r, const char *code, size_t n)
{
	struct trm_findings found;
	char line[400];
	if (policy_gate_scan(r->policy_gate, r->lang, code, n, &found, NULL) < 0)
		return;
	for (size_t i = 0; i < found.n && found.n_refused > 1; i++)
		if (found.all[i].is_refused)
			repl_say(r, "  ! %s", trm_finding_describe(&found.all[i], line, sizeof line));
	trm_findings_finish(&found);
}

static void repl_run_start(struct repl *r, const char *code, size_t n, const char *filename)
{
	struct trm_error why = {0};
	struct trm_run_opts opts;
	trm_run_opts_default(&opts);
	opts.lang = r->lang;
	opts.code = code;
	opts.code_len = n;
	opts.filename = filename;
	opts.timeout_ms = r->config.timeout_ms;
	opts.offers_stdin = opts.waits_for_person = true;
	opts.echoes = !filename; /* a file is a program */
	opts.manual_credit = true;
	r->used_langs |= 1u << r->lang->index;
	repl_begin(r, &running);
	char **libraries = NULL;
	r->tail.n = 0;
	int e = trm_magic_libraries(&libraries, r->lang, code, n, &why);
	opts.libraries = (const char *const *)libraries;
	if (e == 0)
		e = trm_session_run(r->session, &opts, &run_cb, r, &r->run, &why);
	trm_libraries_free(libraries);
	if (e < 0) {
		r->run = NULL;
		repl_error(r, "%s", why.msg);
		if (why.code == TRM_EPERM)
			list_code_findings(r, code, n);
		repl_done(r);
	} else if (repl_has_person(r)) {
		trm_timer_start(r->limit_timer, LOOK_MS, 0);
		if (reads_unasked(r))
			repl_watch_keys(r, true);
	}
}

void repl_run_code(struct repl *r)
{
	struct code *last = &r->last, *script = &r->scripts[r->lang->index];
	code_clear(last);
	code_add(last, r->code.text, r->code.n);
	code_add(script, r->code.text, r->code.n);
	if (script->n && script->text[script->n - 1] != '\n')
		code_add(script, "\n", 1);
	repl_drop_input(r);
	repl_run_start(r, last->text, last->n, r->filename);
}

/* ---- the end of the program ------------------------------------------------------------------------ */

static void on_code_left(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct repl *r = user;
	(void)run;
	end_input_run(r);
	show_error(r, result);
	repl_fail(r, exit_code_of(result));
	if (result->status == TRM_STATUS_LOST)
		r->is_over = true;
	else
		repl_run_leave(r);
}

static const struct trm_run_cb leave_cb = {
		.output = on_code_output, .stopping = on_code_stopping, .done = on_code_left};

void repl_run_leave(struct repl *r)
{
	struct trm_run_opts opts;
	while (r->next_to_leave < trm_lang_count() && !(r->used_langs >> r->next_to_leave & 1))
		r->next_to_leave++;
	if (r->next_to_leave == trm_lang_count()) {
		r->is_over = true;
		return;
	}
	trm_run_opts_default(&opts);
	opts.lang = trm_lang_at(r->next_to_leave++);
	opts.timeout_ms = r->config.timeout_ms;
	opts.manual_credit = true;
	repl_begin(r, &running);
	if (trm_session_run_exit(r->session, &opts, &leave_cb, r, &r->run, NULL) < 0)
		r->is_over = true; /* the sandbox is gone, which was told */
}
