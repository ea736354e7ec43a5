/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CORE_CLEANUP_H
#define TRM_SUPERVISOR_CORE_CLEANUP_H

/* A supervisor may be killed at any moment, by SIGKILL or for lack of memory, and then it cannot clean up.
 * Its cleanup process does that instead. The cleanup process is forked before anything else is made and
 * shares the supervisor's list of groups. It sleeps until the kernel reports that the supervisor is dead
 * (PR_SET_PDEATHSIG). Then it kills the processes that are left, and removes the groups, the entry and the
 * lock on the user's number. It also destroys what a recipe has made.
 *
 * Most processes of the sandbox die without it: bubblewrap dies with the supervisor, and everything below
 * bubblewrap dies with bubblewrap. But at a start there are moments when bubblewrap's inner process waits
 * for the outer one and does not yet die with it.
 *
 * Its only descriptor is SUPERVISOR_RUN_DIR. Above all, it must not have the one that holds the entry's
 * lock. */

#include <stddef.h>
#include <sys/types.h>

struct supervisor;

/* Zeroed memory that stays shared across fork(). NULL: there is none. */
void *cleanup_shared(size_t n);

/* `k` has its spec, and its groups in shared memory. `program` is argv[0], which the cleanup process
 * overwrites with its own name, or NULL. Returns the pid of the cleanup process, a child of the caller, or
 * -1. */
pid_t cleanup_start(struct supervisor *k, char *program);

/* End the cleanup process: the supervisor has removed everything itself. */
void cleanup_dismiss(pid_t cleanup);

#endif
