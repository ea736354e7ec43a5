/* SPDX-License-Identifier: MIT */
/* Stops a run in steps:
 *
 *   calm --interrupt--> interrupted --grace--> terminated --grace--> killed --(agent silent)--> given up
 *
 * Without a grace period for it, the step in the middle is left out.
 *
 * An interrupt may reach the interpreter before it has read the request of the run. The drivers then check
 * whether a request is waiting, and end that run as soon as it begins. But a long request may not have
 * arrived completely. So a run that has shown no sign of life is interrupted once more before its state is
 * given up. This does not happen sooner, because on a busy machine that interrupt might reach the next run.
 * An interpreter that is known to lose signals gets several more, each after twice the delay of the last. */
#include <signal.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/err.h"
#include "session/session.h"

/* The stage of the run in hand, or the state of its clock, has changed: inform the caller. */
static void notify_stopping(struct kernel *k)
{
	if (!k->run || !k->run->cb->stopping)
		return;
	k->run->owes_stopping = true;
	session_due(k->session);
}

bool stop_is_under_way(const struct kernel *k)
{
	return k->stage != STAGE_CALM;
}

bool stop_is_killing(const struct kernel *k)
{
	return k->stage == STAGE_KILLED;
}

const char *stop_sentence(enum stage stage)
{
	return stage == STAGE_TERMINATED ? "it ignored the interrupt and was terminated (SIGTERM)"
					 : "it ignored the interrupt and was killed";
}

bool stop_has_killed(enum stage stage)
{
	return stage == STAGE_KILLED;
}

bool stop_allows_end(enum stage stage, int signal)
{
	return !signal || (signal == SIGINT && stage == STAGE_INTERRUPTED);
}

void stop_reset(struct kernel *k)
{
	k->stage = STAGE_CALM;
	k->nudges = 0;
	k->owes_second = k->is_held = false;
	if (!k->session->is_closed)
		trm_timer_stop(k->timer);
}

static uint64_t grace_left_ms(const struct kernel *k)
{
	uint64_t now = clock_ns();
	return k->next_at_ns > now ? (k->next_at_ns - now + 999999) / 1000000 : 0;
}

/* Wait for the end of the grace period, or for the next interrupt before it. */
static void wait_for_next(struct kernel *k)
{
	uint64_t left = grace_left_ms(k);
	uint64_t half = k->session->opts.grace_ms / 2, nudge = (uint64_t)NUDGE_MS << (NUDGES - k->nudges);
	if (k->nudges && (k->is_held || left > nudge))
		trm_timer_start(k->timer, nudge, 0);
	else if (k->owes_second && (k->is_held || left > half))
		trm_timer_start(k->timer, k->is_held ? half : left - half, 0);
	else if (k->is_held)
		trm_timer_stop(k->timer);
	else
		trm_timer_start(k->timer, left, 0);
}

static uint32_t grace_ms(const struct kernel *k)
{
	const struct trm_session_opts *opts = &k->session->opts;
	return k->stage == STAGE_TERMINATED ? opts->terminate_grace_ms : opts->grace_ms;
}

static void enter_stage(struct kernel *k, enum stage stage)
{
	k->stage = stage;
	k->is_clearing = false;
	k->next_at_ns = clock_ns() + grace_ms(k) * UINT64_C(1000000);
	if (k->run)
		run_release_credit(k->run);
	notify_stopping(k);
}

/* The rest of the time limit runs on. */
void stop_release(struct kernel *k)
{
	struct trm_run *run = k->run;
	if (!run || !(run->clock.stops & CLOCK_PAUSED))
		return;
	trm_proc_signal(k->proc, SIGCONT, TRM_SIGNAL_TREE);
	run_clock_resume(run, CLOCK_PAUSED);
}

void stop_interrupt(struct kernel *k)
{
	const struct kernel_spec *spec = kernel_spec(k->lang);
	k->nudges = spec->loses_interrupts ? NUDGES : 0;
	k->owes_second = spec->is_asked_twice || (k->run && !k->run->has_printed);
	trm_proc_signal(k->proc, SIGINT, TRM_SIGNAL_GROUP);
	enter_stage(k, STAGE_INTERRUPTED);
	stop_release(k);
	wait_for_next(k);
}

static void terminate_run(struct kernel *k)
{
	k->nudges = 0;
	k->owes_second = false;
	trm_proc_signal(k->proc, SIGTERM, TRM_SIGNAL_TREE);
	enter_stage(k, STAGE_TERMINATED);
	wait_for_next(k);
}

void stop_kill(struct kernel *k)
{
	if (k->stage == STAGE_KILLED)
		return;
	trm_proc_signal(k->proc, SIGKILL, TRM_SIGNAL_TREE);
	enter_stage(k, STAGE_KILLED);
	trm_timer_start(k->timer, KILL_TIMEOUT_MS, 0);
}

void stop_further(struct kernel *k)
{
	if (k->stage == STAGE_INTERRUPTED && k->session->opts.terminate_grace_ms)
		terminate_run(k);
	else if (k->stage != STAGE_CALM)
		stop_kill(k);
}

void stop_hold(struct kernel *k, bool is_held)
{
	if ((k->stage != STAGE_INTERRUPTED && k->stage != STAGE_TERMINATED) || k->is_held == is_held)
		return;
	k->is_held = is_held;
	if (!is_held)
		k->next_at_ns = clock_ns() + grace_ms(k) * UINT64_C(1000000);
	if (k->run)
		run_clock_announce(k->run);
	wait_for_next(k);
	notify_stopping(k);
}

void stop_report(struct trm_run *run)
{
	const struct kernel *k = run->kernel;
	struct trm_stopping how = {.next_ms = -1};
	if (!run->owes_stopping || !k || k->stage == STAGE_CALM)
		return;
	run->owes_stopping = false;
	how.step = k->stage == STAGE_INTERRUPTED  ? TRM_STOP_INTERRUPT
		   : k->stage == STAGE_TERMINATED ? TRM_STOP_TERMINATE
						  : TRM_STOP_KILL;
	if (how.step != TRM_STOP_KILL) {
		bool has_term = how.step == TRM_STOP_INTERRUPT && k->session->opts.terminate_grace_ms;
		how.next = has_term ? TRM_STOP_TERMINATE : TRM_STOP_KILL;
		how.next_ms = k->is_held ? -1 : (int64_t)grace_left_ms(k);
	}
	run->cb->stopping(run->user, run, &how);
}

/* The agent does not report the death: give up the process. */
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

static void time_is_up(struct kernel *k)
{
	if (!k->is_ready) {
		start_took_too_long(k);
		return;
	}
	if (k->run) {
		k->run->is_timed_out = true;
		peer_run_announce_limit(k->run);
	}
	stop_interrupt(k);
}

/* A run waits for the question in hand. It is interrupted repeatedly, because a kernel that has not begun
 * with the question ignores an interrupt. The steps begin only when it has taken as long as any question may.
 */
static void hurry_question(struct kernel *k)
{
	k->hurries++;
	trm_proc_signal(k->proc, SIGINT, TRM_SIGNAL_GROUP);
	trm_timer_start(k->timer, HURRY_AGAIN_MS, 0);
}

static bool is_to_be_asked_again(const struct kernel *k)
{
	return (k->nudges || k->owes_second) && (k->is_held || grace_left_ms(k));
}

static void ask_again(struct kernel *k)
{
	if (k->nudges)
		k->nudges--;
	else
		k->owes_second = false;
	trm_proc_signal(k->proc, SIGINT, TRM_SIGNAL_GROUP);
	wait_for_next(k);
}

static void interrupt_arrived(struct kernel *k)
{
	k->is_clearing = false;
	session_due(k->session);
}

static void next_step(struct kernel *k)
{
	if (k->is_clearing && !k->question) {
		interrupt_arrived(k);
	} else if (k->stage == STAGE_CALM && k->question && k->is_awaited
			&& k->hurries < ANSWER_TIMEOUT_MS / HURRY_AGAIN_MS) {
		hurry_question(k);
	} else if (k->stage == STAGE_CALM && !k->is_ready && k->run && k->run->is_interrupted) {
		trm_run_interrupt(k->run);
	} else if (k->stage == STAGE_CALM) {
		time_is_up(k);
	} else if (k->stage == STAGE_KILLED) {
		give_up(k);
	} else if (is_to_be_asked_again(k)) {
		ask_again(k);
	} else {
		stop_further(k);
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
