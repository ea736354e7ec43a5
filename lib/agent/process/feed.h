/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PROCESS_FEED_H
#define TRM_AGENT_PROCESS_FEED_H

/* Bytes from clients into a pipe of a process. They go straight from the frame into the pipe if nothing
 * waits. Otherwise each subscriber has a queue, which its credit limits.
 *
 * One subscriber at a time writes, until its queue is empty and, on the control pipe, until its line is
 * complete. So leftovers of the last client with the turn do not mix with the next one's line. If a
 * client leaves in the middle of a line, FRAME_CUT ends the line, and the process forgets it.
 *
 * Stdin can end and begin again, because the agent keeps its read end as well. EOF closes the write end;
 * OPEN opens the pipe for writing again through /proc/self/fd. A pty gets its VEOF character instead. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/core/watch.h"
#include "base/buf.h"
#include "wire/frame.h"

struct proc;
struct subscriber;

/* The ones that clients write to come first. */
enum feed_kind { FEED_STDIN, FEED_CONTROL, FEED_CLIENT_KINDS, FEED_SCRIPT = FEED_CLIENT_KINDS, FEED_KINDS };

/* A subscriber's part of a feed. */
struct inlet {
	struct buf queue;
	uint32_t credit; /* bytes the client may still send */
	uint32_t taken;  /* written, not yet given back */
};

struct feed {
	struct proc *proc;
	enum feed_kind kind;
	struct watch watch; /* write end */
	int read_fd;        /* stdin's read end; -1 for the others */
	bool is_tty;
	bool exists;   /* the process was given this pipe */
	bool ends;     /* close it when the queue is written */
	bool mid_line; /* the last byte written was no newline */
	bool is_deaf;  /* bytes came after the process could no longer read them */
	struct subscriber *writer;
	struct buf own; /* bytes of no client: the script, the end of an abandoned line */
};

void feed_init(struct feed *feed, struct proc *proc, enum feed_kind kind);
/* Takes both descriptors; read_fd may be -1. */
void feed_open(struct feed *feed, int write_fd, int read_fd, bool is_tty);
void feed_finish(struct feed *feed); /* accepts a zeroed object that was initialized */

void inlet_init(struct inlet *inlet, size_t max);
void inlet_finish(struct inlet *inlet);
/* n bytes of its channel have been handled: the client may send as many again. */
void inlet_took(struct inlet *inlet, struct subscriber *subscriber, uint8_t channel, size_t n);

/* Write or queue n bytes of a subscriber. The caller has charged its credit. Fails with TRM_ENOMEM. */
int feed_push(struct feed *feed, struct subscriber *subscriber, const char *bytes, size_t n);
void feed_set_state(struct feed *feed, enum stdin_state state);
/* Write as much as possible now. */
void feed_run(struct feed *feed);
/* True if the process has ended without reading the last bytes. */
bool feed_is_unread(const struct feed *feed);
/* The subscriber is about to be freed: drop its queue. */
void feed_forget(struct feed *feed, struct subscriber *subscriber);
/* Drop the subscriber's queue and return its credit. */
void feed_drop(struct feed *feed, struct subscriber *subscriber);
/* The subscriber writes no more for now: write its queued whole lines and end the last line. */
void feed_end_line(struct feed *feed, struct subscriber *subscriber);

#endif
