/* SPDX-License-Identifier: MIT */
/* Which lines stand in strings: in Python's triple quotes, here-documents, JavaScript's templates. */
#include "syntax/syntax_internal.h"
#include "text/text.h"

#define KNOW_SLICE_US 5000

/* Is the statement of the top level that holds the byte whole? One that lacks a quote takes in what follows,
 * up to the next quote, and then it is followed by an error in the same line. */
static bool is_whole_statement(const TSTree *tree, size_t at)
{
	TSNode statement = ts_node_first_child_for_byte(ts_tree_root_node(tree), (uint32_t)at);
	if (ts_node_is_null(statement) || !parse_is_closed(statement))
		return false;
	TSNode next = ts_node_next_sibling(statement);
	return ts_node_is_null(next) || !ts_node_has_error(next)
	       || ts_node_start_point(next).row != ts_node_end_point(statement).row;
}

bool syntax_is_in_string(struct syntax *s, const struct text *t, size_t pos)
{
	uint8_t kind = SYNTAX_TEXT;
	size_t start = 0;
	syntax_paint(s, t, pos, pos + 1, &kind);
	if (kind != SYNTAX_STRING)
		return false;
	for (size_t i = 0; i < s->n; start += s->segments[i++].bytes) {
		const struct segment *g = &s->segments[i];
		if (pos >= start + g->bytes)
			continue;
		return g->is_dirty || (g->tree && is_whole_statement(g->tree, pos - (start - g->lead)));
	}
	return false;
}

bool syntax_is_closed(const struct syntax *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->segments[i].is_dirty || !s->segments[i].tree
				|| !parse_is_closed(ts_tree_root_node(s->segments[i].tree)))
			return false;
	return s->n > 0;
}

void syntax_know(struct syntax *s, const struct text *t, size_t to, unsigned budget_us)
{
	for (unsigned left = budget_us / KNOW_SLICE_US; left > 0 && syntax_is_behind(s, t, 0, to); left--)
		syntax_work(s, t, 0, to, KNOW_SLICE_US);
}
