/* SPDX-License-Identifier: MIT */
/* Requests to a run that is already in the session: interrupt, pause, input. */
#include <signal.h>
#include <string.h>

#include "base/err.h"
#include "session/session.h"

/* A run that is over accepts nothing, because the request would reach the next run. */
static bool is_over(const struct trm_run *run)
{
	return run->is_over || run->session->is_closed;
}

/* A kernel that is still starting has no state to save, and the signal might kill it halfway through its
 * start. So we abandon the process and put the run back in the queue. */
static void forget_start(struct own_run *own)
{
	struct kernel *k = own->run.kernel;
	proc_forget(k->proc);
	k->proc = NULL;
	kernel_lines_finish(&k->lines);
	kernel_lines_init(&k->lines);
	stop_reset(k);
	/* session_due() finds the interrupted run in the queue and ends it. */
	run_requeue(own);
}

void trm_run_interrupt(struct trm_run *run)
{
	enum { READY_MS = 500 };
	struct kernel *k = run->kernel;
	struct own_run *own = run_own(run);
	bool again = run->is_interrupted;
	if (is_over(run))
		return;
	if (run->kind == RUN_COMMAND) {
		peer_command_interrupt((struct peer_command *)run);
		return;
	}
	run->is_interrupted = true;
	if (own && own->installation) {
		libraries_cancel(own);
		return;
	}
	if (k && k->is_ready && k->proc) {
		if (!stop_is_under_way(k))
			stop_interrupt(k);
		else if (again)
			stop_further(k);
		return;
	}
	/* It runs already: what it has printed has come before the word that the interpreter is ready. Or an
	 * interpreter has printed that hangs at its start: then the timer interrupts again. */
	if (own && k && k->proc && run->has_printed && !again) {
		trm_timer_start(k->timer, READY_MS, 0);
		return;
	}
	/* if the agent has detached us as a slow client, this lets us attach again to interrupt the run */
	run_release_credit(run);
	if (k && k->proc && !stop_is_killing(k) && share_is_on(k))
		stop_kill(k); /* without us the interpreter would live on and execute this run */
	else if (own && k && k->proc && !stop_is_killing(k))
		forget_start(own);
	session_due(run->session);
}

void trm_run_pause(struct trm_run *run, bool is_paused)
{
	struct kernel *k = run->kernel;
	if (is_over(run) || !k || !k->proc || !run->is_begun
			|| is_paused == ((run->clock.stops & CLOCK_PAUSED) != 0) || stop_is_under_way(k))
		return;
	if (!is_paused) {
		stop_release(k);
		return;
	}
	run_clock_stop(run, CLOCK_PAUSED);
	trm_proc_signal(k->proc, SIGSTOP, TRM_SIGNAL_TREE);
}

void trm_run_hold_clock(struct trm_run *run, bool is_held)
{
	if (!is_over(run) && run->kernel && run->kernel->proc)
		stop_hold(run->kernel, is_held);
}

/* What was asked is being answered: tell it to those who follow. */
static void note_answer(struct trm_run *run)
{
	if (!run->is_asked || !run->kernel || !run->kernel->proc)
		return;
	run->is_asked = false;
	run->owes_answered = run->kind == RUN_OWN;
	session_due(run->session);
	if (share_is_on(run->kernel))
		peer_run_announce_answer(run);
}

int trm_run_write(struct trm_run *run, const void *bytes, size_t n, struct trm_error *reterr)
{
	struct own_run *own = run_own(run);
	if (!run->offers_stdin)
		return trm_error_set(reterr, TRM_EINVAL, "the run offers no input");
	if (is_over(run))
		return trm_error_set(reterr, TRM_ECLOSED, "the run has ended");
	if (!own && !share_owns_turn(run->kernel))
		return trm_error_set(reterr, TRM_EBUSY, "the program that began the run is there to answer");
	if (own)
		own->has_sent_stdin = own->has_sent_bytes = true;
	if (run->kernel && !run->kernel->proc)
		return trm_error_set(reterr, TRM_ECLOSED, "the interpreter has ended");
	if (run->kernel) {
		int r = proc_check_room(run->kernel->proc, n, reterr);
		if (r < 0)
			return r;
		run_clock_resume(run, CLOCK_ASKED);
		if (memchr(bytes, '\n', n))
			note_answer(run);
		return trm_proc_write(run->kernel->proc, TRM_STDIN, bytes, n, reterr);
	}
	int r = buf_append(&own->early_stdin, bytes, n);
	return r < 0 ? trm_error_set(reterr, r, "too much input is already waiting for the run") : 0;
}

void trm_run_close_stdin(struct trm_run *run)
{
	struct own_run *own = run_own(run);
	if (is_over(run) || !run->offers_stdin || (!own && !share_owns_turn(run->kernel)))
		return;
	if (own)
		own->has_sent_stdin = own->has_sent_eof = true;
	if (run->kernel && run->kernel->proc) {
		run_clock_resume(run, CLOCK_ASKED);
		note_answer(run);
		trm_proc_close_stdin(run->kernel->proc);
	}
}

size_t trm_run_queued(const struct trm_run *run)
{
	if (run->kernel)
		return run->kernel->proc ? trm_proc_queued(run->kernel->proc) : 0;
	return run->kind == RUN_OWN ? ((const struct own_run *)run)->early_stdin.len : 0;
}
