/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_CACHEDIR_H
#define TRM_BASE_CACHEDIR_H

/* The host's folders of what is kept for later sandboxes: $XDG_CACHE_HOME/terrarium/FOLDER, or
 * ~/.cache/terrarium/FOLDER. "packages" are those that were fetched; sandboxes with network see it at
 * CACHEDIR_INSIDE, read-only. */

#include <stddef.h>

struct trm_error;

#define CACHEDIR_INSIDE "/var/cache/terrarium"

enum { CACHEDIR_PATH = 1024 };

/* Make it if it is not there. The path, and a descriptor of it (the caller's to close); or a negative code:
 * it cannot be made, or others than this user could write into it. Who gets that does without. */
int cachedir_open(const char *folder, char path[CACHEDIR_PATH], struct trm_error *reterr);

#endif
