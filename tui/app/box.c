/* SPDX-License-Identifier: MIT */
/* The sandbox, the session and the run in hand: what they call back becomes messages. */
#include <stdio.h>
#include <string.h>

#include "app/inside.h"

/* ---- the run ---- */

static void on_started(void *user, struct trm_run *run)
{
	(void)run;
	app_send(user, &(struct msg){.type = MSG_RUN_STARTED});
}

static void on_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct app *a = user;

	(void)run;
	a->unconsumed += n;
	app_send(a, &(struct msg){.type = MSG_RUN_OUTPUT, .stream = stream, .text = bytes, .len = n});
}

static void on_display(void *user, struct trm_run *run, const struct trm_display *display)
{
	(void)run;
	app_send(user, &(struct msg){.type = MSG_RUN_DISPLAY, .display = display});
}

static void on_input(void *user, struct trm_run *run, const char *prompt, bool is_secret)
{
	(void)run;
	app_send(user, &(struct msg){.type = MSG_RUN_INPUT, .text = prompt, .flag = is_secret});
}

static void on_killing(void *user, struct trm_run *run)
{
	(void)run;
	app_send(user, &(struct msg){.type = MSG_RUN_KILLING});
}

static void on_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct app *a = user;

	(void)run;
	a->run = NULL;
	a->unconsumed = 0;
	app_send(a, &(struct msg){.type = MSG_RUN_DONE, .result = result});
}

static const struct trm_run_cb run_cb = {
		.started = on_started,
		.output = on_output,
		.display = on_display,
		.input = on_input,
		.killing = on_killing,
		.done = on_done,
};

/* What tracebacks call the code: the file's name without its folders, or what the library thinks. */
static const char *code_name(const struct editor *e)
{
	const char *slash = e->path ? strrchr(e->path, '/') : NULL;
	return slash ? slash + 1 : e->path;
}

void app_run(struct app *a, const struct effect *effect)
{
	struct trm_run_opts opts;
	struct trm_error err = {0};
	struct trm_run *run;

	if (!a->session) {
		app_tell(a, MSG_RUN_REFUSED, "there is no sandbox to run this in");
		return;
	}
	trm_run_opts_default(&opts);
	opts.lang = effect->lang;
	opts.code = effect->text;
	opts.code_len = effect->len;
	opts.filename = code_name(&a->model.editors[effect->lang->id]);
	opts.offers_stdin = true;
	opts.manual_credit = true;
	if (trm_session_run(a->session, &opts, &run_cb, a, &run, &err) < 0) {
		app_tell(a, MSG_RUN_REFUSED, err.msg);
		return;
	}
	a->run = run;
	a->unconsumed = 0;
	app_send(a, &(struct msg){.type = MSG_RUN_ACCEPTED, .number = trm_run_number(run)});
}

void app_release_output(struct app *a)
{
	if (a->run && a->unconsumed)
		trm_run_consumed(a->run, a->unconsumed);
	a->unconsumed = 0;
}

/* ---- the session ---- */

static void on_late(void *user, const struct trm_lang *lang, uint64_t number, int stream, const void *bytes,
		size_t n)
{
	(void)lang;
	app_send(user, &(struct msg){.type = MSG_LATE,
				       .number = number,
				       .stream = stream,
				       .text = bytes,
				       .len = n});
}

static const struct trm_session_cb session_cb = {.late = on_late};

/* ---- the sandbox ---- */

static void describe(const struct trm_sandbox *sandbox, struct msg *msg)
{
	msg->text = trm_sandbox_name(sandbox);
	msg->other = trm_sandbox_backend(sandbox);
	msg->limits = trm_sandbox_limits(sandbox);
	msg->n_guards = trm_sandbox_is_ready(sandbox) ? trm_sandbox_guards(sandbox, &msg->guards) : 0;
}

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	struct msg msg = {.type = MSG_SANDBOX_READY};

	describe(sandbox, &msg);
	app_send(user, &msg);
}

static void on_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	(void)sandbox;
	app_send(user, &(struct msg){.type = MSG_METRICS, .metrics = metrics});
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct app *a = user;

	(void)sandbox;
	a->sandbox = NULL;
	trm_session_close(a->session);
	a->session = NULL;
	app_send(a, &(struct msg){.type = MSG_SANDBOX_CLOSED, .text = why->code == TRM_OK ? NULL : why->msg});
	a->is_done = a->is_quitting;
}

static const struct trm_sandbox_cb sandbox_cb = {
		.ready = on_ready, .metrics = on_metrics, .closed = on_closed};

static int open_box(struct app *a, struct trm_error *reterr)
{
	struct trm_sandbox_opts opts = a->opts->sandbox;

	if (!opts.metrics_interval_ms)
		opts.metrics_interval_ms = 1000;
	opts.metrics_with_processes = true;
	int r = trm_sandbox_open(a->loop, &opts, &sandbox_cb, a, &a->sandbox, reterr);
	if (r < 0)
		return r;
	struct msg msg = {.type = MSG_SANDBOX_STARTING};
	describe(a->sandbox, &msg);
	app_send(a, &msg);
	/* The workbench keeps what is printed itself: a result need not hold it a second time, and to put
	 * one of 8 MiB together would delay the end of an interrupted flood. */
	struct trm_session_opts session = a->opts->session;
	session.output_keep_bytes = 0;
	r = trm_session_open(a->sandbox, &session, &session_cb, a, &a->session, reterr);
	if (r == 0)
		r = trm_session_warm(a->session, a->model.lang, reterr);
	return r;
}

void app_start_sandbox(struct app *a)
{
	struct trm_error err = {0};

	if (a->sandbox || open_box(a, &err) == 0)
		return;
	if (a->sandbox)
		trm_sandbox_close(a->sandbox);
	app_tell(a, MSG_SANDBOX_CLOSED, err.msg);
}

void app_close_sandbox(struct app *a)
{
	trm_session_close(a->session);
	a->session = NULL;
	trm_sandbox_close(a->sandbox);
}
