/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_CACHEDIR_H
#define TRM_BASE_CACHEDIR_H

/* The host's folders of what is kept for later sandboxes: $XDG_CACHE_HOME/terrarium/FOLDER, or
 * ~/.cache/terrarium/FOLDER. "packages" are those that were fetched; sandboxes with network see it at
 * CACHEDIR_INSIDE, read-only. "compilers" has what compilers can use again (base/batch.h). */

#include <stdbool.h>
#include <stddef.h>

struct trm_error;

#define CACHEDIR_INSIDE "/var/cache/terrarium"

enum { CACHEDIR_PATH = 1024 };

/* Make the folder if it does not exist. Returns its path and a descriptor, which the caller closes; or a
 * negative code: it cannot be made, or users other than this one could write into it. The caller then
 * works without a cache. */
int cachedir_open(const char *folder, char path[CACHEDIR_PATH], struct trm_error *reterr);
/* Its path, if it is there, only this user can write into it, and sandboxes can reach it; it is not made. */
bool cachedir_has(const char *folder, char path[CACHEDIR_PATH]);

#endif
