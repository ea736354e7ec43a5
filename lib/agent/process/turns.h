/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PROCESS_TURNS_H
#define TRM_AGENT_PROCESS_TURNS_H

/* How clients share a process: the turn, the notes to each other, and the announcements of keys.
 * wire/frame.h explains the terms. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/frame.h"

struct agent;
struct client;
struct proc;
struct subscriber;

/* The client that starts a process has the turn without asking. */
void turns_begin(struct subscriber *subscriber);
void turns_turn(struct subscriber *subscriber, enum turn_word word);
/* May the subscriber write to that channel now? */
bool turns_allows(const struct subscriber *subscriber, uint8_t channel);
/* Bytes of notes; their credit has been charged. TRM_EPROTO: too many. */
int turns_note(struct subscriber *subscriber, const char *bytes, size_t n);
/* The process has got these bytes of the subscriber on CONTROL: with a newline it has an announced run, and
 * the others get its notes. */
void turns_wrote(struct subscriber *subscriber, const char *bytes, size_t n);
/* Send a note to all but its author. NULL: it is the agent's own. Who has no room is left behind
 * (slow_client_end_left()). */
void turns_deliver(struct proc *proc, struct subscriber *author, const char *line, size_t n);
/* It sends a signal: what it adds to its note need not wait for a line to the process. */
void turns_signal(struct subscriber *subscriber);
/* The client has left the process, or is dead: if a run is its own, that is abandoned. */
void turns_author_gone(struct proc *proc, const struct client *client);
/* The subscriber has left the process's list and is about to be freed. */
void turns_forget(struct subscriber *subscriber);

/* Tell a new client of every process that it could attach to. */
void turns_announce_all(struct client *client);
/* Tell all other clients that the process can be attached to. */
void turns_announce(struct proc *proc);
/* Tell clients the number of clients, if it has changed. */
void turns_count(struct agent *agent);

#endif
