/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LIMITS_SEED_H
#define TRM_SUPERVISOR_LIMITS_SEED_H

/* The files of a snapshot as the first files of a sandbox. */

#include <stdint.h>

/* Copy the contents of both folders of SUPERVISOR_SNAPSHOT into the sandbox's own, which no process of it can
 * reach yet. Hostile code made those files: only directories, regular files and links are copied, without
 * set-id bits, and no link is followed. They belong to `uid` (0: the caller). Returns NULL, or the operation
 * that failed; errno tells why. */
const char *seed_copy(const char *workspace, const char *home, uint32_t uid);

#endif
