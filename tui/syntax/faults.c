/* SPDX-License-Identifier: MIT */
/* What of an error in the tree is worth being shown. The node of an error may reach over all that follows it:
 * of that only what the person can mend is marked. */
#include <string.h>

#include "syntax/syntax_internal.h"

#define TOKENS_MAX 4000 /* of an error that are looked at */
#define OPEN_MAX 64     /* brackets within each other */
#define LINE_MAX_BYTES 512

static void mark_range(uint32_t start, uint32_t end, uint32_t from, uint32_t to, uint8_t *kinds)
{
	for (uint32_t at = start > from ? start : from; at < end && at < to; at++)
		kinds[at - from] |= SYNTAX_FAULT;
}

/* 1 opens, -1 closes, 0: no bracket. */
static int bracket_turn(TSNode token)
{
	const char *type = ts_node_type(token);

	if (ts_node_is_named(token) || !type[0] || type[1])
		return 0;
	return strchr("([{", type[0]) ? 1 : strchr(")]}", type[0]) ? -1 : 0;
}

/* The brackets among the error's own tokens that have no partner. False: there are none. */
static bool mark_brackets(TSNode error, uint32_t from, uint32_t to, uint8_t *kinds)
{
	uint32_t open[OPEN_MAX], n_open = 0;
	TSTreeCursor c = ts_tree_cursor_new(error);
	bool is_more = ts_tree_cursor_goto_first_child(&c), has_surplus = false;

	for (size_t i = 0; is_more && i < TOKENS_MAX; i++, is_more = ts_tree_cursor_goto_next_sibling(&c)) {
		TSNode token = ts_tree_cursor_current_node(&c);
		int turn = bracket_turn(token);
		if (turn > 0 && n_open < OPEN_MAX)
			open[n_open++] = ts_node_start_byte(token);
		if (turn >= 0)
			continue;
		has_surplus |= n_open == 0;
		if (n_open == 0)
			mark_range(ts_node_start_byte(token), ts_node_end_byte(token), from, to, kinds);
		n_open -= n_open > 0;
	}
	ts_tree_cursor_delete(&c);
	for (uint32_t i = 0; i < n_open; i++)
		mark_range(open[i], open[i] + 1, from, to, kinds);
	return n_open > 0 || has_surplus;
}

/* What it covers of its first line, without the blanks around. */
static void mark_first_line(
		TSNode error, const struct source *source, uint32_t from, uint32_t to, uint8_t *kinds)
{
	char bytes[LINE_MAX_BYTES];
	uint32_t start = ts_node_start_byte(error), end = ts_node_end_byte(error);
	size_t n = syntax_source_read(
			source, start, bytes, end - start < sizeof bytes ? end - start : sizeof bytes);
	size_t blank = 0;

	while (blank < n && memchr(" \t\r\n", bytes[blank], 4))
		blank++;
	const char *newline = memchr(bytes + blank, '\n', n - blank);
	size_t stop = newline ? (size_t)(newline - bytes) : n;
	while (stop > blank && memchr(" \t\r", bytes[stop - 1], 3))
		stop--;
	mark_range(start + (uint32_t)blank, start + (uint32_t)stop, from, to, kinds);
}

/* A missing token has no place of its own: the last ink before it. */
static void mark_before(uint32_t at, const struct source *source, uint32_t from, uint32_t to, uint8_t *kinds)
{
	char bytes[64];
	uint32_t start = at > sizeof bytes ? at - (uint32_t)sizeof bytes : 0;
	size_t n = syntax_source_read(source, start, bytes, at - start);

	while (n > 0 && memchr(" \t\r\n", bytes[n - 1], 4))
		n--;
	if (n > 0)
		mark_range(start + (uint32_t)n - 1, start + (uint32_t)n, from, to, kinds);
}

void faults_mark(TSNode error, const struct source *source, uint32_t from, uint32_t to, uint8_t *kinds)
{
	if (ts_node_is_missing(error))
		mark_before(ts_node_start_byte(error), source, from, to, kinds);
	else if (!mark_brackets(error, from, to, kinds))
		mark_first_line(error, source, from, to, kinds);
}
