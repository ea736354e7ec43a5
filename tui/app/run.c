/* SPDX-License-Identifier: MIT */
/* Runs. Their callbacks become messages with the serial of the run. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <terrarium/install.h>
#include <terrarium/magic.h>

#include "app/app_internal.h"

/* A run that was requested and has not ended. */
struct app_run {
	struct app *app;
	struct app_run *next;
	struct trm_run *handle;
	uint32_t serial;
	struct tee *tee;     /* NULL: none */
	size_t unconsumed;   /* bytes of output received in this turn */
	bool needs_packages; /* it names some, and so far none had to be installed */
	bool is_peer;
};

static void send_run_msg(const struct app_run *r, struct msg msg)
{
	msg.run.serial = r->serial;
	app_send(r->app, &msg);
}

static struct app_run *find_app_run(const struct app *a, uint64_t serial)
{
	struct app_run *r = a->runs;

	while (r && r->serial != serial)
		r = r->next;
	return r;
}

static void forget_app_run(struct app_run *r)
{
	struct app_run **link = &r->app->runs;

	while (*link && *link != r)
		link = &(*link)->next;
	if (*link)
		*link = r->next;
	free(r->tee);
	free(r);
}

/* ---- callbacks of the library ---- */

/* A line of ours about packages, or the package manager's. They are no output of the run and need no credit.
 */
static void show_installing(const struct app_run *r, int stream, const char *bytes, size_t n)
{
	send_run_msg(r, (struct msg){.type = MSG_RUN_OUTPUT,
					.run.output.stream = stream,
					.run.output.bytes = bytes,
					.run.output.len = n});
}

static void on_app_run_started(void *user, struct trm_run *run)
{
	static const char there[] = "all packages are installed already\n";
	const struct app_run *r = user;

	(void)run;
	send_run_msg(r, (struct msg){.type = MSG_RUN_STARTED});
	if (r->needs_packages)
		show_installing(r, TRM_STDERR, there, sizeof there - 1);
}

static void on_app_run_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	struct app_run *r = user;

	(void)run;
	r->unconsumed += n;
	if (r->tee)
		tee_bytes(r->app, r->tee, bytes, n);
	send_run_msg(r, (struct msg){.type = MSG_RUN_OUTPUT,
					.run.output.stream = stream,
					.run.output.bytes = bytes,
					.run.output.len = n});
}

static void on_app_run_display(void *user, struct trm_run *run, const struct trm_display *display)
{
	(void)run;
	send_run_msg(user, (struct msg){.type = MSG_RUN_DISPLAY, .run.display = display});
}

static void on_app_run_input(void *user, struct trm_run *run, const char *prompt, bool is_secret)
{
	(void)run;
	send_run_msg(user, (struct msg){.type = MSG_RUN_INPUT,
					   .run.input.prompt = prompt,
					   .run.input.is_secret = is_secret});
}

/* The line of the question is over. What was typed here is shown already. */
static void on_app_run_answered(void *user, struct trm_run *run)
{
	const struct app_run *r = user;

	(void)run;
	if (r->is_peer)
		send_run_msg(r, (struct msg){.type = MSG_RUN_OUTPUT,
						.run.output.stream = TRM_STDOUT,
						.run.output.bytes = "\n",
						.run.output.len = 1});
}

static void on_app_run_memory(void *user, struct trm_run *run, uint64_t used_bytes, uint64_t limit_bytes)
{
	(void)run;
	(void)limit_bytes;
	send_run_msg(user, (struct msg){.type = MSG_RUN_MEMORY, .run.memory_bytes = used_bytes});
}

static void on_app_run_stopping(void *user, struct trm_run *run, const struct trm_stopping *how)
{
	(void)run;
	send_run_msg(user, (struct msg){.type = MSG_RUN_STOPPING, .run.stopping = how});
}

static void on_app_run_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct app_run *r = user, ended = *r;

	(void)run;
	if (r->tee)
		tee_end(r->app, r->tee);
	forget_app_run(r); /* first, because the message may start the next run */
	send_run_msg(&ended, (struct msg){.type = MSG_RUN_DONE, .run.result = result});
}

static void on_installing(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	static const char begun[] = "installing packages ...\n";
	struct app_run *r = user;
	bool is_begin = n == 0;

	(void)run;
	r->needs_packages = false;
	show_installing(r, stream, is_begin ? begun : bytes, is_begin ? sizeof begun - 1 : n);
}

static const struct trm_run_cb run_cb = {
		.started = on_app_run_started,
		.output = on_app_run_output,
		.display = on_app_run_display,
		.input = on_app_run_input,
		.answered = on_app_run_answered,
		.memory = on_app_run_memory,
		.installing = on_installing,
		.stopping = on_app_run_stopping,
		.done = on_app_run_done,
};

/* ---- requests of the workbench ---- */

/* The name of the code in tracebacks: the name of the file without its folders. NULL: the library chooses
 * one. */
static const char *code_name(const struct buffer *b)
{
	const char *path = b ? b->editor.path : NULL, *slash = path ? strrchr(path, '/') : NULL;
	return slash ? slash + 1 : path;
}

static int request_run(
		struct app *a, struct app_run *r, const struct effect *effect, struct trm_error *reterr)
{
	struct trm_run_opts opts;

	trm_run_opts_default(&opts);
	opts.lang = effect->run.lang;
	opts.code = effect->run.code;
	opts.code_len = effect->run.len;
	opts.filename = code_name(buffers_find(&a->model.buffers, effect->run.buffer));
	opts.offers_stdin = opts.waits_for_person = true;
	opts.manual_credit = true;
	opts.timeout_ms = a->model.timeout_ms;
	char **libraries = NULL;
	int e = trm_magic_libraries(&libraries, opts.lang, opts.code, opts.code_len, reterr);
	opts.libraries = (const char *const *)libraries;
	r->needs_packages = libraries != NULL;
	if (e == 0)
		e = trm_session_run(a->session, &opts, &run_cb, r, &r->handle, reterr);
	trm_libraries_free(libraries);
	return e;
}

static void refuse_run(struct app *a, const struct effect *effect, const char *why)
{
	app_send(a, &(struct msg){.type = MSG_RUN_REFUSED, .run.serial = effect->run.serial, .run.why = why});
}

void app_run(struct app *a, const struct effect *effect)
{
	struct app_run *r = calloc(1, sizeof *r);
	struct trm_error err = {0};

	if (!r || !a->session) {
		free(r);
		refuse_run(a, effect, a->session ? "out of memory" : "there is no sandbox to run this in");
		return;
	}
	*r = (struct app_run){.app = a, .next = a->runs, .serial = effect->run.serial};
	a->runs = r;
	if (request_run(a, r, effect, &err) < 0) {
		forget_app_run(r);
		refuse_run(a, effect, err.msg);
		return;
	}
	app_await_result(a);
	send_run_msg(r, (struct msg){.type = MSG_RUN_ACCEPTED, .run.number = trm_run_number(r->handle)});
}

/* Milliseconds since a time by the system clock. 0: it is unknown, or in the future. */
static uint64_t age_ms_of(uint64_t began_ms)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	uint64_t now_ms = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
	return began_ms && began_ms < now_ms ? now_ms - began_ms : 0;
}

void app_run_joined(void *user, struct trm_run *run, const struct trm_origin *origin)
{
	struct app *a = user;
	struct app_run *r = calloc(1, sizeof *r);

	if (!r)
		return;
	*r = (struct app_run){.app = a,
			.next = a->runs,
			.handle = run,
			.is_peer = true,
			.serial = a->model.out.runs.last + 1};
	a->runs = r;
	send_run_msg(r, (struct msg){.type = MSG_RUN_JOINED,
					.run.joined.number = trm_run_number(run),
					.run.joined.lang = origin->lang,
					.run.joined.code = origin->code,
					.run.joined.len = origin->code_len,
					.run.joined.began_ms = origin->began_ms,
					.run.joined.age_ms = age_ms_of(origin->began_ms),
					.run.joined.by = origin->by});
	trm_run_follow(run, &run_cb, r);
}

void app_run_interrupt(struct app *a, uint64_t serial)
{
	struct app_run *r = find_app_run(a, serial);

	if (r)
		trm_run_interrupt(r->handle);
}

void app_run_pause(struct app *a, uint64_t serial, bool is_paused)
{
	struct app_run *r = find_app_run(a, serial);

	if (r)
		trm_run_pause(r->handle, is_paused);
}

void app_run_hold(struct app *a, uint64_t serial, bool is_held)
{
	struct app_run *r = find_app_run(a, serial);

	if (r)
		trm_run_hold_clock(r->handle, is_held);
}

void app_run_extend(struct app *a, uint64_t serial)
{
	struct app_run *r = find_app_run(a, serial);
	struct trm_error err = {0};

	if (r && trm_run_extend(r->handle, a->model.timeout_ms, &err) < 0)
		app_notify(a, MSG_ERROR, err.msg);
}

uint64_t app_run_left_ms(const struct app *a)
{
	const struct app_run *r = a->model.run.is_install ? NULL : find_app_run(a, a->model.run.serial);
	int64_t left_ms = r ? trm_run_time_left_ms(r->handle) : -1;

	return left_ms > 0 ? (uint64_t)left_ms : 0;
}

void app_run_input(struct app *a, const struct effect *effect)
{
	bool is_end = effect->type == EFFECT_STDIN_EOF;
	struct app_run *r = find_app_run(a, is_end ? effect->serial : effect->input.serial);
	struct trm_error err = {0};

	if (!r)
		return;
	if (is_end)
		trm_run_close_stdin(r->handle);
	else if (trm_run_write(r->handle, effect->input.bytes, effect->input.len, &err) < 0)
		app_notify(a, MSG_ERROR, err.msg);
}

void app_run_spill(struct app *a, uint64_t serial, bool goes_on)
{
	struct app_run *r = find_app_run(a, serial);

	if (!r)
		return;
	if (r->tee)
		tee_end(a, r->tee);
	free(r->tee);
	r->tee = goes_on ? malloc(sizeof *r->tee) : NULL;
	if (r->tee)
		tee_begin(a, r->tee, r->serial);
}

void app_release_output(struct app *a)
{
	for (struct app_run *r = a->runs; r; r = r->next) {
		if (r->unconsumed)
			trm_run_consumed(r->handle, r->unconsumed);
		r->unconsumed = 0;
	}
}
