/* SPDX-License-Identifier: MIT */
#ifndef TRM_AGENT_PROCESS_PROC_H
#define TRM_AGENT_PROCESS_PROC_H

/* A process and its subscribers.
 *
 * Its life: starting (the second exec has not reported yet: no output is read) → running → exited
 * (reaped; the rest of its pipes is still being forwarded) → over. A process without subscribers and
 * without KEEP is killed with its tree. One with KEEP runs on, and its output is only stored.
 *
 * The output of a process with a key outlives it, in a process object that never ran. This object holds
 * it for the next process of that key, and replays it to clients that ask ("Past").
 *
 * wire/frame.h explains how several subscribers share a process (turn, notes, replay, slow clients). All
 * of them get the same output, at the pace of the slowest. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "agent/core/client.h"
#include "agent/core/watch.h"
#include "agent/process/feed.h"
#include "agent/process/history.h"
#include "agent/process/limit.h"
#include "wire/message.h"

enum {
	PROC_OUTPUTS = 2 * (1 + SPARE_SETS_MAX),
};

struct agent;
struct proc;
struct published;

struct output {
	struct watch watch; /* read end of a pipe, or a pty's master */
	struct proc *proc;
	uint8_t channel;
	bool is_tty;
	size_t left; /* while a barrier is up: bytes to forward before it */
};

struct proc {
	struct agent *agent;
	struct proc *next;
	char *key; /* never NULL */
	uint32_t flags;
	pid_t pid;
	struct watch report;               /* from the second exec: closed without a report on success */
	char *name;                        /* argv[0], for sentences */
	char *last_arg;                    /* the last argument, until the process executes another program */
	char *label;                       /* for METRICS; "": none */
	struct subscriber *subscribers;    /* the oldest first */
	struct proc_history *proc_history; /* NULL: without a key nobody attaches later */
	struct published *published;       /* NULL: others are not told of it */
	struct subscriber *turn;           /* the subscriber that has the turn; NULL: none */
	uint32_t author_client;            /* the number of the one that has announced the newest run;
					      0: gone, or there is none */
	struct run_limit limit;            /* of the run that it announces */
	uint64_t last_ticket;              /* of the subscribers that wait for the turn */
	/* The subscriber with the turn has sent something since it was told that another one waits. */
	bool turn_stirred;
	uint64_t wanted_ns; /* when that was; 0: it was not told */
	struct output outputs[PROC_OUTPUTS];
	size_t n_outputs;
	struct output control;
	struct buf held; /* control bytes that wait for the barrier */
	bool barrier;
	bool started, exited, is_final;
	bool is_past; /* there is no process: see above */
	/* Its pipes are closed: nobody can attach any more, and it only has to be reaped. */
	bool closed;
	bool over;           /* swept at the end of the loop iteration: no subscribers, no pid */
	size_t control_left; /* after the exit: control bytes still to come */
	struct exited_msg exit;
	uint64_t mark;   /* of its descendants: see process_tree.h */
	int last_signal; /* the last one that a client has sent; 0: none */
	uint32_t signal_client, signal_pid;
	struct feed feeds[FEED_KINDS];
};

/* Attach to the living process of that key, or start one. Answers the client itself. */
void proc_request(struct client *client, uint32_t stream, const struct spawn_msg *msg);
bool proc_is_shared(const struct proc *proc); /* can clients attach to it? */
bool proc_has_past(const struct proc *proc);  /* is it one that has ended, and keeps its output? */
/* Report, output and end: see output.c. */
void proc_on_report(struct watch *watch, uint32_t events);
void proc_exited(struct proc *proc, const struct exited_msg *status);
/* Notify the subscribers, close everything, and mark the process as over. */
void proc_end(struct proc *proc);
/* Tell clients that have received the whole past that it is over. */
void proc_send_past(struct proc *proc);
/* A subscriber has left. Without the last one, the process may end. */
void proc_left(struct proc *proc);
void proc_signal(struct proc *proc, int signo, bool whole_tree);
/* Kill the processes that `proc` has started within the last age_ms; with NULL or 0, all orphans: see
 * FRAME_LEFTOVERS. */
void proc_kill_leftovers(
		const struct agent *agent, const struct proc *proc, uint32_t age_ms, uint64_t sent_ms);
/* A client signals the process. If the process dies of that signal, all clients are told who sent it. */
void proc_note_signal(struct proc *proc, int signo, const struct client *client);
void proc_resize(struct proc *proc, uint16_t rows, uint16_t cols);
void proc_destroy(struct proc *proc);

/* spawn.c: make the pipes and start the second exec. On an error nothing is left open. */
int spawn_process(struct proc *proc, const struct spawn_msg *msg, uint32_t nproc, struct trm_error *reterr);

/* output.c */
void proc_output_init(struct output *output, struct proc *proc, int fd, uint8_t channel, bool is_tty);
/* Forward as much as possible, and wait for the rest. */
void output_pump(struct proc *proc);
/* True if there is something to forward: in a pipe, at the barrier, or the end. */
bool output_is_waiting(const struct proc *proc);

#endif
