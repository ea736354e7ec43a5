/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_READING_H
#define TRM_AGENT_READING_H

/* Detects that a program waits for standard input. */

#include <stdbool.h>
#include <sys/types.h>

enum { READING_TICK_MS = 20 };

struct reading {
	unsigned long known_wait; /* the one that was reported */
	void (*tell)(void *user);
	void *user;
};

/* Does the first thread of the process wait in read() on descriptor 0? Reports each wait once. */
void reading_poll(struct reading *r, pid_t pid);
/* Wait for the end of a child, and check meanwhile. Returns its wait status. */
int reading_wait(struct reading *r, pid_t pid);
/* The same, but one that has not ended so many ticks after `interrupts` tells of an interrupt is killed. */
int reading_wait_or_kill(struct reading *r, pid_t pid, bool (*interrupts)(void), int ticks);

#endif
