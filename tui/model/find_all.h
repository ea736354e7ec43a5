/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_FIND_ALL_H
#define TUI_MODEL_FIND_ALL_H

/* Finding in all open buffers: a list of matches that follows what is typed. The current buffer comes first,
 * then the others in the order of their tabs. The texts are searched in steps, so that no key waits: the
 * first step with the key, the others with the ticks. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/find.h"

struct model;

#define FIND_ALL_LISTED 500     /* matches in the list; the others are only counted … */
#define FIND_ALL_COUNTED 100000 /* … up to here */

struct find_all {
	struct find_opts opts;
	struct find *find; /* NULL: the pattern is empty or invalid */
	struct find_all_hit {
		uint32_t buffer;
		size_t pos, len;
	} * hits; /* owned; those of the list */
	size_t n_hits, n_matches, n_buffers;
	size_t cols; /* of a row of the list */
	/* The place of the search. */
	uint32_t *ids; /* of the buffers, in the order in which they are searched; owned */
	size_t n_ids;
	size_t turn;       /* buffers that have been searched */
	size_t start, end; /* the lines that `find` has taken, in the text of the next buffer */
	size_t from;       /* bytes of them that have been searched */
	bool has_lines;
	bool has_match; /* in this buffer */
};

void find_all_finish(struct find_all *f); /* accepts a zeroed object */
bool find_all_is_busy(const struct model *m);
void find_all_tick(struct model *m);
void find_all_resized(struct model *m); /* the rows of the list are made for the width */

#endif
