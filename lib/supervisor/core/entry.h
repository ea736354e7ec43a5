/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CORE_ENTRY_H
#define TRM_SUPERVISOR_CORE_ENTRY_H

/* This sandbox's directory in the runtime directory (see sweep/sweep.h): what the supervisor writes there. */

#include <stddef.h>

#include "supervisor/limits/group.h"
#include "wire/control.h"

/* Note which groups are this sandbox's, for the one that sweeps should we be killed. */
void entry_write_groups(int entry_fd, const struct groups *groups);

/* Write what others are to know of the sandbox, whole or not at all. */
void entry_write_info(int entry_fd, const void *bytes, size_t n);
void entry_write_state(int entry_fd, const struct state_msg *state);
/* The GONE packet, before the entry is removed. */
void entry_write_gone(int entry_fd, const struct buf *packet);

/* CLOCK_MONOTONIC in ms of when a client has last noted that it was there; 0: none has. */
uint64_t entry_used_ms(int entry_fd);

/* Remove the entry and, if it was the last, the runtime directory itself. */
void entry_remove(int run_fd, int entry_fd, const char *name, const char *run_path);

#endif
