/* SPDX-License-Identifier: MIT */
/* The other sandboxes of this user: the list, and a look into one of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app_internal.h"

enum { LIST_MS = 1000, LOOK_MS = 1000 };

/* A sandbox that the app is attached to. Detaching takes a moment, and the next look starts at once, so
 * there may be several. */
struct app_peek {
	struct app *app;
	struct app_peek *next;
	struct trm_sandbox *sandbox;
	struct trm_session *session; /* follows the runs in the sandbox */
	struct look_run *runs;
	bool is_current;
};

/* A run in that sandbox that has not ended. */
struct look_run {
	struct app_peek *look;
	struct look_run *next;
	uint32_t serial;
};

/* ---- the list ---- */

static void send_sandbox_list(struct app *a)
{
	const struct trm_entry *entries = NULL;
	struct trm_error err = {0};
	struct trm_pool_entry *pools = NULL;
	size_t n = 0, n_pools = 0;
	int r = trm_registry_refresh(a->registry, &entries, &n, &err);
	if (r == 0)
		r = trm_registry_pools(&pools, &n_pools, &err);

	app_send(a, &(struct msg){.type = MSG_SANDBOXES,
				    .sandboxes.entries = entries,
				    .sandboxes.n = r < 0 ? 0 : n,
				    .sandboxes.pools = pools,
				    .sandboxes.n_pools = n_pools,
				    .sandboxes.why = r < 0 ? err.msg : NULL});
	free(pools);
}

static void on_peek_list(void *user)
{
	struct app *a = user;

	if (a->registry)
		send_sandbox_list(a);
}

void app_list_sandboxes(struct app *a)
{
	struct trm_error err = {0};

	if (!a->registry && trm_registry_create(&a->registry, &err) < 0) {
		app_notify(a, MSG_ERROR, err.msg);
		return;
	}
	if (!a->list_timer && trm_loop_add_timer(a->loop, on_peek_list, a, &a->list_timer, &err) < 0) {
		app_notify(a, MSG_ERROR, err.msg);
		return;
	}
	trm_timer_start(a->list_timer, LIST_MS, LIST_MS);
	send_sandbox_list(a);
}

void app_list_end(struct app *a)
{
	if (a->list_timer)
		trm_timer_stop(a->list_timer);
	app_ask_engines_end(a);
	trm_registry_destroy(a->registry);
	a->registry = NULL;
}

/* Stop a sandbox by its identity. Another sandbox may have taken its name in the meantime. */
void app_stop_sandbox(struct app *a, const struct effect *effect)
{
	struct trm_entry entry = {.supervisor_pid = effect->stop_sandbox.supervisor_pid,
			.supervisor_start = effect->stop_sandbox.supervisor_start};
	struct trm_error err = {0};

	if (a->registry && trm_registry_stop(a->registry, &entry, &err) < 0)
		app_notify(a, MSG_ERROR, err.msg);
}

/* ---- runs in the sandbox ---- */

static void send_run(const struct look_run *r, struct msg msg)
{
	msg.run.serial = r->serial;
	if (r->look->is_current)
		app_send(r->look->app, &msg);
}

static void on_peek_output(void *user, struct trm_run *run, int stream, const void *bytes, size_t n)
{
	(void)run;
	send_run(user, (struct msg){.type = MSG_INSIDE_OUTPUT,
				       .run.output.stream = stream,
				       .run.output.bytes = bytes,
				       .run.output.len = n});
}

static void on_peek_answered(void *user, struct trm_run *run)
{
	on_peek_output(user, run, TRM_STDOUT, "\n", 1);
}

static void on_peek_display(void *user, struct trm_run *run, const struct trm_display *display)
{
	char text[100];
	int n = snprintf(text, sizeof text, "[%.80s]\n", display->mime);

	(void)run;
	if (display->more == 0)
		send_run(user, (struct msg){.type = MSG_INSIDE_OUTPUT,
					       .run.output.stream = TRM_STDOUT,
					       .run.output.bytes = text,
					       .run.output.len = (size_t)n});
}

static void on_peek_done(void *user, struct trm_run *run, const struct trm_result *result)
{
	struct look_run *r = user, **link = &r->look->runs;

	(void)run;
	send_run(r, (struct msg){.type = MSG_INSIDE_DONE, .run.result = result});
	while (*link != r)
		link = &(*link)->next;
	*link = r->next;
	free(r);
}

static const struct trm_run_cb run_cb = {.output = on_peek_output,
		.answered = on_peek_answered,
		.display = on_peek_display,
		.done = on_peek_done};

static void on_peek_joined(void *user, struct trm_run *run, const struct trm_origin *origin)
{
	struct app_peek *look = user;
	struct look_run *r = calloc(1, sizeof *r);

	if (!r)
		return;
	*r = (struct look_run){.look = look,
			.next = look->runs,
			.serial = look->app->model.sandboxes.log.out.runs.last + 1};
	look->runs = r;
	send_run(r, (struct msg){.type = MSG_INSIDE_JOINED,
				    .run.joined.number = trm_run_number(run),
				    .run.joined.lang = origin->lang,
				    .run.joined.code = origin->code,
				    .run.joined.len = origin->code_len,
				    .run.joined.began_ms = origin->began_ms,
				    .run.joined.by = origin->by});
	trm_run_follow(run, &run_cb, r);
}

static void on_peek_caught_up(void *user)
{
	const struct app_peek *look = user;

	if (look->is_current)
		app_send(look->app, &(struct msg){.type = MSG_INSIDE_CAUGHT_UP});
}

static const struct trm_session_cb follow_cb = {.joined = on_peek_joined, .caught_up = on_peek_caught_up};

static int follow(struct app_peek *look, struct trm_error *reterr)
{
	struct trm_session_opts opts;

	trm_session_opts_default(&opts);
	opts.is_shared = opts.wants_recent = true;
	opts.client = "terrarium workbench";
	opts.output_keep_bytes = 0;
	return trm_session_open(look->sandbox, &opts, &follow_cb, look, &look->session, reterr);
}

/* ---- the look ---- */

static void on_peek_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	const struct app_peek *look = user;

	(void)sandbox;
	if (look->is_current)
		app_send(look->app, &(struct msg){.type = MSG_INSIDE_METRICS, .metrics = metrics});
}

static void on_peek_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct app_peek *look = user, **link = &look->app->looks;
	struct app *a = look->app;
	bool was_current = look->is_current;

	(void)sandbox;
	while (*link != look)
		link = &(*link)->next;
	*link = look->next;
	trm_session_close(look->session);
	free(look);
	if (was_current)
		app_send(a, &(struct msg){.type = MSG_INSIDE_CLOSED, .text = why->msg});
}

/* The preparation of a container may take a while. */
static void on_peek_progress(void *user, struct trm_sandbox *sandbox, const char *text)
{
	const struct app_peek *look = user;

	(void)sandbox;
	if (look->is_current)
		app_notify(look->app, MSG_INSIDE_PROGRESS, text);
}

static void on_peek_ready(void *user, struct trm_sandbox *sandbox)
{
	on_peek_progress(user, sandbox, "");
}

static const struct trm_sandbox_cb look_cb = {.progress = on_peek_progress,
		.ready = on_peek_ready,
		.metrics = on_peek_metrics,
		.closed = on_peek_closed};

/* Look into the sandbox with this name, or without a name into the one of `opts`. */
static void begin_peek(struct app *a, const char *name, const struct trm_sandbox_opts *opts)
{
	struct app_peek *look = calloc(1, sizeof *look);
	struct trm_error err = {0};

	app_peek_end(a);
	if (!look)
		return;
	*look = (struct app_peek){.app = a, .next = a->looks, .is_current = true};
	int r = name ? trm_sandbox_attach(a->loop, name, opts, &look_cb, look, &look->sandbox, &err)
		     : trm_sandbox_open(a->loop, opts, &look_cb, look, &look->sandbox, &err);
	if (r < 0) {
		free(look);
		app_send(a, &(struct msg){.type = MSG_INSIDE_CLOSED, .text = err.msg});
		return;
	}
	a->looks = look;
	if (follow(look, &err) < 0)
		app_notify(a, MSG_ERROR, err.msg);
}

void app_peek(struct app *a, const char *name)
{
	const struct trm_sandbox_opts opts = {.size = sizeof(struct trm_sandbox_opts),
			.metrics_interval_ms = LOOK_MS,
			.metrics_with_processes = true,
			.is_observer = true}; /* in one's own sandbox, too */

	begin_peek(a, name, &opts);
}

void app_peek_container(struct app *a, const char *engine, const char *id)
{
	struct trm_sandbox_opts opts;

	trm_sandbox_opts_default(&opts);
	opts.backend = engine;
	opts.container.container = id;
	opts.container.config = a->opts->config;
	opts.metrics_interval_ms = LOOK_MS;
	opts.metrics_with_processes = true;
	app_notify(a, MSG_INSIDE_PROGRESS, "putting an agent into it …");
	begin_peek(a, NULL, &opts);
}

void app_peek_end(struct app *a)
{
	for (struct app_peek *look = a->looks; look; look = look->next) {
		look->is_current = false;
		trm_session_close(look->session);
		look->session = NULL;
		trm_sandbox_close(look->sandbox);
	}
}

void app_peek_finish(struct app *a)
{
	app_list_end(a);
	trm_timer_remove(a->list_timer);
	a->list_timer = NULL;
	app_peek_end(a);
	while (a->looks && trm_loop_step(a->loop, 100) >= 0)
		;
}
