/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CONTAINER_EXEC_BRIDGE_H
#define TRM_SUPERVISOR_CONTAINER_EXEC_BRIDGE_H

/* The exec transport reaches an agent that no socket of this machine reaches. For each client that connects
 * to the sandbox's agent.sock, a `connect` step gets that connection as its standard input and output. No
 * byte of it passes through the supervisor.
 *
 * The supervisor has one such connection of its own, as an observer: the sandbox exists for as long as it
 * is open. Over it the agent reports from time to time how much processor time the sandbox uses. */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "supervisor/container/step.h"
#include "wire/fd_handoff.h"

/* A client whose bridge has broken is notified only after BRIDGE_LOST_MS. Mostly the whole sandbox has
 * ended, and then all clients get that message instead. */
enum { BRIDGES_MAX = 64, BRIDGE_POLLS = 3, BRIDGE_LOST_MS = 300 };

struct bridge {
	pid_t pid;       /* of the command; 0: it has failed … */
	uint64_t due_ms; /* … and the client is notified at this time */
	pid_t client;    /* the process that connected */
};

struct bridges {
	const struct step_facts *facts;
	int listen_fd; /* -1: no clients are accepted yet */
	size_t n;
	struct bridge of[BRIDGES_MAX]; /* the bridges of clients */
	int line_fd;                   /* the supervisor's own connection; -1: none, or it has ended */
	pid_t line_pid;                /* 0: none, or it has ended */
	uint64_t line_ms;              /* when it was made again; 0: it is the first */
	unsigned n_breaks; /* one after the other, each soon after the connection was made again */
	bool has_line;
	bool is_up; /* the agent has answered */
	bool has_report;
	struct handoff_report report;
	uint64_t cpu_ns; /* processor time of the sandbox, as the agent last reported it */
	struct buf in;
	char strange[100];      /* start of the output that came instead of the agent's; "": none */
	int err_fd;             /* stderr of all bridge commands … */
	struct step_tail words; /* … and our reading end */
	char words_bytes[STEP_ERR_BYTES + 1];
};

void bridges_init(struct bridges *b, const struct step_facts *facts);
/* Open our own connection and ask for the processor time every `interval_ms` (0: never). Returns 0 or
 * -errno. bridges_handle() notices the agent's answer and the end of the connection. */
int bridges_begin(struct bridges *b, uint32_t interval_ms);
/* From now on, accept clients at `listen_fd`. */
void bridges_serve(struct bridges *b, int listen_fd);

size_t bridges_poll(const struct bridges *b, struct pollfd *fds); /* BRIDGE_POLLS */
void bridges_handle(struct bridges *b, const struct pollfd *fds);
void bridges_note_end(struct bridges *b, pid_t pid, int status, uint64_t now_ms);
uint64_t bridges_next_ms(const struct bridges *b); /* UINT64_MAX: no client has to be notified */
/* Returns a client that has lost its connection for good, and forgets it. 0: there is none. */
pid_t bridges_next_lost(struct bridges *b, uint64_t now_ms);
/* Format the reason as a sentence, from the last messages of the commands. Returns out. */
char *bridges_describe(struct bridges *b, const char *what, char *out, size_t cap);

/* Ask the agent to end itself and all that it has started. */
void bridges_shut_down(struct bridges *b);
/* Close and kill everything. If the caller reaps children, the killed ones come to bridges_note_end().
 * Accepts a zeroed object. */
void bridges_finish(struct bridges *b);

#endif
