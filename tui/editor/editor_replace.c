/* SPDX-License-Identifier: MIT */
/* Replaces all matches of a pattern. */
#include <stdlib.h>
#include <string.h>

#include "editor/editor_internal.h"
#include "text/find.h"
#include "text/text.h"

/* The new text from the first to the last match of a range. */
struct piece {
	size_t pos, len; /* the range that it replaces */
	char *bytes;
	size_t n, cap;
};

static bool piece_reserve(struct piece *p, size_t more)
{
	if (p->bytes && more <= p->cap - p->n)
		return true;
	size_t cap = 2 * (p->n + more) + 1; /* + 1, because an empty piece needs memory, too */
	char *bigger = realloc(p->bytes, cap);
	if (!bigger)
		return false;
	p->bytes = bigger;
	p->cap = cap;
	return true;
}

/* Add the text before a match, which does not change, and the replacement of the match. */
static bool piece_add(
		struct piece *p, const struct text *t, struct find_match match, const char *by, size_t n)
{
	size_t kept = match.pos - (p->pos + p->len);

	if (!piece_reserve(p, kept + n))
		return false;
	text_copy(t, p->pos + p->len, p->bytes + p->n, kept);
	memcpy(p->bytes + p->n + kept, by, n);
	p->n += kept + n;
	p->len += kept + match.len;
	return true;
}

/* Build the piece of a range and count the matches. False when out of memory. */
static bool make_piece(const struct editor *e, struct find *f, const char *by, struct editor_range range,
		struct piece *p, size_t *count)
{
	struct find_match match;
	size_t from = range.from, n;
	bool is_first = true;

	for (; find_next(f, e->text, from, range.to, &match);
			from = match.pos + (match.len ? match.len : 1)) {
		char *new = find_replacement(f, e->text, match, by, &n);
		if (is_first)
			p->pos = match.pos;
		is_first = false;
		bool is_added = new &&piece_add(p, e->text, match, new, n);
		free(new);
		if (!is_added)
			return false;
		++*count;
	}
	return true;
}

static int put_piece(struct editor *e, const struct piece *p)
{
	int r = history_delete(e->history, p->pos, p->len);

	return r == 0 ? history_insert(e->history, p->pos, p->bytes, p->n) : r;
}

unsigned editor_replace_all(struct editor *e, struct find *f, const char *by,
		const struct editor_range *ranges, size_t n_ranges, size_t *ret_count)
{
	unsigned bits = DONE | EDITOR_CHANGED;

	*ret_count = 0;
	e->burst = BURST_NONE;
	e->goal_col = NO_GOAL;
	history_begin(e->history, e->sel, false);
	/* The last range comes first, so that the other ranges keep their positions. */
	for (size_t i = 0; i < n_ranges && !(bits & EDITOR_NOMEM); i++) {
		struct piece p = {0};
		size_t count = 0;
		if (!make_piece(e, f, by, ranges[i], &p, &count) || (count && put_piece(e, &p) < 0))
			bits |= EDITOR_NOMEM;
		else
			*ret_count += count;
		if (count && i == 0)
			e->sel.anchor = e->sel.cursor = p.pos + p.n;
		free(p.bytes);
	}
	size_t len = text_len(e->text);
	e->sel.anchor = e->sel.cursor = e->sel.cursor < len ? e->sel.cursor : len;
	history_end(e->history, e->sel);
	editor_show_cursor(e);
	return bits;
}
