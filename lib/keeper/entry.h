/* SPDX-License-Identifier: MIT */
#ifndef TRM_KEEPER_ENTRY_H
#define TRM_KEEPER_ENTRY_H

/* A sandbox's directory in the runtime directory. The keeper holds a lock on
 * it for as long as it lives; one that nobody holds has been left behind.
 *
 *   agent.sock  the agent listens here
 *   groups      control groups of the sandbox, one path in a line
 *   info        struct info_msg: what it is and how it is measured */

#include "keeper/group.h"

/* Note which groups are this sandbox's, for the one that sweeps should we be killed. */
void entry_note_groups(int entry_fd, const struct groups *groups);

/* Write what others are to know of the sandbox, whole or not at all. */
void entry_note_info(int entry_fd, const void *bytes, size_t n);

/* Remove the entry and, if it was the last, the runtime directory itself. */
void entry_remove(int run_fd, int entry_fd, const char *name, const char *run_path);

/* Remove entries whose keeper has died, and the groups noted there, with what is in them. Those
 * that a dying process still holds stay for the next time. */
void entry_sweep(int run_fd);

#endif
