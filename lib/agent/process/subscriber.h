/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PROCESS_SUBSCRIBER_H
#define TRM_AGENT_PROCESS_SUBSCRIBER_H

/* A subscriber: one client that follows one process. */

#include <stdbool.h>
#include <stdint.h>

#include "agent/core/client.h"
#include "agent/process/feed.h"
#include "base/buf.h"

struct proc;

struct subscriber {
	struct stream stream;
	struct proc *proc;
	struct subscriber *next; /* of the same process, the oldest first */
	uint64_t credit;
	uint32_t window;
	uint32_t wants; /* SPAWN_RECENT, SPAWN_PAST */
	struct inlet inlets[FEED_CLIENT_KINDS];
	struct inlet note;   /* notes that wait until the process has the line that they announce */
	size_t note_after;   /* bytes on CONTROL that were sent before that line, and still wait */
	struct buf backlog;  /* a replay, and notes without credit: sent before anything newer */
	bool is_left_behind; /* it has missed a note, and is detached at the end of the turn */
	uint64_t ticket;     /* its place in the queue for the turn; 0: it does not wait */
	/* For slow clients: since when it has held up others (0: it does not), and for how long before
	 * that. */
	uint64_t stalled_ns, held_up_ns;
};

/* NULL: no memory. Sends nothing to the client. */
struct subscriber *subscriber_create(
		struct proc *proc, struct client *client, uint32_t stream, uint32_t window);
/* Gives up the turn and drops its queues. */
void subscriber_destroy(struct subscriber *subscriber);
struct subscriber *subscriber_of(struct stream *stream); /* NULL if it is something else */

/* Report that the process runs. If the client found it running (`was_there`), replay what `wants` asks
 * for. */
void subscriber_send_started(struct subscriber *subscriber, bool was_there);
/* True if the subscriber accepts output now. */
bool subscriber_can_take(struct subscriber *subscriber);
/* Send output now. The caller has checked subscriber_can_take() and the credit. */
void subscriber_send(struct subscriber *subscriber, uint8_t channel, const char *bytes, size_t n);
/* Queue what must arrive after everything before it. Fails with TRM_ETOOBIG or TRM_ENOMEM if too much is
 * queued. */
int subscriber_queue(struct subscriber *subscriber, uint8_t channel, const char *bytes, size_t n);
/* Input from the client. TRM_EPROTO: no such channel, more than its credit, or a note that is too long. */
int subscriber_input(struct subscriber *subscriber, uint8_t channel, const char *bytes, size_t n);
void subscriber_send_turn(struct subscriber *subscriber, enum turn_word word);

/* slow_client.c */

/* A subscriber may have begun or ceased to hold up others. Returns true if nobody waits yet, but the next
 * output would have to wait. */
bool slow_client_judge(struct proc *proc);
/* When the time of the next slow client is over. UINT64_MAX: never. */
uint64_t slow_client_due_ns(const struct proc *proc);
/* Detach the clients whose time is over. */
void slow_client_check(struct proc *proc, uint64_t now_ns);
/* Detach the clients that are left behind. Not while subscribers are being walked through. */
void slow_client_end_left(struct proc *proc);

#endif
