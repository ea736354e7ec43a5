/* SPDX-License-Identifier: MIT */
#ifndef TRM_KEEPER_SPACE_H
#define TRM_KEEPER_SPACE_H

/* One tmpfs for all files that a sandbox can write, so that one limit holds
 * them together. It is mounted on SPACE_PATH in a mount namespace of its own
 * that bubblewrap is started in, and dies with it. */

#include <stdbool.h>
#include <stdint.h>

/* Give the calling process a mount namespace and mount there. With `is_root` the
 * directories are made for `uid`; else a user namespace is needed as well, in which
 * the caller stays what it is. CACHE_SOURCE is the folder `cache`, or an empty one where that cannot be had.
 * False (nothing has happened): not allowed here. */
bool space_make(bool is_root, uint32_t uid, uint64_t disk_bytes, const char *cache);

#endif
