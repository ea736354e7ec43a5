/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTBLOCK_H
#define TUI_OUTBLOCK_H

/* Where in the output each run's block begins, and whether it is folded: then only its header is shown. A
 * block goes on to the next one's header. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct out_block {
	uint64_t line; /* of its header, which may have been dropped since */
	uint32_t serial;
	bool is_folded;
};

struct out_blocks {
	struct out_block *items; /* by line */
	size_t n, cap;
	size_t n_folded;
	uint64_t first; /* headers before this line have been dropped: their blocks are shown, folded or not
			 */
};

void out_blocks_finish(struct out_blocks *b); /* takes a zeroed object */
/* A block begins at a line; those that end before `first` are forgotten. Out of memory: it belongs to the one
 * before. */
void out_blocks_add(struct out_blocks *b, uint64_t line, uint32_t serial, uint64_t first);

/* The one that a line lies in, or NULL. */
struct out_block *out_blocks_at(const struct out_blocks *b, uint64_t line);
struct out_block *out_blocks_of(const struct out_blocks *b, uint32_t serial);
/* The line behind a block; `end` behind the last. */
uint64_t out_blocks_end(const struct out_blocks *b, const struct out_block *block, uint64_t end);

/* Headers before a line have moved by so many lines. */
void out_blocks_shift(struct out_blocks *b, uint64_t before, uint64_t by);

void out_blocks_fold(struct out_blocks *b, struct out_block *block, bool is_folded);
void out_blocks_fold_all(struct out_blocks *b, bool is_folded);

/* ---- lines that are shown ---- */

/* The first shown line that is not before this one; the last that is before it (for line 0: 0). */
uint64_t out_blocks_shown(const struct out_blocks *b, uint64_t line, uint64_t end);
uint64_t out_blocks_shown_before(const struct out_blocks *b, uint64_t line);

#endif
