/* SPDX-License-Identifier: MIT */
#include "sync/sync.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include <terrarium/loop.h>
#include <terrarium/registry.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/opts.h"

/* ---- waiting --------------------------------------------------------------------- */

/* How often the program's function is called. A handled signal ends a loop iteration anyway. */
enum { ASK_MS = 100 };

static int64_t end_of(int64_t timeout_ms)
{
	int64_t now = (int64_t)clock_ms();
	return timeout_ms < INT64_MAX - now ? now + timeout_ms : INT64_MAX;
}

static void on_interrupt_fd(void *user, int fd, uint32_t events)
{
	struct trm_sync *s = user;
	(void)fd;
	(void)events;
	s->is_interrupted = true;
}

/* One loop iteration of at most left_ms (-1: unlimited). */
static int run_loop_once(struct trm_sync *s, int64_t left_ms, bool asks)
{
	if (asks && (left_ms < 0 || left_ms > ASK_MS))
		left_ms = ASK_MS;
	int r = trm_loop_step(s->loop, left_ms > INT32_MAX ? INT32_MAX : (int)left_ms);
	if (asks && s->opts.is_interrupted(s->opts.user))
		s->is_interrupted = true;
	return r < 0 ? r : 0;
}

int sync_wait(struct trm_sync *s, const bool *flag, int64_t timeout_ms, struct trm_error *reterr)
{
	struct trm_watch *watch = NULL;
	int64_t until = end_of(timeout_ms);
	int r = 0;
	s->is_interrupted = false;
	if (s->opts.interrupt_fd >= 0)
		r = trm_loop_add_fd(
				s->loop, s->opts.interrupt_fd, TRM_READ, on_interrupt_fd, s, &watch, reterr);
	while (r == 0 && !*flag && !s->is_interrupted) {
		int64_t left_ms = timeout_ms < 0 ? -1 : until - (int64_t)clock_ms();
		if (timeout_ms >= 0 && left_ms <= 0)
			r = trm_error_set(reterr, TRM_ETIMEDOUT, "timed out after %g s",
					(double)timeout_ms / 1000);
		else if ((r = run_loop_once(s, left_ms, s->opts.is_interrupted != NULL)) < 0)
			trm_error_set(reterr, r, "the loop cannot wait: %s", trm_strerror(r));
	}
	trm_watch_remove(watch);
	if (r == 0 && !*flag)
		r = trm_error_set(reterr, TRM_ECANCELED, "interrupted");
	return r;
}

bool sync_wait_out(struct trm_sync *s, const bool *flag, int64_t timeout_ms)
{
	int64_t until = end_of(timeout_ms);
	while (!*flag && (timeout_ms < 0 || (int64_t)clock_ms() < until))
		if (run_loop_once(s, timeout_ms < 0 ? -1 : until - (int64_t)clock_ms(), false) < 0)
			break;
	return *flag;
}

/* ---- the sandbox's callbacks -------------------------------------------------------- */

static void on_ready(void *user, struct trm_sandbox *sandbox)
{
	struct trm_sync *s = user;
	(void)sandbox;
	s->is_joined = true;
}

static void on_metrics(void *user, struct trm_sandbox *sandbox, const struct trm_metrics *metrics)
{
	struct trm_sync *s = user;
	(void)sandbox;
	s->sample = metrics->sample;
	s->n_samples++;
	s->is_measured = s->n_samples > 1; /* a rate needs two samples */
}

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *why)
{
	struct trm_sync *s = user;
	(void)sandbox;
	s->sandbox = NULL;
	s->is_closed = s->is_joined = s->is_measured = true;
	s->why = *why;
}

const struct trm_sandbox_cb sync_sandbox_cb = {.ready = on_ready, .metrics = on_metrics, .closed = on_closed};

/* ---- life --------------------------------------------------------------------------- */

void trm_sync_opts_init(struct trm_sync_opts *opts, size_t size)
{
	static const struct trm_sync_opts defaults = TRM_SYNC_OPTS_INIT;
	opts_fill(opts, size, &defaults, sizeof defaults);
}

/* The name is known before the start, and stays the same for the next start. */
static int choose_name(struct trm_sync *s, struct trm_error *reterr)
{
	uint32_t number;
	const char *wanted = s->opts.sandbox.name;
	if (wanted && *wanted) {
		int r = trm_sandbox_name_check(wanted, reterr);
		if (r < 0)
			return r;
		snprintf(s->name, sizeof s->name, "%s", wanted);
	} else {
		if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
			return trm_error_set(reterr, TRM_EIO,
					"cannot get random numbers for a name from the kernel");
		snprintf(s->name, sizeof s->name, "sandbox-%08x", number);
	}
	s->opts.sandbox.name = s->name;
	return 0;
}

int trm_sync_create(const struct trm_sync_opts *opts, struct trm_sync **ret_sync, struct trm_error *reterr)
{
	struct trm_sync_opts own = TRM_SYNC_OPTS_INIT;
	int r = opts_take(&own, sizeof own, opts, reterr);
	if (r < 0)
		return r;
	struct trm_sync *s = calloc(1, sizeof *s);
	if (!s)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	s->opts = own;
	s->opts.sandbox.size = sizeof s->opts.sandbox;
	if (!s->opts.language)
		s->opts.language = trm_lang_default();
	if ((r = choose_name(s, reterr)) == 0)
		r = trm_loop_create(&s->loop, reterr);
	if (r < 0) {
		free(s);
		return r;
	}
	*ret_sync = s;
	return 0;
}

/* Release the session and the sandbox, if there are any. */
static void release_sandbox(struct trm_sync *s, bool is_end)
{
	trm_session_close(s->session);
	s->session = NULL;
	if (s->sandbox && is_end)
		trm_sandbox_stop(s->sandbox);
	else if (s->sandbox)
		trm_sandbox_close(s->sandbox);
	if (s->sandbox)
		sync_wait_out(s, &s->is_closed, -1);
}

void trm_sync_destroy(struct trm_sync *s)
{
	if (!s)
		return;
	release_sandbox(s, false);
	if (!s->is_pooled)
		trm_loop_destroy(s->loop);
	free(s);
}

static bool may_join(const struct trm_sync *s)
{
	const char *backend = s->opts.sandbox.backend;
	return s->opts.may_join && trm_registry_lists(backend);
}

/* Between the two lookups another program may have started a sandbox that cannot be found yet, or ended
 * one that is still there. */
static int open_sandbox(struct trm_sync *s, struct trm_error *reterr)
{
	enum { TIMEOUT_MS = 5000, NAP_MS = 5 };
	const struct timespec nap = {.tv_nsec = NAP_MS * 1000000};
	const struct trm_sandbox_opts *opts = &s->opts.sandbox;
	for (int waited_ms = 0;; waited_ms += NAP_MS) {
		struct trm_error why;
		int r = TRM_ENOENT;
		if (may_join(s))
			r = trm_sandbox_attach(
					s->loop, s->name, opts, &sync_sandbox_cb, s, &s->sandbox, &why);
		if (r == TRM_ENOENT)
			r = trm_sandbox_open(s->loop, opts, &sync_sandbox_cb, s, &s->sandbox, &why);
		if (r < 0 && (r != TRM_EEXIST || !may_join(s) || waited_ms > TIMEOUT_MS))
			return trm_error_set(reterr, r, "%s", why.msg);
		if (r == 0)
			return 0;
		nanosleep(&nap, NULL);
	}
}

int sync_open_session(struct trm_sync *s, struct trm_error *reterr)
{
	struct trm_session_opts opts;
	trm_session_opts_default(&opts);
	opts.timeout_ms = s->opts.timeout_ms;
	opts.grace_ms = SYNC_GRACE_MS;
	opts.output_keep_bytes = s->opts.output_keep_bytes;
	opts.memory_alert = TRM_MEMORY_IGNORE;
	opts.policy = s->opts.policy;
	opts.net_credentials = s->opts.sandbox.net_credentials;
	/* A session that others can join shares its state. */
	opts.is_shared = may_join(s) || s->is_pooled || trm_sandbox_is_kept(s->sandbox);
	return trm_session_open(s->sandbox, &opts, NULL, NULL, &s->session, reterr);
}

int trm_sync_start(struct trm_sync *s, struct trm_error *reterr)
{
	if (trm_sync_is_started(s))
		return 0;
	release_sandbox(s, false);
	s->is_closed = s->is_joined = false;
	int r = open_sandbox(s, reterr);
	if (r == 0)
		r = sync_open_session(s, reterr);
	if (r == 0)
		r = sync_wait(s, &s->is_joined, -1, reterr); /* its own time-out ends it */
	if (r == 0 && s->is_closed)
		r = trm_error_set(reterr, s->why.code ? s->why.code : TRM_ECLOSED, "%s",
				s->why.code ? s->why.msg : "it was closed");
	if (r == 0)
		return 0;
	release_sandbox(s, false);
	return err_wrap(reterr, r, "Failed to start sandbox");
}

int trm_sync_stop(struct trm_sync *s, struct trm_error *reterr)
{
	if (!trm_sync_is_started(s))
		return 0;
	release_sandbox(s, true);
	if (s->why.code == TRM_OK)
		return 0;
	trm_error_set(reterr, s->why.code, "Failed to stop sandbox: %s", s->why.msg);
	return s->why.code;
}

bool trm_sync_is_started(struct trm_sync *s)
{
	if (s->sandbox)
		trm_loop_step(s->loop, 0); /* it may have ended since the last call */
	return s->sandbox && s->is_joined;
}

int sync_need_started(struct trm_sync *s, struct trm_error *reterr)
{
	static const char *const words = "Sandbox is not started. Call start() first.";
	if (trm_sync_is_started(s))
		return 0;
	if (s->is_closed && s->why.code)
		return trm_error_set(reterr, TRM_ECLOSED, "%s It has ended: %s", words, s->why.msg);
	return trm_error_set(reterr, TRM_ECLOSED, "%s", words);
}

const char *trm_sync_name(const struct trm_sync *s)
{
	return s->name;
}

struct trm_sandbox *trm_sync_sandbox(struct trm_sync *s)
{
	return trm_sync_is_started(s) ? s->sandbox : NULL;
}
