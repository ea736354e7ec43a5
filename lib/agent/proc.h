/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PROC_H
#define TRM_AGENT_PROC_H

/* A process and those who follow it.
 *
 * Life: starting (the second exec has not reported yet: no output is read) →
 * running → exited (reaped; what was in its pipes is still being forwarded)
 * → over. A process without subscribers and without KEEP is killed with its
 * tree; one with KEEP runs on, and what it writes is thrown away.
 *
 * Several subscribers: all get the same output. The slowest sets the pace, but
 * a later one can hold up the first for PROC_PATIENCE_MS at most: it is then
 * detached with an ERROR that says so, and may attach again. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/client.h"
#include "agent/feed.h"
#include "agent/watch.h"
#include "wire/message.h"

enum {
	PROC_OUTPUTS = 2 * (1 + SPARE_SETS_MAX),
	PROC_PATIENCE_MS = 500,
};

struct agent;
struct proc;

struct output {
	struct watch watch; /* read end of a pipe, or a pty's master */
	struct proc *proc;
	uint8_t channel;
	bool is_tty;
	size_t left; /* with a barrier up: bytes still to be forwarded before it */
};

struct sub {
	struct stream stream;
	struct proc *proc;
	struct sub *next; /* of the same process; the first is the oldest */
	uint64_t credit;
	uint32_t window;
	struct inlet inlets[FEED_CLIENT_KINDS];
};

struct proc {
	struct agent *agent;
	struct proc *next;
	char *key; /* never NULL */
	uint32_t flags;
	pid_t pid;
	struct watch report; /* from the second exec: closed without a word when it went well */
	char *name;          /* argv[0], for sentences */
	char *label;         /* for METRICS; "": none */
	struct sub *subs;
	struct output outputs[PROC_OUTPUTS];
	size_t n_outputs;
	struct output control;
	struct buf held; /* control bytes behind the barrier */
	bool barrier;
	bool started, exited, is_final;
	bool closed;         /* its pipes are: nobody can follow it any more, it only waits to be reaped */
	bool over;           /* to be swept at the end of the turn: no subscribers, no pid */
	size_t control_left; /* after the exit: control bytes still to come */
	struct exited_msg exit;
	struct feed feeds[FEED_KINDS];
	uint64_t stalled_ns; /* since when only later subscribers hold it up; 0: they do not */
};

/* Attach to the living process of that key, or start one. Answers the client itself. */
void proc_request(struct client *client, uint32_t stream, const struct spawn_msg *msg);
/* Report, output and end: see output.c. */
void proc_on_report(struct watch *watch, uint32_t events);
void proc_exited(struct proc *proc, const struct exited_msg *status);
/* Tell the subscribers, close everything, be over. */
void proc_end(struct proc *proc);
void proc_signal(struct proc *proc, int signo, bool whole_tree);
void proc_resize(struct proc *proc, uint16_t rows, uint16_t cols);
/* Detach later subscribers that have held up the first for too long. */
void proc_check_patience(struct proc *proc, uint64_t now_ns);
void proc_destroy(struct proc *proc);

struct sub *sub_of(struct stream *stream); /* NULL if it is something else */
/* TRM_EPROTO: no such channel, or more than its credit. */
int sub_input(struct sub *sub, uint8_t channel, const char *bytes, size_t n);

/* spawn.c: make the pipes and start the second exec. On failure nothing is left open. */
int spawn_process(struct proc *proc, const struct spawn_msg *msg, uint32_t nproc, struct trm_error *reterr);

/* output.c */
void output_init(struct output *output, struct proc *proc, int fd, uint8_t channel, bool is_tty);
/* Forward what may be forwarded, and wait for what is missing. */
void output_pump(struct proc *proc);

#endif
