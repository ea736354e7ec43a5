/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_CORE_WATCH_H
#define TRM_AGENT_CORE_WATCH_H

/* epoll with one object per descriptor. Level-triggered. A watch that wants
 * nothing is not in the set at all: epoll reports a hang-up even to those who
 * asked for no event, and a paused pipe would keep the loop spinning. */

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>

enum { POLLER_BATCH = 64 };

struct watch {
	int fd;          /* -1: none */
	uint32_t events; /* 0: not in the set */
	void (*ready)(struct watch *watch, uint32_t events);
};

struct poller {
	int fd;
	struct epoll_event batch[POLLER_BATCH];
	int batch_len, batch_at;
};

#define OWNER_OF(member_ptr, type, member) ((type *)((char *)(member_ptr)-offsetof(type, member)))

int poller_init(struct poller *poller); /* 0, or -1 with errno */
void poller_finish(struct poller *poller);
/* Wait at most timeout_ms (-1: without limit) and call ready() of all watches with events. */
void poller_turn(struct poller *poller, int timeout_ms);

void watch_init(struct watch *watch, int fd, void (*ready)(struct watch *, uint32_t));
/* Set the events to wait for. Returns 0, or -1 with errno (out of memory or of watches). */
int watch_set(struct poller *poller, struct watch *watch, uint32_t events);
/* Take it out of the set, also out of the batch being handled, and close the descriptor. */
void watch_close(struct poller *poller, struct watch *watch);

#endif
