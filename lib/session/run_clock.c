/* SPDX-License-Identifier: MIT */
/* The time limit of a run. It uses the kernel's timer, which is free as long as nobody stops the run. Drivers
 * that compile tell when they have: until then the limit of compiling holds. */
#include <stdio.h>

#include "base/clock.h"
#include "session/session.h"

#ifndef COMPILE_LIMIT_MS
#define COMPILE_LIMIT_MS 300000
#endif

static uint64_t stopped_ns(const struct trm_run *run, uint64_t now_ns)
{
	return run->clock.stopped_ns + (run->clock.stops ? now_ns - run->clock.stopped_at_ns : 0);
}

static uint64_t rest_ms(const struct trm_run *run, uint64_t now_ns)
{
	uint64_t ran_ns = run->is_begun ? now_ns - run->begun_ns - stopped_ns(run, now_ns) : 0;
	int64_t ran_ms = (int64_t)(ran_ns / 1000000);
	int64_t limit_ms = run->clock.is_compiling ? COMPILE_LIMIT_MS : run->clock.timeout_ms;
	return ran_ms < limit_ms ? (uint64_t)(limit_ms - ran_ms) : 0;
}

void run_clock_announce(struct trm_run *run)
{
	if (run->clock.timeout_ms > 0 && run->kernel && run->kernel->proc)
		peer_run_announce_clock(run, rest_ms(run, clock_ns()));
}

static bool is_ticking(const struct trm_run *run)
{
	bool is_running = run->kernel && run->kernel->run == run && !stop_is_under_way(run->kernel);
	return run->clock.timeout_ms > 0 && !run->clock.stops && run->is_begun && is_running;
}

int64_t trm_run_time_left_ms(const struct trm_run *run)
{
	return is_ticking(run) && !run->clock.is_compiling ? (int64_t)rest_ms(run, clock_ns()) : -1;
}

void run_clock_arm(struct trm_run *run)
{
	if (is_ticking(run))
		trm_timer_start(run->kernel->timer, rest_ms(run, clock_ns()), 0);
}

/* Will its driver say when the code is compiled? That of batch languages does before the last command. One in
 * a kept sandbox may be too old to do so. And what a sandbox says does not give more time to other languages.
 */
static bool is_compiled(const struct own_run *own)
{
	const char *const *const *commands = own->run.lang->commands;
	bool has_several = commands && commands[0] && commands[1];
	return (has_several || kernel_spec(own->run.lang)->tells_compiled) && own->run.kernel->tells_compiled
	       && !own->is_leave && !sandbox_enforces_timeout(own->run.session->sandbox);
}

void run_clock_begin(struct trm_run *run)
{
	run->is_begun = true;
	run->begun_ns = clock_ns();
	run->clock.is_compiling = run->clock.timeout_ms > 0 && is_compiled(run_own(run));
	run_clock_arm(run);
	if (run->clock.is_compiling)
		run_clock_announce(run);
}

void run_clock_begin_code(struct trm_run *run)
{
	if (!run->clock.is_compiling || run->is_timed_out)
		return;
	run->clock.is_compiling = false;
	run->clock.stopped_at_ns = clock_ns();
	run->clock.stopped_ns = run->clock.stopped_at_ns - run->begun_ns;
	run_clock_arm(run);
	run_clock_announce(run);
}

int trm_run_extend(struct trm_run *run, uint32_t more_ms, struct trm_error *reterr)
{
	if (sandbox_enforces_timeout(run->session->sandbox))
		return trm_error_set(reterr, TRM_ENOTSUP,
				"the server enforces the time limit: set timeout before the run");
	if (run->clock.timeout_ms <= 0 || run->is_timed_out)
		return 0;
	run->clock.timeout_ms += more_ms;
	run_clock_arm(run);
	run_clock_announce(run);
	return 0;
}

void run_clock_stop(struct trm_run *run, enum clock_stop why)
{
	if (!run->clock.stops)
		run->clock.stopped_at_ns = clock_ns();
	run->clock.stops |= why;
	if (!stop_is_under_way(run->kernel))
		trm_timer_stop(run->kernel->timer);
	run_clock_announce(run);
}

void run_clock_resume(struct trm_run *run, enum clock_stop why)
{
	if (!(run->clock.stops & why))
		return;
	uint64_t now_ns = clock_ns();
	if (run->clock.stops == why)
		run->clock.stopped_ns = stopped_ns(run, now_ns);
	run->clock.stops &= ~(unsigned)why;
	run_clock_arm(run);
	run_clock_announce(run);
}

size_t run_clock_describe(const struct trm_run *run, char *out, size_t cap)
{
	double limit_s = (double)(run->clock.timeout_ms > 0 ? run->clock.timeout_ms
							    : (int64_t)run->clock.announced_ms)
			 / 1000;
	int n = run->clock.is_compiling
				? snprintf(out, cap, "compiling took longer than %g s, its limit",
						COMPILE_LIMIT_MS / 1000.0)
				: snprintf(out, cap,
						"timed out after %g s (time limit %g s: the setting timeout)",
						limit_s, limit_s);
	return n < 0 ? 0 : (size_t)n < cap ? (size_t)n : cap - 1;
}
