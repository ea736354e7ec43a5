/* SPDX-License-Identifier: MIT */
/* The life of a sandbox: open, ready, closing, closed. */
#include "sandbox/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/command_words.h"
#include "base/log.h"

bool sandbox_is_open(const struct trm_sandbox *s)
{
	return s->state != SANDBOX_CLOSING;
}

bool sandbox_is_attached(const struct trm_sandbox *s)
{
	return s->ops == &backend_attached;
}

bool sandbox_enforces_timeout(const struct trm_sandbox *s)
{
	return s->ops->caps & BACKEND_WANTS_TIMEOUT;
}

bool sandbox_reports_fate(const struct trm_sandbox *s)
{
	return s->ops->caps & BACKEND_TELLS_FATE;
}

bool sandbox_is_made(const struct trm_sandbox *s)
{
	return s->ops->caps & BACKEND_RECIPE
	       || (sandbox_is_attached(s) && strcmp(s->backend, s->ops->name) != 0);
}

/* ---- the end -------------------------------------------------------------------- */

static void end_deferred(struct trm_sandbox *s, const struct trm_error *why)
{
	struct stream *list = s->deferred;
	s->deferred = NULL;
	while (list) {
		struct stream *stream = list;
		list = stream->next_deferred;
		stream->ops->end(stream, why);
	}
}

/* Callbacks may close further streams, which puts them on the deferred list. */
static void end_streams(struct trm_sandbox *s, const struct trm_error *why)
{
	for (unsigned i = 0; i < s->streams.n_slots; i++) {
		struct stream *stream = s->streams.slots[i].stream;
		if (!stream)
			continue;
		streams_remove(&s->streams, stream);
		stream->ops->end(stream, why);
	}
	while (s->deferred)
		end_deferred(s, why);
}

void sandbox_free(struct trm_sandbox *s)
{
	client_finish(s);
	trm_timer_remove(s->deadline);
	trm_timer_remove(s->soon);
	free(s->mounts);
	free(s);
}

static void finish_sandbox(struct trm_sandbox *s)
{
	struct trm_error canceled = {0};
	sandbox_hold(s); /* for good, so that no call below finishes it again */
	trm_error_set(&canceled, TRM_ECANCELED, "sandbox '%s' was closed", s->name);
	client_stop(s);
	end_streams(s, s->why.code ? &s->why : &canceled);
	while (s->observers) {
		struct sandbox_observer *observer = s->observers;
		s->observers = observer->next;
		if (observer->closed)
			observer->closed(observer->user, s->why.code ? &s->why : &canceled);
	}
	if (s->cb->closed)
		s->cb->closed(s->user, s, &s->why);
	sandbox_free(s);
}

void sandbox_hold(struct trm_sandbox *s)
{
	s->holds++;
}

void sandbox_release(struct trm_sandbox *s)
{
	if (s->holds == 1 && s->out.len)
		client_flush(s); /* while still held, because flushing may make the sandbox fail */
	if (--s->holds == 0 && !s->carrier)
		finish_sandbox(s);
}

static void start_closing(struct trm_sandbox *s, bool leaves)
{
	if (!sandbox_is_open(s))
		return;
	s->state = SANDBOX_CLOSING;
	client_stop(s);
	trm_timer_stop(s->deadline);
	if (s->carrier && leaves)
		s->ops->leave(s->carrier);
	else if (s->carrier)
		s->ops->stop(s->carrier);
}

void sandbox_fail(struct trm_sandbox *s, const struct trm_error *why)
{
	if (sandbox_is_open(s)) {
		log_write(LOG_WARNING, "sandbox '%s' is given up: %s", s->name, why->msg);
		s->why = *why;
	}
	/* A sandbox of ours that never came up is useless, and one that failed is not for a later server. */
	bool is_ours = s->is_kept && s->ops != &backend_attached;
	start_closing(s, s->leaves && !s->is_adoptable && (s->state == SANDBOX_READY || !is_ours));
}

void trm_sandbox_close(struct trm_sandbox *sandbox)
{
	start_closing(sandbox, sandbox->leaves);
}

void trm_sandbox_stop(struct trm_sandbox *sandbox)
{
	sandbox->leaves = false;
	start_closing(sandbox, false);
	if (sandbox->carrier)
		sandbox->ops->stop(sandbox->carrier); /* it may be closing and leaving the sandbox running */
}

int sandbox_fail_keeping(const struct trm_sandbox *s, struct trm_error *reterr)
{
	return trm_error_set(reterr, TRM_ENOTSUP,
			"sandboxes of the backend '%s' end with the program that started them: they cannot be kept",
			s->backend);
}

int trm_sandbox_keep(struct trm_sandbox *sandbox, bool is_kept, struct trm_error *reterr)
{
	if (!(sandbox->ops->caps & BACKEND_KEEP))
		return sandbox_fail_keeping(sandbox, reterr);
	if (!sandbox_is_open(sandbox) || !sandbox->carrier)
		return trm_error_set(reterr, TRM_ECLOSED, "sandbox '%s' has ended", sandbox->name);
	int r = sandbox->ops->keep(sandbox->carrier, is_kept, reterr);
	if (r == 0)
		sandbox->is_kept = sandbox->leaves = is_kept;
	return r;
}

/* ---- the carrier's and the timers' calls --------------------------------------------- */

static void on_connected(void *user, int fd)
{
	struct trm_sandbox *s = user;
	if (!sandbox_is_open(s) || s->state != SANDBOX_STARTING)
		return;
	s->state = SANDBOX_CONNECTED;
	client_connected(s, fd);
}

/* Fetching an image may take long, and so may finding out why a container has ended and removing it. But
 * there must be progress. (A busy supervisor reports it every two seconds.) */
static void on_progress(void *user, const char *words)
{
	enum { END_TIMEOUT_MS = 6000 };
	struct trm_sandbox *s = user;
	if (s->state == SANDBOX_STARTING)
		trm_timer_start(s->deadline, s->opts.start_timeout_ms, 0);
	else if (s->is_hung_up)
		trm_timer_start(s->deadline, END_TIMEOUT_MS, 0);
	if (strncmp(words, COMMAND_WORDS_SIGN, strlen(COMMAND_WORDS_SIGN)) != 0)
		snprintf(s->doing, sizeof s->doing, "%s", words);
	if (s->cb->progress)
		s->cb->progress(s->user, s, words);
}

static void on_warning(void *user, const char *words)
{
	struct trm_sandbox *s = user;
	log_write(LOG_WARNING, "sandbox '%s': %s", s->name, words);
	if (s->cb->warning)
		s->cb->warning(s->user, s, words);
}

static void on_carrier_closed(void *user, const struct trm_error *why)
{
	struct trm_sandbox *s = user;
	sandbox_hold(s);
	if (why->code && (sandbox_is_open(s) || !s->why.code || s->is_hung_up))
		s->why = *why;
	else if (sandbox_is_open(s))
		trm_error_set(&s->why, TRM_ECLOSED, "sandbox '%s' ended by itself", s->name);
	s->state = SANDBOX_CLOSING;
	s->carrier = NULL;
	sandbox_release(s);
}

static void on_lost(void *user, const struct trm_error *why)
{
	struct trm_sandbox *s = user;
	sandbox_hold(s);
	sandbox_fail(s, why);
	sandbox_release(s);
}

const struct carrier_cb sandbox_carrier_cb = {.progress = on_progress,
		.warning = on_warning,
		.connected = on_connected,
		.lost = on_lost,
		.closed = on_carrier_closed};

static void tell_no_start(const struct trm_sandbox *s, struct trm_error *why)
{
	const double seconds = s->opts.start_timeout_ms / 1000.0;
	if (s->state != SANDBOX_STARTING)
		trm_error_set(why, TRM_ETIMEDOUT,
				"sandbox '%s' did not start: its agent did not answer within %g s", s->name,
				seconds);
	else if (!*s->doing)
		trm_error_set(why, TRM_ETIMEDOUT,
				"sandbox '%s' did not start within %g s: no connection to it", s->name,
				seconds);
	else
		trm_error_set(why, TRM_ETIMEDOUT,
				"sandbox '%s' did not start: '%s' made no progress for %g s; if it is only slow, give it "
				"more time (start_timeout)",
				s->name, s->doing, seconds);
}

static void on_impatient(void *user)
{
	struct trm_sandbox *s = user;
	struct trm_error why;
	if (s->state == SANDBOX_READY && !s->is_hung_up) {
		client_probe(s);
		return;
	}
	if (s->is_hung_up)
		trm_error_set(&why, TRM_ECLOSED, "the agent in sandbox '%s' ended or was killed", s->name);
	else
		tell_no_start(s, &why);
	sandbox_fail(s, &why);
}

static void on_soon(void *user)
{
	struct trm_sandbox *s = user;
	struct trm_error why;
	trm_error_set(&why, TRM_ECANCELED, "closed by the caller");
	sandbox_hold(s);
	end_deferred(s, &why);
	sandbox_release(s);
}

int sandbox_add_timers(struct trm_sandbox *s, struct trm_error *reterr)
{
	int r = trm_loop_add_timer(s->loop, on_impatient, s, &s->deadline, reterr);
	return r < 0 ? r : trm_loop_add_timer(s->loop, on_soon, s, &s->soon, reterr);
}

/* ---- observers --------------------------------------------------------------------------- */

void sandbox_observe(struct trm_sandbox *s, struct sandbox_observer *observer)
{
	observer->next = s->observers;
	s->observers = observer;
}

void sandbox_unobserve(struct trm_sandbox *s, struct sandbox_observer *observer)
{
	struct sandbox_observer **at = &s->observers;
	while (*at && *at != observer)
		at = &(*at)->next;
	if (*at)
		*at = observer->next;
}
