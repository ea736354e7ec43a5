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
	struct subscriber *next; /* of the same process; the first is the oldest */
	uint64_t credit;
	uint32_t window;
	uint32_t wants; /* SPAWN_RECENT, SPAWN_PAST */
	struct inlet inlets[FEED_CLIENT_KINDS];
	struct inlet note;  /* lines that wait for what they announce */
	struct buf backlog; /* a replay, and notes that found no credit: goes before all that is newer */
	uint64_t ticket;    /* its place among those who wait for the turn; 0: it does not */
	/* Patience: since when it has been holding up others now (0: it does not), and for how long before.
	 */
	uint64_t stalled_ns, held_up_ns;
};

/* NULL: no memory. Says nothing to the client. */
struct subscriber *subscriber_create(
		struct proc *proc, struct client *client, uint32_t stream, uint32_t window);
/* Gives up the turn and whatever it had under way. */
void subscriber_destroy(struct subscriber *subscriber);
struct subscriber *subscriber_of(struct stream *stream); /* NULL if it is something else */

/* The process runs: say so, and to a client that found it running (`was_there`) replay what `wants` says. */
void subscriber_send_started(struct subscriber *subscriber, bool was_there);
/* It takes output now. */
bool subscriber_can_take(struct subscriber *subscriber);
/* What may be sent now. The caller has looked at subscriber_can_take() and the credit. */
void subscriber_send(struct subscriber *subscriber, uint8_t channel, const char *bytes, size_t n);
/* What must be sent, after all that came before. TRM_ETOOBIG, TRM_ENOMEM: it holds too much already. */
int subscriber_queue(struct subscriber *subscriber, uint8_t channel, const char *bytes, size_t n);
/* Input from it. TRM_EPROTO: no such channel, more than its credit, or a note that is too long. */
int subscriber_input(struct subscriber *subscriber, uint8_t channel, const char *bytes, size_t n);
void subscriber_send_turn(struct subscriber *subscriber, enum turn_word word);

/* slow_client.c */

/* Somebody may have begun or ceased to hold up others. True: nobody is kept waiting yet, but the next
 * output will do that, and is to be waited for. */
bool slow_client_judge(struct proc *proc);
/* When it will be at an end for one of them; UINT64_MAX: never. */
uint64_t slow_client_due_ns(const struct proc *proc);
/* Detach those for whom it is at an end. */
void slow_client_check(struct proc *proc, uint64_t now_ns);
/* Detach one with the reason. Others are left. */
void slow_client_end(struct subscriber *subscriber);

#endif
