/* SPDX-License-Identifier: MIT */
#ifndef TRM_KEEPER_HEIR_H
#define TRM_KEEPER_HEIR_H

/* A keeper may be killed at any moment (SIGKILL, or for want of memory) and then takes nothing away. Its heir
 * does: a fork of it, made before anything else, that shares the keeper's list of groups and
 * sleeps until the kernel tells it that the keeper is dead (PR_SET_PDEATHSIG). Then it kills
 * what has escaped the same fate, and removes the groups, the entry and the lock on the user's number. What a
 * recipe has made it destroys.
 *
 * Most of the sandbox needs no heir to die: bubblewrap dies with the keeper, and all below with
 * bubblewrap. But at a start there are moments when bubblewrap's inner process waits for a word of the
 * outer one and does not yet die with it.
 *
 * It has no descriptor but KEEPER_RUN_DIR, above all not the one that holds the entry's lock. */

#include <stddef.h>
#include <sys/types.h>

struct keeper;

/* Memory, all zero, that a fork shares; NULL: there is none. */
void *heir_shared(size_t n);

/* `k` has its spec, and groups in shared memory; `program` is argv[0], in whose place the heir writes its own
 * name, or NULL. Its process, a child of the caller, or -1. */
pid_t heir_start(struct keeper *k, char *program);

/* The keeper has taken everything away: it is no longer needed. */
void heir_dismiss(pid_t heir);

#endif
