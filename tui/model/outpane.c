/* SPDX-License-Identifier: MIT */
#include "model/outpane.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#define COPY_MAX ((size_t)64 << 20)
#define ROWS_MAX 1024 /* rows that one step of scrolling looks at */

int outpane_init(struct outpane *p, size_t cap_bytes)
{
	memset(p, 0, sizeof *p);
	return outstore_init(&p->store, cap_bytes);
}

void outpane_finish(struct outpane *p)
{
	outstore_finish(&p->store);
	runs_finish(&p->runs);
	memset(p, 0, sizeof *p);
}

void outpane_clear(struct outpane *p)
{
	outstore_clear(&p->store);
	p->is_scrolled = p->has_selection = p->is_dragging = false;
}

bool outpane_read(const struct outpane *p, struct out_reader *r, struct outline *line)
{
	if (!outline_read(line, r))
		return false;
	if (line->kind == OUT_HEADER)
		run_header(line, runs_find(&p->runs, line->run), p->has_utf8);
	return true;
}

static bool read_at(const struct outpane *p, uint64_t number, struct outline *line)
{
	struct out_reader r;

	out_reader_seek(&r, &p->store, number);
	return outpane_read(p, &r, line);
}

/* ---- where things are ---- */

static size_t row_start(const struct outline *l, size_t width, size_t row)
{
	size_t at = 0;

	while (row-- && at < l->n)
		at = outline_row_end(l, at, width);
	return at;
}

/* The row of a line that a cell stands in. */
static size_t row_of(const struct outline *l, size_t width, size_t cell)
{
	size_t row = 0;

	for (size_t end = outline_row_end(l, 0, width); end <= cell && end < l->n;
			end = outline_row_end(l, end, width))
		row++;
	return row;
}

/* The place n rows above the start of `line`, or the first there is. */
static struct out_pos go_back(const struct outpane *p, uint64_t line, size_t n, size_t width)
{
	uint64_t first = outstore_first(&p->store);
	size_t counts[ROWS_MAX], have = 0;
	struct out_reader r;
	struct outline l = {0};
	struct out_pos pos = {first, 0};

	n = n < ROWS_MAX ? n : ROWS_MAX;
	uint64_t from = line - first > n ? line - n : first;
	out_reader_seek(&r, &p->store, from);
	while (from + have < line && outpane_read(p, &r, &l))
		counts[have++] = outline_rows(&l, width);
	while (have && n) {
		have--;
		pos = (struct out_pos){from + have, 0};
		if (counts[have] >= n) {
			if (read_at(p, pos.line, &l))
				pos.cell = row_start(&l, width, counts[have] - n);
			break;
		}
		n -= counts[have];
	}
	outline_finish(&l);
	return pos;
}

struct out_pos outpane_top(const struct outpane *p, int rows, int cols)
{
	size_t width = (size_t)cols;
	struct out_pos top = p->top;
	struct outline l = {0};

	if (!p->is_scrolled)
		return go_back(p, outstore_end(&p->store), (size_t)rows, width);
	if (top.line < outstore_first(&p->store))
		return (struct out_pos){outstore_first(&p->store), 0};
	/* The pane's width may have changed since. */
	if (top.cell && read_at(p, top.line, &l))
		top.cell = row_start(&l, width, row_of(&l, width, top.cell));
	outline_finish(&l);
	return top;
}

static void scroll_up(struct outpane *p, struct out_pos top, size_t n, size_t width)
{
	struct outline l = {0};
	size_t row = 0;

	if (top.cell && read_at(p, top.line, &l))
		row = row_of(&l, width, top.cell);
	if (n <= row)
		p->top = (struct out_pos){top.line, row_start(&l, width, row - n)};
	else
		p->top = go_back(p, top.line, n - row, width);
	p->is_scrolled = true;
	outline_finish(&l);
}

static void scroll_down(struct outpane *p, struct out_pos top, size_t n, size_t rows, size_t width)
{
	struct out_pos last = go_back(p, outstore_end(&p->store), rows, width);
	struct out_reader r;
	struct outline l = {0};

	out_reader_seek(&r, &p->store, top.line);
	while (n && outpane_read(p, &r, &l)) {
		size_t left = outline_rows(&l, width) - row_of(&l, width, top.cell);
		if (n < left) {
			top.cell = row_start(&l, width, row_of(&l, width, top.cell) + n);
			break;
		}
		n -= left;
		top = (struct out_pos){top.line + 1, 0};
	}
	outline_finish(&l);
	p->top = top;
	p->is_scrolled = top.line < last.line || (top.line == last.line && top.cell < last.cell);
}

void outpane_scroll(struct outpane *p, int rows, int cols, long by)
{
	struct out_pos top = outpane_top(p, rows, cols);

	if (by < 0)
		scroll_up(p, top, (size_t)-by, (size_t)cols);
	else if (p->is_scrolled)
		scroll_down(p, top, (size_t)by, (size_t)rows, (size_t)cols);
	if (p->is_scrolled && by < 0
			&& outstore_end(&p->store) - outstore_first(&p->store) <= (uint64_t)rows) {
		/* Everything fits (if no line wraps): there is nothing to scroll to. */
		struct out_pos last = go_back(p, outstore_end(&p->store), (size_t)rows, (size_t)cols);
		if (last.line == outstore_first(&p->store) && last.cell == 0)
			p->is_scrolled = false;
	}
}

void outpane_scroll_home(struct outpane *p)
{
	p->is_scrolled = true;
	p->top = (struct out_pos){outstore_first(&p->store), 0};
}

void outpane_scroll_end(struct outpane *p)
{
	p->is_scrolled = false;
}

struct out_pos outpane_hit(const struct outpane *p, int rows, int cols, int row, int col)
{
	struct out_pos pos = outpane_top(p, rows, cols);
	struct out_reader r;
	struct outline l = {0};
	size_t width = (size_t)cols, left = row < 0 ? 0 : (size_t)row;

	col = col < 0 ? 0 : col;
	out_reader_seek(&r, &p->store, pos.line);
	while (outpane_read(p, &r, &l)) {
		for (size_t end;; pos.cell = end, left--) {
			end = outline_row_end(&l, pos.cell, width);
			if (left == 0) {
				pos.cell = pos.cell + (size_t)col < end ? pos.cell + (size_t)col : end;
				outline_finish(&l);
				return pos;
			}
			if (end >= l.n)
				break;
		}
		left--;
		pos = (struct out_pos){pos.line + 1, 0};
	}
	outline_finish(&l);
	return pos;
}

/* ---- selection ---- */

static bool is_before(struct out_pos a, struct out_pos b)
{
	return a.line < b.line || (a.line == b.line && a.cell < b.cell);
}

void outpane_select_all(struct outpane *p)
{
	p->anchor = (struct out_pos){outstore_first(&p->store), 0};
	p->cursor = (struct out_pos){outstore_end(&p->store), 0};
	p->has_selection = is_before(p->anchor, p->cursor);
}

void outpane_select_lines(struct outpane *p, int rows, int cols, int by)
{
	uint64_t first = outstore_first(&p->store), end = outstore_end(&p->store);

	if (!p->has_selection) {
		struct out_pos last = outpane_hit(p, rows, cols, rows - 1, 0);
		last.line = last.line < end ? last.line + 1 : end;
		last.cell = 0;
		p->anchor = p->cursor = last;
		p->has_selection = true;
	}
	if (by < 0)
		p->cursor.line -= p->cursor.line > first;
	else
		p->cursor.line += p->cursor.line < end;
	p->cursor.cell = 0;
	p->has_selection = p->anchor.line != p->cursor.line || p->anchor.cell != p->cursor.cell;
	if (p->cursor.line < outpane_top(p, rows, cols).line)
		outpane_scroll(p, rows, cols, -1);
}

bool outpane_is_selected(const struct outpane *p, struct out_pos at)
{
	struct out_pos from = p->anchor, to = p->cursor;

	if (!p->has_selection)
		return false;
	if (is_before(to, from)) {
		from = p->cursor;
		to = p->anchor;
	}
	return !is_before(at, from) && is_before(at, to);
}

struct text_out {
	char *mem;
	size_t len, cap;
};

static bool text_add(struct text_out *t, const char *s, size_t n)
{
	if (t->len + n + 1 > t->cap) {
		size_t cap = (t->len + n + 1) * 2;
		char *mem = cap <= COPY_MAX ? realloc(t->mem, cap) : NULL;
		if (!mem)
			return false;
		t->mem = mem;
		t->cap = cap;
	}
	memcpy(t->mem + t->len, s, n);
	t->len += n;
	t->mem[t->len] = '\0';
	return true;
}

static bool copy_line(struct text_out *t, const struct outline *l, size_t from, size_t to)
{
	while (to > from && strcmp(l->cells[to - 1].text, " ") == 0 && !l->is_soft)
		to--;
	for (size_t i = from; i < to; i++)
		if (!text_add(t, l->cells[i].text, strlen(l->cells[i].text)))
			return false;
	return true;
}

char *outpane_copy(const struct outpane *p, size_t *ret_len)
{
	bool forward = is_before(p->anchor, p->cursor);
	struct out_pos from = forward ? p->anchor : p->cursor, to = forward ? p->cursor : p->anchor;
	struct text_out t = {0};
	struct out_reader r;
	struct outline l = {0};
	bool ok = p->has_selection;

	if (from.line < outstore_first(&p->store))
		from = (struct out_pos){outstore_first(&p->store), 0};
	out_reader_seek(&r, &p->store, from.line);
	for (uint64_t k = from.line; ok && k <= to.line && outpane_read(p, &r, &l); k++) {
		size_t begin = k == from.line && from.cell > l.n_prefix ? from.cell : l.n_prefix;
		size_t end = k == to.line && to.cell < l.n ? to.cell : l.n;
		ok = copy_line(&t, &l, begin, end);
		if (ok && k < to.line && !l.is_soft)
			ok = text_add(&t, "\n", 1);
	}
	outline_finish(&l);
	if (!ok) {
		free(t.mem);
		return NULL;
	}
	*ret_len = t.len;
	return t.mem;
}
