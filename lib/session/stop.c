/* SPDX-License-Identifier: MIT */
/* Stopping what runs, in steps:
 *
 *   calm --interrupt--> interrupted --grace--> killed --(agent silent)--> given up
 *
 * An interrupt for a run that has only just been sent may reach the interpreter
 * before it has read the request; it is then idle and ignores the signal, as it
 * must. So a young run that has shown no sign of life is interrupted a few times more;
 * and any run of an interpreter that is known to lose signals. */
#include <signal.h>
#include <stdio.h>

#include "base/err.h"
#include "session/session.h"

void stop_reset(struct kernel *k)
{
	k->stage = STAGE_CALM;
	k->nudges = 0;
	if (!k->session->is_closed)
		trm_timer_stop(k->timer);
}

static bool is_young(const struct trm_run *run)
{
	return run && !run->has_printed && session_clock_ns() - run->begun_ns < YOUNG_MS * UINT64_C(1000000);
}

/* Wait for the end of the grace, or for the next nudge before it. */
static void wait_interrupted(struct kernel *k)
{
	uint64_t now = session_clock_ns();
	uint64_t left_ms = k->kill_at_ns > now ? (k->kill_at_ns - now + 999999) / 1000000 : 0;
	trm_timer_start(k->timer, k->nudges && left_ms > NUDGE_MS ? NUDGE_MS : left_ms, 0);
}

/* What is left of the time-out goes on with it. */
void stop_release(struct kernel *k)
{
	struct trm_run *run = k->run;
	if (!run || !run->held_at_ns)
		return;
	uint64_t now_ns = session_clock_ns();
	run->held_ns += now_ns - run->held_at_ns;
	run->held_at_ns = 0;
	trm_proc_signal(k->proc, SIGCONT, TRM_SIGNAL_TREE);
	if (run->timeout_ms <= 0 || k->stage != STAGE_CALM)
		return;
	int64_t ran_ms = (int64_t)((now_ns - run->begun_ns - run->held_ns) / 1000000);
	int64_t left_ms = run->timeout_ms - ran_ms;
	trm_timer_start(k->timer, left_ms > 0 ? (uint64_t)left_ms : 0, 0);
}

void stop_interrupt(struct kernel *k)
{
	struct trm_session *s = k->session;
	k->stage = STAGE_INTERRUPTED;
	k->kill_at_ns = session_clock_ns() + s->opts.grace_ms * UINT64_C(1000000);
	k->nudges = is_young(k->run) || kernel_spec(k->lang)->loses_interrupts ? NUDGES : 0;
	trm_proc_signal(k->proc, SIGINT, TRM_SIGNAL_GROUP);
	stop_release(k);
	if (k->run)
		run_release_credit(k->run);
	wait_interrupted(k);
}

void stop_kill(struct kernel *k)
{
	if (k->stage == STAGE_KILLED)
		return;
	k->stage = STAGE_KILLED;
	trm_proc_signal(k->proc, SIGKILL, TRM_SIGNAL_TREE);
	if (k->run)
		run_release_credit(k->run);
	trm_timer_start(k->timer, KILL_PATIENCE_MS, 0);
}

static void kill_and_tell(struct kernel *k)
{
	struct trm_run *run = k->run;
	stop_kill(k);
	if (run && run->cb->killing) {
		run_announce(run);
		run->cb->killing(run->user, run);
	}
}

/* The agent does not tell of the death: forget that process. */
static void give_up(struct kernel *k)
{
	static const struct trm_exit killed = {.exit_code = -1, .signal = SIGKILL};
	struct trm_error none = {0};
	proc_forget(k->proc);
	kernel_died(k, &killed, &none);
}

static void start_took_too_long(struct kernel *k)
{
	snprintf(k->fault, sizeof k->fault, "%s did not start within %g s", k->lang->name,
			k->session->sandbox->opts.start_timeout_ms / 1000.0);
	stop_kill(k);
}

static void next_step(struct kernel *k)
{
	switch (k->stage) {
	case STAGE_CALM:
		if (!k->is_ready) {
			start_took_too_long(k);
			return;
		}
		if (k->run)
			k->run->is_timed_out = true;
		stop_interrupt(k);
		return;
	case STAGE_INTERRUPTED:
		if (k->nudges && session_clock_ns() < k->kill_at_ns) {
			k->nudges--;
			trm_proc_signal(k->proc, SIGINT, TRM_SIGNAL_GROUP);
			wait_interrupted(k);
			return;
		}
		kill_and_tell(k);
		return;
	case STAGE_KILLED: give_up(k); return;
	}
}

void stop_on_timer(void *user)
{
	struct kernel *k = user;
	session_enter(k->session);
	if (k->proc)
		next_step(k);
	session_leave(k->session);
}
