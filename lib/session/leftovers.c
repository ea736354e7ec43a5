/* SPDX-License-Identifier: MIT */
/* What a run has started and left behind is the user's business: a server, a job. Not so when the run was
 * ended by a limit: then its whole tree goes, or a fork bomb would leave nothing to the next run. */
#include "session/session.h"

/* Start times are counted in these. */
enum { START_TICK_MS = 20 };

/* Bash tries to fork for 15 s: there is room again before it has given up. */
enum { FIRST_LOOK_MS = 250, NEXT_LOOKS_MS = 1000 };

/* A bomb's processes come and go: the table is never quite full. (It is counted once the limit has been met.)
 */
static bool is_crowded(const struct trm_session *s, const struct trm_sample *now)
{
	uint64_t limit = s->sandbox->opts.limits.procs;
	return now->known & TRM_METRIC_PROCS && now->procs > limit - limit / 4;
}

/* What earlier runs have left behind: orphans, and what idle interpreters have below them. */
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

/* A bomb may still have been small when this run was sent. What has lost its parents is not the run's own,
 * or not any more. */
static void on_look(void *user)
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
					|| trm_loop_add_timer(s->loop, on_look, s, &s->leftovers_timer, NULL)
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
	uint64_t age_ms = (session_clock_ns() - run->begun_ns) / 1000000 + START_TICK_MS;
	bool was_ended = result->status == TRM_STATUS_TIMEOUT || run->is_timed_out;
	bool has_failed = has_met_limit && result->status != TRM_STATUS_OK;
	if (run->is_begun && (was_ended || has_failed || (has_met_limit && is_crowded(s, now))))
		proc_ask_kill_leftovers(s->sandbox, run->kernel ? run->kernel->proc : NULL,
				age_ms < UINT32_MAX ? (uint32_t)age_ms : 0);
}
