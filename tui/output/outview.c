/* SPDX-License-Identifier: MIT */
/* The visible part of the output: rows, scrolling, the current line, the position of the mouse. */
#include "output/outpane.h"

#define ROWS_MAX 1024     /* rows in one step of scrolling */
#define STICKY_ROWS_MIN 4 /* a pane with fewer rows has no sticky header */

/* ---- positions ---- */

size_t outpane_row_end(const struct outpane *p, const struct output_line *l, size_t from, size_t width)
{
	return p->is_cut ? l->n : output_line_row_end(l, from, width);
}

static size_t rows_of(const struct outpane *p, const struct output_line *l, size_t width)
{
	return p->is_cut ? 1 : output_line_rows(l, width);
}

static size_t row_start(const struct outpane *p, const struct output_line *l, size_t width, size_t row)
{
	size_t at = 0;

	while (row-- && at < l->n)
		at = outpane_row_end(p, l, at, width);
	return at;
}

/* The row of a line that contains a cell. */
static size_t row_of(const struct outpane *p, const struct output_line *l, size_t width, size_t cell)
{
	size_t row = 0;

	for (size_t end = outpane_row_end(p, l, 0, width); end <= cell && end < l->n;
			end = outpane_row_end(p, l, end, width))
		row++;
	return row;
}

/* The start of the consecutive visible lines that end before `line`: a block, or the first line. */
static uint64_t stretch_start(const struct outpane *p, uint64_t line)
{
	const struct out_block *block = out_blocks_at(&p->blocks, line - 1);
	uint64_t first = outpane_first(p);

	return block && block->line > first && p->blocks.n_folded ? block->line : first;
}

/* Go back over at most *n rows of the visible lines [.., line) of a stretch. *n becomes the number of
 * remaining rows. */
static struct out_pos go_back_stretch(const struct outpane *p, uint64_t line, size_t *n, size_t width)
{
	uint64_t start = stretch_start(p, line), from = line - start > *n ? line - *n : start;
	size_t counts[ROWS_MAX], have = 0;
	struct outwalk w;
	struct output_line l = {0};
	struct out_pos pos = {from, 0};

	outwalk_start(&w, p, from);
	w.counts_rows = true;
	while (have < ROWS_MAX && from + have < line && outwalk_next(&w, &l))
		counts[have++] = rows_of(p, &l, width);
	while (have && *n) {
		have--;
		pos = (struct out_pos){from + have, 0};
		/* cppcheck-suppress uninitvar; the loop above has set entries below `have` */
		if (counts[have] >= *n) {
			if (outpane_read(p, pos.line, &l))
				pos.cell = row_start(p, &l, width, counts[have] - *n);
			*n = 0;
			break;
		}
		*n -= counts[have];
	}
	output_line_finish(&l);
	return pos;
}

/* The position n rows above the start of `line`, or the first position. */
static struct out_pos go_back(const struct outpane *p, uint64_t line, size_t n, size_t width)
{
	struct out_pos pos = {line, 0};

	n = n < ROWS_MAX ? n : ROWS_MAX;
	while (n && pos.line > outpane_first(p)) {
		uint64_t last = out_blocks_shown_before(&p->blocks, pos.line);
		pos = go_back_stretch(p, last + 1, &n, width);
	}
	return pos;
}

struct out_pos outpane_top(const struct outpane *p, int rows, int cols)
{
	size_t width = (size_t)cols;
	struct out_pos top = p->top, last = go_back(p, outpane_end(p), (size_t)rows, width);
	struct output_line l = {0};

	if (!p->is_scrolled
			/* The pane may have grown: show no blank rows below the end. */
			|| out_pos_is_before(last, top))
		return last;
	if (top.line < outpane_first(p))
		return (struct out_pos){outpane_first(p), 0};
	const struct out_block *block = out_blocks_at(&p->blocks, top.line);
	if (block && block->is_folded && top.line > out_blocks_head(&p->blocks, block))
		return (struct out_pos){out_blocks_head(&p->blocks, block), 0}; /* folded since then */
	/* The width of the pane may have changed since then. */
	if (top.cell && outpane_read(p, top.line, &l))
		top.cell = row_start(p, &l, width, row_of(p, &l, width, top.cell));
	output_line_finish(&l);
	return top;
}

const struct out_block *outpane_sticky(const struct outpane *p, struct out_pos top, int rows)
{
	const struct out_block *block = out_blocks_at(&p->blocks, top.line);

	return rows >= STICKY_ROWS_MIN && block && block->line < top.line
					       && top.line >= scrollback_first(&p->store)
			       ? block
			       : NULL;
}

bool outpane_has_more(const struct outpane *p, int rows, int cols)
{
	return p->is_scrolled
	       && out_pos_is_before(outpane_top(p, rows, cols),
			       go_back(p, outpane_end(p), (size_t)rows, (size_t)cols));
}

/* ---- scrolling ---- */

static void scroll_up(struct outpane *p, struct out_pos top, size_t n, size_t width)
{
	struct output_line l = {0};
	size_t row = 0;

	if (top.cell && outpane_read(p, top.line, &l))
		row = row_of(p, &l, width, top.cell);
	if (n <= row)
		p->top = (struct out_pos){top.line, row_start(p, &l, width, row - n)};
	else
		p->top = go_back(p, top.line, n - row, width);
	p->is_scrolled = true;
	output_line_finish(&l);
}

static void scroll_down(struct outpane *p, struct out_pos top, size_t n, size_t rows, size_t width)
{
	struct out_pos last = go_back(p, outpane_end(p), rows, width);
	struct outwalk w;
	struct output_line l = {0};

	outwalk_start(&w, p, top.line);
	while (n && outwalk_next(&w, &l)) {
		size_t left = rows_of(p, &l, width) - row_of(p, &l, width, top.cell);
		if (n < left) {
			top.cell = row_start(p, &l, width, row_of(p, &l, width, top.cell) + n);
			break;
		}
		n -= left;
		top = (struct out_pos){w.next, 0};
	}
	output_line_finish(&l);
	p->top = top;
	p->is_scrolled = out_pos_is_before(top, last);
}

void outpane_scroll(struct outpane *p, int rows, int cols, long by)
{
	struct out_pos top = outpane_top(p, rows, cols);

	if (by < 0)
		scroll_up(p, top, (size_t)-by, (size_t)cols);
	else if (p->is_scrolled)
		scroll_down(p, top, (size_t)by, (size_t)rows, (size_t)cols);
	if (p->is_scrolled && by < 0 && outpane_end(p) - outpane_first(p) <= (uint64_t)rows) {
		/* If everything fits without wrapping, there is nothing to scroll. */
		struct out_pos last = go_back(p, outpane_end(p), (size_t)rows, (size_t)cols);
		if (last.line == outpane_first(p) && last.cell == 0)
			p->is_scrolled = false;
	}
}

void outpane_scroll_home(struct outpane *p)
{
	p->is_scrolled = true;
	p->top = (struct out_pos){outpane_first(p), 0};
}

void outpane_scroll_end(struct outpane *p)
{
	p->is_scrolled = p->has_mark = false;
}

/* The first and the last line that are completely visible and not under a sticky header. */
static void lines_in_view(
		const struct outpane *p, int rows, int cols, uint64_t *ret_first, uint64_t *ret_last)
{
	struct out_pos top = outpane_top(p, rows, cols);
	struct outwalk w;
	struct output_line l = {0};
	size_t row = 0, covered = outpane_sticky(p, top, rows) != NULL;
	bool has_first = false;

	*ret_first = *ret_last = top.line;
	outwalk_start(&w, p, top.line);
	while (row < (size_t)rows && outwalk_next(&w, &l)) {
		size_t start = row;
		row += rows_of(p, &l, (size_t)cols)
		       - (w.line == top.line ? row_of(p, &l, (size_t)cols, top.cell) : 0);
		if (!has_first && start >= covered)
			*ret_first = w.line;
		has_first |= start >= covered;
		if (row <= (size_t)rows)
			*ret_last = w.line;
	}
	output_line_finish(&l);
}

void outpane_show(struct outpane *p, int rows, int cols, uint64_t line)
{
	struct out_block *block = out_blocks_at(&p->blocks, line);
	uint64_t first, last;

	if (block && block->is_folded && line > out_blocks_head(&p->blocks, block))
		out_blocks_fold(&p->blocks, block, false);
	p->mark = line;
	p->has_mark = true;
	lines_in_view(p, rows, cols, &first, &last);
	if (!p->is_scrolled) {
		p->top = outpane_top(p, rows, cols);
		p->is_scrolled = true;
	}
	if (line < first || line > last)
		p->top = go_back(p, line, (size_t)rows / 3, (size_t)cols);
	if (!outpane_has_more(p, rows, cols))
		p->top = go_back(p, outpane_end(p), (size_t)rows, (size_t)cols);
}

bool outpane_show_run(struct outpane *p, int rows, int cols, uint32_t serial)
{
	const struct out_block *block = out_blocks_of(&p->blocks, serial);

	if (!block || block->line < outpane_first(p))
		return false;
	p->top = (struct out_pos){block->line, 0};
	p->is_scrolled = true;
	outpane_show(p, rows, cols, block->line);
	return true;
}

void outpane_move(struct outpane *p, int rows, int cols, long by)
{
	uint64_t first, last, end = outpane_end(p), to = p->mark;

	if (outpane_first(p) == end)
		return;
	lines_in_view(p, rows, cols, &first, &last);
	if (!p->has_mark || p->mark < outpane_first(p)) {
		if (by > 0 && !p->is_scrolled)
			return;
		outpane_show(p, rows, cols, by < 0 ? last : first);
		return;
	}
	for (; by < 0 && to > outpane_first(p); by++)
		to = out_blocks_shown_before(&p->blocks, to);
	for (; by > 0 && to < end; by--)
		to = out_blocks_shown(&p->blocks, to + 1, end);
	if (to >= end) {
		outpane_scroll_end(p);
		return;
	}
	p->mark = to;
	if (to < first)
		outpane_scroll(p, rows, cols, -(long)(first - to));
	else if (to > last)
		outpane_scroll(p, rows, cols, 1);
	if (!p->is_scrolled) {
		p->top = outpane_top(p, rows, cols);
		p->is_scrolled = true;
	}
	lines_in_view(p, rows, cols, &first, &last);
	if (to < first || to > last)
		outpane_show(p, rows, cols, to);
}

struct out_block *outpane_block(const struct outpane *p)
{
	return out_blocks_at(&p->blocks, p->has_mark ? p->mark : UINT64_MAX);
}

void outpane_next_block(struct outpane *p, int rows, int cols, int by)
{
	const struct out_block *block = outpane_block(p);

	if (!block)
		return;
	const struct out_block *end = p->blocks.items + p->blocks.n;
	if (by > 0)
		block++;
	else if (p->has_mark && p->mark == block->line && block > p->blocks.items)
		block--;
	if (block == end)
		outpane_scroll_end(p);
	else if (block->line >= outpane_first(p))
		outpane_show(p, rows, cols, block->line);
}

struct out_pos outpane_hit(const struct outpane *p, int rows, int cols, int row, int col)
{
	struct out_pos pos = outpane_top(p, rows, cols);
	const struct out_block *sticky = outpane_sticky(p, pos, rows);
	struct outwalk w;
	struct output_line l = {0};
	size_t width = (size_t)cols, left = row < 0 ? 0 : (size_t)row,
	       at = (col < 0 ? 0 : (size_t)col) + p->left;

	if (row == 0 && sticky)
		return (struct out_pos){sticky->line, at};
	outwalk_start(&w, p, pos.line);
	while (outwalk_next(&w, &l)) {
		for (size_t end;; pos.cell = end, left--) {
			end = outpane_row_end(p, &l, pos.cell, width);
			if (left == 0) {
				pos.cell = pos.cell + at < end ? pos.cell + at : end;
				output_line_finish(&l);
				return pos;
			}
			if (end >= l.n)
				break;
		}
		left--;
		pos = (struct out_pos){w.next, 0};
	}
	output_line_finish(&l);
	return pos;
}
