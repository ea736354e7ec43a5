/* SPDX-License-Identifier: MIT */
#ifndef TRM_LOCAL_START_H
#define TRM_LOCAL_START_H

/* The client's part in starting a local sandbox: the entry in the runtime directory, the agent's socket
 * with our connection already in its backlog, the description of the sandbox, and the supervisor process.
 * It takes a fraction of a millisecond and waits for nothing. */

struct started;
struct trm_error;
struct trm_sandbox_opts;

/* 0, or a code; then nothing was started and nothing is left behind. */
int start_supervisor(const struct trm_sandbox_opts *opts, struct started *ret, struct trm_error *reterr);

#endif
