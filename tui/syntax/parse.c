/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "syntax/syntax_internal.h"
#include "text/text.h"

void parse_cancel(struct syntax *s)
{
	/* The parser frees its state when the next parse begins, so that a key does not wait for that. */
	s->is_parsing = s->from_scratch = false;
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

/* Tell a tree made from `span` bytes that only the first ones are its own. Text after them may be edited
 * without telling the tree. */
static void cut_tree(TSTree *tree, const struct text *t, size_t start, size_t span, size_t bytes)
{
	TSPoint end = point_at(t, start, start + bytes);
	if (span > bytes)
		ts_tree_edit(tree, &(TSInputEdit){.start_byte = (uint32_t)bytes,
						   .old_end_byte = (uint32_t)span,
						   .new_end_byte = (uint32_t)bytes,
						   .start_point = end,
						   .old_end_point = point_at(t, start, start + span),
						   .new_end_point = end});
}

/* ---- where segments end ---- */

static bool is_terminator(TSNode node)
{
	const char *type = ts_node_type(node);
	return !ts_node_is_named(node) && *type && strchr("\n;&", *type);
}

/* Does the line continue an earlier statement? By itself it may look like a new one. */
static bool parse_continues(const struct syntax *s, const struct text *t, size_t pos)
{
	char word[16] = " ";
	size_t n = text_copy(t, pos, word + 1, 12), len = 1;
	n = n < 12 ? n : 12;
	while (len <= n && word[len] >= 'a' && word[len] <= 'z')
		len++;
	memcpy(word + len, " ", 2);
	return len > 1 && strstr(s->language->goes_on, word);
}

/* The start of the last statement of the top level that begins a line: everything before it is closed.
 * Loose nodes at the top level, whose statement has no end, do not count, nor does anything after them. Nor
 * do statements after an error, because they may be the inside of a string that continues after the `bytes`
 * that were parsed. With `is_lenient` errors do not matter, but only the first half of the bytes counts. A
 * comment counts only if there is nothing else, because the text after it may belong to the text before it.
 * 0: there is none. */
static size_t find_cut(const struct syntax *s, const struct text *t, size_t start, const TSTree *tree,
		size_t bytes, bool is_lenient)
{
	TSTreeCursor c = ts_tree_cursor_new(ts_tree_root_node(tree));
	size_t cut = 0, before = 0, comment = 0;
	bool is_more = ts_tree_cursor_goto_first_child(&c);
	for (; is_more; is_more = ts_tree_cursor_goto_next_sibling(&c)) {
		TSNode node = ts_tree_cursor_current_node(&c);
		size_t at = ts_node_start_byte(node);
		if (is_terminator(node))
			continue;
		if (!ts_node_is_named(node) || (is_lenient && at > bytes / 2))
			break;
		bool is_comment = strcmp(ts_node_type(node), "comment") == 0;
		if (is_comment && ts_node_start_point(node).column == 0)
			comment = at;
		if (!is_comment && ts_node_start_point(node).column == 0) {
			before = cut;
			cut = at;
		}
		if (ts_node_has_error(node) && !is_lenient)
			break;
	}
	ts_tree_cursor_delete(&c);
	if (cut && parse_continues(s, t, start + cut))
		cut = before && !parse_continues(s, t, start + before) ? before : 0;
	return cut ? cut : comment;
}

/* The start of the last statement of the top level that begins a line before `limit`. */
static size_t find_last(const TSTree *tree, size_t limit)
{
	TSNode root = ts_tree_root_node(tree);
	for (uint32_t i = ts_node_child_count(root); i > 0; i--) {
		TSNode node = ts_node_child(root, i - 1);
		if (ts_node_is_named(node) && ts_node_start_byte(node) < limit
				&& ts_node_start_point(node).column == 0
				&& strcmp(ts_node_type(node), "comment") != 0)
			return ts_node_start_byte(node);
	}
	return 0;
}

/* Did the parse end with everything closed? A here-document without its end is no error in the tree: it
 * has an end of no width. */
bool parse_is_closed(TSNode node)
{
	if (ts_node_has_error(node))
		return false;
	for (uint32_t n = ts_node_child_count(node); n > 0; n = ts_node_child_count(node))
		node = ts_node_child(node, n - 1);
	return ts_node_start_byte(node) < ts_node_end_byte(node);
}

/* About as many bytes from `start` on as requested, up to the end of a line. */
static size_t window_at(const struct text *t, size_t start, size_t wanted)
{
	size_t len = text_len(t), end = start + wanted;
	if (end >= len)
		return len - start;
	size_t line_end = text_line_end(t, text_line_of(t, end)) + 1;
	if (line_end - start > wanted + SYNTAX_WINDOW_MAX)
		return wanted; /* inside an endless line */
	return (line_end < len ? line_end : len) - start;
}

/* ---- taking what was parsed ---- */

/* Remove `bytes` from the front of the remains. */
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
	if (gone > s->closed)
		memmove(s->segments + s->closed, s->segments + gone, (s->n - gone) * sizeof(*s->segments));
	s->n -= gone - s->closed;
}

/* Put a segment in front of the remains. Takes the tree, even on failure. */
static bool put_segment(struct syntax *s, TSTree *tree, size_t bytes, size_t lead)
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
	s->segments[s->closed] = (struct segment){.tree = tree, .bytes = bytes, .lead = lead};
	s->n++;
	return true;
}

/* The text after the closed segments has been parsed for `bytes`: close as much of it as possible. */
static void take_window(struct syntax *s, const struct text *t, TSTree *tree, size_t bytes)
{
	bool is_all = s->known + bytes == text_len(t);
	size_t cut = is_all ? bytes : find_cut(s, t, s->known, tree, bytes, bytes >= 4 * SYNTAX_WINDOW);
	if (cut == 0 && bytes >= SYNTAX_WINDOW_MAX)
		cut = bytes;
	eat_remains(s, bytes);
	if (cut < bytes && !put_segment(s, ts_tree_copy(tree), bytes - cut, cut)) {
		ts_tree_delete(tree);
		return;
	}
	if (cut == 0) { /* it is shown, and parsed again with more text if somebody looks further */
		ts_tree_delete(tree);
		s->tried = bytes;
		s->window = 2 * bytes;
		return;
	}
	if (!put_segment(s, tree, cut, 0))
		return;
	s->segments[s->closed].last = find_last(tree, cut);
	s->segments[s->closed].is_rough = cut < bytes && ts_node_has_error(ts_tree_root_node(tree));
	cut_tree(tree, t, s->known, bytes, cut);
	s->closed++;
	s->known += cut;
	s->tried = 0;
	s->window = SYNTAX_WINDOW;
}

/* A closed segment has been parsed again. */
static void take_segment(struct syntax *s, const struct text *t, size_t i, TSTree *tree)
{
	struct segment *g = &s->segments[i];
	bool was_edited = g->is_dirty, is_last = i + 1 == s->closed && s->known == text_len(t);
	size_t last = find_last(tree, g->bytes);
	/* If its last statement is different now, that statement may continue in the next segment. */
	bool is_sound = is_last || !was_edited
			|| (parse_is_closed(ts_tree_root_node(tree)) && last == g->last);
	ts_tree_delete(g->tree);
	g->tree = tree;
	g->last = last;
	g->is_dirty = g->is_rough = g->is_plain = false;
	if (is_sound && (!was_edited || g->bytes <= 4 * SYNTAX_WINDOW))
		return;
	if (is_sound && find_cut(s, t, segment_start(s, i), tree, g->bytes, false) == 0)
		return;
	segment_loosen(s, i);
}

/* Keep only trees near the part that is shown, including its own. */
static void forget_far(struct syntax *s, size_t from, size_t to)
{
	size_t kept = 0, far = s->n, start = 0, most = 0;
	for (size_t i = 0; i < s->n; start += s->segments[i++].bytes) {
		const struct segment *g = &s->segments[i];
		size_t away = start > from ? start - from : from - start;
		if (!g->tree || (g->is_dirty && i < s->closed))
			continue;
		kept++;
		if (away >= most && (start >= to || start + g->bytes <= from)) {
			most = away;
			far = i;
		}
	}
	if (kept <= SYNTAX_TREES || far == s->n)
		return;
	ts_tree_delete(s->segments[far].tree);
	s->segments[far].tree = NULL;
}

/* ---- work ---- */

/* Find the next segment to parse; s->closed means the text after them. False: there is nothing to do. */
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
		if (g->is_dirty || (is_seen && ((!g->tree && !g->is_plain) || g->is_rough)))
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

/* The tree that the parse may build on. Text after the closed segments is parsed from scratch: parts of
 * an old tree would keep the meaning that they had after different text. */
static const TSTree *old_tree(const struct syntax *s)
{
	bool is_anew = s->from_scratch || s->job >= s->closed || s->segments[s->job].is_rough;
	return is_anew ? NULL : s->segments[s->job].tree;
}

/* Is there a line for which the grammar's scanner would take time quadratic in its length? */
static bool is_too_slow(const struct syntax *s, const struct text *t)
{
	size_t end = s->job_start + s->job_bytes;
	if (!s->language->counts_columns)
		return false;
	for (size_t line = text_line_of(t, s->job_start);; line++) {
		size_t start = text_line_start(t, line);
		if (start >= end || line >= text_lines(t))
			return false;
		if (text_line_end(t, line) - start > SYNTAX_COLUMNS)
			return true;
	}
}

/* Leave the job's bytes without colors. */
static void leave_plain(struct syntax *s)
{
	if (s->job >= s->closed) {
		eat_remains(s, s->job_bytes);
		if (!put_segment(s, NULL, s->job_bytes, 0))
			return;
		s->closed++;
		s->known += s->job_bytes;
		s->tried = 0;
		s->window = SYNTAX_WINDOW;
	}
	struct segment *g = &s->segments[s->job];
	ts_tree_delete(g->tree);
	*g = (struct segment){.bytes = g->bytes, .is_plain = true};
}

bool syntax_work(struct syntax *s, const struct text *t, size_t from, size_t to, unsigned budget_us)
{
	size_t job;
	if (!find_job(s, t, from, to, &job))
		return false;
	segment_apply_edits(s);
	if (s->is_parsing && s->job != job)
		parse_cancel(s);
	if (!s->is_parsing) {
		/* This discards a parse that was given up. Scanners of grammars (Python's) keep state of
		 * the last parse, and setting the language creates a new scanner. */
		ts_parser_set_language(s->parser, s->language->grammar);
		s->job = job;
		s->job_start = segment_start(s, job);
		s->job_bytes = job < s->closed ? s->segments[job].bytes
					       : window_at(t, s->job_start, s->window);
		if (is_too_slow(s, t)) {
			memo_forget(s);
			leave_plain(s);
			return true;
		}
	}
	struct window window = {.text = t, .start = s->job_start, .bytes = s->job_bytes};
	TSInput input = {.payload = &window, .read = read_window, .encoding = TSInputEncodingUTF8};
	ts_parser_set_timeout_micros(s->parser, budget_us);
	const TSTree *old = old_tree(s);
	TSTree *tree = ts_parser_parse(s->parser, old, input);
	s->is_parsing = tree == NULL;
	if (!tree)
		return false;
	/* Parts of an old tree may bring its errors along. */
	s->from_scratch =
			old && !parse_is_closed(ts_tree_root_node(tree)) && s->job_bytes <= SYNTAX_WINDOW_MAX;
	if (s->from_scratch) {
		ts_tree_delete(tree);
		return false;
	}
	s->fresh_from = s->fresh_to = 0;
	memo_forget(s);
	if (job < s->closed)
		take_segment(s, t, job, tree);
	else
		take_window(s, t, tree, s->job_bytes);
	forget_far(s, from, to);
	return true;
}
