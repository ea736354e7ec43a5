/* SPDX-License-Identifier: MIT */
/* The interpreter of one language in the sandbox. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "session/session.h"

void kernel_init(struct kernel *k, struct trm_session *session, const struct trm_lang *lang)
{
	*k = (struct kernel){.session = session, .lang = lang, .questions_end = NULL};
	k->questions_end = &k->questions;
	kernel_lines_init(&k->lines);
}

void kernel_finish(struct kernel *k)
{
	trm_timer_remove(k->timer);
	kernel_lines_finish(&k->lines);
	share_finish(k);
}

/* ---- state ------------------------------------------------------------------------ */

static enum trm_kernel_state kernel_state(const struct kernel *k)
{
	if (share_is_detached(k))
		return TRM_KERNEL_BUSY;
	if (!k->proc)
		return TRM_KERNEL_NONE;
	if (!k->is_ready)
		return TRM_KERNEL_STARTING;
	return k->run ? TRM_KERNEL_BUSY : TRM_KERNEL_IDLE;
}

void kernel_report(struct kernel *k)
{
	enum trm_kernel_state state = kernel_state(k);
	if (state == k->reported)
		return;
	k->reported = state;
	if (k->session->cb->kernel)
		k->session->cb->kernel(k->session->user, k->lang, state);
}

/* Note that the state may have changed. The caller is informed at the end of the turn. */
static void state_changed(struct kernel *k)
{
	if (k->session->cb->kernel)
		session_due(k->session);
}

bool kernel_is_free(const struct kernel *k)
{
	return !k->run && !k->question && !k->is_clearing && !stop_is_under_way(k);
}

/* ---- bytes from the process ----------------------------------------------------------- */

static void kill_for_fault(struct kernel *k, const char *sentence)
{
	log_write(LOG_WARNING, "the %s kernel is killed: %s", k->lang->name, sentence);
	snprintf(k->fault, sizeof k->fault, "%.190s", sentence);
	stop_kill(k);
}

void kernel_forget_process(struct kernel *k)
{
	k->is_ready = false;
	k->set = 0;
	kernel_lines_finish(&k->lines);
	kernel_lines_init(&k->lines);
}

/* Handle the complete lines of the event pipe. An event may end the process or close the session. */
static void read_events(struct kernel *k, const void *bytes, size_t n)
{
	struct trm_proc *proc = k->proc;
	struct trm_session *s = k->session;
	struct trm_error why;
	size_t len;
	char *line;
	int fed = kernel_lines_feed(&k->lines, bytes, n);
	if (fed < 0) {
		kill_for_fault(k, fed == TRM_ETOOBIG ? "it sent an event that is too long"
						     : "out of memory for an event that it sent");
		return;
	}
	while (!s->is_closed && k->proc == proc && !stop_is_killing(k)
			&& (line = kernel_lines_next(&k->lines, &len))) {
		struct kernel_event event;
		int r = kernel_event_decode(line, len, &event, &why);
		kernel_lines_done(&k->lines, len);
		if (r < 0 && share_is_replaying(k))
			/* the bad line may belong to a dead process in the history: do not kill the living
			 * one for it */
			continue;
		if (r < 0) {
			kill_for_fault(k, why.msg);
			return;
		}
		event_handle(k, &event);
		kernel_event_finish(&event);
	}
}

static void read_output(struct kernel *k, unsigned channel, const void *bytes, size_t n)
{
	struct trm_session *s = k->session;
	int stream = channel & 1 ? TRM_STDOUT : TRM_STDERR;
	unsigned set = (channel - TRM_STDOUT) / 2;
	struct trm_proc *proc = k->proc;
	if (k->run && (int)set == k->set) {
		run_output(k->run, stream, bytes, n);
		return;
	}
	if (s->cb->late && (!share_is_replaying(k) || s->opts.wants_recent))
		s->cb->late(s->user, k->lang, k->set_runs[set], stream, bytes, n);
	if (!s->is_closed && k->proc == proc)
		trm_proc_consumed(proc, n);
}

static void on_output(void *user, struct trm_proc *proc, unsigned channel, const void *bytes, size_t n)
{
	struct kernel *k = user;
	session_enter(k->session);
	size_t skip = share_count(k, channel, bytes, n);
	const char *at = (const char *)bytes + skip;
	bool is_text = channel != TRM_CONTROL && channel != PROC_NOTE && channel != PROC_ENDED;
	trm_proc_consumed(proc, is_text ? skip : n);
	if (skip == n)
		;
	else if (channel == TRM_CONTROL)
		read_events(k, at, n - skip);
	else if (channel == PROC_NOTE)
		peer_run_read(k, at, n - skip);
	else if (channel == PROC_ENDED)
		share_past_ended(k, (unsigned char)*at);
	else
		read_output(k, channel, at, n - skip);
	if (k->proc == proc)
		share_counted(k);
	session_leave(k->session);
}

static void on_hung_up(void *user, struct trm_proc *proc)
{
	struct kernel *k = user;
	(void)proc;
	session_enter(k->session);
	/* A program may replace the interpreter (exec), and an interpreter that exits closes its descriptors
	 * first. Neither is a fault. */
	if (!stop_is_killing(k) && !run_may_end_kernel(k->run))
		kill_for_fault(k, "its program closed the descriptors that control it");
	session_leave(k->session);
}

static void on_drained(void *user, struct trm_proc *proc)
{
	struct kernel *k = user;
	struct trm_run *run = k->run;
	(void)proc;
	session_enter(k->session);
	if (run && run->cb->drained)
		run->cb->drained(run->user, run);
	session_leave(k->session);
}

/* ---- death ----------------------------------------------------------------------------- */

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

static void on_exited(
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

static const struct trm_proc_cb PROC_CB = {
		.output = on_output, .hung_up = on_hung_up, .drained = on_drained, .exited = on_exited};

/* ---- start ------------------------------------------------------------------------------ */

void kernel_watch_start(struct kernel *k)
{
	if (!k->proc || share_is_others(k))
		return;
	if (!k->is_ready && !stop_is_under_way(k))
		trm_timer_start(k->timer, k->session->sandbox->opts.start_timeout_ms, 0);
}

int kernel_ensure(struct kernel *k, struct trm_error *reterr)
{
	if (share_is_detached(k))
		share_come_back(k);
	if (k->proc)
		return 0;
	bool seeks = share_may_run(k);
	int r = kernel_spawn(k, seeks, reterr);
	k->share.starts_if_missing = r == 0 && seeks;
	return r;
}

/* Join the session's variables with those of the language. The session's come first, because the first one
 * counts if both have the same name. NULL: the session's alone suffice, or there is no memory. */
static const char **join_env(const char *const *session, const char *const *own)
{
	size_t n_session = 0, n_own = 0;
	while (session && session[n_session])
		n_session++;
	while (own && own[n_own])
		n_own++;
	const char **all = n_own ? calloc(n_session + n_own + 1, sizeof *all) : NULL;
	for (size_t i = 0; all && i < n_session + n_own; i++)
		all[i] = i < n_session ? session[i] : own[i - n_session];
	return all;
}

int kernel_spawn(struct kernel *k, bool attaches, struct trm_error *reterr)
{
	struct trm_session *s = k->session;
	if (!session_is_open(s))
		return session_refuse(s, reterr);
	const struct kernel_spec *spec = kernel_spec(k->lang);
	char label[64];
	enum { ARGS_MAX = 32 };
	const char *argv[ARGS_MAX + 1] = {NULL};
	snprintf(label, sizeof label, "%s kernel", k->lang->name);
	for (size_t i = 0; i < ARGS_MAX && spec->argv[i]; i++)
		argv[i] = i ? spec->argv[i] : sandbox_program(s->sandbox, spec->argv[i]);
	const char **env = join_env(s->opts.env, spec->env);
	struct trm_proc_opts opts = {
			.size = sizeof(struct trm_proc_opts),
			.argv = argv,
			.label = label,
			.env = env ? env : s->opts.env,
			.control = true,
			.script = spec->driver.bytes,
			.script_len = spec->driver.n,
			.spare_channels = KERNEL_SPARE_SETS,
			.manual_credit = true,
	};
	int r = share_is_on(k) ? share_spawn(k, &opts, attaches, &PROC_CB, reterr)
			       : trm_proc_spawn(s->sandbox, &opts, &PROC_CB, k, &k->proc, reterr);
	free(env);
	if (r < 0)
		return r;
	if (trm_sandbox_is_ready(s->sandbox))
		kernel_watch_start(k);
	state_changed(k);
	return 0;
}

void kernel_restart(struct kernel *k)
{
	k->is_restarting = true;
	if (!k->fault[0])
		snprintf(k->fault, sizeof k->fault, "the interpreter was restarted");
	stop_kill(k);
}

int kernel_send(struct kernel *k, const struct kernel_request *request, struct trm_error *reterr)
{
	enum { SCRATCH_BYTES = 1024 * 1024 };
	struct buf *scratch = &k->session->request;
	buf_clear(scratch);
	int r = kernel_request_put(scratch, request);
	if (r < 0)
		return trm_error_set(reterr, r, "out of memory for the request to the interpreter");
	r = trm_proc_write(k->proc, TRM_CONTROL, buf_at(scratch), scratch->len, reterr);
	if (scratch->cap > SCRATCH_BYTES) {
		size_t max = scratch->max;
		buf_finish(scratch);
		buf_init(scratch, max);
	}
	state_changed(k);
	return r;
}
