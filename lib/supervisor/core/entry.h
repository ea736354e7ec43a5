/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_CORE_ENTRY_H
#define TRM_SUPERVISOR_CORE_ENTRY_H

/* What the supervisor writes into the sandbox's directory in the runtime directory (see sweep/sweep.h). */

#include <stddef.h>

#include "supervisor/limits/group.h"
#include "wire/control.h"

/* Write the list of this sandbox's groups, so that they can be removed if we are killed. */
void entry_write_groups(int entry_fd, const struct groups *groups);

/* Write the public information about the sandbox, completely or not at all. */
void entry_write_info(int entry_fd, const void *bytes, size_t n);
void entry_write_state(int entry_fd, const struct state_msg *state);
/* Write the GONE packet, before the entry is removed. */
void entry_write_gone(int entry_fd, const struct buf *packet);

/* Remove the entry and, if it was the last, the runtime directory itself. */
void entry_remove(int run_fd, int entry_fd, const char *name, const char *run_path);

#endif
