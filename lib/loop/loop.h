/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOOP_PRIVATE_H
#define TRM_LOOP_PRIVATE_H

/* The inside of the loop, for the files of this room. */

#include <stddef.h>
#include <sys/epoll.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>

struct http;

enum { EARLY_MAX = 8 };

struct trm_loop {
	int epoll_fd;                       /* -1: not yet, and all watches are early ones */
	struct trm_watch *early[EARLY_MAX]; /* see early.c */
	size_t n_early;
	uint64_t now_ns;
	/* For wakeups, when it is old enough: see arm() in loop.c. */
	uint64_t begun_ns;
	_Atomic int wake_fd;   /* -1: not yet */
	_Atomic bool is_woken; /* somebody has called it before that */
	struct trm_watch *wake;
	uint64_t awake_ns;         /* how long it has waited without sleeping */
	struct trm_watch *dead;    /* removed in this turn, freed at its end */
	struct trm_timer **timers; /* binary heap, the earliest first */
	size_t n_timers;           /* running */
	size_t total_timers;       /* existing: the heap has room for all of them */
	size_t cap_timers;
	uint64_t timer_turn; /* counts turns, so that a timer started in one waits for the next */
	struct http *http;   /* NULL until somebody asks for HTTP */
	struct trm_child *left_children;
};

struct trm_watch {
	struct trm_loop *loop;
	int fd;
	uint32_t events;
	trm_watch_fn *fn;
	void *user;
	bool is_dead;
	struct trm_watch *next_dead;
};

/* An errno, or 0. EAGAIN: it is not to be an early one. */
int early_add(struct trm_loop *loop, struct trm_watch *watch);
void early_remove(const struct trm_watch *watch);
/* As epoll_wait(). */
int early_wait(struct trm_loop *loop, struct epoll_event *batch, int timeout_ms);
/* TRM_READ and so on, for poll() and epoll alike: their bits are the same. */
static inline uint32_t to_epoll(uint32_t events)
{
	return (events & TRM_READ ? EPOLLIN : 0u) | (events & TRM_WRITE ? EPOLLOUT : 0u)
	       | (events & TRM_LEFT ? EPOLLRDHUP : 0u);
}

void children_finish(struct trm_loop *loop); /* those that were left */
/* CLOCK_MONOTONIC, now. */
uint64_t loop_clock_ns(void);
/* Milliseconds until the next timer, rounded up; -1: none. */
int64_t timers_due_ms(const struct trm_loop *loop, uint64_t now_ns);
/* Deliver what is due; returns the number of calls. */
int timers_run(struct trm_loop *loop);

#endif
