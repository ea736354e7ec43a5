/* SPDX-License-Identifier: MIT */
#ifndef TRM_TREE_SOURCE_H
#define TRM_TREE_SOURCE_H

/* A tree of files, or its list, as frames of wire/entry.h: the sending half of a copy. The agent uses it
 * for a GET, the host for a PUT.
 *
 * Links are sent as links; only the requested path itself is followed. A file is sent with the length
 * that it had when it was opened, or shorter if it shrinks. Holes stay holes. Anything that cannot be
 * read, or is neither file, directory nor link, becomes a FAIL with the reason, and the rest goes on. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/error.h>

#include "base/buf.h"
#include "wire/entry.h"

struct source;

/* `flags` and `depth` as in struct tree_msg. Errors: why the path itself cannot be sent, with the path. */
int source_create(const char *path, uint32_t flags, uint32_t depth, struct source **ret,
		struct trm_error *reterr);
void source_destroy(struct source *source); /* accepts NULL */
/* The descriptor of the path itself; -1: it was only examined, not opened. */
int source_root_fd(const struct source *source);

enum source_state {
	SOURCE_MORE, /* call again */
	SOURCE_WAIT, /* call again with more credit */
	SOURCE_OVER, /* the tree is complete */
};

/* Append one frame or none to `out`, for `stream`; bounded work. `credit`: payload bytes that may still
 * be sent; it is reduced by those sent. TRM_ENOMEM, TRM_ETOOBIG: `out` has no room. */
int source_step(struct source *source, struct buf *out, uint32_t stream, uint64_t *credit);

/* Totals sent so far; `refused` is not counted here. */
const struct tree_sum *source_sum(const struct source *source);
/* The same without the current file. */
const struct tree_sum *source_whole(const struct source *source);
/* The totals counted before sending (TREE_WANTS_TOTAL). False: not counted yet. */
bool source_total(const struct source *source, uint64_t *ret_files, uint64_t *ret_bytes);
const char *source_name(const struct source *source); /* of the last file or directory: raw bytes, borrowed */

#endif
