/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CONTAINER_EXEC_BRIDGE_H
#define TRM_SUPERVISOR_CONTAINER_EXEC_BRIDGE_H

/* The exec way to an agent that no socket of this machine reaches: for each client that connects to the
 * sandbox's agent.sock, a `connect` step gets that connection as its standard input and output. No byte of it
 * passes through the supervisor.
 *
 * The supervisor has one such line of its own, on which it only looks on: while it is open the sandbox is
 * there. By it the agent tells, now and then, whether anything is being computed. */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "supervisor/container/step.h"
#include "wire/fd_handoff.h"

/* A client whose bridge has broken is told so a moment later: mostly the whole sandbox has ended, and then
 * all are told that. */
enum { BRIDGES_MAX = 64, BRIDGE_POLLS = 3, BRIDGE_LOST_MS = 300 };

struct bridge {
	pid_t pid;       /* of the command; 0: it has ended badly, and … */
	uint64_t due_ms; /* … the client is told then */
	pid_t client;    /* the process that has connected */
};

struct bridges {
	const struct step_facts *facts;
	int listen_fd; /* -1: nobody is let in yet */
	size_t n;
	struct bridge of[BRIDGES_MAX]; /* the clients' */
	int line_fd;                   /* our own; -1: none, or it has ended */
	pid_t line_pid;                /* 0: none, or it has ended */
	bool has_line;
	bool is_up; /* the agent has answered */
	bool has_report;
	struct handoff_report report;
	uint64_t cpu_ns; /* processor time of what is in there, as the agent has said last */
	struct buf in;
	char strange[100];      /* what begins like this has answered instead of the agent; "": nothing has */
	int err_fd;             /* where all of them write what they have to say … */
	struct step_tail words; /* … and we read */
	char words_bytes[STEP_ERR_BYTES + 1];
};

void bridges_init(struct bridges *b, const struct step_facts *facts);
/* Open our own line, and be told of processor time every `interval_ms` (0: never). 0 or -errno. Its end, or
 * its answer, comes by bridges_handle(). */
int bridges_begin(struct bridges *b, uint32_t interval_ms);
/* From now on let clients in, who wait at `listen_fd`. */
void bridges_serve(struct bridges *b, int listen_fd);

size_t bridges_poll(const struct bridges *b, struct pollfd *fds); /* BRIDGE_POLLS */
void bridges_handle(struct bridges *b, const struct pollfd *fds);
void bridges_note_end(struct bridges *b, pid_t pid, int status, uint64_t now_ms);
uint64_t bridges_next_ms(const struct bridges *b); /* UINT64_MAX: nobody is to be told anything */
/* Who is to be told now that there is no way for him any more, and forget him; 0: nobody. */
pid_t bridges_next_lost(struct bridges *b, uint64_t now_ms);
/* Why, as a sentence: what the commands have said last. Returns out. */
char *bridges_describe(struct bridges *b, const char *what, char *out, size_t cap);

/* Ask the agent to end itself and all that it has started. */
void bridges_shut_down(struct bridges *b);
/* Close and kill all. Those killed come to bridges_note_end(), if somebody reaps. Takes a zeroed object. */
void bridges_finish(struct bridges *b);

#endif
