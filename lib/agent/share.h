/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_SHARE_H
#define TRM_AGENT_SHARE_H

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
struct sub;

/* The one who starts a process has the turn without asking. */
void share_begin(struct sub *sub);
void share_turn(struct sub *sub, enum turn_word word);
/* It wants to write to that channel: may it? */
bool share_allows(const struct sub *sub, uint8_t channel);
/* Bytes of notes; their credit has been charged. TRM_EPROTO: too many. */
int share_note(struct sub *sub, const char *bytes, size_t n);
/* What they announce is about to begin: pass them on. */
void share_publish(struct sub *sub);
/* It has left the process's list and is about to go. */
void share_forget(struct sub *sub);

/* Tell a client that has just come of every process that it could attach to. */
void share_announce_all(struct client *client);
/* Tell everybody else that the process can be attached to. */
void share_announce(struct proc *proc);
/* Tell those who do not know it how many clients there are. */
void share_count(struct agent *agent);
/* Pass on to the others what a client tells; nothing (n is 0): that it is gone. */
void share_tell(struct client *author, const char *words, size_t n);

#endif
