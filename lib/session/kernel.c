/* SPDX-License-Identifier: MIT */
/* The interpreter of one language in the sandbox. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static const struct trm_proc_cb PROC_CB = {.output = on_output,
		.hung_up = on_hung_up,
		.drained = on_drained,
		.exited = kernel_on_exited};

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
	kernel_forget_scripts();
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
