/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "syntax/syntax_internal.h"
#include "text/history.h"
#include "text/text.h"

struct syntax *syntax_create(void)
{
	struct syntax *s = calloc(1, sizeof(*s));
	if (s)
		s->window = SYNTAX_WINDOW;
	return s;
}

void syntax_destroy(struct syntax *s)
{
	if (!s)
		return;
	syntax_reset(s);
	memo_finish(s);
	free(s->segments);
	ts_parser_delete(s->parser);
	free(s);
}

void syntax_reset(struct syntax *s)
{
	if (!s)
		return;
	parse_cancel(s);
	if (s->parser)
		ts_parser_reset(s->parser);
	memo_forget(s);
	s->n_untold = 0;
	for (size_t i = 0; i < s->n; i++)
		ts_tree_delete(s->segments[i].tree);
	s->n = s->closed = s->known = s->tried = 0;
	s->fresh_from = s->fresh_to = 0;
	s->window = SYNTAX_WINDOW;
}

void syntax_set_language(struct syntax *s, const struct syntax_language *l)
{
	if (!s || s->language == l)
		return;
	syntax_reset(s);
	if (!s->parser)
		s->parser = ts_parser_new();
	s->language = s->parser && l && ts_parser_set_language(s->parser, l->grammar) ? l : NULL;
}

size_t segment_start(const struct syntax *s, size_t i)
{
	size_t start = 0;
	for (size_t k = 0; k < i; k++)
		start += s->segments[k].bytes;
	return start;
}

/* ---- edits ---- */

static TSPoint point(struct text_place place, size_t first_line)
{
	return (TSPoint){.row = (uint32_t)(place.line - first_line), .column = (uint32_t)place.column};
}

void segment_apply_edits(struct syntax *s)
{
	for (size_t i = 0; i < s->n_untold; i++) {
		TSTree *tree = s->segments[s->untold[i].segment].tree;
		if (tree)
			ts_tree_edit(tree, &s->untold[i].edit);
	}
	s->n_untold = 0;
}

/* Record an edit for segment i, whose tree begins at `origin`. */
static void edit_tree(struct syntax *s, size_t i, const struct text *after, size_t origin,
		const struct text_edit *edit)
{
	size_t first_line = text_line_of(after, origin), at = edit->pos - origin;
	s->segments[i].is_dirty = true;
	if (s->n_untold == UNTOLD_MAX)
		segment_apply_edits(s);
	s->untold[s->n_untold++] = (struct untold){
			i, {.start_byte = (uint32_t)at,
					   .old_end_byte = (uint32_t)(at + edit->removed),
					   .new_end_byte = (uint32_t)(at + edit->inserted),
					   .start_point = point(edit->start, first_line),
					   .old_end_point = point(edit->old_end, first_line),
					   .new_end_point = point(edit->new_end, first_line)}};
}

void segment_loosen(struct syntax *s, size_t i)
{
	s->tried = 0;
	s->window = SYNTAX_WINDOW;
	if (i >= s->closed)
		return;
	s->closed = i;
	s->known = segment_start(s, i);
}

/* The segment that holds the byte at `pos`, or that ends at `pos` if none begins there; n after the last. */
static size_t find_segment(const struct syntax *s, size_t pos, size_t *ret_start)
{
	size_t i = 0, start = 0;
	while (i < s->n
			&& (pos > start + s->segments[i].bytes
					|| (pos == start + s->segments[i].bytes && i + 1 < s->n)))
		start += s->segments[i++].bytes;
	*ret_start = start;
	return i;
}

/* Remove `removed` bytes at `pos` from the segments, starting with segment i, which begins at `start`.
 * Trees of segments that lose bytes no longer match their text. */
static void cut_out(struct syntax *s, size_t i, size_t start, size_t pos, size_t removed)
{
	for (; i < s->n && removed > 0; i++) {
		struct segment *g = &s->segments[i];
		size_t before = pos > start ? pos - start : 0;
		size_t cut = g->bytes > before ? g->bytes - before : 0;
		cut = cut < removed ? cut : removed;
		start += g->bytes - cut;
		g->bytes -= cut;
		removed -= cut;
		if (cut == 0)
			continue;
		if (before == 0)
			g->lead += cut; /* what is left is the end of it */
		else
			g->is_dirty = true;
	}
}

void syntax_edited(void *user, const struct text *after, const struct text_edit *edit)
{
	struct syntax *s = user;
	size_t start;
	if (!s || !s->language)
		return;
	parse_cancel(s);
	memo_edited(s, edit->pos, edit->removed, edit->inserted);
	size_t i = find_segment(s, edit->pos, &start);
	bool continues = edit->removed == 0 && edit->pos == s->fresh_to && s->fresh_from < s->fresh_to;
	s->fresh_from = continues ? s->fresh_from : edit->pos;
	s->fresh_to = edit->pos + edit->inserted;
	if (i >= s->closed)
		segment_loosen(s, i);
	if (i >= s->n)
		return;
	struct segment *g = &s->segments[i];
	size_t end = start + g->bytes, len_before = text_len(after) + edit->removed - edit->inserted;
	bool reaches_out = edit->pos + edit->removed >= end && end < len_before;
	bool is_big = edit->inserted > 2 * SYNTAX_WINDOW;
	bool is_at_start = i > 0 && edit->start.line == text_line_of(after, start);
	if (reaches_out || is_big) {
		segment_apply_edits(s);
		segment_loosen(s, i);
		cut_out(s, i, start, edit->pos, edit->removed);
		g->bytes += edit->inserted;
		g->is_dirty = true;
		ts_tree_delete(g->tree);
		g->tree = NULL;
	} else {
		edit_tree(s, i, after, start - g->lead, edit);
		g->bytes += edit->inserted - edit->removed;
		if (edit->pos < start + g->last)
			g->last += edit->inserted - edit->removed;
		else if (end < len_before)
			segment_loosen(s, i);
	}
	if (is_at_start)
		segment_loosen(s, i - 1);
	if (i < s->closed)
		s->known += edit->inserted - edit->removed;
}

bool syntax_is_beyond(const struct syntax *s, size_t from)
{
	return s && s->language && from >= SYNTAX_REACH;
}
