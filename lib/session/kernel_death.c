/* SPDX-License-Identifier: MIT */
/* The end of an interpreter: why it came, what becomes of the run in it and of those that wait, and whether
 * another one is started. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "session/session.h"

static void describe_death(struct kernel *k, const struct trm_exit *status, char *out, size_t cap)
{
	if (k->fault[0])
		snprintf(out, cap, "killed: %s", k->fault);
	else if (k->fate[0])
		snprintf(out, cap, "%s", k->fate);
	else
		diagnose_death(k->session, status, out, cap);
}

/* The run asked the interpreter to end, so the exit of the process is the result of the run. */
static void finish_with_exit(struct trm_run *run, const struct trm_exit *status)
{
	char reason[96];
	struct trm_result result = {.status = status->exit_code ? TRM_STATUS_ERROR : TRM_STATUS_OK,
			.exit_code = status->exit_code,
			.has_cpu = true,
			.cpu_us = status->user_us + status->system_us};
	if (run->is_timed_out) {
		run_clock_describe(run, reason, sizeof reason);
		result.status = TRM_STATUS_TIMEOUT;
		result.exit_code = 124;
		result.reason = reason;
	} else if (run->is_interrupted) {
		result.status = TRM_STATUS_INTERRUPTED;
		result.exit_code = 130;
	}
	run_finish(run, &result);
}

/* Where to get what is not there. */
static void describe_source(const struct trm_lang *lang, const char *image, char *out, size_t cap)
{
	/* Small images have a sh, which cannot keep state as we need it. */
	const char *instead = lang->style == TRM_STYLE_SHELL
					      ? "; its sh runs commands, but no code that keeps its state"
					      : "";
	const char *package = *lang->package ? lang->package : NULL,
		   *has_it = *lang->image ? lang->image : NULL;
	if (*image && !has_it)
		snprintf(out, cap, ", which was made from %s: choose an image that has it%s", image, instead);
	else if (*image)
		snprintf(out, cap, ", which was made from %s: choose an image that has it, as %s%s", image,
				has_it, instead);
	else if (package)
		snprintf(out, cap, ": the Debian package %s brings it%s%s", package,
				has_it ? "; so does the container image " : "", has_it ? has_it : "");
	else
		*out = '\0';
}

static void describe_no_start(const struct kernel *k, const struct trm_error *why, char *out, size_t cap)
{
	char source[240] = "";
	if (why->code == TRM_ENOENT)
		describe_source(k->lang, trm_sandbox_origin(k->session->sandbox), source, sizeof source);
	snprintf(out, cap, "%s cannot be started: %s%s", k->lang->name, why->msg, source);
}

/* A process that we wanted to kill may have exited with code 0 by itself first. Its run has failed all the
 * same. */
static int exit_code_of_death(const struct kernel *k, const struct trm_exit *status)
{
	if (status->signal || k->fault[0])
		return 128 + (status->signal ? status->signal : SIGKILL);
	return status->exit_code;
}

/* End a run whose interpreter has ended. */
static void end_run(struct kernel *k, struct trm_run *run, enum stage stage, const struct trm_exit *status,
		const struct trm_error *why)
{
	const char *stubborn = stop_sentence(stage);
	char reason[600];
	bool is_peaceful = status && stop_allows_end(stage, status->signal);
	if (run_may_end_kernel(run) && is_peaceful && session_is_open(k->session)) {
		finish_with_exit(run, status);
	} else if (!session_is_open(k->session)) {
		run_finish_with(run, TRM_STATUS_LOST, 125, why->msg);
	} else if (run->is_timed_out) {
		size_t n = run_clock_describe(run, reason, sizeof reason);
		snprintf(reason + n, sizeof reason - n, "; %s", stubborn);
		run_finish_with(run, TRM_STATUS_TIMEOUT, 124, reason);
	} else if (run->is_interrupted) {
		size_t n = diagnose_interrupt(run, reason, sizeof reason);
		/* Something else was faster than our steps: mostly the memory limit. */
		bool is_by_others = status && status->signal == SIGKILL && !stop_has_killed(stage);
		char death[300] = "";
		if (is_by_others)
			describe_death(k, status, death, sizeof death);
		if (run->is_begun)
			snprintf(reason + n, sizeof reason - n, "%s%s", n ? "; " : "",
					is_by_others ? death : stubborn);
		run_finish_with(run, TRM_STATUS_INTERRUPTED, 130, *reason ? reason : NULL);
	} else if (!status) {
		if (run->is_begun)
			snprintf(reason, sizeof reason, "%s", why->msg);
		else
			describe_no_start(k, why, reason, sizeof reason);
		/* If the backend reports the end of an interpreter itself, this error means only that the
		 * request failed. State of earlier runs is still there. */
		if (sandbox_reports_fate(k->session->sandbox))
			run->is_begun = false;
		run_finish_with(run, TRM_STATUS_KILLED, 125, reason);
	} else {
		describe_death(k, status, reason, sizeof reason);
		run_finish_with(run, TRM_STATUS_KILLED, exit_code_of_death(k, status), reason);
	}
}

/* Fail a run that waits for an interpreter which did not even start: another attempt would fail too. */
static void fail_waiting(struct kernel *k, const struct trm_exit *status, const struct trm_error *why)
{
	char reason[600];
	if (status)
		describe_death(k, status, reason, sizeof reason);
	else
		describe_no_start(k, why, reason, sizeof reason);
	session_fail_waiting(k->session, k->lang, reason);
}

/* Nobody's run tells of the end: say why the variables are gone. */
static void tell_ended(struct kernel *k, const struct trm_exit *status)
{
	struct trm_session *s = k->session;
	char reason[600];
	if (!s->cb->ended || !status || k->is_restarting || s->is_closed || !session_is_open(s)
			|| (share_is_on(k) && !share_is_started(k)))
		return;
	describe_death(k, status, reason, sizeof reason);
	s->cb->ended(s->user, k->lang, reason);
}

void kernel_died(struct kernel *k, const struct trm_exit *status, const struct trm_error *why)
{
	struct trm_session *s = k->session;
	struct trm_run *run = k->run;
	struct question *question = k->question;
	bool is_wanted = (run_own(run) && k->is_ready && !run_may_end_kernel(run))
			 || k->is_restarting; /* start again now, so that the next run need not wait */
	bool has_started = status && (!share_is_on(k) || share_is_started(k));
	enum stage stage = k->stage;
	struct trm_error gone, *sentence = &gone;
	trm_error_set(&gone, TRM_ECLOSED, "the %s interpreter ended", k->lang->name);
	log_write(LOG_INFO, "the %s kernel ended: exit code %d, signal %d", k->lang->name,
			status ? status->exit_code : -1, status ? status->signal : 0);
	k->proc = NULL;
	if (!run)
		tell_ended(k, status);
	kernel_forget_process(k);
	k->question = NULL;
	k->is_restarting = k->is_awaited = k->is_clearing = false;
	k->hurries = 0;
	stop_reset(k);
	share_reset(k);
	if (question)
		question_answer(question, question_is_restart(k, question) ? "{}" : NULL, sentence);
	if (!status && !s->is_closed)
		question_fail_all(k, why); /* the interpreter cannot be started: do not retry forever */
	if (run && !s->is_closed)
		end_run(k, run, stage, status, why);
	else if (!has_started && session_is_open(s))
		fail_waiting(k, status, why);
	k->fault[0] = k->fate[0] = '\0';
	/* An interpreter that never became ready is started again only on request. */
	if (!s->is_closed && is_wanted && session_is_open(s) && !k->proc)
		kernel_ensure(k, NULL);
	else if (status)
		share_follow_again(k, false); /* somebody may have started another */
	session_due(s);
}

/* The agent has detached us, but the process lives on: either we were a slow client, or there was none to
 * attach to. */
static bool was_detached(struct kernel *k, const struct trm_error *why)
{
	if (!share_is_on(k) || k->session->is_closed)
		return false;
	if (why->code == TRM_EBUSY && share_is_started(k)) {
		k->proc = NULL;
		return share_left_behind(k);
	}
	if (why->code != TRM_ENOENT || !k->share.proc.attaches)
		return false;
	bool starts_if_missing = k->share.starts_if_missing, was_past = share_is_started(k);
	k->proc = NULL;
	kernel_forget_process(k);
	share_reset(k);
	if (starts_if_missing && session_is_open(k->session))
		/* a failure here is reported when the kernel is needed and the start fails again */
		kernel_spawn(k, false, NULL);
	if (k->run)
		run_finish_with(k->run, TRM_STATUS_LOST, 125,
				"its end was missed: the interpreter has ended meanwhile");
	if (was_past)
		/* another kernel may have been announced while the caller was informed */
		share_follow_again(k, false);
	session_due(k->session);
	return true;
}

/* Was our run sent to an interpreter that was already dead or dying, so that it was never read? An earlier
 * run, a limit or another client may have killed it. The run is sent again only once, because it might be
 * what kills interpreters. A run that has produced output has begun, no matter what its code wrote to that
 * pipe. */
static bool was_sent_to_dead(const struct kernel *k, const struct trm_proc *proc)
{
	const struct own_run *own = run_own(k->run);
	const struct trm_run *run = k->run;
	return own && !own->is_leave && run->code && !own->has_met_dead && !run->is_interrupted
	       && !run->is_timed_out && !own->has_sent_bytes && !run->has_printed && k->is_ready
	       && !stop_is_under_way(k) && !k->fault[0] && !k->question && session_is_open(k->session)
	       && proc_has_unread(proc);
}

void kernel_on_exited(
		void *user, struct trm_proc *proc, const struct trm_exit *status, const struct trm_error *why)
{
	struct kernel *k = user;
	session_enter(k->session);
	if (status && was_sent_to_dead(k, proc)) {
		struct own_run *own = run_own(k->run);
		own->has_met_dead = true;
		/* at most its end was sent, and the next interpreter gets that anyway */
		own->has_sent_stdin = false;
		run_take_back(own);
	}
	if (status || !was_detached(k, why))
		kernel_died(k, status, why);
	session_leave(k->session);
}
