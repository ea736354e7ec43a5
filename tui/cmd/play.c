/* SPDX-License-Identifier: MIT */
#include "cmd/play.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "cmd/cmd.h"
#include "cmd/source.h"
#include "stream/displays.h"
#include "stream/feed.h"
#include "stream/hush.h"
#include "stream/outcome.h"
#include "stream/sink.h"
#include "stream/stage.h"

/* Theory of operation. Sandbox, session and first run are asked for at once and work behind
 * each other's back; each run starts the next one when it is done. Output is
 * streamed with manual credit: what stdout has not taken holds the code back. After the last
 * run the sandbox is closed, and the program ends when that is gone. */

enum { LATE_HELD_MAX = 8 << 20 };

struct play {
	const struct play_opts *opts;
	size_t next;            /* of the sources */
	unsigned next_to_leave; /* of the languages, when all sources have run */
	bool is_leaving;
	struct stage stage;
	struct trm_session *session;
	struct trm_run *run;         /* NULL between runs */
	const struct source *source; /* of that run */
	uint64_t first_number;       /* of the first run; 0 until it has begun */
	struct sink out, err;
	struct feed feed;
	struct displays displays;
	struct hush hush; /* while a password is typed */
	int exit_code;
	bool is_over;         /* no further run will start */
	bool was_interrupted; /* by the person, who wants no further run either */
	bool is_pipe_broken;  /* nobody reads stdout any more */
};

/* ---- the end ------------------------------------------------------------------ */

static void finish_with(struct play *p, int exit_code)
{
	p->exit_code = exit_code;
	p->is_over = true;
}

/* What terrarium itself has to say. */
static void say(struct play *p, const char *text)
{
	char line[600];
	snprintf(line, sizeof line, "terrarium: %s", text);
	sink_line(&p->err, line);
}

/* ---- output --------------------------------------------------------------------- */

static void on_released(void *user, size_t n)
{
	struct play *p = user;
	if (p->run && !p->opts->is_json)
		trm_run_consumed(p->run, n);
}

static void on_broken(void *user, struct sink *sink, int saved_errno)
{
	struct play *p = user;
	if (sink != &p->out)
		return;
	if (saved_errno == EPIPE) {
		p->is_pipe_broken = true;
	} else {
		char text[200];
		snprintf(text, sizeof text, "cannot write the output: %s", strerror(saved_errno));
		say(p, text);
	}
	finish_with(p, CMD_FAILED);
}

static const struct sink_cb sink_cb = {.released = on_released, .broken = on_broken};

static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct play *p = user;
	(void)run;
	if (!p->opts->is_json)
		sink_write(stream == TRM_STDERR ? &p->err : &p->out, bytes, n);
	else if (p->is_leaving && sink_held(&p->err) < LATE_HELD_MAX)
		sink_pass(&p->err, bytes, n); /* stdout is for results, and these have been told */
}

static void on_started(void *user, struct trm_run *run)
{
	struct play *p = user;
	if (!p->first_number)
		p->first_number = trm_run_number(run);
}

/* Output of something that outlived its run, if that was one of ours: stdout is not for what others have left
 * behind in the sandbox. With --json stdout is for results alone. */
static void on_late(void *user, const struct trm_lang *lang, uint64_t number, int stream, const void *bytes,
		size_t n)
{
	struct play *p = user;
	(void)lang;
	bool is_ours = p->first_number && number >= p->first_number;
	/* Whose timer it was that went off is not known; but a sandbox that lives on is not waited for. */
	if (!is_ours || (p->is_over && stage_is_shared(&p->stage)))
		return;
	struct sink *sink = stream == TRM_STDERR || p->opts->is_json ? &p->err : &p->out;
	/* It is not held back by what the reader takes, as a run's own output is. */
	if (sink_held(sink) < LATE_HELD_MAX)
		sink_pass(sink, bytes, n);
}

/* On the run's own stdout: a pipe keeps what can be read. */
static void show_text(void *user, const char *text)
{
	struct play *p = user;
	sink_line(&p->out, text);
}

static void show_note(void *user, const char *text)
{
	say(user, text);
}

static const struct displays_out displays_out = {.text = show_text, .note = show_note};

static void on_display(void *user, struct trm_run *run, const struct trm_display *display)
{
	struct play *p = user;
	if (!p->opts->is_json)
		displays_add(&p->displays, trm_run_number(run), display, &displays_out, p);
}

/* ---- input ------------------------------------------------------------------------ */

static size_t on_feed_queued(void *user)
{
	struct play *p = user;
	return p->run && p->source->kind != SOURCE_STDIN && !p->is_leaving ? trm_run_queued(p->run)
									   : SIZE_MAX;
}

static void on_feed_bytes(void *user, const void *bytes, size_t n)
{
	struct play *p = user;
	hush_end(&p->hush);
	struct trm_error why = {0};
	if (trm_run_send(p->run, bytes, n, &why) < 0 && why.code != TRM_ECLOSED)
		say(p, why.msg);
}

static void on_feed_eof(void *user)
{
	struct play *p = user;
	if (p->run && p->source->kind != SOURCE_STDIN && !p->is_leaving)
		trm_run_send_eof(p->run);
}

static void on_feed_broken(void *user, const char *why)
{
	struct play *p = user;
	say(p, why);
	if (p->exit_code == 0)
		p->exit_code = CMD_FAILED;
}

static void on_input(void *user, struct trm_run *run, const char *prompt, bool is_secret)
{
	struct play *p = user;
	(void)run;
	if (!p->source->lang->prints_prompts && isatty(STDIN_FILENO))
		sink_pass(&p->err, prompt, strlen(prompt));
	if (is_secret)
		hush_begin(&p->hush, STDIN_FILENO);
}

static const struct feed_cb feed_cb = {.queued = on_feed_queued,
		.bytes = on_feed_bytes,
		.eof = on_feed_eof,
		.broken = on_feed_broken};

/* ---- runs --------------------------------------------------------------------------- */

static void start_next(struct play *p);

static void print_error(struct play *p, const struct trm_result *result)
{
	char line[600];
	for (char **row = result->traceback; row && *row; row++)
		sink_line(&p->err, *row);
	if (result->error_name && !(result->traceback && *result->traceback)) {
		snprintf(line, sizeof line, "%s: %s", result->error_name,
				result->error_message ? result->error_message : "");
		sink_line(&p->err, line);
	}
	if (result->reason && !p->stage.is_closing)
		say(p, result->reason);
	if (result->hint && !p->stage.is_closing)
		say(p, result->hint);
}

static void print_result(struct play *p, const struct trm_result *result)
{
	if (p->opts->is_json) {
		char *json = trm_result_to_json(result);
		if (json)
			sink_line(&p->out, json);
		else
			say(p, "out of memory while printing a result");
		free(json);
		return;
	}
	if (result->value && p->source->kind != SOURCE_FILE && !displays_have_value(result))
		sink_line(&p->out, result->value);
	print_error(p, result);
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct play *p = user;
	(void)run;
	p->run = NULL;
	displays_end(&p->displays, &displays_out, p);
	hush_end(&p->hush);
	if (p->is_over)
		return;
	print_result(p, result);
	if (p->is_over) /* printing may have been the end */
		return;
	if (p->exit_code == 0) /* the first failure is told */
		p->exit_code = outcome_exit_code(result);
	if (result->status == TRM_STATUS_LOST || p->was_interrupted)
		p->is_over = true;
	else
		start_next(p);
}

static const struct trm_run_cb run_cb = {.started = on_started,
		.output = on_output,
		.display = on_display,
		.input = on_input,
		.done = on_done};

/* ---- the end of the program ----------------------------------------------------------- */

static void leave_next(struct play *p);

static void on_left(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct play *p = user;
	(void)run;
	p->run = NULL;
	if (p->is_over)
		return;
	print_error(p, result);
	if (p->exit_code == 0)
		p->exit_code = outcome_exit_code(result);
	if (result->status == TRM_STATUS_LOST || p->was_interrupted)
		p->is_over = true;
	else
		leave_next(p);
}

static const struct trm_run_cb leave_cb = {.output = on_output, .done = on_left};

static bool was_used(const struct play *p, unsigned lang)
{
	for (size_t i = 0; i < p->opts->n_sources; i++)
		if (p->opts->sources[i].lang->id == lang)
			return true;
	return false;
}

/* As when a program ends: timers, threads, exit handlers of each interpreter are waited for. */
static void leave_next(struct play *p)
{
	struct trm_error why = {0};
	struct trm_run_opts opts;
	p->is_leaving = true;
	/* The interpreters of a sandbox that lives on do, too. */
	while (p->next_to_leave < TRM_LANG_COUNT
			&& (stage_is_shared(&p->stage) || !was_used(p, p->next_to_leave)))
		p->next_to_leave++;
	if (p->next_to_leave == TRM_LANG_COUNT) {
		p->is_over = true;
		return;
	}
	trm_run_opts_default(&opts);
	opts.lang = trm_lang_get(p->next_to_leave++);
	opts.manual_credit = !p->opts->is_json;
	if (trm_session_leave(p->session, &opts, &leave_cb, p, &p->run, &why) < 0)
		p->is_over = true; /* the sandbox is gone, which on_closed tells */
}

/* A single file in a sandbox that is nobody else's. Whoever names a sandbox, or keeps it, wants its state. */
static bool is_program(const struct play *p)
{
	return p->opts->n_sources == 1 && p->source->kind == SOURCE_FILE && !*p->opts->config->name
	       && !stage_is_shared(&p->stage);
}

static void start_next(struct play *p)
{
	struct trm_error why = {0};
	struct trm_run_opts opts;
	if (p->next == p->opts->n_sources) {
		leave_next(p);
		return;
	}
	p->source = &p->opts->sources[p->next++];
	trm_run_opts_default(&opts);
	opts.lang = p->source->lang;
	opts.code = p->source->text;
	opts.code_len = p->source->n;
	opts.filename = p->source->kind == SOURCE_FILE ? p->source->name : NULL;
	opts.is_program = is_program(p);
	opts.offers_stdin = p->source->kind != SOURCE_STDIN && !p->feed.is_ended;
	opts.waits_for_person = isatty(STDIN_FILENO);
	opts.manual_credit = !p->opts->is_json;
	if (trm_session_run(p->session, &opts, &run_cb, p, &p->run, &why) < 0) {
		say(p, why.msg);
		finish_with(p, CMD_FAILED);
		return;
	}
	feed_restart(&p->feed);
}

/* ---- the stage ------------------------------------------------------------------------ */

/* A sandbox that runs already may have the run before it has answered us. */
static bool may_be_running(const struct play *p)
{
	const struct trm_sandbox *s = p->stage.sandbox;
	return p->run && (trm_sandbox_is_ready(s) || (trm_sandbox_is_attached(s) && !p->was_interrupted));
}

static void on_interrupt(void *user)
{
	struct play *p = user;
	bool is_to_be_told = !p->is_over && may_be_running(p);
	p->was_interrupted = true;
	if (p->is_over) /* only output is left, which nobody takes */
		stage_close(&p->stage);
	else if (is_to_be_told)
		trm_run_interrupt(p->run); /* a second one kills at once */
	else
		finish_with(p, CMD_SIGNALLED + SIGINT);
}

static void on_closed(void *user, const struct trm_error *why)
{
	struct play *p = user;
	if (why->code == TRM_OK || p->is_over)
		return;
	say(p, why->msg);
	finish_with(p, CMD_FAILED);
}

/* In a sandbox that outlives us the run would go on, with nobody to see to its time-out. */
static bool on_signal(void *user, int signo)
{
	struct play *p = user;
	if (!stage_is_shared(&p->stage) || p->is_over || !may_be_running(p))
		return false;
	p->was_interrupted = true;
	p->stage.ended_by = signo;
	trm_run_interrupt(p->run);
	return true;
}

static bool is_stuck(void *user)
{
	struct play *p = user;
	return sinks_are_stuck(&p->out, &p->err);
}

static const struct stage_cb stage_cb = {
		.interrupt = on_interrupt, .signal = on_signal, .is_stuck = is_stuck, .closed = on_closed};
static const struct trm_session_cb session_cb = {.late = on_late};

/* Whoever has not named it must be told how to find it again. */
static void note_kept(const struct play *p)
{
	const struct trm_sandbox *s = p->stage.sandbox;
	if (s && trm_sandbox_is_kept(s) && !trm_sandbox_is_attached(s) && !*p->opts->config->name)
		fprintf(stderr,
				"terrarium: sandbox %s is kept: 'terrarium attach %s' opens it, 'terrarium stop "
				"%s' ends it\n",
				trm_sandbox_name(s), trm_sandbox_name(s), trm_sandbox_name(s));
}

static int open_all(struct play *p, struct trm_error *reterr)
{
	struct trm_session_opts opts;
	int r = stage_open(&p->stage, p->opts->config, STAGE_EITHER, p->opts->asked, &stage_cb, p, reterr);
	if (r < 0)
		return r;
	cmd_note_hints(p->stage.sandbox);
	trm_config_session_opts(p->opts->config, &opts);
	opts.is_shared = true;
	opts.client = "terrarium run";
	opts.policy = p->opts->policy;
	opts.terminate_grace_ms = 0; /* nobody watches the steps: interrupt, then kill */
	if (!p->opts->is_json)
		opts.output_keep_bytes = 0; /* it is on its way, and nobody asks for it again */
	r = trm_session_open(p->stage.sandbox, &opts, &session_cb, p, &p->session, reterr);
	if (r < 0)
		return r;
	sink_init(&p->out, p->stage.loop, STDOUT_FILENO, FILTER_LINES, &sink_cb, p);
	sink_init(&p->err, p->stage.loop, STDERR_FILENO, FILTER_LINES, &sink_cb, p);
	feed_init(&p->feed, p->stage.loop, STDIN_FILENO, &feed_cb, p);
	return 0;
}

static bool has_output_left(const struct play *p)
{
	return !p->stage.is_closing && (!sink_is_empty(&p->out) || !sink_is_empty(&p->err));
}

static int perform(struct play *p)
{
	struct trm_error why = {0};
	if (open_all(p, &why) < 0) {
		p->exit_code = cmd_fail("%s", why.msg);
	} else {
		feed_begin(&p->feed);
		start_next(p);
		while (!p->stage.is_closing && (!p->is_over || has_output_left(p))) {
			feed_turn(&p->feed);
			trm_loop_step(p->stage.loop, feed_is_hungry(&p->feed) ? 0 : -1);
		}
		p->is_over = true;
	}
	hush_end(&p->hush);
	feed_finish(&p->feed);
	note_kept(p);
	/* First the sandbox: what ends with the connection needs no words of its own. */
	stage_close(&p->stage);
	trm_session_close(p->session);
	sink_finish(&p->out);
	sink_finish(&p->err);
	int code = p->stage.ended_by ? CMD_SIGNALLED + p->stage.ended_by : p->exit_code;
	stage_end(&p->stage);
	stage_finish(&p->stage);
	return stage_code(&p->stage, code);
}

int play(const struct play_opts *opts, bool *ret_is_pipe_broken)
{
	struct play p = {.opts = opts, .displays = {.dir = opts->figures}};
	int code = perform(&p);
	displays_finish(&p.displays);
	*ret_is_pipe_broken = p.is_pipe_broken;
	return code;
}
