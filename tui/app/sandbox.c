/* SPDX-License-Identifier: MIT */
/* The sandbox and the session. Their callbacks become messages. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/config.h>

#include "app/app_internal.h"
#include "model/detach.h"
#include "output/runs.h"
#include "settings/settings.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* ---- the session ---- */

static void on_app_sandbox_late(void *user, const struct trm_lang *lang, uint64_t number, int stream,
		const void *bytes, size_t n)
{
	(void)lang;
	app_send(user, &(struct msg){.type = MSG_LATE,
				       .late.number = number,
				       .late.stream = stream,
				       .late.bytes = bytes,
				       .late.len = n});
}

static void on_present(void *user, uint32_t client, const char *by)
{
	app_send(user, &(struct msg){.type = MSG_CLIENT, .client.id = client, .client.what = by});
}

static void on_app_sandbox_ended(void *user, const struct trm_lang *lang, const char *reason)
{
	char text[700];
	snprintf(text, sizeof text, "%s has ended: %s; %s", lang->name, reason, run_restarted_text(lang));
	app_notify(user, MSG_NOTICE, text);
}

static void on_app_caught_up(void *user)
{
	app_send(user, &(struct msg){.type = MSG_CAUGHT_UP});
}

static const struct trm_session_cb session_cb = {.late = on_app_sandbox_late,
		.joined = app_run_joined,
		.caught_up = on_app_caught_up,
		.ended = on_app_sandbox_ended,
		.present = on_present};

/* ---- the sandbox ---- */

static void describe_app_sandbox(const struct trm_sandbox *sandbox, struct msg_sandbox *ret)
{
	ret->name = trm_sandbox_name(sandbox);
	ret->backend = trm_sandbox_backend(sandbox);
	ret->origin = trm_sandbox_origin(sandbox);
	ret->is_adopted = trm_sandbox_is_adopted(sandbox);
	ret->limits = trm_sandbox_limits(sandbox);
	ret->n_mounts = trm_sandbox_mounts(sandbox, &ret->mounts);
	ret->is_kept = trm_sandbox_is_kept(sandbox) || trm_sandbox_is_joined(sandbox);
	ret->is_attached = trm_sandbox_is_attached(sandbox) || trm_sandbox_is_joined(sandbox);
	ret->n_guards = trm_sandbox_is_ready(sandbox) ? trm_sandbox_guards(sandbox, &ret->guards) : 0;
}

static void on_app_sandbox_progress(void *user, struct trm_sandbox *sandbox, const char *text)
{
	(void)sandbox;
	app_notify(user, MSG_SANDBOX_PROGRESS, text);
}

static void on_app_sandbox_warning(void *user, struct trm_sandbox *sandbox, const char *text)
{
	(void)sandbox;
	app_notify(user, MSG_SANDBOX_WARNING, text);
}

/* The languages of an image are unknown until one is started. */
static uint32_t missing_langs(const struct trm_sandbox *sandbox)
{
	uint32_t missing = 0;

	for (unsigned i = 0; strcmp(trm_sandbox_backend(sandbox), "local") == 0 && i < trm_lang_count(); i++)
		missing |= (uint32_t)!trm_lang_is_here(trm_lang_at(i)) << i;
	return missing;
}

static void on_app_sandbox_ready(void *user, struct trm_sandbox *sandbox)
{
	struct app *a = user;
	struct msg msg = {.type = MSG_SANDBOX_READY};

	a->has_had_sandbox = true;
	a->failure = (struct trm_error){0};
	describe_app_sandbox(sandbox, &msg.sandbox);
	msg.sandbox.isolation = trm_sandbox_isolation(sandbox);
	msg.sandbox.missing_langs = missing_langs(sandbox);
	app_send(a, &msg);
	malloc_trim(0); /* most of what the start needed is free now */
}

static void on_clients(void *user, struct trm_sandbox *sandbox, unsigned n)
{
	(void)sandbox;
	app_send(user, &(struct msg){.type = MSG_CLIENTS, .n_clients = n});
}

static void on_app_sandbox_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	(void)sandbox;
	app_send(user, &(struct msg){.type = MSG_METRICS, .metrics = metrics});
}

bool app_wants_running(const struct app *a)
{
	return a->opts->attach || a->opts->sandbox.server.join == TRM_REMOTE_JOIN;
}

/* Without a sandbox the person can still edit files, unless the workbench was only started to attach. True:
 * end the program. */
static bool gives_up(struct app *a, const struct trm_error *why)
{
	if (a->has_had_sandbox || a->is_quitting || !why->code)
		return false;
	a->failure = *why;
	if (app_wants_running(a))
		app_quit(a);
	return a->is_quitting;
}

static void on_app_sandbox_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct app *a = user;

	(void)sandbox;
	a->sandbox = NULL;
	trm_session_close(a->session);
	a->session = NULL;
	if (gives_up(a, why))
		return;
	app_send(a, &(struct msg){.type = MSG_SANDBOX_CLOSED, .text = why->code == TRM_OK ? NULL : why->msg});
	a->is_done = a->is_quitting;
	if (a->is_renewing && !a->is_quitting)
		app_start_sandbox(a);
	a->is_renewing = false;
}

static const struct trm_sandbox_cb sandbox_cb = {.progress = on_app_sandbox_progress,
		.warning = on_app_sandbox_warning,
		.ready = on_app_sandbox_ready,
		.metrics = on_app_sandbox_metrics,
		.clients = on_clients,
		.closed = on_app_sandbox_closed};

/* As it is now: the page of settings may have changed it. */
static bool plots_have_theme(const struct app *a)
{
	const struct settings *now = app_settings_now(a);

	return now && now->theme_plots;
}

/* "TERRARIUM_PLOT_COLORS=#101418,#d5d8da": ground and text. False: the terminal's own, which nobody knows. */
static bool plot_colors(const struct app *a, char *out, size_t cap)
{
	const struct theme_style *text = &a->theme.looks[ROLE_TEXT];

	if (text->bg == COLOR_NONE || text->fg == COLOR_NONE)
		return false;
	snprintf(out, cap, "TERRARIUM_PLOT_COLORS=#%06x,#%06x", (unsigned)color_rgb(text->bg),
			(unsigned)color_rgb(text->fg));
	return true;
}

/* Programs write into pipes, yet what they print is shown as on a terminal of the pane's size. So they are
 * told what it can show, as notebooks do; FORCE_COLOR also makes progress displays move (rich, pip, npm). */
static void describe_terminal(struct app *a)
{
	const struct live_screen *o = &a->model.out.screen;
	static const char *const always[] = {
			"TERM=xterm-256color", "PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat"};
	static const char *const colored[] = {"COLORTERM=truecolor", "FORCE_COLOR=3", "CLICOLOR_FORCE=1"};
	const char *no_color = getenv("NO_COLOR");
	size_t n = 0;

	snprintf(a->columns, sizeof a->columns, "COLUMNS=%d", model_output_cols(&a->model));
	snprintf(a->lines, sizeof a->lines, "LINES=%d", o->want_rows);
	a->env[n++] = a->columns;
	a->env[n++] = a->lines;
	for (size_t i = 0; i < COUNT_OF(always); i++)
		a->env[n++] = always[i];
	if (no_color && *no_color)
		a->env[n++] = "NO_COLOR=1";
	for (size_t i = 0; i < COUNT_OF(colored) && !(no_color && *no_color); i++)
		a->env[n++] = colored[i];
	if (plots_have_theme(a) && plot_colors(a, a->plot_colors, sizeof a->plot_colors))
		a->env[n++] = a->plot_colors;
	a->env[n] = NULL;
}

/* Store the kind of the attached sandbox, so that a similar one can be started later. */
static void remember_kind(struct app *a)
{
	snprintf(a->like_backend, sizeof a->like_backend, "%s", trm_sandbox_backend(a->sandbox));
	snprintf(a->like_origin, sizeof a->like_origin, "%s", trm_sandbox_origin(a->sandbox));
	a->like_is_adopted = trm_sandbox_is_adopted(a->sandbox);
}

/* A sandbox in an existing container uses the same container again. */
static void take_kind(const struct app *a, struct trm_sandbox_opts *opts)
{
	opts->backend = a->like_backend;
	if (a->like_is_adopted) {
		opts->container.container = a->like_origin;
		opts->container.image = opts->container.dockerfile = NULL;
	} else if (a->like_origin[0]) {
		opts->container.image = a->like_origin;
	}
}

/* Options for the engine may contradict what the workbench says about limits. */
static void tell_engine_args(struct app *a, const struct trm_container_opts *opts)
{
	char line[TRM_ENGINE_ARGS_BYTES];
	if (opts->runtime) {
		snprintf(line, sizeof line, "runtime of the engine: %s", opts->runtime);
		app_notify(a, MSG_NOTICE, line);
	}
	if (opts->kube.manifest) {
		snprintf(line, sizeof line, "pod manifest: %.400s, which may replace limits",
				opts->kube.manifest);
		app_notify(a, MSG_NOTICE, line);
	}
	for (size_t i = 0; i < opts->n_engine_args; i++) {
		snprintf(line, sizeof line, "engine option: %.400s", opts->engine_args[i]);
		app_notify(a, MSG_NOTICE, line);
	}
}

static int open_box(struct app *a, struct trm_error *reterr)
{
	struct trm_sandbox_opts opts = a->opts->sandbox;

	if (a->goes_without)
		opts.isolation = TRM_ISOLATION_NONE;
	if (!opts.metrics_interval_ms)
		opts.metrics_interval_ms = 1000;
	opts.metrics_with_processes = true;
	/* If the attached sandbox has ended, start one of the same kind, because a person who worked in a
	 * container expects a container. */
	const char *name = a->has_attached ? NULL : a->opts->attach;
	if (a->has_attached && a->like_backend[0])
		take_kind(a, &opts);
	bool joins = opts.server.join == TRM_REMOTE_JOIN;
	if (joins && a->has_attached)
		opts.server.join = TRM_REMOTE_JOIN_OR_START;
	int r = name ? trm_sandbox_attach(a->loop, name, &opts, &sandbox_cb, a, &a->sandbox, reterr)
		     : trm_sandbox_open(a->loop, &opts, &sandbox_cb, a, &a->sandbox, reterr);
	if (r < 0)
		return r;
	a->has_attached = name != NULL || joins;
	app_settings_used(a);
	if (name)
		remember_kind(a);
	struct msg msg = {.type = MSG_SANDBOX_STARTING};
	describe_app_sandbox(a->sandbox, &msg.sandbox);
	app_send(a, &msg);
	char hint[TRM_NET_HINT];
	if (!name && trm_net_hint(trm_sandbox_limits(a->sandbox), hint, sizeof hint))
		app_notify(a, MSG_NOTICE, hint);
	for (size_t i = 0; i < msg.sandbox.n_mounts && !name; i++)
		if (trm_mount_hint(&msg.sandbox.mounts[i], hint, sizeof hint))
			app_notify(a, MSG_NOTICE, hint);
	if (!name)
		tell_engine_args(a, &opts.container);
	/* The workbench stores the output itself. A second copy in the result would cost time: joining 8 MiB
	 * would delay the end of an interrupted flood. */
	struct trm_session_opts session = a->opts->session;
	session.output_keep_bytes = 0;
	session.is_shared = session.wants_recent = true;
	session.client = "terrarium workbench";
	describe_terminal(a);
	session.env = a->env;
	r = trm_session_open(a->sandbox, &session, &session_cb, a, &a->session, reterr);
	if (r == 0)
		r = trm_session_warm(a->session, a->model.lang, reterr);
	return r;
}

static void on_signaled(void *user, const struct trm_error *why)
{
	if (why->code && why->code != TRM_ECANCELED)
		app_notify(user, MSG_ERROR, why->msg);
}

void app_signal(struct app *a, const struct effect *effect)
{
	struct trm_error err = {0};

	if (a->sandbox
			&& trm_sandbox_signal(a->sandbox, effect->signal.pid, effect->signal.start,
					   effect->signal.signo, false, on_signaled, a, &err)
					   < 0)
		app_notify(a, MSG_ERROR, err.msg);
}

void app_start_sandbox(struct app *a)
{
	struct trm_error err = {0};

	if (a->sandbox || open_box(a, &err) == 0)
		return;
	if (gives_up(a, &err))
		return;
	if (a->sandbox)
		trm_sandbox_close(a->sandbox);
	char words[TRM_ISOLATION_WORDS];
	if (err.code == TRM_ENOISOLATION)
		app_notify(a, MSG_NO_ISOLATION, trm_isolation_explain(words));
	else
		app_notify(a, MSG_SANDBOX_CLOSED, err.msg);
}

void app_go_without(struct app *a, bool always)
{
	a->goes_without = true;
	app_start_sandbox(a);
	if (always)
		app_store_setting(a, "isolation", "none");
}

/* "New sandbox" ends the current one, even if detaching would not. */
void app_restart_sandbox(struct app *a)
{
	a->is_renewing = a->sandbox != NULL;
	a->stops_sandbox = true;
	if (a->sandbox)
		app_close_sandbox(a);
	else
		app_start_sandbox(a);
}

void app_keep(struct app *a, bool is_kept)
{
	struct trm_error err = {0};

	if (!a->sandbox)
		return;
	if (trm_sandbox_keep(a->sandbox, is_kept, &err) < 0)
		app_notify(a, MSG_ERROR, err.msg);
	else
		app_send(a, &(struct msg){.type = MSG_SANDBOX_KEPT, .is_kept = is_kept});
}

void app_detach(struct app *a)
{
	struct trm_error err = {0};

	if (!app_may_leave(a, EFFECT_DETACH))
		return;
	if (a->sandbox && !trm_sandbox_survives_close(a->sandbox)) {
		if (trm_sandbox_keep(a->sandbox, true, &err) < 0) {
			app_notify(a, MSG_ERROR, err.msg);
			return;
		}
		app_send(a, &(struct msg){.type = MSG_SANDBOX_KEPT, .is_kept = true});
	}
	app_quit(a);
}

void app_close_sandbox(struct app *a)
{
	trm_session_close(a->session);
	a->session = NULL;
	if (!a->stops_sandbox && trm_sandbox_survives_close(a->sandbox))
		snprintf(a->detached, sizeof a->detached, "%s", trm_sandbox_name(a->sandbox));
	a->is_detached_for_now = detach_loses_later(&a->model);
	if (a->stops_sandbox)
		trm_sandbox_stop(a->sandbox);
	else
		trm_sandbox_close(a->sandbox);
	a->stops_sandbox = false;
}
