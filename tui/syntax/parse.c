/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "syntax/inside.h"
#include "text/text.h"

void parse_cancel(struct syntax *s)
{
	if (s->is_parsing)
		ts_parser_reset(s->parser);
	s->is_parsing = false;
}

/* ---- the parser reads the text where it lies ---- */

struct window {
	const struct text *text;
	size_t start, bytes;
};

static const char *read_window(void *user, uint32_t at, TSPoint place, uint32_t *ret_len)
{
	const struct window *w = user;
	size_t n = 0;
	const char *bytes = at < w->bytes ? text_peek(w->text, w->start + at, &n) : "";
	(void)place;
	*ret_len = (uint32_t)(at < w->bytes && n > w->bytes - at ? w->bytes - at : n);
	return bytes;
}

static TSPoint point_at(const struct text *t, size_t origin, size_t pos)
{
	size_t line = text_line_of(t, pos);
	return (TSPoint){.row = (uint32_t)(line - text_line_of(t, origin)),
			.column = (uint32_t)(pos - text_line_start(t, line))};
}

/* Tell a tree made of `span` bytes that its text has `bytes` now: its end was cut off, or more came behind
 * it. */
static void fit(struct segment *g, const struct text *t, size_t start, size_t bytes)
{
	if (g->tree && g->span != bytes) {
		size_t both = g->span < bytes ? g->span : bytes;
		ts_tree_edit(g->tree, &(TSInputEdit){.start_byte = (uint32_t)both,
						      .old_end_byte = (uint32_t)g->span,
						      .new_end_byte = (uint32_t)bytes,
						      .start_point = point_at(t, start, start + both),
						      .old_end_point = point_at(t, start, start + g->span),
						      .new_end_point = point_at(t, start, start + bytes)});
	}
	g->span = bytes;
}

/* ---- where segments end ---- */

static bool is_terminator(TSNode node)
{
	const char *type = ts_node_type(node);
	return !ts_node_is_named(node) && *type && strchr("\n;&", *type);
}

/* The start of the last statement of the top level that begins a line: all before it is closed. What stands
 * loose there, because its statement has no end, and what follows are not such; a comment only if there is
 * nothing else, as what goes on behind it may belong to what is before. 0: there is none. */
static size_t find_cut(const TSTree *tree)
{
	TSTreeCursor c = ts_tree_cursor_new(ts_tree_root_node(tree));
	size_t cut = 0, comment = 0;
	bool is_more = ts_tree_cursor_goto_first_child(&c);
	for (; is_more; is_more = ts_tree_cursor_goto_next_sibling(&c)) {
		TSNode node = ts_tree_cursor_current_node(&c);
		if (!ts_node_is_named(node) && !is_terminator(node))
			break;
		if (is_terminator(node) || ts_node_start_point(node).column > 0)
			continue;
		if (strcmp(ts_node_type(node), "comment") == 0)
			comment = ts_node_start_byte(node);
		else
			cut = ts_node_start_byte(node);
	}
	ts_tree_cursor_delete(&c);
	return cut ? cut : comment;
}

/* Did the parse come to its end without something left open there? */
static bool is_closed(const TSTree *tree)
{
	TSNode root = ts_tree_root_node(tree);
	uint32_t n = ts_node_child_count(root);
	if (!ts_node_has_error(root))
		return true;
	if (strcmp(ts_node_type(root), "ERROR") == 0 || n == 0)
		return false;
	return !ts_node_has_error(ts_node_child(root, n - 1));
}

/* Bytes from `start` on that are about as many as wanted and end with a line. */
static size_t window_at(const struct text *t, size_t start, size_t wanted)
{
	size_t len = text_len(t), end = start + wanted;
	if (end >= len)
		return len - start;
	size_t line_end = text_line_end(t, text_line_of(t, end)) + 1;
	if (line_end - start > wanted + SYNTAX_WINDOW_MAX)
		return wanted; /* in the midst of an endless line */
	return (line_end < len ? line_end : len) - start;
}

/* ---- taking what was parsed ---- */

/* Take `bytes` off the front of the remains. */
static void eat_remains(struct syntax *s, size_t bytes)
{
	size_t gone = s->closed;
	while (gone < s->n && bytes >= s->segments[gone].bytes) {
		bytes -= s->segments[gone].bytes;
		ts_tree_delete(s->segments[gone++].tree);
	}
	if (gone < s->n && bytes > 0) {
		s->segments[gone].bytes -= bytes;
		s->segments[gone].lead += bytes;
	}
	memmove(s->segments + s->closed, s->segments + gone, (s->n - gone) * sizeof(*s->segments));
	s->n -= gone - s->closed;
}

/* Put a segment in front of the remains. Takes the tree, even if it fails. */
static bool put_segment(struct syntax *s, TSTree *tree, size_t bytes, size_t lead, size_t span)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 16;
		struct segment *bigger = realloc(s->segments, cap * sizeof(*bigger));
		if (!bigger) {
			ts_tree_delete(tree);
			return false;
		}
		s->segments = bigger;
		s->cap = cap;
	}
	memmove(s->segments + s->closed + 1, s->segments + s->closed,
			(s->n - s->closed) * sizeof(*s->segments));
	s->segments[s->closed] = (struct segment){.tree = tree, .bytes = bytes, .lead = lead, .span = span};
	s->n++;
	return true;
}

/* What is behind the closed segments has been parsed for `bytes`: close as much of it as can be. */
static void take_window(struct syntax *s, const struct text *t, TSTree *tree, size_t bytes)
{
	bool is_all = s->known + bytes == text_len(t);
	size_t cut = is_all ? bytes : find_cut(tree);
	if (cut == 0 && bytes >= SYNTAX_WINDOW_MAX)
		cut = bytes;
	eat_remains(s, bytes);
	if (cut < bytes && !put_segment(s, ts_tree_copy(tree), bytes - cut, cut, bytes)) {
		ts_tree_delete(tree);
		return;
	}
	if (cut == 0) { /* it is shown, and tried again with more if somebody looks behind it */
		ts_tree_delete(tree);
		s->tried = bytes;
		s->window = 2 * bytes;
		return;
	}
	if (!put_segment(s, tree, cut, 0, bytes))
		return;
	s->closed++;
	s->known += cut;
	s->tried = 0;
	s->window = SYNTAX_WINDOW;
}

/* A closed segment has been parsed again. */
static void take_segment(struct syntax *s, const struct text *t, size_t i, TSTree *tree)
{
	struct segment *g = &s->segments[i];
	bool is_last = i + 1 == s->closed && s->known == text_len(t);
	ts_tree_delete(g->tree);
	g->tree = tree;
	g->is_dirty = false;
	bool is_sound = is_last || is_closed(tree);
	if (is_sound && g->bytes <= 4 * SYNTAX_WINDOW)
		return;
	if (is_sound && find_cut(tree) == 0)
		return;
	s->known = segment_start(s, i);
	s->closed = i;
	s->tried = 0;
	s->window = is_sound ? SYNTAX_WINDOW : 2 * g->bytes;
	if (s->window < SYNTAX_WINDOW)
		s->window = SYNTAX_WINDOW;
}

/* Of all trees only those near what is looked at are kept. */
static void forget_far(struct syntax *s, size_t from)
{
	size_t kept = 0, far = 0, start = 0, most = 0;
	for (size_t i = 0; i < s->n; start += s->segments[i++].bytes) {
		const struct segment *g = &s->segments[i];
		size_t away = start > from ? start - from : from - start;
		if (!g->tree || (g->is_dirty && i < s->closed))
			continue;
		kept++;
		if (away >= most) {
			most = away;
			far = i;
		}
	}
	if (kept <= SYNTAX_TREES)
		return;
	ts_tree_delete(s->segments[far].tree);
	s->segments[far].tree = NULL;
}

/* ---- work ---- */

/* The segment to be parsed next; s->closed is what lies behind them. False: there is nothing to do. */
static bool find_job(const struct syntax *s, const struct text *t, size_t from, size_t to, size_t *ret)
{
	size_t start = 0, len = text_len(t);
	if (!s || !s->language)
		return false;
	to = to < len ? to : len;
	to = to < SYNTAX_REACH ? to : SYNTAX_REACH;
	for (size_t i = 0; i < s->closed; start += s->segments[i++].bytes) {
		const struct segment *g = &s->segments[i];
		bool is_seen = start < to && start + g->bytes > from;
		*ret = i;
		if (g->is_dirty || (is_seen && !g->tree))
			return true;
	}
	*ret = s->closed;
	return s->known < to && s->known + s->tried < to;
}

bool syntax_is_behind(const struct syntax *s, const struct text *t, size_t from, size_t to)
{
	size_t job;
	return find_job(s, t, from, to, &job);
}

/* The tree that the parse may build upon, told how long its text is now. */
static const TSTree *old_tree(struct syntax *s, const struct text *t)
{
	if (s->job >= s->n || s->segments[s->job].lead > 0)
		return NULL;
	struct segment *g = &s->segments[s->job];
	if (s->job == s->closed && s->job_start + g->span > text_len(t))
		return NULL; /* more was cut off than the segment */
	fit(g, t, s->job_start, s->job_bytes);
	return g->tree;
}

bool syntax_work(struct syntax *s, const struct text *t, size_t from, size_t to, unsigned budget_us)
{
	size_t job;
	if (!find_job(s, t, from, to, &job))
		return false;
	if (s->is_parsing && s->job != job)
		parse_cancel(s);
	if (!s->is_parsing) {
		s->job = job;
		s->job_start = segment_start(s, job);
		s->job_bytes = job < s->closed ? s->segments[job].bytes
					       : window_at(t, s->job_start, s->window);
	}
	struct window window = {.text = t, .start = s->job_start, .bytes = s->job_bytes};
	TSInput input = {.payload = &window, .read = read_window, .encoding = TSInputEncodingUTF8};
	ts_parser_set_timeout_micros(s->parser, budget_us);
	TSTree *tree = ts_parser_parse(s->parser, s->is_parsing ? NULL : old_tree(s, t), input);
	s->is_parsing = tree == NULL;
	if (!tree)
		return false;
	s->fresh_from = s->fresh_to = 0;
	if (job < s->closed)
		take_segment(s, t, job, tree);
	else
		take_window(s, t, tree, s->job_bytes);
	forget_far(s, from);
	return true;
}
