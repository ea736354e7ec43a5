/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_START_H
#define TRM_LOCAL_START_H

/* The start of a local sandbox, as far as the client has a part in it: the entry in
 * the runtime directory, the agent's socket with our connection already in its
 * backlog, the description of what is to be started, the keeper's process. It
 * takes a fraction of a millisecond and waits for nothing. */

#include <stdint.h>
#include <sys/types.h>

struct trm_error;
struct trm_sandbox_opts;

struct started {
	int stream_fd;       /* to the agent; non-blocking */
	int lifeline_fd;     /* to the keeper: closing it ends the sandbox */
	pid_t keeper_pid;    /* a child of the caller */
	uint64_t disk_bytes; /* limit in force: it may be less than what was asked for */
};

/* 0, or a code with nothing started and nothing left behind. */
int start_keeper(const struct trm_sandbox_opts *opts, struct started *ret, struct trm_error *reterr);

#endif
