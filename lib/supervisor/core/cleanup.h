/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CORE_CLEANUP_H
#define TRM_SUPERVISOR_CORE_CLEANUP_H

/* A supervisor may be killed at any moment (SIGKILL, or for want of memory) and then takes nothing away. Its
 * cleanup process does: a fork of it, made before anything else, that shares the supervisor's list of groups
 * and sleeps until the kernel tells it that the supervisor is dead (PR_SET_PDEATHSIG). Then it kills what has
 * escaped the same fate, and removes the groups, the entry and the lock on the user's number. What a recipe
 * has made it destroys.
 *
 * Most of the sandbox needs no cleanup process to die: bubblewrap dies with the supervisor, and all below
 * with bubblewrap. But at a start there are moments when bubblewrap's inner process waits for a word of the
 * outer one and does not yet die with it.
 *
 * It has no descriptor but SUPERVISOR_RUN_DIR, above all not the one that holds the entry's lock. */

#include <stddef.h>
#include <sys/types.h>

struct supervisor;

/* Memory, all zero, that a fork shares; NULL: there is none. */
void *cleanup_shared(size_t n);

/* `k` has its spec, and groups in shared memory; `program` is argv[0], in whose place the cleanup process
 * writes its own name, or NULL. Its process, a child of the caller, or -1. */
pid_t cleanup_start(struct supervisor *k, char *program);

/* The supervisor has taken everything away: it is no longer needed. */
void cleanup_dismiss(pid_t cleanup);

#endif
