/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PROCESS_TURNS_H
#define TRM_AGENT_PROCESS_TURNS_H

/* How the clients of one process get along: who has the turn, the notes they
 * write to each other, and that they hear of processes at all. The words are
 * explained in wire/frame.h. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/frame.h"

struct agent;
struct client;
struct proc;
struct subscriber;

/* The one who starts a process has the turn without asking. */
void turns_begin(struct subscriber *subscriber);
void turns_turn(struct subscriber *subscriber, enum turn_word word);
/* It wants to write to that channel: may it? */
bool turns_allows(const struct subscriber *subscriber, uint8_t channel);
/* Bytes of notes; their credit has been charged. TRM_EPROTO: too many. */
int turns_note(struct subscriber *subscriber, const char *bytes, size_t n);
/* What they announce is about to begin: pass them on. */
void turns_publish(struct subscriber *subscriber);
/* It has left the process's list and is about to go. */
void turns_forget(struct subscriber *subscriber);

/* Tell a client that has just come of every process that it could attach to. */
void turns_announce_all(struct client *client);
/* Tell everybody else that the process can be attached to. */
void turns_announce(struct proc *proc);
/* Tell those who do not know it how many clients there are. */
void turns_count(struct agent *agent);
/* Pass on to the others what a client tells; nothing (n is 0): that it is gone. */
void turns_announce_command(struct client *author, const char *words, size_t n);

#endif
