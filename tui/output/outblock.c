/* SPDX-License-Identifier: MIT */
#include "output/outblock.h"

#include <stdlib.h>
#include <string.h>

void out_blocks_finish(struct out_blocks *b)
{
	free(b->items);
	memset(b, 0, sizeof *b);
}

static void forget_old(struct out_blocks *b, uint64_t first)
{
	size_t old = 0;

	while (old + 1 < b->n && b->items[old + 1].line <= first)
		b->n_folded -= b->items[old++].is_folded;
	memmove(b->items, b->items + old, (b->n - old) * sizeof *b->items);
	b->n -= old;
}

void out_blocks_add(struct out_blocks *b, uint64_t line, uint32_t serial, uint64_t first)
{
	if (b->n == b->cap && b->n)
		forget_old(b, first);
	if (b->n == b->cap) {
		size_t cap = b->cap ? 2 * b->cap : 16;
		struct out_block *items = realloc(b->items, cap * sizeof *items);
		if (!items)
			return;
		b->items = items;
		b->cap = cap;
	}
	b->items[b->n++] = (struct out_block){line, serial, false};
}

struct out_block *out_blocks_at(const struct out_blocks *b, uint64_t line)
{
	size_t low = 0, high = b->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (b->items[mid].line <= line)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &b->items[low - 1] : NULL;
}

struct out_block *out_blocks_of(const struct out_blocks *b, uint32_t serial)
{
	for (size_t i = b->n; i-- > 0;)
		if (b->items[i].serial == serial)
			return &b->items[i];
	return NULL;
}

uint64_t out_blocks_end(const struct out_blocks *b, const struct out_block *block, uint64_t end)
{
	return block + 1 < b->items + b->n ? block[1].line : end;
}

void out_blocks_shift(struct out_blocks *b, uint64_t before, uint64_t by)
{
	for (size_t i = 0; i < b->n && b->items[i].line < before; i++)
		b->items[i].line += by;
}

void out_blocks_fold(struct out_blocks *b, struct out_block *block, bool is_folded)
{
	b->n_folded += (size_t)is_folded - (size_t)block->is_folded;
	block->is_folded = is_folded;
}

void out_blocks_fold_all(struct out_blocks *b, bool is_folded)
{
	for (size_t i = 0; i < b->n; i++)
		out_blocks_fold(b, &b->items[i], is_folded);
}

uint64_t out_blocks_head(const struct out_blocks *b, const struct out_block *block)
{
	return block->line > b->first ? block->line : b->first;
}

/* The folded block that hides the line, or NULL. */
static const struct out_block *hiding(const struct out_blocks *b, uint64_t line)
{
	const struct out_block *block = b->n_folded ? out_blocks_at(b, line) : NULL;

	return block && block->is_folded && line > out_blocks_head(b, block) ? block : NULL;
}

uint64_t out_blocks_shown(const struct out_blocks *b, uint64_t line, uint64_t end)
{
	const struct out_block *block = hiding(b, line);

	return block ? out_blocks_end(b, block, end) : line;
}

uint64_t out_blocks_shown_before(const struct out_blocks *b, uint64_t line)
{
	const struct out_block *block = line ? hiding(b, line - 1) : NULL;

	return block ? out_blocks_head(b, block) : line - (line > 0);
}
