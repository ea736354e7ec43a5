/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LIMITS_FOLDER_H
#define TRM_SUPERVISOR_LIMITS_FOLDER_H

/* The folder of a sandbox without namespaces, and killing the processes of such a sandbox. There is no PID
 * namespace whose init takes them along. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/control.h"

/* Make the folder with its directories, the links to mounts and the certificates, for `uid` (0: the
 * caller). Its path is written into the entry, so that others can remove it. Returns NULL, or what failed,
 * with errno. */
const char *folder_make(const struct spec_msg *spec, uint32_t uid);

/* True if this mount is a copy in the folder rather than a link. */
bool folder_copies(const struct spec_msg *spec, uint32_t i);

/* The process tags of this supervisor's sandbox, the values in RLIMIT_LOCKS, come from a range. This is its
 * first number; the agent counts down from it (agent/core/process_tree.h). */
uint64_t folder_mark(pid_t supervisor);

/* Kill all processes of the sandbox. If it has its own user, and the supervisor holds that number, they are
 * found by user. Otherwise they are found by process tag, in a hundred rounds at most. A process that has
 * lowered its tag is missed then, but the supervisor still finds it as a descendant. */
void folder_kill(pid_t supervisor, uint32_t uid);

#endif
