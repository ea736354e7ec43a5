/* SPDX-License-Identifier: MIT */
/* A kernel that other sessions use too: how we find and follow it. The states are those of sharing.h, of
 * which this takes the actions; wire/frame.h, under Sharing, describes the agent's side. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "session/session.h"

#define KEY "kernel:"

bool share_is_on(const struct kernel *k)
{
	return k->session->opts.is_shared;
}

/* Does this session follow the runs of others, or only execute its own? */
static bool is_follower(const struct trm_session *s)
{
	return s->cb->joined;
}

/* If so, we first look for the kernel by its key, because starting one means sending its driver. */
bool share_may_run(const struct kernel *k)
{
	const struct trm_session *s = k->session;
	return share_is_on(k)
	       && (k->share.is_announced || (sandbox_is_attached(s->sandbox) && !s->is_listed));
}

bool share_is_replaying(const struct kernel *k)
{
	return k->share.state.phase == SHARE_REPLAYING;
}

/* We attached to it, or do not know yet; in any case we did not start it. */
bool share_is_others(const struct kernel *k)
{
	return share_is_on(k) && (k->share.proc.attaches || k->share.was_there);
}

/* ---- ids --------------------------------------------------------------------------------- */

#define QUESTION_BIT (UINT64_C(1) << 62)
#define QUIET_ID (UINT64_C(1) << 61) /* of a quiet run in a kernel that is ours alone */

/* An id is unique among everything ever sent to a kernel. It contains the number that the agent gave this
 * client or, before that is known, our process id and the time. */
static uint64_t next_id(struct trm_session *s)
{
	enum { UNNUMBERED = 1 << 29 };
	struct trm_sandbox *sandbox = s->sandbox;
	uint64_t client = sandbox->client;
	if (!client) {
		client = UNNUMBERED | (uint32_t)getpid();
		if (!sandbox->last_shared_id)
			sandbox->last_shared_id = (uint32_t)clock_ns();
	}
	return client << 32 | ++sandbox->last_shared_id;
}

uint64_t share_run_id(struct trm_run *run)
{
	if (run->session->opts.is_shared)
		return next_id(run->session);
	return run->number ? run->number : QUIET_ID;
}

uint64_t share_question_id(struct trm_session *s)
{
	return QUESTION_BIT | (s->opts.is_shared ? next_id(s) : ++s->last_question);
}

/* ---- the turn ----------------------------------------------------------------------------- */

static void caught_up(struct kernel *k);
static void resend_later(struct kernel *k);

/* An event for the state machine, and what comes of it. */
static void share_event(struct kernel *k, enum share_event event)
{
	struct share *sh = &k->share;
	unsigned actions = share_step(&sh->state, event);
	if (actions & SHARE_DO_WANT)
		proc_want_turn(k->proc);
	if (actions & SHARE_DO_TAKE)
		proc_take_turn(k->proc);
	if (actions & SHARE_DO_RELEASE)
		proc_release_turn(k->proc);
	if (actions & SHARE_DO_START_TIMER)
		trm_timer_start(sh->timer, TAKE_AFTER_MS, 0);
	if (actions & SHARE_DO_STOP_TIMER)
		trm_timer_stop(sh->timer);
	if (actions & SHARE_DO_RESEND)
		resend_later(k);
	if (actions & SHARE_DO_END_INPUT)
		peer_run_end_input(k);
	if (actions & SHARE_DO_CAUGHT_UP)
		caught_up(k);
	if (actions & SHARE_DO_ADOPT)
		peer_run_adopt(k);
}

void share_want_turn(struct kernel *k)
{
	if (share_is_on(k) && k->proc)
		share_event(k, SHARE_NEED);
}

bool share_has_turn(struct kernel *k)
{
	if (!share_is_on(k) || sharing_may_write(&k->share.state))
		return true;
	share_want_turn(k);
	return false;
}

bool share_owns_turn(const struct kernel *k)
{
	return sharing_is_ours(&k->share.state);
}

void share_use_turn(struct kernel *k)
{
	share_step(&k->share.state, SHARE_SENT);
}

void share_watch_turn(struct kernel *k)
{
	if (k->share.state.turn == TURN_ASKED)
		trm_timer_start(k->share.timer, TAKE_AFTER_MS, 0);
}

void share_watch_input(struct kernel *k)
{
	trm_timer_start(k->share.timer, TAKE_AFTER_MS, 0);
}

static void on_timer(void *user)
{
	struct kernel *k = user;
	if (k->proc && !k->session->is_closed)
		share_event(k, k->run ? SHARE_TIMEOUT_BUSY : SHARE_TIMEOUT);
}

/* Is there something to send that none of our own work delays? */
static bool has_work(const struct kernel *k)
{
	const struct trm_session *s = k->session;
	return k->questions || (s->queue && !s->active && s->queue->run.lang == k->lang);
}

/* An abandoned run asks for input that we cannot give, but another waiting client perhaps can. Pass it on
 * only once, or it would circulate forever. */
static bool is_passed_on(struct kernel *k)
{
	struct peer_run *peer = run_peer(k->run);
	if (!peer || !peer->awaits_input || peer->run.cb->input || peer->was_passed_on)
		return false;
	peer->was_passed_on = true;
	return true;
}

void share_give_turn(struct kernel *k)
{
	const struct sharing *state = &k->share.state;
	const struct peer_run *peer = run_peer(k->run);
	if (!state->is_wanted || !sharing_is_ours(state) || !sharing_is_started(state) || !k->proc)
		return;
	if (k->question)
		question_hurry(k);
	if (k->question || run_own(k->run) || (peer && peer->is_asking))
		return;
	bool has_more = has_work(k);
	if (has_more && state->turn == TURN_FRESH)
		has_more = !is_passed_on(k);
	share_event(k, has_more ? SHARE_IDLE_WITH_WORK : SHARE_IDLE);
}

/* The agent has discarded what we sent last. */
static void resend_later(struct kernel *k)
{
	proc_drop_input(k->proc);
	if (run_own(k->run))
		run_take_back(run_own(k->run));
	if (k->question)
		question_take_back(k);
}

static void on_turn(void *user, enum proc_turn news)
{
	static const enum share_event events[] = {[PROC_TURN_OURS] = SHARE_YOURS,
			[PROC_TURN_WANTED] = SHARE_WANTED,
			[PROC_TURN_TAKEN] = SHARE_TAKEN};
	struct kernel *k = user;
	session_enter(k->session);
	share_event(k, events[news]);
	session_due(k->session);
	session_leave(k->session);
}

/* ---- history --------------------------------------------------------------------------------- */

/* Do what our own run missed while we were detached. */
static void resume_own_run(struct kernel *k)
{
	struct trm_run *run = k->run;
	if (!run_own(run) || !k->is_ready || stop_is_under_way(k))
		return;
	if (run->is_interrupted)
		stop_interrupt(k);
	else
		run_clock_arm(run);
}

static void caught_up(struct kernel *k)
{
	struct catchup *catchup = &k->share.state.catchup;
	if (catchup->is_resumed)
		resume_own_run(k);
	catchup_end(catchup);
	peer_run_caught_up(k);
	session_due(k->session);
}

static void handle_greeting(struct kernel *k, const struct started_msg *how)
{
	struct kernel_event event;
	char line[PROC_GREETING_MAX];
	memcpy(line, how->greeting, how->greeting_len);
	if (kernel_event_decode(line, how->greeting_len, &event, NULL) < 0)
		return;
	k->share.is_greeted = event.type == KERNEL_EVENT_READY;
	if (k->share.is_greeted)
		event_handle(k, &event);
	kernel_event_finish(&event);
}

/* We attach again to a process that detached us during a run: is it still the same? */
static void check_resumed(struct kernel *k, uint32_t pid)
{
	struct share *sh = &k->share;
	if (sh->state.catchup.is_resumed && pid != sh->pid) {
		sh->state.catchup.is_resumed = false;
		if (k->run)
			run_finish_with(k->run, TRM_STATUS_LOST, 125,
					"its end was missed: the interpreter has ended meanwhile");
	}
	sh->pid = pid;
}

static void begin_replay(struct kernel *k, const struct started_msg *how)
{
	bool is_torn;
	if (!k->is_ready && !stop_is_under_way(k))
		trm_timer_stop(k->timer); /* its creator decides how long the start may take */
	uint64_t missed = catchup_begin(&k->share.state.catchup, how, &is_torn);
	if (k->run)
		k->run->missed_bytes += missed;
	if (is_torn) {
		kernel_lines_finish(&k->lines);
		kernel_lines_init(&k->lines);
	}
	if (how->greeting_len)
		handle_greeting(k, how);
	share_counted(k);
}

static void on_started(void *user, const struct started_msg *how)
{
	struct kernel *k = user;
	struct share *sh = &k->share;
	session_enter(k->session);
	sh->knows_past = true;
	if (!how->was_there)
		sh->state.catchup.position = how->position;
	sh->was_there = how->was_there;
	share_event(k, how->was_there ? SHARE_STARTED_OLD : SHARE_STARTED_NEW);
	if (how->has_turn)
		share_event(k, SHARE_GIVEN);
	check_resumed(k, how->pid);
	if (how->was_there)
		begin_replay(k, how);
	session_due(k->session);
	session_leave(k->session);
}

size_t share_count(struct kernel *k, unsigned channel, const char *bytes, size_t n)
{
	bool is_mark = channel == PROC_NOTE || channel == PROC_ENDED;
	return share_is_on(k) ? catchup_count(&k->share.state.catchup,
			       is_mark                  ? CATCHUP_MARK
			       : channel == TRM_CONTROL ? CATCHUP_CONTROL
							: CATCHUP_OUTPUT,
			       bytes, n)
			      : 0;
}

void share_counted(struct kernel *k)
{
	if (!k->share.state.catchup.replay_left && !k->session->is_closed)
		share_event(k, SHARE_REPLAYED);
}

void share_past_ended(struct kernel *k, unsigned char exit_code)
{
	struct trm_run *run = k->run;
	char reason[160];
	if (!share_is_replaying(k))
		return;
	kernel_forget_process(k);
	k->is_ready = k->share.is_greeted;
	k->fate[0] = '\0';
	k->share.state.catchup.skips_line = false;
	if (!run_peer(run))
		return;
	size_t n = run->is_timed_out ? run_clock_describe(run, reason, sizeof reason) : 0;
	snprintf(reason + n, sizeof reason - n, "%sthe interpreter ended with exit code %d", n ? "; " : "",
			exit_code);
	stop_reset(k);
	run_finish_with(run, n ? TRM_STATUS_TIMEOUT : TRM_STATUS_KILLED, n ? 124 : exit_code, reason);
}

/* ---- setup and reset --------------------------------------------------------------------------- */

int share_init(struct kernel *k, struct trm_error *reterr)
{
	struct share *sh = &k->share;
	snprintf(sh->key, sizeof sh->key, KEY "%s", k->lang->name);
	kernel_lines_init(&sh->notes);
	return trm_loop_add_timer(k->session->loop, on_timer, k, &sh->timer, reterr);
}

void share_finish(struct kernel *k)
{
	trm_timer_remove(k->share.timer);
	kernel_lines_finish(&k->share.notes);
}

void share_reset(struct kernel *k)
{
	struct share *sh = &k->share;
	struct share fresh = {
			.timer = sh->timer, .knows_past = sh->knows_past, .state.catchup = sh->state.catchup};
	if (!share_is_on(k))
		return;
	catchup_reset(&fresh.state.catchup);
	memcpy(fresh.key, sh->key, sizeof fresh.key);
	kernel_lines_finish(&sh->notes);
	*sh = fresh;
	kernel_lines_init(&sh->notes);
	if (!k->session->is_closed)
		trm_timer_stop(sh->timer);
}

/* ---- attach again --------------------------------------------------------------------------------- */

int share_spawn(struct kernel *k, const struct trm_proc_opts *opts, bool attaches,
		const struct trm_proc_cb *cb, struct trm_error *reterr)
{
	struct trm_session *s = k->session;
	struct share *sh = &k->share;
	sh->proc = (struct proc_share){.key = sh->key,
			.attaches = attaches,
			.wants_recent = s->opts.wants_recent || sh->state.catchup.is_resumed,
			.is_resumed = sh->state.catchup.is_resumed,
			.wants_past = attaches && !sh->knows_past,
			.started = on_started,
			.turn = on_turn};
	int r = proc_spawn_shared(s->sandbox, opts, &sh->proc, cb, k, &k->proc, reterr);
	if (r == 0)
		share_event(k, SHARE_SPAWNED);
	return r;
}

bool share_follow_again(struct kernel *k, bool is_left_behind)
{
	struct trm_session *s = k->session;
	uint64_t position = k->share.state.catchup.position;
	uint32_t pid = k->share.pid;
	if (!share_is_on(k) || s->is_closed || !session_is_open(s) || k->proc
			|| (!is_left_behind && !is_follower(s)))
		return false;
	share_reset(k);
	k->share.state.catchup.is_resumed = is_left_behind;
	k->share.state.catchup.position = position;
	k->share.pid = pid;
	return kernel_spawn(k, true, NULL) == 0;
}

bool share_is_detached(const struct kernel *k)
{
	return k->share.state.phase == SHARE_DETACHED;
}

bool share_is_started(const struct kernel *k)
{
	return sharing_is_started(&k->share.state);
}

bool share_left_behind(struct kernel *k)
{
	/* Attaching again gains nothing before the reader has consumed what it already has. */
	if (!run_holds_credit(k->run))
		return share_follow_again(k, true);
	share_event(k, SHARE_LEFT_BEHIND);
	return true;
}

void share_come_back(struct kernel *k)
{
	struct trm_error why;
	if (!share_is_detached(k) || run_holds_credit(k->run))
		return;
	share_event(k, SHARE_BACK);
	if (share_follow_again(k, true))
		return;
	trm_error_set(&why, TRM_ECLOSED, "the interpreter can no longer be followed");
	kernel_died(k, NULL, &why);
}

void share_on_shared(struct trm_session *s, const char *key)
{
	for (size_t i = 0; i < trm_lang_count(); i++) {
		struct kernel *k = &s->kernels[i];
		if (!s->opts.is_shared || strcmp(key, k->share.key) != 0)
			continue;
		if (!k->proc && !share_is_detached(k) && is_follower(s))
			kernel_spawn(k, true, NULL);
		k->share.is_announced = true;
	}
}

void share_report(struct trm_session *s)
{
	if (!s->opts.is_shared || !s->is_listed || s->is_caught_up)
		return;
	for (size_t i = 0; i < trm_lang_count(); i++) {
		const struct kernel *k = &s->kernels[i];
		if (k->proc && k->share.state.phase != SHARE_FOLLOWING)
			return;
	}
	s->is_caught_up = true;
	if (s->cb->caught_up)
		s->cb->caught_up(s->user);
}
