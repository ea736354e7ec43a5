/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LIMITS_SHM_H
#define TRM_SUPERVISOR_LIMITS_SHM_H

/* Files that a sandbox without namespaces has made in the machine's /dev/shm. Only a sandbox with its own
 * user (uid > 0) can make files there that can be told from those of others; for 0 these do nothing. */

#include <stdint.h>

/* Their bytes, each file at least 4096. */
uint64_t shm_bytes(uint32_t uid);
void shm_clear(uint32_t uid);

#endif
