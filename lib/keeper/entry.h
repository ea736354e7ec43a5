/* SPDX-License-Identifier: MIT */
#ifndef TRM_KEEPER_ENTRY_H
#define TRM_KEEPER_ENTRY_H

/* This sandbox's directory in the runtime directory (see sweep/sweep.h): what the keeper writes there. */

#include <stddef.h>

#include "keeper/group.h"
#include "wire/lifeline.h"

/* Note which groups are this sandbox's, for the one that sweeps should we be killed. */
void entry_note_groups(int entry_fd, const struct groups *groups);

/* Write what others are to know of the sandbox, whole or not at all. */
void entry_note_info(int entry_fd, const void *bytes, size_t n);
void entry_note_state(int entry_fd, const struct state_msg *state);
/* The GONE packet, before the entry is removed. */
void entry_note_gone(int entry_fd, const struct buf *packet);

/* CLOCK_MONOTONIC in ms of when a client has last noted that it was there; 0: none has. */
uint64_t entry_used_ms(int entry_fd);

/* Remove the entry and, if it was the last, the runtime directory itself. */
void entry_remove(int run_fd, int entry_fd, const char *name, const char *run_path);

#endif
