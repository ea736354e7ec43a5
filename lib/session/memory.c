/* SPDX-License-Identifier: MIT */
/* Warns before the memory limit is reached, while the state is still alive. If the kernel can notify us at a
 * threshold, we wait for that. Otherwise, and while use is near the threshold without having reached it, we
 * poll every few milliseconds: a program may fill 50 MiB in 20 ms. */
#include <unistd.h>

#include "session/session.h"

enum { NEAR_MS = 4, FAR_MS = 25 };

static uint64_t threshold(const struct trm_session *s)
{
	return s->sandbox->opts.limits.mem_bytes / 100 * s->opts.memory_alert_percent;
}

static bool is_wanted(const struct trm_session *s)
{
	const struct own_run *own = s->active;
	const struct trm_run *run = own ? &own->run : NULL;
	return session_is_open(s) && !s->is_closed && s->opts.memory_alert != TRM_MEMORY_IGNORE
	       && s->opts.memory_alert_percent && run && run->is_begun && !own->memory_reported_bytes
	       && !run->is_interrupted && !run->is_timed_out
	       && (run->cb->memory || s->opts.memory_alert == TRM_MEMORY_INTERRUPT);
}

static void warn(struct own_run *own, uint64_t used)
{
	struct trm_run *run = &own->run;
	struct trm_session *s = run->session;
	own->memory_reported_bytes = used;
	if (s->opts.memory_alert == TRM_MEMORY_INTERRUPT) {
		own->is_stopped_for_memory = true;
		trm_run_interrupt(run);
	} else if (run->cb->memory) {
		run_announce(run);
		run->cb->memory(run->user, run, used, s->sandbox->opts.limits.mem_bytes);
	}
}

/* Warn if use has reached the threshold; returns true if so. A run that begins above the threshold has not
 * crossed it: it is warned once it has added 2 % of the limit to what was in use. */
static bool warn_if_above(struct own_run *own, uint64_t used)
{
	struct trm_run *run = &own->run;
	struct trm_session *s = run->session;
	uint64_t from = threshold(s), more = s->sandbox->opts.limits.mem_bytes / 50;
	if (!own->memory_begin_bytes)
		own->memory_begin_bytes = used;
	if (own->memory_begin_bytes >= from)
		from = own->memory_begin_bytes + more;
	if (used < from)
		return false;
	warn(own, used);
	return true;
}

static void poll_usage(struct trm_session *s, bool is_passed)
{
	struct trm_sample now;
	if (!is_wanted(s) || !metrics_events_now(s->sandbox, false, &now, NULL)
			|| !(now.known & TRM_METRIC_MEM))
		return;
	bool is_above = now.mem_bytes >= threshold(s), is_near = now.mem_bytes >= threshold(s) / 4 * 3;
	if (warn_if_above(s->active, now.mem_bytes))
		return;
	/* The kernel's threshold includes cached files, our figure does not. So when the kernel notifies us,
	 * we may only be near the threshold. */
	if (s->memory_fd < 0 || is_above || (is_passed && is_near))
		trm_timer_start(s->memory_timer, is_near ? NEAR_MS : FAR_MS, 0);
}

void memory_sample(struct trm_session *s, const struct trm_sample *sample)
{
	if (sample->known & TRM_METRIC_MEM && is_wanted(s))
		warn_if_above(s->active, sample->mem_bytes);
}

static void on_passed(void *user, int fd, uint32_t events)
{
	struct trm_session *s = user;
	uint64_t times;
	(void)events;
	session_enter(s);
	if (read(fd, &times, sizeof times) == sizeof times)
		poll_usage(s, true);
	session_leave(s);
}

/* One descriptor serves all runs: the kernel notifies us each time the threshold is crossed. */
static void watch_threshold(struct trm_session *s)
{
	if (s->memory_fd >= 0)
		return;
	s->memory_fd = metrics_watch_memory(s->sandbox, threshold(s));
	if (s->memory_fd >= 0
			&& trm_loop_add_fd(s->loop, s->memory_fd, TRM_READ, on_passed, s, &s->memory_watch,
					   NULL)
					   < 0) {
		close(s->memory_fd);
		s->memory_fd = -1;
	}
}

/* Registering with the kernel takes some 10 ms, which only pays for runs that last. */
static void on_timer(void *user)
{
	struct trm_session *s = user;
	session_enter(s);
	if (is_wanted(s))
		watch_threshold(s);
	poll_usage(s, false);
	session_leave(s);
}

void memory_begin(struct own_run *own)
{
	struct trm_run *run = &own->run;
	struct trm_session *s = run->session;
	if (!is_wanted(s))
		return;
	if (!s->memory_timer && trm_loop_add_timer(s->loop, on_timer, s, &s->memory_timer, NULL) < 0)
		return;
	/* use may be above the threshold already, in which case nothing crosses it */
	trm_timer_start(s->memory_timer, FAR_MS, 0);
}

void memory_end(struct trm_session *s)
{
	if (s->memory_timer && !s->is_closed)
		trm_timer_stop(s->memory_timer);
}

void memory_finish(struct trm_session *s)
{
	trm_watch_remove(s->memory_watch);
	s->memory_watch = NULL;
	if (s->memory_fd >= 0)
		close(s->memory_fd);
	s->memory_fd = -1;
	trm_timer_remove(s->memory_timer);
	s->memory_timer = NULL;
}
