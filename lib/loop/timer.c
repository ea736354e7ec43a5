/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "loop/loop.h"

#define NOT_IN_HEAP SIZE_MAX

struct trm_timer {
	struct trm_loop *loop;
	trm_timer_fn *fn;
	void *user;
	uint64_t due_ns, repeat_ns;
	uint64_t turn;  /* the turn in which the timer was (re)started */
	size_t at;      /* index in the heap, or NOT_IN_HEAP */
	bool is_urgent; /* it is not put off (again) */
};

static void place(struct trm_loop *loop, size_t at, struct trm_timer *t)
{
	loop->timers[at] = t;
	t->at = at;
}

static void sift_up(struct trm_loop *loop, size_t at)
{
	struct trm_timer *t = loop->timers[at];
	while (at) {
		size_t up = (at - 1) / 2;
		if (t->due_ns >= loop->timers[up]->due_ns)
			break;
		place(loop, at, loop->timers[up]);
		at = up;
	}
	place(loop, at, t);
}

static void sift_down(struct trm_loop *loop, size_t at)
{
	struct trm_timer *t = loop->timers[at];
	for (size_t down = 2 * at + 1; down < loop->n_timers; down = 2 * at + 1) {
		if (down + 1 < loop->n_timers && loop->timers[down + 1]->due_ns < loop->timers[down]->due_ns)
			down++;
		if (t->due_ns <= loop->timers[down]->due_ns)
			break;
		place(loop, at, loop->timers[down]);
		at = down;
	}
	place(loop, at, t);
}

int trm_loop_add_timer(struct trm_loop *loop, trm_timer_fn *fn, void *user, struct trm_timer **ret_timer,
		struct trm_error *reterr)
{
	/* Make room in the heap here, so that starting a timer cannot fail. */
	if (loop->cap_timers == loop->total_timers) {
		size_t cap = loop->cap_timers ? loop->cap_timers * 2 : 8;
		struct trm_timer **timers = realloc(loop->timers, cap * sizeof(struct trm_timer *));
		if (!timers)
			return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
		loop->timers = timers;
		loop->cap_timers = cap;
	}
	struct trm_timer *t = calloc(1, sizeof *t);
	if (!t)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*t = (struct trm_timer){.loop = loop, .fn = fn, .user = user, .at = NOT_IN_HEAP};
	loop->total_timers++;
	*ret_timer = t;
	return 0;
}

void trm_timer_stop(struct trm_timer *timer)
{
	struct trm_loop *loop = timer->loop;
	size_t at = timer->at;
	if (at == NOT_IN_HEAP)
		return;
	struct trm_timer *last = loop->timers[--loop->n_timers];
	timer->at = NOT_IN_HEAP;
	if (last == timer)
		return;
	place(loop, at, last);
	sift_up(loop, at);
	sift_down(loop, last->at);
}

static void start_at(struct trm_timer *t, uint64_t due_ns)
{
	trm_timer_stop(t);
	t->due_ns = due_ns;
	t->turn = t->loop->timer_turn;
	place(t->loop, t->loop->n_timers++, t);
	sift_up(t->loop, t->at);
}

/* Capped at centuries, so that adding the result to a time cannot overflow. */
static uint64_t to_ns(uint64_t ms)
{
	const uint64_t most_ms = INT64_MAX / 1000000;
	return (ms < most_ms ? ms : most_ms) * 1000000;
}

void trm_timer_start(struct trm_timer *timer, uint64_t delay_ms, uint64_t repeat_ms)
{
	timer->repeat_ns = to_ns(repeat_ms);
	timer->is_urgent = !delay_ms;
	/* The loop's time may be old, so read the clock: a timer may be late, but never early. A timer
	 * without delay still runs in the current turn if that has not yet reached its timers. */
	start_at(timer, delay_ms ? clock_ns() + to_ns(delay_ms) : timer->loop->now_ns);
}

bool trm_timer_is_running(const struct trm_timer *timer)
{
	return timer->at != NOT_IN_HEAP;
}

void trm_timer_remove(struct trm_timer *timer)
{
	if (!timer)
		return;
	trm_timer_stop(timer);
	timer->loop->total_timers--;
	free(timer);
}

int64_t timers_due_ms(const struct trm_loop *loop, uint64_t now_ns)
{
	if (!loop->n_timers)
		return -1;
	uint64_t due_ns = loop->timers[0]->due_ns;
	return due_ns <= now_ns ? 0 : (int64_t)((due_ns - now_ns + 999999) / 1000000);
}

/* This process was stopped. Input that came meanwhile is handled first, and may stop the timer. Once only: a
 * caller may be slow in each step. */
static bool is_postponed(struct trm_loop *loop, struct trm_timer *t)
{
	enum { LATE_MS = 1000, CATCH_UP_MS = 500 };
	if (t->is_urgent || loop->now_ns - t->due_ns < to_ns(LATE_MS))
		return false;
	t->is_urgent = true;
	start_at(t, loop->now_ns + to_ns(CATCH_UP_MS));
	return true;
}

int timers_run(struct trm_loop *loop, bool has_input)
{
	int calls = 0;
	loop->timer_turn++;
	while (loop->n_timers && loop->timers[0]->due_ns <= loop->now_ns) {
		struct trm_timer *t = loop->timers[0];
		if (t->turn == loop->timer_turn)
			break; /* started in this turn: a restarted timer must not starve the rest */
		if (has_input && is_postponed(loop, t))
			continue;
		t->is_urgent = false;
		if (t->repeat_ns) {
			/* Missed ticks are skipped. */
			uint64_t next_ns = t->due_ns + t->repeat_ns;
			start_at(t, next_ns > loop->now_ns ? next_ns : loop->now_ns + t->repeat_ns);
		} else {
			trm_timer_stop(t);
		}
		t->fn(t->user);
		calls++;
	}
	return calls;
}
