/* SPDX-License-Identifier: MIT */
/* A kernel that other sessions use too: how we find and follow it, and whose turn it is. wire/frame.h, under
 * Sharing, describes the agent's side. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
	return k->share.is_catching_up;
}

/* We attached to it, or do not know yet; in any case we did not start it. */
bool share_is_others(const struct kernel *k)
{
	return share_is_on(k) && (k->share.proc.attaches || k->share.was_there);
}

/* ---- ids --------------------------------------------------------------------------------- */

#define QUESTION_BIT (UINT64_C(1) << 62)

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
			sandbox->last_shared_id = (uint32_t)session_clock_ns();
	}
	return client << 32 | ++sandbox->last_shared_id;
}

uint64_t share_run_id(struct trm_run *run)
{
	return run->session->opts.is_shared ? next_id(run->session) : run->number;
}

uint64_t share_question_id(struct trm_session *s)
{
	return QUESTION_BIT | (s->opts.is_shared ? next_id(s) : ++s->last_question);
}

/* ---- the turn ----------------------------------------------------------------------------- */

void share_want_turn(struct kernel *k)
{
	struct share *sh = &k->share;
	if (!share_is_on(k) || sh->turn != TURN_NONE || !k->proc)
		return;
	sh->turn = TURN_ASKED;
	proc_want_turn(k->proc);
	trm_timer_start(sh->timer, TAKE_AFTER_MS, 0);
}

bool share_has_turn(struct kernel *k)
{
	const struct share *sh = &k->share;
	if (!share_is_on(k) || (sh->turn == TURN_OURS && sh->is_started && !sh->is_catching_up))
		return true;
	share_want_turn(k);
	return false;
}

void share_use_turn(struct kernel *k)
{
	k->share.is_used = true;
}

void share_watch_turn(struct kernel *k)
{
	if (k->share.turn == TURN_ASKED)
		trm_timer_start(k->share.timer, TAKE_AFTER_MS, 0);
}

void share_watch_input(struct kernel *k)
{
	trm_timer_start(k->share.timer, TAKE_AFTER_MS, 0);
}

/* The timer has two uses. If we have the turn, nobody has answered an abandoned run in time. If we want the
 * turn, nothing runs and yet its owner does not give it up: that client is stopped or stuck. */
static void on_timer(void *user)
{
	struct kernel *k = user;
	struct share *sh = &k->share;
	if (!k->proc || k->session->is_closed)
		return;
	if (sh->turn == TURN_OURS)
		peer_run_end_input(k);
	if (sh->turn != TURN_ASKED)
		return;
	if (sh->is_started && !sh->is_catching_up && !k->run)
		proc_take_turn(k->proc);
	trm_timer_start(sh->timer, TAKE_AFTER_MS, 0);
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
	struct share *sh = &k->share;
	const struct peer_run *peer = run_peer(k->run);
	/* Do not give up the turn before STARTED has come: that message says whose turn it is, and would give
	 * it back to us. */
	if (!share_is_on(k) || sh->turn != TURN_OURS || !sh->is_wanted || !k->proc || !sh->is_started)
		return;
	if (k->question)
		question_hurry(k);
	bool is_busy = k->question || run_own(k->run) || (peer && peer->is_asking);
	if (is_busy || (!sh->is_used && has_work(k) && !is_passed_on(k)))
		return;
	sh->turn = TURN_NONE;
	sh->is_wanted = false;
	proc_release_turn(k->proc);
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
	struct kernel *k = user;
	struct share *sh = &k->share;
	session_enter(k->session);
	if (news == PROC_TURN_WANTED) {
		sh->is_wanted = true;
	} else if (news == PROC_TURN_TAKEN && sh->turn == TURN_OURS) {
		sh->turn = TURN_NONE;
		sh->is_wanted = false;
		resend_later(k);
	} else if (news == PROC_TURN_OURS && sh->turn != TURN_OURS) {
		sh->turn = TURN_OURS;
		sh->is_wanted = sh->is_used = false;
		trm_timer_stop(sh->timer);
		if (!sh->is_catching_up)
			peer_run_adopt(k);
	}
	session_due(k->session);
	session_leave(k->session);
}

/* ---- history --------------------------------------------------------------------------------- */

/* Do what our own run missed while we were detached. */
static void resume_own_run(struct kernel *k)
{
	struct trm_run *run = k->run;
	if (!run_own(run) || !k->is_ready || k->stage != STAGE_CALM)
		return;
	if (run->is_interrupted)
		stop_interrupt(k);
	else
		run_clock_arm(run);
}

static void caught_up(struct kernel *k)
{
	struct share *sh = &k->share;
	if (sh->is_resumed)
		resume_own_run(k);
	sh->is_catching_up = sh->is_resumed = sh->drops_pins = false;
	sh->known_left = 0;
	peer_run_caught_up(k);
	if (sh->turn == TURN_OURS)
		peer_run_adopt(k);
	session_due(k->session);
}

/* We attach again to a process that detached us during a run. With luck the history still holds everything
 * that we missed. */
static void resume_replay(struct kernel *k, const struct started_msg *how)
{
	struct share *sh = &k->share;
	if (how->lost_bytes <= sh->position) {
		sh->known_left = sh->position - how->lost_bytes;
		sh->drops_pins = true;
		return;
	}
	if (k->run)
		k->run->missed_bytes += how->lost_bytes - sh->position;
	sh->position = how->lost_bytes;
	sh->skips_line = how->is_torn;
	kernel_lines_finish(&k->lines);
	kernel_lines_init(&k->lines);
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

static void on_started(void *user, const struct started_msg *how)
{
	struct kernel *k = user;
	struct share *sh = &k->share;
	session_enter(k->session);
	sh->is_started = sh->knows_past = true;
	if (!how->was_there)
		sh->position = how->position;
	sh->was_there = how->was_there;
	if (how->has_turn) {
		sh->turn = TURN_OURS;
		trm_timer_stop(sh->timer);
	}
	if (sh->is_resumed && how->pid != sh->pid) { /* another process by now */
		sh->is_resumed = false;
		if (k->run)
			run_finish_with(k->run, TRM_STATUS_LOST, 125,
					"its end was missed: the interpreter has ended meanwhile");
	}
	sh->pid = how->pid;
	if (how->was_there) {
		if (!k->is_ready && k->stage == STAGE_CALM)
			trm_timer_stop(k->timer); /* its creator decides how long the start may take */
		sh->is_catching_up = true;
		sh->pins_left = how->pinned_bytes;
		sh->replay_left = how->replay_bytes;
		if (sh->is_resumed) {
			resume_replay(k, how);
		} else {
			sh->position = how->lost_bytes;
			sh->lost_bytes = sh->position > sh->seen_bytes ? sh->position - sh->seen_bytes : 0;
			sh->skips_line = how->is_torn;
		}
		if (how->greeting_len)
			handle_greeting(k, how);
		share_counted(k);
	}
	session_due(k->session);
	session_leave(k->session);
}

size_t share_count(struct kernel *k, unsigned channel, const char *bytes, size_t n)
{
	struct share *sh = &k->share;
	bool is_pin = sh->pins_left > 0;
	size_t skip = 0;
	if (!share_is_on(k))
		return 0;
	sh->pins_left -= n < sh->pins_left ? (uint32_t)n : sh->pins_left;
	sh->replay_left -= n < sh->replay_left ? (uint32_t)n : sh->replay_left;
	if (is_pin && sh->drops_pins)
		return n;
	if (channel == PROC_NOTE || channel == PROC_ENDED)
		return sh->known_left ? n : 0;
	if (!is_pin) {
		skip = n < sh->known_left ? n : (size_t)sh->known_left;
		sh->known_left -= skip;
		sh->position += n - skip;
	}
	if (channel == TRM_CONTROL && sh->skips_line) {
		const char *end = memchr(bytes + skip, '\n', n - skip);
		sh->skips_line = !end;
		skip = end ? (size_t)(end + 1 - bytes) : n;
	}
	return skip;
}

void share_counted(struct kernel *k)
{
	if (k->share.is_catching_up && !k->share.replay_left && !k->session->is_closed)
		caught_up(k);
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
	k->share.skips_line = false;
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
	struct share fresh = {.timer = sh->timer,
			.knows_past = sh->knows_past,
			.seen_bytes = sh->position > sh->seen_bytes ? sh->position : sh->seen_bytes};
	if (!share_is_on(k))
		return;
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
			.wants_recent = s->opts.wants_recent || sh->is_resumed,
			.wants_past = attaches && !sh->knows_past,
			.started = on_started,
			.turn = on_turn};
	return proc_spawn_shared(s->sandbox, opts, &sh->proc, cb, k, &k->proc, reterr);
}

bool share_follow_again(struct kernel *k, bool is_left_behind)
{
	struct trm_session *s = k->session;
	uint64_t position = k->share.position;
	uint32_t pid = k->share.pid;
	if (!share_is_on(k) || s->is_closed || !session_is_open(s) || k->proc
			|| (!is_left_behind && !is_follower(s)))
		return false;
	share_reset(k);
	k->share.is_resumed = is_left_behind;
	k->share.position = position;
	k->share.pid = pid;
	return kernel_spawn(k, true, NULL) == 0;
}

void share_come_back(struct kernel *k)
{
	struct trm_error why;
	if (!k->share.is_detached || run_holds_credit(k->run))
		return;
	k->share.is_detached = false;
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
		if (!k->proc && !k->share.is_detached && is_follower(s))
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
		if (k->proc && (!k->share.is_started || k->share.is_catching_up))
			return;
	}
	s->is_caught_up = true;
	if (s->cb->caught_up)
		s->cb->caught_up(s->user);
}
