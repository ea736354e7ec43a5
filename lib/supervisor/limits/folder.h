/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LIMITS_FOLDER_H
#define TRM_SUPERVISOR_LIMITS_FOLDER_H

/* The folder of a sandbox without namespaces, and the end of what runs in such a sandbox: there is no PID
 * namespace whose init could take everybody along. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/control.h"

/* Make the folder with its directories, the links to mounts and the certificates, for `uid` (0: the caller),
 * and note its path in the entry, by which others can remove it. NULL, or what failed, with errno. */
const char *folder_make(const struct spec_msg *spec, uint32_t uid);

/* Is the mount with this number a copy in the folder, and no link? */
bool folder_copies(const struct spec_msg *spec, uint32_t i);

/* All that processes of this supervisor's sandbox have in RLIMIT_LOCKS is in a range of numbers: the agent
 * counts down from the first of them (agent/core/process_tree.h). */
uint64_t folder_mark(pid_t supervisor);

/* Kill whatever still runs: by the sandbox's user if it has one of its own (and the supervisor holds its
 * number), else by the mark, in a hundred rounds at most. Who has lowered his mark is missed by the second;
 * the supervisor still finds him as its descendant. */
void folder_kill(pid_t supervisor, uint32_t uid);
void folder_kill_user(uint32_t uid);

/* Objects in /dev/shm that a sandbox with a user of its own has there: what they hold, and removing them.
 * Other sandboxes have none (uid 0). */
uint64_t folder_shm_bytes(uint32_t uid);
void folder_clear_shm(uint32_t uid);

#endif
