/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_CACHEDIR_H
#define TRM_BASE_CACHEDIR_H

/* The host's folders for things that later sandboxes can use again: $XDG_CACHE_HOME/terrarium/FOLDER, or
 * ~/.cache/terrarium/FOLDER. "packages" holds fetched packages; sandboxes with network see it at
 * CACHEDIR_INSIDE, read-only. */

#include <stddef.h>

struct trm_error;

#define CACHEDIR_INSIDE "/var/cache/terrarium"

enum { CACHEDIR_PATH = 1024 };

/* Make the folder if it does not exist. Returns its path and a descriptor, which the caller closes; or a
 * negative code: it cannot be made, or users other than this one could write into it. The caller then
 * works without a cache. */
int cachedir_open(const char *folder, char path[CACHEDIR_PATH], struct trm_error *reterr);

#endif
