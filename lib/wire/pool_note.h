/* SPDX-License-Identifier: MIT */
#ifndef TRM_WIRE_POOL_NOTE_H
#define TRM_WIRE_POOL_NOTE_H

/* What a pool tells programs of the same user about itself: a file in the runtime directory, beside the
 * entries of sandboxes. The program that has the pool holds a lock (flock) on the file as long as the pool is
 * open, and writes it again when a number changes. A file without a lock is left behind.
 *
 * The file has POOL_NOTE_BYTES: lines "KEY VALUE", then NULs. The first line and the last one have the same
 * number, or else the file is being written at this moment. */

#include <stddef.h>

#include <terrarium/registry.h>

/* Followed by the process id, a dash, and a number of the pool in that process. */
#define POOL_NOTE_PREFIX ".pool-"
enum { POOL_NOTE_BYTES = 2048, POOL_NOTE_NAME = 48 };

void pool_note_put(char out[POOL_NOTE_BYTES], uint64_t version, const struct trm_pool_entry *pool);
/* Unknown keys are passed over. TRM_EPROTO: it is not whole. */
int pool_note_get(const char *bytes, size_t n, struct trm_pool_entry *ret);

#endif
