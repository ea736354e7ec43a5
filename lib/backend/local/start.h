/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_START_H
#define TRM_LOCAL_START_H

/* The start of a local sandbox, as far as the client has a part in it: the entry in
 * the runtime directory, the agent's socket with our connection already in its
 * backlog, the description of what is to be started, the supervisor's process. It
 * takes a fraction of a millisecond and waits for nothing. */

struct started;
struct trm_error;
struct trm_sandbox_opts;

/* 0, or a code with nothing started and nothing left behind. */
int start_supervisor(const struct trm_sandbox_opts *opts, struct started *ret, struct trm_error *reterr);

#endif
