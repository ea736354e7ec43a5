/* SPDX-License-Identifier: MIT */
#ifndef TRM_TREE_SOURCE_H
#define TRM_TREE_SOURCE_H

/* A tree of files, or its list, as frames of wire/entry.h: the sending half of a
 * copy. The agent sends so what is fetched, the host what is put.
 *
 * Links are sent as links; only the path that was asked for is followed. A file
 * is sent as long as it was when it was opened, or shorter if it shrinks. Holes stay
 * holes. What cannot be read, and what is neither file nor directory nor link, becomes
 * a FAIL with the reason, and the rest goes on. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/error.h>

#include "base/buf.h"
#include "wire/entry.h"

struct source;

/* `flags` and `depth` as in struct tree_msg. Errors: why the path itself cannot be sent, naming it. */
int source_create(const char *path, uint32_t flags, uint32_t depth, struct source **ret,
		struct trm_error *reterr);
void source_destroy(struct source *source); /* takes NULL */
/* What is open on the path itself; -1: nothing, it was only looked at. */
int source_root_fd(const struct source *source);

enum source_state {
	SOURCE_MORE, /* call again */
	SOURCE_WAIT, /* call again with more credit */
	SOURCE_OVER, /* the tree is complete */
};

/* One frame or none onto `out`, for `stream`; bounded work. `credit`: payload bytes that may still be
 * sent, reduced by what was. TRM_ENOMEM, TRM_ETOOBIG: `out` did not take it. */
int source_step(struct source *source, struct buf *out, uint32_t stream, uint64_t *credit);

/* What was sent so far; `refused` is not counted here. */
const struct tree_sum *source_sum(const struct source *source);
/* The same without the file that is in hand. */
const struct tree_sum *source_whole(const struct source *source);
/* What was counted before (TREE_WANTS_TOTAL); false: not yet. */
bool source_total(const struct source *source, uint64_t *ret_files, uint64_t *ret_bytes);
const char *source_name(const struct source *source); /* of the last file or directory: raw bytes, borrowed */

#endif
