/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PROCESS_PUBLISH_H
#define TRM_AGENT_PROCESS_PUBLISH_H

/* What clients are told of each other: what they are, and the commands that they run. wire/frame.h, under
 * Commands, says what they may rely on.
 *
 * A command is not shared as a kernel is: who follows it grants no credit. So each follower has a place of
 * its own in the newest output, and gets more whenever its connection has room. Output that all followers
 * have got is dropped, and without followers nothing is kept. An ended command stays until its followers know
 * of the end. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agent;
struct client;
struct exited_msg;
struct proc;
struct spawn_msg;

/* The client asks for all this, from now on. */
void publish_follow(struct client *client);
/* What the client is; n is at most ANNOUNCED_BY_MAX. */
void publish_presence(struct client *client, const char *by, size_t n);
/* The client is about to be freed. */
void publish_forget(struct client *client);

/* A process is about to be started: if it is a command, it has proc->published from now on. */
void publish_prepare(struct proc *proc, const struct client *client, const struct spawn_msg *msg);
/* These do nothing for a process that is no command. */
void publish_start(struct proc *proc);
void publish_output(struct proc *proc, uint8_t channel, const char *bytes, size_t n);
/* `exit` NULL: its client has gone. No more is published of the process. */
void publish_exit(struct proc *proc, const struct exited_msg *exit);

/* Send what there is room for. */
void publish_pump(struct agent *agent);
/* True if publish_pump() could send something. */
bool publish_is_due(const struct agent *agent);
/* Free everything. The agent ends. */
void publish_finish(struct agent *agent);

#endif
