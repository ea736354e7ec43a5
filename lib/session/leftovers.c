/* SPDX-License-Identifier: MIT */
/* Processes that a run starts and leaves behind are normally the user's business: a server, a background job.
 * If a limit ended the run, its whole process tree is killed: otherwise a fork bomb would leave no processes
 * for the next run. */
#include "base/clock.h"
#include "session/session.h"

/* Resolution of process start times. */
enum { START_TICK_MS = 20 };

/* Bash retries a failed fork for 15 s. These intervals make room before it gives up. */
enum { FIRST_LOOK_MS = 250, NEXT_LOOKS_MS = 1000 };

/* The processes of a fork bomb come and go, so the table is never quite full. Three quarters of the limit
 * count as full. (Processes are counted only once the limit has been hit.) */
static bool is_crowded(const struct trm_session *s, const struct trm_sample *now)
{
	uint64_t limit = s->sandbox->opts.limits.procs;
	return now->known & TRM_METRIC_PROCS && now->procs > limit - limit / 4;
}

/* Kill what earlier runs have left behind: orphans, and the descendants of idle interpreters. */
static void make_room(struct trm_session *s)
{
	proc_ask_kill_leftovers(s->sandbox, NULL, 0);
	for (size_t i = 0; i < trm_lang_count(); i++)
		if (s->kernels[i].proc && !s->kernels[i].run)
			proc_ask_kill_leftovers(s->sandbox, s->kernels[i].proc, 0);
}

void leftovers_begin(struct trm_session *s)
{
	if (session_is_open(s) && s->knows_events && is_crowded(s, &s->events))
		make_room(s);
}

/* A fork bomb of an earlier run may have been small when this run was sent. Processes without their parents
 * do not belong to this run, or no longer do. */
static void on_timer(void *user)
{
	struct trm_session *s = user;
	struct trm_sample now;
	session_enter(s);
	bool is_known = s->active && s->knows_events && session_is_open(s)
			&& metrics_events_now(s->sandbox, false, &now, NULL)
			&& now.known & s->events.known & TRM_METRIC_PROCS_REFUSED;
	if (is_known && now.procs_refused > s->events.procs_refused && is_crowded(s, &now))
		make_room(s);
	session_leave(s);
}

void leftovers_watch(struct trm_run *run)
{
	struct trm_session *s = run->session;
	if (s->knows_events
			&& (s->leftovers_timer
					|| trm_loop_add_timer(s->loop, on_timer, s, &s->leftovers_timer, NULL)
							   == 0))
		trm_timer_start(s->leftovers_timer, FIRST_LOOK_MS, NEXT_LOOKS_MS);
}

void leftovers_unwatch(struct trm_session *s)
{
	if (s->leftovers_timer && !s->is_closed)
		trm_timer_stop(s->leftovers_timer);
}

void leftovers_finish(struct trm_session *s)
{
	trm_timer_remove(s->leftovers_timer);
	s->leftovers_timer = NULL;
}

void leftovers_end(const struct trm_run *run, const struct trm_result *result, bool has_met_limit,
		const struct trm_sample *now)
{
	struct trm_session *s = run->session;
	uint64_t age_ms = (clock_ns() - run->begun_ns) / 1000000 + START_TICK_MS;
	bool was_ended = result->status == TRM_STATUS_TIMEOUT || run->is_timed_out;
	bool has_failed = has_met_limit && result->status != TRM_STATUS_OK;
	if (run->is_begun && (was_ended || has_failed || (has_met_limit && is_crowded(s, now))))
		proc_ask_kill_leftovers(s->sandbox, run->kernel ? run->kernel->proc : NULL,
				age_ms < UINT32_MAX ? (uint32_t)age_ms : 0);
}
