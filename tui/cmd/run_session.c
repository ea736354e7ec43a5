/* SPDX-License-Identifier: MIT */
#include "cmd/run_session_internal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/collect.h"
#include "cmd/source.h"
#include "stream/exit_code.h"

/* Theory of operation. Sandbox, session and first run are requested at once and start in parallel. Each run
 * starts the next one when it ends. Output is streamed with manual credit: bytes that stdout has not taken
 * hold up the code. After the last run the sandbox is closed, and the program ends when the sandbox has
 * ended. */

/* ---- runs --------------------------------------------------------------------------- */

static void start_listed(struct run_session *p);

/* The cells of a notebook build on each other: those behind one that failed are not run. */
static void skip_cells(struct run_session *p)
{
	size_t n = 0;
	char text[200];
	while (p->next < p->opts->n_sources && p->source->file
			&& p->opts->sources[p->next].file == p->source->file) {
		p->next++;
		n++;
	}
	if (n && !p->opts->is_json) {
		snprintf(text, sizeof text, "%.100s failed: %zu cell%s behind it %s not run", p->source->name,
				n, n == 1 ? "" : "s", n == 1 ? "was" : "were");
		run_session_message(p, text);
	}
}

static void end_run(struct run_session *p, const struct trm_result *result)
{
	run_session_print_result(p, result);
	if (p->is_over) /* printing may have ended the program */
		return;
	if (p->exit_code == 0) /* only the first failure is printed */
		p->exit_code = exit_code_of(result);
	if (result->status == TRM_STATUS_LOST || p->was_interrupted) {
		run_session_end(p, p->exit_code);
		return;
	}
	if (exit_code_of(result) != 0)
		skip_cells(p);
	run_session_start(p);
}

static void on_cmd_run_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct run_session *p = user;
	(void)run;
	p->run = NULL;
	progress_clear(&p->cli_session.progress);
	displays_end(&p->displays, &run_session_displays_out, p);
	echo_off_end(&p->echo_off);
	if (p->is_over)
		return;
	if (p->collect && result->status != TRM_STATUS_LOST && (p->waiting = trm_result_copy(result)))
		collect_end(p->collect, p->cli_session.sandbox);
	else
		end_run(p, result);
}

/* ---- files that a run has written -------------------------------------------------------- */

static void on_collected(void *user, struct trm_display *displays, size_t n)
{
	struct run_session *p = user;
	struct trm_result *result = p->waiting;
	size_t bundle = result->n_displays ? result->displays[result->n_displays - 1].bundle + 1 : 0;
	struct trm_display *all =
			n ? realloc(result->displays, (result->n_displays + n) * sizeof *all) : NULL;
	for (size_t i = 0; i < n; i++) {
		displays[i].bundle = bundle + i;
		displays[i].run = result->number;
		if (all && !p->opts->is_json)
			displays_add(&p->displays, result->number, &displays[i], &run_session_displays_out,
					p);
		if (all)
			all[result->n_displays++] = displays[i];
	}
	if (all)
		result->displays = all;
	free(displays);
	p->waiting = NULL;
	if (!p->is_over)
		end_run(p, result);
	trm_result_free(result);
}

static void on_listed(void *user)
{
	struct run_session *p = user;
	if (!p->is_over)
		start_listed(p);
}

static void note_collecting(void *user, const char *text)
{
	struct run_session *p = user;
	if (!p->is_over)
		run_session_message(p, text);
}

static const struct collect_cb collect_cb = {
		.listed = on_listed, .collected = on_collected, .note = note_collecting};

static const struct trm_run_cb run_cb = {.installing = run_session_on_installing,
		.started = run_session_on_started,
		.output = run_session_on_output,
		.display = run_session_on_display,
		.input = run_session_on_input,
		.done = on_cmd_run_done};

/* ---- the end of the program ----------------------------------------------------------- */

static void leave_next(struct run_session *p);

static void on_cmd_run_left(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct run_session *p = user;
	(void)run;
	p->run = NULL;
	if (p->is_over)
		return;
	run_session_print_error(p, result);
	if (p->exit_code == 0)
		p->exit_code = exit_code_of(result);
	if (result->status == TRM_STATUS_LOST || p->was_interrupted)
		run_session_end(p, p->exit_code);
	else
		leave_next(p);
}

static const struct trm_run_cb leave_cb = {.output = run_session_on_output, .done = on_cmd_run_left};

static bool was_used(const struct run_session *p, unsigned lang)
{
	for (size_t i = 0; i < p->opts->n_sources; i++)
		if (p->opts->sources[i].lang->index == lang)
			return true;
	return false;
}

/* Let each interpreter end as it normally does, so that its timers, threads and exit handlers finish. */
static void leave_next(struct run_session *p)
{
	struct trm_error why = {0};
	struct trm_run_opts opts;
	p->is_leaving = true;
	/* In a shared sandbox the interpreters live on, too. */
	while (p->next_to_leave < trm_lang_count()
			&& (cli_session_is_shared(&p->cli_session) || !was_used(p, p->next_to_leave)))
		p->next_to_leave++;
	if (p->next_to_leave == trm_lang_count()) {
		run_session_end(p, p->exit_code);
		return;
	}
	trm_run_opts_default(&opts);
	opts.lang = trm_lang_at(p->next_to_leave++);
	opts.manual_credit = !p->opts->is_json;
	if (trm_session_run_exit(p->session, &opts, &leave_cb, p, &p->run, &why) < 0)
		run_session_end(p, p->exit_code); /* the sandbox has ended */
}

/* List all findings if there are several. The refusal itself names only the first one. */
static void say_findings(struct run_session *p, const struct trm_run_opts *opts)
{
	struct trm_findings found;
	char line[400], text[420];
	if (!p->opts->policy
			|| trm_policy_scan(p->opts->policy, opts->lang, opts->code, opts->code_len, &found,
					   NULL)
					   < 0)
		return;
	for (size_t i = 0; i < found.n && found.n_refused > 1; i++) {
		if (!found.all[i].is_refused)
			continue;
		snprintf(text, sizeof text, "  ! %s", trm_finding_describe(&found.all[i], line, sizeof line));
		sink_line(&p->err, text);
	}
	trm_findings_finish(&found);
}

/* Is this a single file in a sandbox of its own? A named or kept sandbox is meant to keep the state of its
 * interpreter. */
static bool is_program(const struct run_session *p)
{
	return p->opts->n_sources == 1 && p->source->kind == SOURCE_FILE && !*p->opts->config->name
	       && !cli_session_is_shared(&p->cli_session);
}

void run_session_start(struct run_session *p)
{
	if (p->next == p->opts->n_sources) {
		leave_next(p);
		return;
	}
	p->source = &p->opts->sources[p->next++];
	if (p->collect)
		collect_begin(p->collect, p->cli_session.sandbox);
	else
		start_listed(p);
}

static void start_listed(struct run_session *p)
{
	struct trm_error why = {0};
	struct trm_run_opts opts;
	trm_run_opts_default(&opts);
	opts.lang = p->source->lang;
	opts.code = p->source->text;
	opts.code_len = p->source->n;
	char *inside = p->source->kind == SOURCE_FILE ? run_session_name_inside(p, p->source) : NULL;
	bool has_name = p->source->kind == SOURCE_FILE || p->source->kind == SOURCE_CELL;
	opts.filename = inside ? inside : has_name ? p->source->name : NULL;
	opts.is_program = is_program(p);
	opts.args = p->opts->args;
	opts.libraries = (const char *const *)p->source->libraries;
	opts.no_plots = p->opts->no_plots;
	opts.env = p->env[0] ? p->env : NULL;
	opts.cwd = p->cwd;
	opts.offers_stdin = p->source->kind != SOURCE_STDIN && !p->stdin_feed.is_ended;
	opts.waits_for_person = isatty(STDIN_FILENO);
	opts.manual_credit = !p->opts->is_json;
	int r = trm_session_run(p->session, &opts, &run_cb, p, &p->run, &why);
	free(inside);
	if (r < 0) {
		struct trm_result refusal = run_refusal(why.msg);
		if (p->opts->is_json)
			run_session_print_result(p, &refusal);
		run_session_message(p, why.msg);
		if (why.code == TRM_EPERM)
			say_findings(p, &opts);
		run_session_end(p, CMD_FAILED);
		return;
	}
	p->tail.n = 0;
	stdin_feed_restart(&p->stdin_feed);
}

/* A sandbox that was started for these runs has the variables and folder of the config. One that ran before
 * gets them for each run. */
static void take_own_env(struct run_session *p)
{
	size_t n = 0;
	if (!trm_sandbox_is_attached(p->cli_session.sandbox))
		return;
	trm_config_sandbox_opts(p->opts->config, &p->lists, &p->asked);
	for (size_t i = 0; p->opts->has_env && i < p->asked.n_env; i++)
		p->env[n++] = p->asked.env[i];
	p->cwd = p->opts->has_workdir ? p->asked.workdir : NULL;
}

/* ---- the session ------------------------------------------------------------------------ */

/* A running sandbox may have started the run before its answer arrives here. */
static bool may_be_running(const struct run_session *p)
{
	const struct trm_sandbox *s = p->cli_session.sandbox;
	return p->run && (trm_sandbox_is_ready(s) || (trm_sandbox_is_attached(s) && !p->was_interrupted));
}

static void on_cmd_run_interrupt(void *user)
{
	struct run_session *p = user;
	bool is_to_be_reported = !p->is_over && may_be_running(p);
	p->was_interrupted = true;
	if (p->copy) {
		trm_copy_cancel(p->copy);
		return;
	}
	if (p->is_over) /* only output is left, which nobody reads, or a look at the files */
		cli_session_close(&p->cli_session);
	else if (is_to_be_reported)
		trm_run_interrupt(p->run); /* the second interrupt kills at once */
	else
		run_session_end(p, CMD_SIGNALED + SIGINT);
}

static void on_cmd_run_closed(void *user, const struct trm_error *why)
{
	struct run_session *p = user;
	if (why->code == TRM_OK || p->is_over)
		return;
	run_session_message(p, why->msg);
	run_session_end(p, CMD_FAILED);
}

/* In a shared sandbox the run would continue, and nobody would enforce its time limit. A sandbox of our own
 * is about to end, but for its files. */
static bool on_cmd_run_signal(void *user, int signo)
{
	struct run_session *p = user;
	if (p->is_over || !may_be_running(p))
		return false;
	if (!cli_session_is_shared(&p->cli_session)) {
		run_session_end(p, CMD_SIGNALED + signo);
		p->cli_session.ended_by = p->is_saving ? signo : 0;
		return p->is_saving;
	}
	p->was_interrupted = true;
	p->cli_session.ended_by = signo;
	trm_run_interrupt(p->run);
	return true;
}

static bool is_stuck(void *user)
{
	struct run_session *p = user;
	return sinks_are_stuck(&p->out, &p->err);
}

static const struct cli_session_cb cli_session_cb = {.interrupt = on_cmd_run_interrupt,
		.signal = on_cmd_run_signal,
		.is_stuck = is_stuck,
		.closed = on_cmd_run_closed};
static const struct trm_session_cb session_cb = {.late = run_session_on_late};

/* A sandbox without a chosen name: print its name, so that the person can find it again. */
static void note_kept(const struct run_session *p)
{
	const struct trm_sandbox *s = p->cli_session.sandbox;
	if (s && trm_sandbox_is_kept(s) && !trm_sandbox_is_attached(s) && !*p->opts->config->name)
		fprintf(stderr,
				"terrarium: sandbox %s is kept: 'terrarium attach %s' opens it, 'terrarium stop "
				"%s' ends it\n",
				trm_sandbox_name(s), trm_sandbox_name(s), trm_sandbox_name(s));
}

static int open_run_session(struct run_session *p, struct trm_error *reterr)
{
	struct trm_session_opts opts;
	int r = cli_session_open(&p->cli_session, p->opts->config, CLI_SESSION_EITHER, p->opts->asked,
			&cli_session_cb, p, reterr);
	if (r < 0)
		return r;
	cmd_note_hints(p->cli_session.sandbox);
	trm_config_session_opts(p->opts->config, &opts);
	opts.is_shared = true;
	opts.client = "terrarium run";
	opts.policy = p->opts->policy;
	opts.net_credentials = p->opts->config->net_credentials;
	/* Nobody watches the steps, so there are only two: interrupt, kill. */
	opts.terminate_grace_ms = 0;
	if (!p->opts->is_json)
		opts.output_keep_bytes = 0; /* the output was sent already and is not requested again */
	r = trm_session_open(p->cli_session.sandbox, &opts, &session_cb, p, &p->session, reterr);
	if (r < 0)
		return r;
	sink_init(&p->out, p->cli_session.loop, STDOUT_FILENO, FILTER_LINES, &run_session_sink_cb, p);
	sink_init(&p->err, p->cli_session.loop, STDERR_FILENO, FILTER_LINES, &run_session_sink_cb, p);
	stdin_feed_init(&p->stdin_feed, p->cli_session.loop, STDIN_FILENO, &run_session_stdin_cb, p);
	return 0;
}

static bool has_output_left(const struct run_session *p)
{
	return !p->cli_session.is_closing && (!sink_is_empty(&p->out) || !sink_is_empty(&p->err));
}

static int perform_session(struct run_session *p)
{
	struct trm_error why = {0};
	if (open_run_session(p, &why) < 0) {
		p->exit_code = cmd_fail("%s", why.msg);
		if (p->opts->is_json)
			run_print_refusal(why.msg, &(struct trm_findings){0});
	} else {
		stdin_feed_begin(&p->stdin_feed);
		take_own_env(p);
		run_session_begin(p);
		while (!p->cli_session.is_closing && (!p->is_over || p->is_saving || has_output_left(p))) {
			stdin_feed_turn(&p->stdin_feed);
			trm_loop_step(p->cli_session.loop, stdin_feed_is_hungry(&p->stdin_feed) ? 0 : -1);
		}
		p->is_over = true;
	}
	for (; p->copy && trm_loop_step(p->cli_session.loop, 100) >= 0;)
		trm_copy_cancel(p->copy);
	p->is_saving = false;
	echo_off_end(&p->echo_off);
	stdin_feed_finish(&p->stdin_feed);
	note_kept(p);
	/* Close the sandbox first. Then runs that end with the connection need no messages. */
	cli_session_close(&p->cli_session);
	trm_session_close(p->session);
	sink_finish(&p->out);
	sink_finish(&p->err);
	int code = p->cli_session.ended_by ? CMD_SIGNALED + p->cli_session.ended_by : p->exit_code;
	cli_session_end(&p->cli_session);
	cli_session_finish(&p->cli_session);
	return cli_session_code(&p->cli_session, code);
}

int run_session(const struct run_session_opts *opts, bool *ret_is_pipe_broken)
{
	struct run_session p = {.opts = opts,
			.displays = {.dir = opts->figures,
					.saves_all = opts->saves_all,
					.clears = opts->clears}};
	if (opts->collect && !(p.collect = collect_create(opts->collect, &collect_cb, &p)))
		return cmd_fail("out of memory");
	int code = perform_session(&p);
	displays_finish(&p.displays);
	lost_files_finish(&p.lost);
	trm_result_free(p.waiting);
	collect_destroy(p.collect);
	*ret_is_pipe_broken = p.is_pipe_broken;
	return code;
}
