/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOOP_PRIVATE_H
#define TRM_LOOP_PRIVATE_H

/* Internals of the loop; private to this room. */

#include <stddef.h>
#include <sys/epoll.h>

#include <terrarium/error.h>
#include <terrarium/loop.h>

struct http;

struct trm_loop {
	int epoll_fd;
	uint64_t now_ns;
	int wake_fd; /* an eventfd for trm_loop_wakeup(), and its watch */
	struct trm_watch *wake;
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

void children_finish(struct trm_loop *loop); /* frees the children that were left to the loop */
/* Milliseconds until the next timer, rounded up; -1: none. */
int64_t timers_due_ms(const struct trm_loop *loop, uint64_t now_ns);
/* Deliver the due timers, but for those that are long due if descriptors had something to deliver, too.
 * Returns the number of calls. */
int timers_run(struct trm_loop *loop, bool has_input);

#endif
