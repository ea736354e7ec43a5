/* SPDX-License-Identifier: MIT */
/* The selection of the output pane, and its text. */
#include <stdlib.h>
#include <string.h>

#include "output/outpane.h"

#define COPY_MAX ((size_t)64 << 20)

static void select_range(struct outpane *p, struct out_pos from, struct out_pos to)
{
	p->anchor = from;
	p->cursor = to;
	p->has_selection = out_pos_is_before(from, to);
}

void outpane_select_all(struct outpane *p)
{
	select_range(p, (struct out_pos){outpane_first(p), 0}, (struct out_pos){outpane_end(p), 0});
}

void outpane_select_block(struct outpane *p, const struct out_block *block)
{
	select_range(p, (struct out_pos){block->line + 1, 0},
			(struct out_pos){out_blocks_end(&p->blocks, block, outpane_end(p)), 0});
}

static bool is_word_cell(const struct output_line *l, size_t i)
{
	const char *t = l->cells[i].text;

	return (t[0] >= '0' && t[0] <= '9') || ((t[0] | 0x20) >= 'a' && (t[0] | 0x20) <= 'z')
	       || (unsigned char)t[0] >= 0x80 || (t[0] && strchr("_-./~", t[0])) || l->cells[i].width == 0;
}

void outpane_select_word(struct outpane *p, struct out_pos at)
{
	struct output_line l = {0};

	if (outpane_read(p, at.line, &l) && at.cell < l.n && is_word_cell(&l, at.cell)) {
		size_t from = at.cell, to = from;
		while (from > l.n_prefix && is_word_cell(&l, from - 1))
			from--;
		while (to < l.n && is_word_cell(&l, to))
			to++;
		select_range(p, (struct out_pos){at.line, from}, (struct out_pos){at.line, to});
	}
	output_line_finish(&l);
}

void outpane_select_lines(struct outpane *p, int rows, int cols, int by)
{
	uint64_t first = outpane_first(p), end = outpane_end(p);

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
	if (out_pos_is_before(to, from)) {
		from = p->cursor;
		to = p->anchor;
	}
	return !out_pos_is_before(at, from) && out_pos_is_before(at, to);
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

static bool copy_line(struct text_out *t, const struct output_line *l, size_t from, size_t to)
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
	bool forward = out_pos_is_before(p->anchor, p->cursor);
	struct out_pos from = forward ? p->anchor : p->cursor, to = forward ? p->cursor : p->anchor;
	struct text_out t = {0};
	struct outwalk w;
	struct output_line l = {0};
	bool ok = p->has_selection;

	if (from.line < outpane_first(p))
		from = (struct out_pos){outpane_first(p), 0};
	outwalk_start(&w, p, from.line);
	while (ok && w.next <= to.line && outwalk_next(&w, &l)) {
		size_t begin = w.line == from.line && from.cell > l.n_prefix ? from.cell : l.n_prefix;
		size_t end = w.line == to.line && to.cell < l.n ? to.cell : l.n;
		if (w.line == to.line && to.cell == 0)
			break;
		ok = copy_line(&t, &l, begin, end);
		if (ok && w.line < to.line && !l.is_soft)
			ok = text_add(&t, "\n", 1);
	}
	output_line_finish(&l);
	if (!ok) {
		free(t.mem);
		return NULL;
	}
	*ret_len = t.len;
	return t.mem;
}
