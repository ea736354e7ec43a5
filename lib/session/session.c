/* SPDX-License-Identifier: MIT */
#include "session/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <terrarium/text.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/opts.h"

bool session_is_open(const struct trm_session *s)
{
	return !s->is_closed && s->sandbox && sandbox_is_open(s->sandbox);
}

int session_refuse(const struct trm_session *s, struct trm_error *reterr)
{
	bool is_known = !s->is_closed && s->sandbox && s->sandbox->why.code;
	return trm_error_set(
			reterr, TRM_ECLOSED, "%s", is_known ? s->sandbox->why.msg : "the sandbox is closed");
}

/* ---- turns ----------------------------------------------------------------------- */

static struct own_run *dequeue(struct trm_session *s)
{
	struct own_run *own = s->queue;
	s->queue = own->next;
	if (!s->queue)
		s->queue_end = &s->queue;
	own->next = NULL;
	return own;
}

/* The sandbox accepts no more runs, or the interpreter of this run cannot be started. */
static void fail_first(struct trm_session *s, const struct trm_error *why)
{
	struct own_run *own = dequeue(s);
	bool is_lost = !session_is_open(s);
	run_finish_with(&own->run, is_lost ? TRM_STATUS_LOST : TRM_STATUS_KILLED, 125, why->msg);
}

void session_fail_waiting(struct trm_session *s, const struct trm_lang *lang, const char *reason)
{
	if (session_is_open(s) && !s->active && s->queue && s->queue->run.lang == lang)
		run_finish_with(&dequeue(s)->run, TRM_STATUS_KILLED, 125, reason);
}

static void pump(struct trm_session *s, bool in_turn)
{
	while (!s->active && s->queue && !s->is_closed) {
		struct kernel *k = &s->kernels[s->queue->run.lang->index];
		struct trm_error why;
		if (s->queue->installation)
			break;
		if (!s->queue->run.is_interrupted && s->queue->libraries) {
			if (kernel_is_free(k))
				kernel_ensure(k, NULL); /* meanwhile; what fails is told later */
			if (!libraries_are_there(s->queue, in_turn))
				break;
		}
		if (s->queue->run.is_interrupted)
			session_due(s); /* the run was interrupted: it must end, not begin */
		if (!s->queue->run.is_interrupted && k->question)
			question_hurry(k);
		if (!s->queue->run.is_interrupted && k->run)
			share_want_turn(k); /* another session's run or turn is in the way */
		if (s->queue->run.is_interrupted || !kernel_is_free(k))
			break;
		bool has_nothing_left = s->queue->is_leave && !k->proc;
		if (has_nothing_left && !in_turn) {
			session_due(s);
			return;
		}
		if (has_nothing_left) {
			run_finish_with(&dequeue(s)->run, TRM_STATUS_OK, 0, NULL);
		} else if (kernel_ensure(k, &why) == 0) {
			if (!share_has_turn(k))
				break;
			run_send_off(dequeue(s), k);
		} else if (in_turn) {
			fail_first(s, &why);
		} else {
			session_due(s);
			return;
		}
	}
	for (size_t i = 0; i < trm_lang_count() && !s->is_closed; i++)
		question_next(&s->kernels[i], in_turn);
}

/* Everything that the pump sends leaves in one write. */
void session_pump(struct trm_session *s, bool in_turn)
{
	struct trm_sandbox *sandbox = s->sandbox;
	if (sandbox)
		sandbox_hold(sandbox);
	pump(s, in_turn);
	if (sandbox)
		sandbox_release(sandbox);
}

/* End runs that were interrupted while they were queued. */
static void end_unwanted(struct trm_session *s)
{
	struct own_run **at = &s->queue;
	while (*at && !s->is_closed) {
		struct own_run *own = *at;
		if (!own->run.is_interrupted || own->installation) {
			at = &own->next;
			continue;
		}
		*at = own->next;
		if (!*at)
			s->queue_end = at;
		run_finish_with(&own->run, TRM_STATUS_INTERRUPTED, 130, NULL);
		at = &s->queue; /* the caller may have changed the queue */
	}
}

static void finish_callback(struct trm_session *s)
{
	end_unwanted(s);
	for (size_t i = 0; i < trm_lang_count() && !s->is_closed; i++) {
		share_come_back(&s->kernels[i]);
		share_give_turn(&s->kernels[i]);
	}
	if (!s->is_closed)
		session_pump(s, true);
	if (!s->is_closed && s->active)
		run_announce(&s->active->run);
	for (size_t i = 0; i < trm_lang_count() && !s->is_closed; i++) {
		if (s->kernels[i].run)
			stop_report(s->kernels[i].run);
		if (!s->is_closed)
			kernel_report(&s->kernels[i]);
	}
	if (!s->is_closed)
		share_report(s);
}

void session_enter(struct trm_session *s)
{
	s->depth++;
}

static void session_free(struct trm_session *s)
{
	for (size_t i = 0; i < trm_lang_count(); i++)
		kernel_finish(&s->kernels[i]);
	trm_timer_remove(s->soon);
	memory_finish(s);
	leftovers_finish(s);
	output_finish(&s->output);
	buf_finish(&s->request);
	free(s);
}

void session_leave(struct trm_session *s)
{
	while (s->depth == 1 && s->is_due && !s->is_closed) {
		s->is_due = false;
		finish_callback(s);
	}
	if (--s->depth == 0 && s->is_closed)
		session_free(s);
}

void session_due(struct trm_session *s)
{
	s->is_due = true;
	if (!s->depth && !trm_timer_is_running(s->soon))
		trm_timer_start(s->soon, 0, 0);
}

static void on_soon(void *user)
{
	struct trm_session *s = user;
	session_enter(s);
	session_leave(s);
}

/* ---- the sandbox ------------------------------------------------------------------- */

static void on_sandbox_ready(void *user)
{
	struct trm_session *s = user;
	for (size_t i = 0; i < trm_lang_count(); i++)
		kernel_watch_start(&s->kernels[i]);
}

/* The agent is connected and no run has begun, so that the counters of the first run start here. */
static void on_connected(void *user)
{
	struct trm_session *s = user;
	diagnose_record_counters(s);
}

static void loss_all(struct trm_session *s, const struct trm_error *why)
{
	for (size_t i = 0; i < trm_lang_count(); i++)
		if (s->kernels[i].run)
			run_finish_with(s->kernels[i].run, TRM_STATUS_LOST, 125, why->msg);
	peer_command_end_all(s, why);
	while (s->queue)
		fail_first(s, why);
	for (size_t i = 0; i < trm_lang_count(); i++)
		question_fail_all(&s->kernels[i], why);
}

static void on_sandbox_closed(void *user, const struct trm_error *why)
{
	struct trm_session *s = user;
	session_enter(s);
	s->sandbox = NULL;
	loss_all(s, why);
	session_leave(s);
}

static void on_shared(void *user, const char *key)
{
	struct trm_session *s = user;
	session_enter(s);
	share_on_shared(s, key);
	session_leave(s);
}

static void on_listed(void *user)
{
	struct trm_session *s = user;
	session_enter(s);
	s->is_listed = true;
	session_due(s);
	session_leave(s);
}

/* What the other client says of itself. */
static void report_present(struct trm_session *s, const struct announced_msg *what)
{
	char by[128];
	if (!s->opts.is_shared || !s->cb->present || s->is_closed)
		return;
	trm_text_clean_line(by, sizeof by, what->by ? what->by : "", what->by_len);
	s->cb->present(s->user, what->client, what->kind == PEER_COMMAND_PRESENT ? by : NULL);
}

static void on_reported(void *user, const struct announced_msg *what)
{
	struct trm_session *s = user;
	session_enter(s);
	if (what->kind == PEER_COMMAND_PRESENT || what->kind == PEER_COMMAND_GONE)
		report_present(s, what);
	else
		peer_command_handle(s, what);
	session_leave(s);
}

/* The limit counters are also updated between runs. Otherwise a later death would be blamed on an earlier
 * kill of some child process. */
static void on_sample(void *user, const struct trm_sample *sample)
{
	struct trm_session *s = user;
	if (s->active) {
		session_enter(s);
		memory_sample(s, sample);
		session_leave(s);
		return;
	}
	s->events.oom_kills = sample->oom_kills;
	s->events.procs_refused = sample->procs_refused;
	s->events.known |= sample->known & (TRM_METRIC_OOM_KILLS | TRM_METRIC_PROCS_REFUSED);
	s->knows_events = true;
}

/* ---- opening and closing -------------------------------------------------------------- */

void trm_session_opts_init(struct trm_session_opts *opts, size_t size)
{
	static const struct trm_session_opts defaults = TRM_SESSION_OPTS_INIT;
	opts_fill(opts, size, &defaults, sizeof defaults);
}

int trm_session_open(struct trm_sandbox *sandbox, const struct trm_session_opts *opts,
		const struct trm_session_cb *cb, void *user, struct trm_session **ret_session,
		struct trm_error *reterr)
{
	static const struct trm_session_cb none;
	struct trm_session_opts own = TRM_SESSION_OPTS_INIT;
	int r = opts_take(&own, sizeof own, opts, reterr);
	if (r < 0)
		return r;
	if (!sandbox_is_open(sandbox))
		return trm_error_set(
				reterr, TRM_ECLOSED, "sandbox '%s' is closed", trm_sandbox_name(sandbox));
	if (own.is_shared && sandbox->has_shared_session)
		return trm_error_set(reterr, TRM_EBUSY,
				"this connection to sandbox '%s' already has a shared session: attach to it "
				"once more for another",
				trm_sandbox_name(sandbox));
	struct trm_session *s = calloc(1, sizeof *s + trm_lang_count() * sizeof s->kernels[0]);
	if (!s)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	s->sandbox = sandbox;
	s->loop = sandbox->loop;
	s->opts = own;
	s->cb = cb ? cb : &none;
	s->user = user;
	s->queue_end = &s->queue;
	s->memory_fd = -1;
	buf_init(&s->request, KERNEL_LINE_MAX * 8u);
	output_init(&s->output, s->opts.output_keep_bytes);
	for (unsigned i = 0; i < trm_lang_count(); i++)
		kernel_init(&s->kernels[i], s, trm_lang_at(i));
	r = trm_loop_add_timer(s->loop, on_soon, s, &s->soon, reterr);
	for (size_t i = 0; i < trm_lang_count() && r == 0; i++)
		r = trm_loop_add_timer(s->loop, stop_on_timer, &s->kernels[i], &s->kernels[i].timer, reterr);
	for (size_t i = 0; i < trm_lang_count() && r == 0 && s->opts.is_shared; i++)
		r = share_init(&s->kernels[i], reterr);
	if (r < 0) {
		session_free(s);
		return r;
	}
	s->observer = (struct sandbox_observer){.connected = on_connected,
			.ready = on_sandbox_ready,
			.closed = on_sandbox_closed,
			.sample = on_sample,
			.shared = on_shared,
			.listed = on_listed,
			.announced = on_reported,
			.user = s};
	sandbox_observe(sandbox, &s->observer);
	if (s->opts.is_shared) {
		snprintf(s->by, sizeof s->by, "%.100s, pid %ld",
				s->opts.client ? s->opts.client : program_invocation_short_name,
				(long)getpid());
		sandbox->has_shared_session = true;
		if (!sandbox->opts.is_observer)
			sandbox_present(sandbox, s->by);
		if (s->cb->joined || s->cb->present)
			sandbox_follow(sandbox);
		sandbox_list_shared(sandbox);
	}
	*ret_session = s;
	return 0;
}

void trm_session_close(struct trm_session *session)
{
	struct trm_error why;
	if (!session || session->is_closed)
		return;
	trm_error_set(&why, TRM_ECANCELED, "the session was closed");
	session->is_closed = true;
	session_enter(session);
	if (session->sandbox) {
		sandbox_unobserve(session->sandbox, &session->observer);
		session->sandbox->has_shared_session &= !session->opts.is_shared;
	}
	for (size_t i = 0; i < trm_lang_count(); i++) {
		struct kernel *k = &session->kernels[i];
		if (k->proc)
			proc_forget(k->proc);
		k->proc = NULL;
		trm_timer_stop(k->timer);
		if (session->opts.is_shared)
			trm_timer_stop(k->share.timer);
	}
	trm_timer_stop(session->soon);
	memory_finish(session);
	loss_all(session, &why);
	session_leave(session);
}

int trm_session_warm(struct trm_session *session, const struct trm_lang *lang, struct trm_error *reterr)
{
	if (!lang)
		return trm_error_set(reterr, TRM_EINVAL, "no language was given");
	if (!session_is_open(session))
		return session_refuse(session, reterr);
	struct kernel *k = &session->kernels[lang->index];
	return stop_is_killing(k) ? 0 : kernel_ensure(k, reterr);
}

int trm_session_restart(struct trm_session *session, const struct trm_lang *lang, struct trm_error *reterr)
{
	if (!lang)
		return trm_error_set(reterr, TRM_EINVAL, "no language was given");
	if (!session_is_open(session))
		return session_refuse(session, reterr);
	struct kernel *k = &session->kernels[lang->index];
	if (!k->proc)
		return kernel_ensure(k, reterr);
	kernel_restart(k);
	return 0;
}
