/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "session/session.h"

enum { PEER_LEAST_US = 1000 };

/* ---- begin -------------------------------------------------------------------------- */

/* Open the run's stdin and send the input that came before the run began. */
static void open_stdin(struct own_run *own)
{
	struct trm_run *run = &own->run;
	struct trm_proc *proc = run->kernel->proc;
	struct buf *early = &own->early_stdin;
	/* Without input nothing must be sent: the interpreter's stdin is empty anyway. */
	if (own->has_sent_eof && !early->len)
		return;
	own->has_opened_stdin = true;
	trm_proc_open_stdin(proc);
	if (early->len)
		trm_proc_write(proc, TRM_STDIN, buf_at(early), early->len, NULL);
	buf_finish(early);
	buf_init(early, STDIN_QUEUE_MAX);
	if (own->has_sent_eof)
		trm_proc_close_stdin(proc);
}

/* Other clients may have used the number that the run was given when it was queued. */
static void renumber(struct own_run *own)
{
	struct trm_run *run = &own->run;
	struct trm_session *s = run->session;
	if (run->number <= s->seen_number) {
		char *name = own->has_own_filename ? NULL : run_default_filename(s->seen_number + 1);
		run->number = s->seen_number + 1;
		if (name) {
			free(run->filename);
			run->filename = name;
		}
	}
	own->seen_before = s->seen_number;
	s->seen_number = run->number;
	if (s->last_number < run->number)
		s->last_number = run->number;
}

static void note_peak(struct own_run *own)
{
	struct trm_run *run = &own->run;
	const struct trm_session *s = run->session;
	own->knows_peak = s->knows_events && s->events.known & TRM_METRIC_MEM_PEAK;
	own->peak_is_own = s->peak_is_marked;
	own->peak_before_bytes = s->events.mem_peak_bytes;
}

/* Connections that the sandbox was refused so far: the last one, "" if none. */
static const char *refused_now(const struct trm_session *s, uint64_t *ret_n)
{
	*ret_n = 0;
	return s->sandbox && s->sandbox->carrier && s->sandbox->ops->refused
			       ? s->sandbox->ops->refused(s->sandbox->carrier, ret_n)
			       : "";
}

/* One line, however many there were. */
static void tell_refused(const struct own_run *own, struct trm_result *result, char *hint, size_t cap)
{
	const struct trm_run *run = &own->run;
	uint64_t n;
	const char *last = refused_now(run->session, &n);
	if (!run->kernel || n <= own->refused_before)
		return;
	n -= own->refused_before;
	if (n == 1)
		snprintf(hint, cap, "the network refused a connection: %s", last);
	else
		snprintf(hint, cap, "the network refused %" PRIu64 " connections; the last one: %s", n, last);
	result->hint = hint;
}

/* Measure before the interpreter has the run, because afterwards it might be over already. */
static void measure_begin(struct own_run *own)
{
	struct trm_run *run = &own->run;
	struct trm_session *s = run->session;
	uint64_t now_ns = clock_ns();
	if (now_ns - s->sampled_ns < SAMPLE_SPACING_MS * UINT64_C(1000000))
		return;
	s->sampled_ns = now_ns;
	diagnose_record_counters(s);
	note_peak(own);
}

static void start_clock(struct own_run *own)
{
	struct trm_run *run = &own->run;
	run_clock_begin(run);
	memory_begin(own);
	leftovers_watch(run);
}

void run_begin(struct own_run *own)
{
	diagnose_reset_peak(own->run.session);
	note_peak(own);
	start_clock(own);
}

void run_send_off(struct own_run *own, struct kernel *k)
{
	struct trm_run *run = &own->run;
	struct trm_session *s = run->session;
	bool is_shared = share_is_on(k);
	if (is_shared && !own->is_quiet)
		renumber(own);
	run->id = share_run_id(run);
	char cwd[PATH_MAX];
	struct kernel_request request = {.op = own->is_leave ? KERNEL_OP_LEAVE : KERNEL_OP_RUN,
			.id = run->id,
			.code = own->meant ? own->meant : run->code,
			.code_len = own->meant ? own->meant_len : run->code_len,
			.file = run->filename,
			.echoes = own->echoes,
			.is_program = own->is_program,
			.args = own->args,
			.env = own->env,
			.cwd = own->cwd ? sandbox_place(s->sandbox, own->cwd, cwd, sizeof cwd) : NULL};
	struct trm_error why;
	measure_begin(own);
	refused_now(s, &own->refused_before);
	leftovers_begin(s);
	if (run->clock.timeout_ms > 0 && sandbox_enforces_timeout(s->sandbox))
		request.timeout_ms = (uint64_t)run->clock.timeout_ms;
	s->active = own;
	k->run = run;
	run->kernel = k;
	k->set_runs[k->set] = run->number;
	output_reset(&s->output, s->opts.output_keep_bytes);
	run->output = &s->output;
	sandbox_hold(s->sandbox);
	if (is_shared) {
		share_use_turn(k);
		if (!own->is_quiet)
			peer_run_announce(own);
	}
	if (run->offers_stdin)
		open_stdin(own);
	if (kernel_send(k, &request, &why) < 0) {
		/* The interpreter accepts no more input: it is replaced, and the run reports why. */
		snprintf(k->fault, sizeof k->fault, "%.190s", why.msg);
		stop_kill(k);
	}
	sandbox_release(s->sandbox);
	if (!is_shared) {
		free(run->code);
		free(own->meant);
		run->code = own->meant = NULL;
	}
	if (k->is_ready)
		start_clock(own);
	if (run->cb->started)
		session_due(s);
}

void run_unqueue(struct own_run *own)
{
	struct trm_session *s = own->run.session;
	struct own_run **at = &s->queue;
	while (*at && *at != own)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = own->next;
	if (!*at)
		s->queue_end = at;
	own->next = NULL;
}

void run_requeue(struct own_run *own)
{
	struct trm_session *s = own->run.session;
	own->run.kernel->run = NULL;
	own->run.kernel = NULL;
	s->active = NULL;
	own->next = s->queue;
	if (!s->queue)
		s->queue_end = &own->next;
	s->queue = own;
	session_due(s);
}

void run_take_back(struct own_run *own)
{
	struct trm_run *run = &own->run;
	if (own->has_sent_stdin) {
		stop_reset(run->kernel);
		run_finish_with(run, TRM_STATUS_LOST, 125,
				"another program took over the interpreter before this run could begin");
		return;
	}
	stop_reset(run->kernel);
	memory_end(run->session);
	leftovers_unwatch(run->session);
	run->is_begun = own->has_opened_stdin = false;
	if (!own->is_quiet
			&& run->session->seen_number == run->number) /* no other client has seen this run */
		run->session->seen_number = own->seen_before;
	run_requeue(own);
}

/* Some kernels cannot reset the memory peak for each run. There the peak is this run's only if it has risen
 * since the run began; otherwise it is unknown. */
static void measure_end(struct own_run *own, struct trm_result *result)
{
	struct trm_run *run = &own->run;
	struct trm_sample now;
	if (!own->knows_peak || result->wall_us < SAMPLE_RUN_MS * 1000 || !session_is_open(run->session)
			|| !metrics_events_now(run->session->sandbox, false, &now, NULL)
			|| !(now.known & TRM_METRIC_MEM_PEAK))
		return;
	if (!own->peak_is_own && now.mem_peak_bytes <= own->peak_before_bytes)
		return;
	result->has_mem_peak = true;
	result->mem_peak_bytes = now.mem_peak_bytes;
}

/* ---- end ------------------------------------------------------------------------------ */

/* Detach the run from its kernel and its session. */
static void detach(struct trm_run *run)
{
	struct trm_session *s = run->session;
	struct kernel *k = run->kernel;
	struct own_run *own = run_own(run);
	if (!k)
		return;
	run_release_credit(run);
	bool has_stdin = own ? own->has_opened_stdin : share_owns_turn(k);
	if (run->offers_stdin && k->proc && has_stdin)
		trm_proc_reset_stdin(k->proc);
	k->run = NULL;
	if (own)
		s->active = NULL;
	else
		share_watch_turn(k);
	session_due(s);
}

static void tell_met_dead(const struct own_run *own, struct trm_result *result, char *hint, size_t cap)
{
	const struct trm_run *run = &own->run;
	if (!own->has_met_dead || result->status == TRM_STATUS_LOST)
		return;
	snprintf(hint, cap,
			"the %s interpreter ended before this run began: a new one runs it, and the state of "
			"earlier runs is lost",
			run->lang->name);
	result->hint = hint;
	result->state_lost = true;
}

static void tell_missed(const struct trm_run *run, struct trm_result *result, char *hint, size_t cap)
{
	if (!run->missed_bytes)
		return;
	snprintf(hint, cap,
			"%" PRIu64
			" bytes of its output are missing: this program read them too slowly while other "
			"programs were attached",
			run->missed_bytes);
	result->hint = hint;
}

void run_finish(struct trm_run *run, struct trm_result *result)
{
	struct trm_session *s = run->session;
	struct own_run *own = run_own(run);
	char hint[400];
	run->is_over = true;
	result->number = run->number;
	result->lang = run->lang;
	result->displays = run->shown.of;
	result->n_displays = run->shown.n;
	result->dropped_displays = run->shown.dropped;
	if (run->is_begun)
		result->wall_us = (clock_ns() - run->begun_ns) / 1000;
	if (own) {
		result->has_install = own->install_ns > 0;
		result->install_us = own->install_ns / 1000;
		measure_end(own, result);
	}
	if (own && run->kernel) {
		diagnose_hint(run, result, hint, sizeof hint);
		result->hint = hint[0] ? hint : NULL;
		memory_end(s);
		leftovers_unwatch(s);
		run_announce(run);
	}
	if (own) {
		notebook_tell(own, result);
		tell_refused(own, result, hint, sizeof hint);
		tell_met_dead(own, result, hint, sizeof hint);
	}
	tell_missed(run, result, hint, sizeof hint);
	if (run->output)
		output_to_result(run->output, result);
	/* Begin and end of another client's run that came together tell no time. */
	result->is_wall_unknown = !own && (run->is_recent || result->wall_us < PEER_LEAST_US);
	detach(run);
	if (run->cb->done)
		run->cb->done(run->user, run, result);
	free(result->output);
	free(result->chunks);
	run_free(run);
}

void run_finish_with(struct trm_run *run, enum trm_status status, int exit_code, const char *reason)
{
	struct trm_result result = {
			.status = status,
			.exit_code = exit_code,
			.reason = (char *)reason,
			.state_lost = run->is_begun,
	};
	run_finish(run, &result);
}

bool run_may_end_kernel(struct trm_run *run)
{
	const struct own_run *own = run_own(run);
	return own && (own->is_leave || own->is_program);
}
