/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LIMITS_UNNAMED_H
#define TRM_SUPERVISOR_LIMITS_UNNAMED_H

/* Deleted files that are still open. They take up space, but a walk of the folder does not find them. */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The bytes that these processes hold in deleted files of the folder's file system. The processes are
 * examined as `uid` (0: as the caller), because in a container not even root may read the descriptors of
 * another user. Files that are only mapped, files in transit in a socket, and files of a process that has
 * made itself unreadable are missed. */
uint64_t unnamed_bytes(int folder_fd, uint32_t uid, const pid_t *pids, size_t n);

#endif
