/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTBLOCK_H
#define TUI_OUTBLOCK_H

/* The start of each run's block in the output, and whether it is folded. Of a folded block only the header
 * is shown. A block extends to the next header. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct out_block {
	uint64_t line; /* line of its header, which may have been dropped */
	uint32_t serial;
	bool is_folded;
};

struct out_blocks {
	struct out_block *items; /* sorted by line */
	size_t n, cap;
	size_t n_folded;
	uint64_t first; /* lines before this one were dropped; it stands for the header of the block it is in
			 */
};

void out_blocks_finish(struct out_blocks *b); /* accepts a zeroed object */
/* A block begins at a line. Blocks that end before `first` are dropped. Out of memory: the lines belong to
 * the previous block. */
void out_blocks_add(struct out_blocks *b, uint64_t line, uint32_t serial, uint64_t first);

/* The block that contains a line, or NULL. */
struct out_block *out_blocks_at(const struct out_blocks *b, uint64_t line);
struct out_block *out_blocks_of(const struct out_blocks *b, uint32_t serial);
/* The line after a block; `end` after the last one. */
uint64_t out_blocks_end(const struct out_blocks *b, const struct out_block *block, uint64_t end);

/* The line that shows a block's header. */
uint64_t out_blocks_head(const struct out_blocks *b, const struct out_block *block);

/* Move headers before a line by a number of lines. */
void out_blocks_shift(struct out_blocks *b, uint64_t before, uint64_t by);

void out_blocks_fold(struct out_blocks *b, struct out_block *block, bool is_folded);
void out_blocks_fold_all(struct out_blocks *b, bool is_folded);

/* ---- visible lines ---- */

/* The first visible line at or after this one; the last visible line before it (for line 0: 0). */
uint64_t out_blocks_shown(const struct out_blocks *b, uint64_t line, uint64_t end);
uint64_t out_blocks_shown_before(const struct out_blocks *b, uint64_t line);

#endif
