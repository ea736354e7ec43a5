/* SPDX-License-Identifier: MIT */
#include "stream/stage.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGQUIT, SIGHUP}; /* the last may be ignored */
enum { N_SIGNALS = sizeof signals / sizeof *signals, STUCK_MS = 1000 };

static void on_stuck_due(void *user)
{
	struct stage *stage = user;
	if (stage->is_closing || !stage->cb->is_stuck(stage->user))
		return;
	stage->ended_by = stage->signalled_by;
	stage_close(stage);
}

static void watch_stuck(struct stage *stage, int signo)
{
	stage->signalled_by = signo;
	if (trm_loop_add_timer(stage->loop, on_stuck_due, stage, &stage->stuck_timer, NULL) == 0)
		trm_timer_start(stage->stuck_timer, STUCK_MS, STUCK_MS);
}

static void on_signal(void *user, int signo)
{
	struct stage *stage = user;
	if (signo == SIGINT && !stage->is_closing) {
		stage->cb->interrupt(stage->user);
		return;
	}
	bool is_first = !stage->was_signalled && !stage->is_closing;
	stage->was_signalled = true;
	if (is_first && signo != SIGINT && stage->cb->signal && stage->cb->signal(stage->user, signo)) {
		watch_stuck(stage, signo);
		return;
	}
	/* Somebody insists: what watches over the sandbox ends it when we are gone. */
	if (stage->ended_by && signo != SIGINT)
		_exit(128 + signo);
	if (signo != SIGINT)
		stage->ended_by = signo;
	stage_close(stage);
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct stage *stage = user;
	(void)sandbox;
	stage->sandbox = NULL;
	progress_clear(&stage->progress);
	stage->cb->closed(stage->user, why);
}

static void on_progress(void *user, struct trm_sandbox *sandbox, const char *words)
{
	struct stage *stage = user;
	(void)sandbox;
	if (stage->is_ready
			&& !stage->is_closing) /* it ends by itself: what is slow now is counted from here */
		progress_init(&stage->progress, trm_loop_now_ns(stage->loop));
	stage->is_ready = false;
	if (stage->cb->progress)
		stage->cb->progress(stage->user, words);
	else
		progress_say(&stage->progress, words, trm_loop_now_ns(stage->loop));
}

static void on_warning(void *user, struct trm_sandbox *sandbox, const char *words)
{
	struct stage *stage = user;
	(void)sandbox;
	stage->has_warned = true;
	progress_tell(&stage->progress, words);
}

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	struct stage *stage = user;
	(void)sandbox;
	stage->is_ready = true;
	progress_clear(&stage->progress);
}

static void on_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	struct stage *stage = user;
	(void)sandbox;
	if (stage->cb->metrics)
		stage->cb->metrics(stage->user, metrics);
}

static const struct trm_sandbox_cb sandbox_cb = {.progress = on_progress,
		.warning = on_warning,
		.ready = on_ready,
		.metrics = on_metrics,
		.closed = on_closed};

/* nohup wants SIGHUP ignored. (Shells ignore SIGINT for jobs in the background, too; but who sends it
 * to one by hand means it.) */
static bool is_hangup_ignored(void)
{
	struct sigaction action;
	return sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* ---- which sandbox ----------------------------------------------------------------- */

static bool is_far(const struct trm_config *config)
{
	return strcmp(config->backend, "microsandbox") == 0;
}

static int join(struct stage *stage, const struct trm_config *config, struct trm_error *reterr)
{
	struct trm_sandbox_opts opts;
	trm_config_sandbox_opts(config, &opts);
	opts.metrics_interval_ms = 0;
	opts.server.join = TRM_SERVER_JOIN;
	return trm_sandbox_open(stage->loop, &opts, &sandbox_cb, stage, &stage->sandbox, reterr);
}

/* "debian" and "docker.io/library/debian:latest" are one: what is left out is the same everywhere. */
static bool is_same_image(const char *a, const char *b)
{
	static const char *const fronts[] = {"docker.io/", "library/"};
	const char *names[] = {a, b};
	size_t n[2];
	for (int i = 0; i < 2; i++) {
		for (size_t k = 0; k < sizeof fronts / sizeof *fronts; k++)
			if (strncmp(names[i], fronts[k], strlen(fronts[k])) == 0)
				names[i] += strlen(fronts[k]);
		n[i] = strlen(names[i]);
		if (n[i] > 7 && strcmp(names[i] + n[i] - 7, ":latest") == 0)
			n[i] -= 7;
	}
	return n[0] == n[1] && memcmp(names[0], names[1], n[0]) == 0;
}

/* What is built has another name each time: there is no telling them apart. */
static bool is_same_source(const char *origin, const struct trm_config *config)
{
	if (*config->container)
		return strcmp(origin, config->container) == 0;
	if (*config->dockerfile)
		return strncmp(origin, TRM_BUILT_IMAGE, strlen(TRM_BUILT_IMAGE)) == 0;
	return !*config->image || is_same_image(origin, config->image);
}

static int check_same(const struct stage *stage, const struct trm_config *config, struct stage_asked asked,
		struct trm_error *reterr)
{
	const char *backend = trm_sandbox_backend(stage->sandbox),
		   *origin = trm_sandbox_origin(stage->sandbox);
	if (asked.backend && strcmp(backend, config->backend) != 0)
		return trm_error_set(reterr, TRM_EINVAL,
				"sandbox '%s' is already running, with the backend %s and not %s: leave --backend "
				"out, or choose another --name",
				config->name, backend, config->backend);
	if (!asked.source || !*origin || is_same_source(origin, config))
		return 0;
	return trm_error_set(reterr, TRM_EINVAL,
			"sandbox '%s' is already running, made from %s on %s: leave --%s out, or choose another "
			"--name",
			config->name, origin, backend,
			*config->container    ? "container"
			: *config->dockerfile ? "dockerfile"
					      : "image");
}

/* `asked`: what it has to be like. */
static int attach(struct stage *stage, const struct trm_config *config, struct stage_asked asked,
		struct trm_error *reterr)
{
	if (is_far(config))
		return join(stage, config, reterr);
	int r = trm_sandbox_attach(
			stage->loop, config->name, NULL, &sandbox_cb, stage, &stage->sandbox, reterr);
	if (r == 0)
		r = check_same(stage, config, asked, reterr);
	if (r == 0 && config->keep && !trm_sandbox_is_kept(stage->sandbox))
		r = trm_sandbox_keep(stage->sandbox, true, reterr);
	return r;
}

static int start(struct stage *stage, const struct trm_config *config, struct trm_error *reterr)
{
	struct trm_sandbox_opts opts;
	trm_config_sandbox_opts(config, &opts);
	opts.metrics_interval_ms = 0;
	return trm_sandbox_open(stage->loop, &opts, &sandbox_cb, stage, &stage->sandbox, reterr);
}

/* Between the two looks somebody else may have started one, which is not yet to be found; or ended one, which
 * is still there. */
static int attach_or_start(struct stage *stage, const struct trm_config *config, struct stage_asked asked,
		struct trm_error *reterr)
{
	enum { PATIENCE_MS = 5000, NAP_MS = 5 };
	const struct timespec nap = {.tv_nsec = NAP_MS * 1000000};
	bool is_local = trm_registry_lists(config->backend);
	/* Who is used to containers does not want to find himself elsewhere. */
	const struct stage_asked same = {.backend = asked.backend || strcmp(config->backend, "local") != 0,
			.source = asked.source};
	int r = is_local && *config->name ? attach(stage, config, same, reterr) : TRM_ENOENT;
	for (int waited_ms = 0; r == TRM_ENOENT || r == TRM_EEXIST; waited_ms += NAP_MS) {
		if (waited_ms)
			nanosleep(&nap, NULL);
		r = start(stage, config, reterr);
		if (r != TRM_EEXIST || !is_local || !*config->name || waited_ms > PATIENCE_MS)
			return r;
		r = attach(stage, config, same, reterr);
	}
	return r;
}

int stage_open(struct stage *stage, const struct trm_config *config, enum stage_how how,
		struct stage_asked asked, const struct stage_cb *cb, void *user, struct trm_error *reterr)
{
	*stage = (struct stage){.cb = cb, .user = user, .is_to_be_saved = *config->commit};
	int r = trm_loop_create(&stage->loop, reterr);
	if (r == 0)
		progress_init(&stage->progress, trm_loop_now_ns(stage->loop));
	if (r == 0)
		r = trm_loop_add_signals(stage->loop, signals, N_SIGNALS - is_hangup_ignored(), on_signal,
				stage, &stage->signals, reterr);
	if (r < 0)
		return r;
	switch (how) {
	case STAGE_ATTACH: return attach(stage, config, asked, reterr);
	case STAGE_EITHER: return attach_or_start(stage, config, asked, reterr);
	case STAGE_NEW: break;
	}
	return start(stage, config, reterr);
}

bool stage_is_shared(const struct stage *stage)
{
	return stage->sandbox && trm_sandbox_stays(stage->sandbox);
}

/* ---- the end ------------------------------------------------------------------------ */

/* What is slow now is counted from here. */
static void begin_end(struct stage *stage)
{
	if (!stage->is_closing && stage->loop)
		progress_init(&stage->progress, trm_loop_now_ns(stage->loop));
	stage->is_closing = true;
}

void stage_close(struct stage *stage)
{
	begin_end(stage);
	if (stage->sandbox)
		trm_sandbox_close(stage->sandbox);
}

void stage_stop(struct stage *stage)
{
	begin_end(stage);
	if (stage->sandbox)
		trm_sandbox_stop(stage->sandbox);
}

void stage_end(struct stage *stage)
{
	stage_close(stage);
	while (stage->sandbox)
		trm_loop_step(stage->loop, -1);
}

void stage_finish(struct stage *stage)
{
	stage_end(stage);
	trm_signal_remove(stage->signals);
	trm_timer_remove(stage->stuck_timer);
	trm_loop_destroy(stage->loop);
	stage->loop = NULL;
}

int stage_code(const struct stage *stage, int code)
{
	return code == 0 && stage->is_to_be_saved && stage->has_warned ? STAGE_NOT_SAVED : code;
}
