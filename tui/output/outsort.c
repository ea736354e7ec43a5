/* SPDX-License-Identifier: MIT */
/* Earlier runs of a sandbox arrive kernel by kernel. Here their blocks are put in the order of time. */
#include <stdlib.h>

#include "output/outpane.h"

struct piece_of_pane {
	uint64_t from, end;
	uint64_t began_ms;
	uint32_t serial; /* 0: lines before the first block */
	size_t place;
	bool is_folded;
};

static int by_time(const void *a, const void *b)
{
	const struct piece_of_pane *x = a, *y = b;

	if (x->began_ms != y->began_ms)
		return x->began_ms < y->began_ms ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* A run of this workbench has begun after the earlier ones. */
static uint64_t began_ms_of(const struct outpane *p, uint32_t serial)
{
	const struct run_info *run = runs_find(&p->runs, serial);

	return run && run->began_ms ? run->began_ms : UINT64_MAX;
}

/* The lines before the first block and all blocks, malloc'd. False: they are in order, or out of memory. */
static bool list_pieces(const struct outpane *p, struct piece_of_pane **ret, size_t *ret_n)
{
	const struct out_blocks *b = &p->blocks;
	struct piece_of_pane *items = calloc(b->n + 1, sizeof *items);
	uint64_t end = scrollback_end(&p->store);
	bool is_sorted = true;

	for (size_t i = 0; i <= b->n && items; i++) {
		const struct out_block *block = i ? &b->items[i - 1] : NULL;
		items[i] = (struct piece_of_pane){.from = block ? block->line : scrollback_first(&p->store),
				.end = i < b->n ? b->items[i].line : end,
				.began_ms = block ? began_ms_of(p, block->serial) : 0,
				.serial = block ? block->serial : 0,
				.is_folded = block && block->is_folded,
				.place = i};
		is_sorted = is_sorted && (!i || items[i - 1].began_ms <= items[i].began_ms);
	}
	*ret = items;
	*ret_n = b->n + 1;
	return items && !is_sorted;
}

static void copy_lines(struct outpane *to, const struct scrollback *from, const struct piece_of_pane *lines)
{
	struct out_reader r;
	struct out_piece piece;

	out_reader_seek(&r, from, lines->from);
	while (r.line < lines->end && out_reader_next(&r, &piece)) {
		if (piece.kind == OUT_HEADER)
			continue;
		scrollback_append(&to->store, piece.kind, piece.run, piece.bytes, piece.n);
		if (piece.ends_line && !piece.is_soft)
			scrollback_append(&to->store, piece.kind, piece.run, "\n", 1);
	}
}

/* Build the store and the blocks again. A run that has several blocks gets one. */
static void write_pieces(
		struct outpane *p, const struct scrollback *old, const struct piece_of_pane *items, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (items[i].serial)
			outpane_turn_to(p, items[i].serial);
		copy_lines(p, old, &items[i]);
		if (items[i].is_folded)
			out_blocks_fold(&p->blocks, &p->blocks.items[p->blocks.n - 1], true);
	}
}

void outpane_sort(struct outpane *p)
{
	struct piece_of_pane *items = NULL;
	struct scrollback old;
	size_t n;

	outpane_end_line(p);
	old = p->store;
	/* Lines that were dropped have numbers that a new store would not have. */
	if (!old.dropped_lines && list_pieces(p, &items, &n) && scrollback_init_like(&p->store, &old) == 0) {
		qsort(items, n, sizeof *items, by_time);
		out_blocks_finish(&p->blocks);
		outsearch_finish(&p->search);
		p->is_scrolled = p->has_selection = p->is_dragging = p->has_mark = false;
		write_pieces(p, &old, items, n);
		scrollback_finish(&old);
	} else {
		p->store = old;
	}
	free(items);
}
