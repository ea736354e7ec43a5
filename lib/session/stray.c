/* SPDX-License-Identifier: MIT */
/* What a run has started and left behind is the user's business: a server, a job. Not so when the run was
 * ended by a limit: then its whole tree goes, or a fork bomb would leave nothing to the next run. */
#include "session/session.h"

/* Start times are counted in these. */
enum { START_TICK_MS = 20 };

/* A bomb's processes come and go: the table is never quite full. (It is counted once the limit has been met.)
 */
static bool is_crowded(const struct trm_session *s, const struct trm_sample *now)
{
	uint64_t limit = s->sandbox->opts.limits.procs;
	return now->known & TRM_METRIC_PROCS && now->procs > limit - limit / 4;
}

void stray_begin(struct trm_session *s, const struct kernel *k)
{
	if (session_is_open(s) && s->knows_events && is_crowded(s, &s->events))
		proc_kill_strays(s->sandbox, k->proc, 0);
}

void stray_end(const struct trm_run *run, const struct trm_result *result, bool has_met_limit,
		const struct trm_sample *now)
{
	struct trm_session *s = run->session;
	uint64_t age_ms = (session_clock_ns() - run->begun_ns) / 1000000 + START_TICK_MS;
	bool was_ended = result->status == TRM_STATUS_TIMEOUT || run->is_timed_out;
	bool has_failed = has_met_limit && result->status != TRM_STATUS_OK;
	if (run->is_begun && (was_ended || has_failed || (has_met_limit && is_crowded(s, now))))
		proc_kill_strays(s->sandbox, run->kernel ? run->kernel->proc : NULL,
				age_ms < UINT32_MAX ? (uint32_t)age_ms : 0);
}
