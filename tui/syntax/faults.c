/* SPDX-License-Identifier: MIT */
/* Selects what to mark of an error in a tree. The node of an error can cover all of the following code,
 * so only the part that the user can repair is marked. */
#include <string.h>

#include "syntax/syntax_internal.h"

#define TOKENS_MAX 4000 /* limit of the tokens examined per error */
#define OPEN_MAX 64     /* limit of nested brackets */
#define LINE_MAX_BYTES 512

static void mark_range(uint32_t start, uint32_t end, uint32_t from, uint32_t to, uint8_t *kinds)
{
	for (uint32_t at = start > from ? start : from; at < end && at < to; at++)
		kinds[at - from] |= SYNTAX_FAULT;
}

/* 1: opening bracket; -1: closing bracket; 0: no bracket. */
static int bracket_turn(TSNode token)
{
	const char *type = ts_node_type(token);

	if (ts_node_is_named(token) || !type[0] || type[1])
		return 0;
	return strchr("([{", type[0]) ? 1 : strchr(")]}", type[0]) ? -1 : 0;
}

/* Mark brackets without a partner among the error's own tokens. False: there are none. */
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

/* Mark the error's first line without the blanks around it. */
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

/* A missing token has no place of its own: mark the last visible character before it. */
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
