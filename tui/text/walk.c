/* SPDX-License-Identifier: MIT */
#include "text/walk.h"

#include <stdint.h>
#include <string.h>

#include "text/text.h"

unsigned char text_byte(const struct text *t, size_t pos)
{
	size_t n;
	const char *s = text_peek(t, pos, &n);
	return n ? (unsigned char)*s : 0;
}

size_t text_next(const struct text *t, size_t pos)
{
	char bytes[CLUSTER_MAX + 4];
	size_t run;
	const char *s = text_peek(t, pos, &run);
	if (run > 1 && (unsigned char)s[0] < 0x80 && (unsigned char)s[1] < 0x80)
		return pos + 1;
	size_t n = text_copy(t, pos, bytes, sizeof(bytes));
	return n ? pos + cluster_at(bytes, n).len : pos;
}

size_t text_previous(const struct text *t, size_t pos)
{
	char bytes[CLUSTER_MAX * 4];
	size_t back = pos < sizeof(bytes) ? pos : sizeof(bytes);
	size_t n = text_copy(t, pos - back, bytes, back);
	return n ? pos - cluster_before(bytes, n) : pos;
}

void walk_init(struct walk *w, const struct text *t, size_t pos, int tab_width)
{
	w->text = t;
	w->tab_width = tab_width;
	w->pos = w->window_pos = pos;
	w->column = w->columns = 0;
	w->cluster.len = 0;
	w->window_len = text_copy(t, pos, w->window, sizeof(w->window));
}

static size_t columns_of(const struct walk *w, const struct cluster *c)
{
	if (c->kind != CLUSTER_CONTROL)
		return c->width;
	return c->cp == '\t' ? (size_t)w->tab_width - w->column % (size_t)w->tab_width : 2;
}

/* Leave the current cluster, and get the text after it into the window. Returns its offset there. */
static size_t leave_cluster(struct walk *w)
{
	w->pos += w->cluster.len;
	w->column += w->columns;
	w->cluster.len = 0;
	w->columns = 0;
	size_t at = w->pos - w->window_pos;
	/* A cluster must lie completely in the window, unless the text ends. */
	if (w->window_len - at <= CLUSTER_MAX + 4 && w->window_len == sizeof(w->window)) {
		w->window_pos = w->pos;
		w->window_len = text_copy(w->text, w->pos, w->window, sizeof(w->window));
		at = 0;
	}
	return at;
}

bool walk_next(struct walk *w)
{
	size_t at = leave_cluster(w);
	if (at >= w->window_len || w->window[at] == '\n')
		return false;
	w->bytes = w->window + at;
	w->cluster = cluster_at(w->bytes, w->window_len - at);
	w->columns = columns_of(w, &w->cluster);
	return true;
}

/* How many bytes from s on are printable ASCII; eight at a time, for very long lines. */
static size_t plain_run(const char *s, size_t n)
{
	const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
	size_t i = 0;
	for (; i + 8 <= n; i += 8) {
		uint64_t eight;
		memcpy(&eight, s + i, 8);
		/* A high bit: not ASCII; borrowed into: below ' '; carried into: DEL. */
		if ((eight | (eight - ones * ' ') | (eight + ones)) & high)
			break;
	}
	while (i < n && s[i] >= ' ' && s[i] < 0x7F)
		i++;
	return i;
}

void walk_skip(struct walk *w, size_t pos, size_t column)
{
	for (;;) {
		size_t at = leave_cluster(w), n = w->window_len - at;
		n = w->pos < pos && pos - w->pos < n ? pos - w->pos : n;
		n = w->column < column && column - w->column < n ? column - w->column : n;
		size_t plain = w->pos < pos && w->column < column ? plain_run(w->window + at, n) : 0;
		/* The next character may be a mark on the last one. */
		if (plain < 2)
			return;
		w->pos += plain - 1;
		w->column += plain - 1;
	}
}

size_t walk_column(const struct text *t, size_t line_start, size_t pos, int tab_width)
{
	struct walk w;
	walk_init(&w, t, line_start, tab_width);
	do
		walk_skip(&w, pos, SIZE_MAX);
	while (walk_next(&w) && w.pos + w.cluster.len <= pos);
	return w.column;
}

size_t walk_position(const struct text *t, size_t line_start, size_t column, int tab_width)
{
	struct walk w;
	walk_init(&w, t, line_start, tab_width);
	do
		walk_skip(&w, SIZE_MAX, column);
	while (walk_next(&w) && w.column + w.columns <= column);
	return w.pos;
}
