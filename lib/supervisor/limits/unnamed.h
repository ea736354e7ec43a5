/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LIMITS_UNNAMED_H
#define TRM_SUPERVISOR_LIMITS_UNNAMED_H

/* Files that have been deleted and are still open: they take room, and no walk of the folder finds them. */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What these processes hold in such files of the folder's file system. They are looked at as `uid` (0: as the
 * caller), as in a container not even root may look at another's descriptors. Not seen: what is only mapped,
 * what lies in a socket, and what a process holds that has made itself unreadable. */
uint64_t unnamed_bytes(int folder_fd, uint32_t uid, const pid_t *pids, size_t n);

#endif
