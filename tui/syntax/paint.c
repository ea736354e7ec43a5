/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "syntax/syntax_internal.h"
#include "text/text.h"

#define DEPTH_MAX 400               /* levels of nodes; deeper ones look like their surroundings */
#define WORD_MAX 24                 /* bytes of the longest word in a rule */
#define SYMBOL_ERROR ((TSSymbol)-1) /* tree-sitter's symbol of errors, the same in all grammars */
#define CUT_TELLS 2048              /* errors this close to the end of a cut text may be caused by the cut */
#define FRESH_MAX 256               /* bytes of typing that take the look of the text before them */

struct node {
	const struct node *parent;
	TSSymbol symbol;
	TSFieldId field;
	uint8_t kind;
	uint32_t start, end;
};

struct painter {
	const struct syntax_language *language;
	const struct source *source;
	TSTreeCursor cursor;
	uint32_t from, to;
	uint32_t sure_to; /* errors before this byte are certain */
	uint32_t goal;    /* the first byte from there on that is not blank */
	uint8_t *kinds;
};

size_t syntax_source_read(const struct source *s, uint32_t at, char *out, size_t n)
{
	if (s->text)
		return text_copy(s->text, s->start + at, out, n);
	n = at < s->len ? (n < s->len - at ? n : s->len - at) : 0;
	memcpy(out, s->bytes + at, n);
	return n;
}

static size_t read_word(const struct source *s, const struct node *node, char *out, size_t cap)
{
	return syntax_source_read(
			s, node->start, out, node->end - node->start < cap ? node->end - node->start : cap);
}

/* Is the node's text one of the words of a rule? */
static bool has_word(const struct source *s, const struct node *node, const char *words)
{
	char word[WORD_MAX + 3] = " ";
	size_t n = read_word(s, node, word + 1, WORD_MAX);
	if (words[0] == '^')
		return n > 0 && word[1] == words[1];
	if (n == 0 || node->end - node->start > WORD_MAX || memchr(word + 1, ' ', n)
			|| memchr(word + 1, '\0', n))
		return false;
	word[n + 1] = ' ';
	word[n + 2] = '\0';
	return strstr(words, word) != NULL;
}

static bool rule_fits(const struct painter *p, const struct rule *rule, const struct node *node)
{
	const struct node *parent = node->parent, *grand = parent ? parent->parent : NULL;
	if (rule->field && rule->field != node->field)
		return false;
	if (rule->parent && (!parent || rule->parent != parent->symbol))
		return false;
	if (rule->role && (!parent || rule->role != parent->field))
		return false;
	if (rule->grand && (!grand || rule->grand != grand->symbol))
		return false;
	return !rule->words || has_word(p->source, node, rule->words);
}

static uint8_t kind_of(const struct painter *p, const struct node *node)
{
	const struct syntax_language *l = p->language;
	uint8_t around = node->parent ? node->parent->kind : SYNTAX_TEXT;
	if (node->symbol >= l->n_symbols) /* an error */
		return around;
	for (uint16_t i = l->first[node->symbol]; i; i = l->rules[i].next)
		if (rule_fits(p, &l->rules[i], node))
			return l->rules[i].kind;
	return around == SYNTAX_TEXT && l->plain[node->symbol] != SYNTAX_INHERIT ? l->plain[node->symbol]
										 : around;
}

static void fill_node(const struct painter *p, const struct node *node)
{
	uint32_t start = node->start > p->from ? node->start : p->from;
	uint32_t end = node->end < p->to ? node->end : p->to;
	if (start < end)
		memset(p->kinds + (start - p->from), node->kind, end - start);
}

/* Go to the first child that reaches past the goal. The library's own function does not return from
 * hidden nodes that reach that far with only blanks. So the goal is never a blank, and if the function
 * still fails, we walk through the children. */
static bool enter(struct painter *p)
{
	if (ts_tree_cursor_goto_first_child_for_byte(&p->cursor, p->goal) >= 0)
		return true;
	if (!ts_tree_cursor_goto_first_child(&p->cursor))
		return false;
	do
		if (ts_node_end_byte(ts_tree_cursor_current_node(&p->cursor)) > p->goal)
			return true;
	while (ts_tree_cursor_goto_next_sibling(&p->cursor));
	ts_tree_cursor_goto_parent(&p->cursor);
	return false;
}

/* Mark the node if it is an error. Missing tokens have no width, so the painter never visits them: mark
 * them from their parent. */
static void mark_faults(const struct painter *p, TSNode at)
{
	if (ts_node_symbol(at) == SYMBOL_ERROR)
		faults_mark(at, p->source, p->from, p->to, p->kinds);
	TSTreeCursor c = ts_tree_cursor_new(at);
	bool is_more = ts_tree_cursor_goto_first_child(&c);
	for (; is_more; is_more = ts_tree_cursor_goto_next_sibling(&c))
		if (ts_node_is_missing(ts_tree_cursor_current_node(&c)))
			faults_mark(ts_tree_cursor_current_node(&c), p->source, p->from, p->to, p->kinds);
	ts_tree_cursor_delete(&c);
}

/* Paint the cursor's node, then its children over it. */
static void paint_children(struct painter *p, const struct node *parent, int depth)
{
	TSNode at = ts_tree_cursor_current_node(&p->cursor);
	struct node node = {.parent = parent,
			.symbol = ts_node_symbol(at),
			.field = ts_tree_cursor_current_field_id(&p->cursor),
			.start = ts_node_start_byte(at),
			.end = ts_node_end_byte(at)};
	if (node.end <= p->goal || node.start >= p->to)
		return;
	node.kind = kind_of(p, &node);
	if (!parent || node.kind != parent->kind)
		fill_node(p, &node);
	bool is_inside = depth < DEPTH_MAX
			 && (node.start < p->goal ? enter(p) : ts_tree_cursor_goto_first_child(&p->cursor));
	if (is_inside) {
		do {
			if (ts_node_start_byte(ts_tree_cursor_current_node(&p->cursor)) >= p->to)
				break;
			paint_children(p, &node, depth + 1);
		} while (ts_tree_cursor_goto_next_sibling(&p->cursor));
		ts_tree_cursor_goto_parent(&p->cursor);
	}
	if (node.end < p->sure_to && ts_node_has_error(at))
		mark_faults(p, at);
}

static uint32_t find_ink(const struct source *s, uint32_t from, uint32_t to)
{
	char bytes[64];
	while (from < to) {
		size_t n = syntax_source_read(
				s, from, bytes, to - from < sizeof(bytes) ? to - from : sizeof(bytes));
		if (n == 0)
			return to;
		for (size_t i = 0; i < n; i++, from++)
			if (!strchr(" \t\r\n", bytes[i]) || bytes[i] == '\0')
				return from;
	}
	return to;
}

/* Fill in the kinds of bytes [from, to), counted as in the tree; kinds[0] is that of byte `from`. Errors
 * before `sure_to` get SYNTAX_FAULT. */
static void paint_tree(const struct syntax_language *l, const TSTree *tree, const struct source *source,
		uint32_t from, uint32_t to, uint32_t sure_to, uint8_t *kinds)
{
	struct painter p = {.language = l,
			.source = source,
			.from = from,
			.to = to,
			.sure_to = l->is_sure ? sure_to : 0,
			.kinds = kinds};
	p.goal = find_ink(source, from, to);
	p.cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
	paint_children(&p, NULL, 0);
	ts_tree_cursor_delete(&p.cursor);
}

/* The byte up to which errors of a segment's tree are certain. If the text of the segment was cut, errors
 * near the cut may come from the cut itself. */
static uint32_t sure_end(const struct syntax *s, const struct segment *g, size_t i, size_t behind)
{
	uint32_t end = ts_node_end_byte(ts_tree_root_node(g->tree));

	if (g->is_dirty || g->is_rough)
		return 0;
	if (i < s->closed || behind == 0)
		return UINT32_MAX;
	return end > CUT_TELLS ? end - CUT_TELLS : 0;
}

static void paint_segments(
		const struct syntax *s, const struct text *t, size_t from, size_t to, uint8_t *kinds)
{
	size_t start = 0;
	memset(kinds, SYNTAX_TEXT, to - from);
	for (size_t i = 0; i < s->n && start < to; start += s->segments[i++].bytes) {
		const struct segment *g = &s->segments[i];
		size_t end = start + g->bytes;
		if (!g->tree || end <= from)
			continue;
		size_t first = start > from ? start : from, last = end < to ? end : to;
		size_t origin = start - g->lead; /* may wrap; adding the offset wraps it back */
		struct source source = {.text = t, .start = origin};
		paint_tree(s->language, g->tree, &source, (uint32_t)(first - origin),
				(uint32_t)(last - origin), sure_end(s, g, i, text_len(t) - end),
				kinds + (first - from));
	}
}

static void paint_known(struct syntax *s, const struct text *t, size_t from, size_t to, uint8_t *kinds)
{
	if (memo_get(s, from, to, kinds))
		return;
	segment_apply_edits(s);
	paint_segments(s, t, from, to, kinds);
	memo_put(s, from, to, kinds);
}

static bool is_word(unsigned char c)
{
	unsigned char lower = c | 0x20;
	return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c >= 0x80;
}

/* Text typed since the last parse gets the kind of the text before it, which will most likely turn out
 * right. */
static void paint_fresh(struct syntax *s, const struct text *t, size_t from, size_t to, uint8_t *kinds)
{
	char before, c;
	uint8_t kind = SYNTAX_TEXT;
	if (s->fresh_from == 0 || s->fresh_to <= from || s->fresh_from >= to
			|| s->fresh_to - s->fresh_from > FRESH_MAX)
		return;
	paint_known(s, t, s->fresh_from - 1, s->fresh_from, &kind);
	kind &= (uint8_t)~SYNTAX_FAULT;
	bool is_quoted = kind == SYNTAX_STRING || kind == SYNTAX_COMMENT;
	if (text_copy(t, s->fresh_from - 1, &before, 1) != 1 || before == '\n')
		return;
	for (size_t pos = s->fresh_from; pos < s->fresh_to && pos < to; pos++) {
		bool goes_on = text_copy(t, pos, &c, 1) == 1 && c != '\n'
			       && (is_quoted
					       || (is_word((unsigned char)before)
							       && is_word((unsigned char)c)));
		if (!goes_on)
			return;
		if (pos >= from)
			kinds[pos - from] = kind;
	}
}

void syntax_paint(struct syntax *s, const struct text *t, size_t from, size_t to, uint8_t *kinds)
{
	syntax_paint_faults(s, t, from, to, kinds);
	for (size_t i = 0; from + i < to; i++)
		kinds[i] &= (uint8_t)~SYNTAX_FAULT;
}

void syntax_paint_faults(struct syntax *s, const struct text *t, size_t from, size_t to, uint8_t *kinds)
{
	if (to <= from)
		return;
	if (!s || !s->language) {
		memset(kinds, SYNTAX_TEXT, to - from);
		return;
	}
	paint_known(s, t, from, to, kinds);
	paint_fresh(s, t, from, to, kinds);
}

static bool is_quoted(uint8_t kind)
{
	return kind == SYNTAX_STRING || kind == SYNTAX_ESCAPE || kind == SYNTAX_COMMENT;
}

bool syntax_is_code(struct syntax *s, const struct text *t, size_t pos)
{
	uint8_t kind = SYNTAX_TEXT;
	syntax_paint(s, t, pos, pos + 1, &kind);
	return !is_quoted(kind);
}

/* ---- brackets ---- */

#define BLOCK 1024

struct seeker {
	struct syntax *syntax;
	const struct text *text;
	char same, other; /* brackets of this kind: `same` opens another level, `other` closes one */
	size_t depth;
};

/* Search bytes [from, to) in the direction `step`. */
static bool seek_node(struct seeker *k, size_t from, size_t to, int step, size_t *ret)
{
	char bytes[BLOCK];
	uint8_t kinds[BLOCK];
	bool has_kinds = false;
	size_t n = text_copy(k->text, from, bytes, to - from);
	for (size_t i = 0; i < n; i++) {
		size_t at = step > 0 ? i : n - 1 - i;
		if (bytes[at] != k->same && bytes[at] != k->other)
			continue;
		if (!has_kinds)
			syntax_paint(k->syntax, k->text, from, from + n, kinds);
		has_kinds = true;
		if (is_quoted(kinds[at]))
			continue;
		k->depth += bytes[at] == k->same ? 1 : -(size_t)1;
		if (k->depth == 0) {
			*ret = from + at;
			return true;
		}
	}
	return false;
}

bool syntax_match(struct syntax *s, const struct text *t, size_t pos, size_t reach, size_t *ret)
{
	static const char opening[] = "([{", closing[] = ")]}";
	size_t len = text_len(t);
	char c;
	if (text_copy(t, pos, &c, 1) != 1 || c == '\0' || !(strchr(opening, c) || strchr(closing, c))
			|| !syntax_is_code(s, t, pos))
		return false;
	const char *open = strchr(opening, c);
	struct seeker k = {.syntax = s, .text = t, .same = c};
	k.other = open ? closing[open - opening] : opening[strchr(closing, c) - closing];
	for (size_t done = 0; done < reach; done += BLOCK) {
		size_t from, to;
		if (open) {
			from = pos + done;
			to = from + BLOCK < len ? from + BLOCK : len;
		} else {
			to = pos + 1 > done ? pos + 1 - done : 0;
			from = to > BLOCK ? to - BLOCK : 0;
		}
		if (from >= to)
			return false;
		if (seek_node(&k, from, to, open ? 1 : -1, ret))
			return true;
	}
	return false;
}

/* ---- a piece of text by itself ---- */

#ifndef HIGHLIGHT_US
#define HIGHLIGHT_US 20000
#endif

void syntax_highlight(const struct syntax_language *l, const char *code, size_t n, uint8_t *kinds)
{
	TSParser *parser = l && n < UINT32_MAX ? ts_parser_new() : NULL;
	TSTree *tree = NULL;
	memset(kinds, SYNTAX_TEXT, n);
	if (parser && ts_parser_set_language(parser, l->grammar)) {
		ts_parser_set_timeout_micros(parser, HIGHLIGHT_US);
		tree = ts_parser_parse_string(parser, NULL, code, (uint32_t)n);
	}
	if (tree)
		paint_tree(l, tree, &(struct source){.bytes = code, .len = n}, 0, (uint32_t)n, 0, kinds);
	ts_tree_delete(tree);
	ts_parser_delete(parser);
}
