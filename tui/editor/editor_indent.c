/* SPDX-License-Identifier: MIT */
/* Indentation while typing: the indentation of a new line, and lines that move to their level when a closing
 * bracket or word is typed in them. Pasted text takes another path and is not changed. */
#include <string.h>

#include <terrarium/lang.h>

#include "editor/editor_internal.h"
#include "editor/indent.h"
#include "syntax/syntax.h"
#include "text/text.h"
#include "text/walk.h"

#define LINE_LOOK 512  /* bytes of a line that are read */
#define BLANK_MAX 256  /* bytes of indentation that are inserted at most */
#define LINES_BACK 400 /* lines above that are searched */
#define BRACKET_JUMP ((size_t)16 << 20)
#define BRACKET_REACH 65536u /* bytes that are searched for a bracket */

/* The start of a line, up to `end`. */
struct look {
	char line[LINE_LOOK];
	size_t start, n;
	bool is_whole;         /* the whole line was read */
	bool begins_in_string; /* or in a comment of several lines */
	struct line_shape shape;
};

static void read_code_line(const struct editor *e, size_t line, size_t end, struct look *ret)
{
	size_t start = text_line_start(e->text, line);
	ret->start = start;
	ret->n = text_copy(e->text, start, ret->line, end - start < LINE_LOOK ? end - start : LINE_LOOK);
	ret->is_whole = end - start <= LINE_LOOK;
	ret->begins_in_string = start > 0 && !syntax_is_code(e->syntax, e->text, start - 1);
	ret->shape = line_shape(e->lang, ret->line, ret->n);
}

/* ---- depth ---- */

struct blanks {
	char bytes[BLANK_MAX];
	size_t n;
};

static void take_blanks(struct blanks *b, const struct look *l)
{
	b->n = l->shape.blank < BLANK_MAX - 32 ? l->shape.blank : BLANK_MAX - 32;
	memcpy(b->bytes, l->line, b->n);
}

/* Are the lines below one level deeper? A line that only continues an argument list does not count. */
static bool begins_block(const struct editor *e, const struct look *l)
{
	bool ends_open = l->shape.n_open > 0 && l->shape.open_at + 1 == l->shape.ink;
	return ends_open || line_opens_block(e->lang, l->line, &l->shape);
}

/* The blanks of one indentation level around `line`. They come from the nearest block above whose first line
 * is indented less than the line after it. */
static size_t level_of(const struct editor *e, size_t line)
{
	size_t below = 0, width = (size_t)e->tab_width;
	bool has_below = false;
	for (size_t back = 0; back < LINES_BACK && line > 0; back++) {
		struct look l;
		line--;
		read_code_line(e, line, text_line_end(e->text, line), &l);
		if (l.shape.ink == 0 || l.begins_in_string)
			continue;
		if (l.shape.blank > 0 && l.line[0] == '\t')
			return width;
		size_t more = has_below && below > l.shape.blank ? below - l.shape.blank : 0;
		if (more >= 2 && more <= 8 && begins_block(e, &l))
			return more;
		below = l.shape.blank;
		has_below = true;
	}
	return width;
}

/* '\t' or ' ': what a line of code is indented with; 0: it is not. A single blank only aligns something. */
static char blank_of(const struct editor *e, size_t line)
{
	size_t start = text_line_start(e->text, line), end = text_line_end(e->text, line), pos = start;

	while (text_byte(e->text, pos) == ' ' || text_byte(e->text, pos) == '\t')
		pos++;
	if (pos == end || pos == start || (start > 0 && !syntax_is_code(e->syntax, e->text, start - 1)))
		return 0;
	return text_byte(e->text, start) == '\t' ? '\t' : pos - start > 1 ? ' ' : '\0';
}

bool editor_uses_tabs(const struct editor *e, size_t line)
{
	size_t lines = text_lines(e->text);
	char blank = blank_of(e, line);

	for (size_t by = 1; !blank && by <= LINES_BACK && by <= line; by++)
		blank = blank_of(e, line - by);
	for (size_t by = 1; !blank && by <= LINES_BACK && line + by < lines; by++)
		blank = blank_of(e, line + by);
	return blank == '\t';
}

/* Does the next level of these blanks, at this line, begin with a tab? */
static bool has_tab(const struct editor *e, const struct blanks *b, size_t line)
{
	return b->n > 0 ? b->bytes[0] == '\t' : editor_uses_tabs(e, line);
}

static void add_level(const struct editor *e, struct blanks *b, size_t line)
{
	bool is_tab = has_tab(e, b, line);
	size_t level = is_tab ? 1 : level_of(e, line + 1);
	level = level < 16 ? level : 16;
	memset(b->bytes + b->n, is_tab ? '\t' : ' ', level);
	b->n += level;
}

static void drop_level(const struct editor *e, struct blanks *b, size_t line)
{
	size_t level = b->n > 0 && b->bytes[0] == '\t' ? 1 : level_of(e, line + 1);
	b->n -= level < b->n ? level : b->n;
}

/* ---- Enter ---- */

/* Replace `l` with the line that has the opening bracket of the last closer in `l`. */
static void go_to_opener(const struct editor *e, struct look *l)
{
	size_t opener;
	if (!l->shape.has_closer
			|| !syntax_match(e->syntax, e->text, l->start + l->shape.closer_at, BRACKET_REACH,
					&opener))
		return;
	size_t line = text_line_of(e->text, opener);
	read_code_line(e, line, text_line_end(e->text, line), l);
}

/* In Python, align the next argument with the first one. */
static bool align(const struct editor *e, const struct look *l, struct blanks *b)
{
	size_t column = l->shape.open_at + 1;
	bool is_last = column == l->shape.ink;
	if (!e->lang || e->lang->style != TRM_STYLE_INDENT || is_last || column > 64)
		return false;
	for (size_t i = b->n; i < column; i++)
		b->bytes[i] = l->line[i] == '\t' ? '\t' : ' ';
	b->n = column > b->n ? column : b->n;
	return true;
}

/* The indentation of the line after the one that ends at `at`. */
static void indent_after(const struct editor *e, size_t at, struct blanks *b)
{
	size_t line = text_line_of(e->text, at);
	struct look head, opener;
	read_code_line(e, line, at, &head);
	take_blanks(b, &head);
	if (!head.is_whole || head.begins_in_string || head.shape.is_quoted || head.shape.ink == 0)
		return;
	if (head.shape.n_open > 0) {
		if (!align(e, &head, b))
			add_level(e, b, line);
		return;
	}
	opener = head;
	go_to_opener(e, &opener);
	take_blanks(b, &opener);
	if (line_opens_block(e->lang, head.line, &head.shape))
		add_level(e, b, line);
	else if (line_leaves_block(e->lang, opener.line, &opener.shape)
			|| line_leaves_block(e->lang, head.line, &head.shape))
		drop_level(e, b, line);
}

/* Is the cursor between an opening bracket and its closing bracket? */
static bool is_between_brackets(const struct editor *e, size_t at, size_t end)
{
	static const char *const pairs[] = {"()", "[]", "{}"};
	char around[2];
	if (at == 0 || at != end || text_copy(e->text, at - 1, around, 2) != 2)
		return false;
	for (size_t i = 0; i < 3; i++)
		if (memcmp(around, pairs[i], 2) == 0)
			return syntax_is_code(e->syntax, e->text, at - 1);
	return false;
}

static unsigned put_lines(
		struct editor *e, size_t from, size_t n, const struct blanks *b, const struct blanks *below)
{
	char insert[2 * BLANK_MAX + 2];
	size_t len = 0;
	insert[len++] = '\n';
	memcpy(insert + len, b->bytes, b->n);
	len += b->n;
	size_t cursor = from + len;
	if (below) {
		insert[len++] = '\n';
		memcpy(insert + len, below->bytes, below->n);
		len += below->n;
	}
	unsigned bits = editor_replace(e, from, n, insert, len, BURST_NONE);
	if (below && bits & EDITOR_CHANGED) {
		e->sel.anchor = e->sel.cursor = cursor;
		history_end(e->history, e->sel);
	}
	return bits;
}

unsigned edit_enter(struct editor *e, int arg)
{
	size_t at = selection_start(e->sel), end = selection_end(e->sel), line = text_line_of(e->text, at);
	size_t start = text_line_start(e->text, line);
	struct blanks b, below;
	struct look head;
	(void)arg;
	indent_after(e, at, &b);
	read_code_line(e, line, at, &head);
	take_blanks(&below, &head);
	e->burst = BURST_NONE;
	e->indent_ahead = b.n > 0 && b.bytes[0] == '\t' ? 0 : b.n;
	e->enter_ns = e->burst_ns;
	if (is_between_brackets(e, at, end)) {
		b = below;
		add_level(e, &b, line);
		return put_lines(e, at, 0, &b, &below);
	}
	/* A line with only blanks becomes empty. The new line gets the blanks. */
	if (head.shape.blank == at - start && at > start && at == end && text_line_end(e->text, line) == at)
		return put_lines(e, start, at - start, &b, NULL);
	return put_lines(e, at, end - at, &b, NULL);
}

/* ---- lines that move to their level ---- */

/* Change the indentation of the cursor's line, in the same undo step as the key that was typed. */
static unsigned reindent(struct editor *e, const struct look *l, const char *blanks, size_t n)
{
	size_t old = l->shape.blank, back = e->sel.cursor - l->start - old;
	if (n == old && memcmp(blanks, l->line, n) == 0)
		return 0;
	history_begin(e->history, e->sel, true);
	if (history_delete(e->history, l->start, old) != 0
			|| history_insert(e->history, l->start, blanks, n) != 0)
		return EDITOR_NOMEM;
	e->sel.anchor = e->sel.cursor = l->start + n + back;
	history_end(e->history, e->sel);
	return DONE | EDITOR_CHANGED;
}

/* Bash: find the line that opens the block that this line ends. Complete blocks in between are skipped. */
static bool find_by_words(const struct editor *e, size_t line, const struct line_partner *p, struct look *ret)
{
	size_t depth = 1;
	for (size_t back = 0; back < LINES_BACK && line > 0; back++) {
		line--;
		read_code_line(e, line, text_line_end(e->text, line), ret);
		if (ret->begins_in_string)
			continue;
		bool opens = line_has_word(p->openers, ret->line, &ret->shape, false);
		bool closes = line_has_word(p->closers, ret->line, &ret->shape, false)
			      || (opens && line_has_word(p->closers, ret->line, &ret->shape, true));
		depth += closes;
		if (opens && --depth == 0)
			return true;
	}
	return false;
}

/* Python: find the nearest line above with a matching first word that is not indented more than this line. */
static bool find_by_indentation(const struct editor *e, size_t line, size_t blank,
		const struct line_partner *p, struct look *ret)
{
	for (size_t back = 0; back < LINES_BACK && line > 0; back++) {
		line--;
		read_code_line(e, line, text_line_end(e->text, line), ret);
		if (ret->shape.ink == 0 || ret->begins_in_string || ret->shape.blank > blank)
			continue;
		if (line_has_word(p->openers, ret->line, &ret->shape, false)
				&& line_opens_block(e->lang, ret->line, &ret->shape))
			return true;
		if (ret->shape.blank == 0)
			return false;
		blank = ret->shape.blank < blank ? ret->shape.blank : blank;
	}
	return false;
}

/* Ruby: find the nearest line above that opens a block and is indented less. */
static bool find_by_block(const struct editor *e, size_t line, size_t blank, struct look *ret)
{
	for (size_t back = 0; back < LINES_BACK && line > 0; back++) {
		line--;
		read_code_line(e, line, text_line_end(e->text, line), ret);
		if (ret->shape.ink == 0 || ret->begins_in_string || ret->shape.blank >= blank)
			continue;
		if (line_opens_block(e->lang, ret->line, &ret->shape))
			return true;
		blank = ret->shape.blank;
	}
	return false;
}

/* A closing bracket at the start of its line gets the indentation of the line with its opening bracket. */
static unsigned place_bracket(struct editor *e, const struct look *l)
{
	size_t opener;
	struct look o;
	if (l->shape.blank + 1 != l->n
			|| !syntax_match(e->syntax, e->text, l->start + l->shape.blank, BRACKET_REACH,
					&opener))
		return 0;
	size_t line = text_line_of(e->text, opener);
	read_code_line(e, line, text_line_end(e->text, line), &o);
	return o.start == l->start ? 0 : reindent(e, l, o.line, o.shape.blank);
}

static unsigned place_word(struct editor *e, const struct look *l, size_t line, char typed)
{
	const struct line_partner *p = line_partner(e->lang, l->line, &l->shape);
	struct look o;
	bool is_alone = p && l->n - l->shape.blank + 2 == strlen(p->word);
	if (!p)
		return 0;
	if (!p->openers)
		return is_alone && find_by_block(e, line, l->shape.blank, &o)
				       ? reindent(e, l, o.line, o.shape.blank)
				       : 0;
	if (!p->closers)
		return typed == ':' && line_opens_block(e->lang, l->line, &l->shape)
						       && find_by_indentation(e, line, l->shape.blank, p, &o)
				       ? reindent(e, l, o.line, o.shape.blank)
				       : 0;
	return is_alone && find_by_words(e, line, p, &o) ? reindent(e, l, o.line, o.shape.blank) : 0;
}

/* The word that moved the line has grown into another word, so the line moves back. */
static unsigned take_back(struct editor *e, const struct look *l, uint32_t cp)
{
	struct blanks b;
	bool goes_on = e->moved_to == e->sel.cursor - 1 && e->moved_by > 0
		       && ((cp >= 'a' && cp <= 'z') || (cp >= 'A' && cp <= 'Z') || cp == '_'
				       || (cp >= '0' && cp <= '9'));
	if (!goes_on)
		return 0;
	take_blanks(&b, l);
	size_t n = e->moved_by < 32 ? e->moved_by : 32;
	memset(b.bytes + b.n, has_tab(e, &b, editor_line(e)) ? '\t' : ' ', n);
	return reindent(e, l, b.bytes, b.n + n);
}

unsigned edit_place_line(struct editor *e, uint32_t cp)
{
	size_t line = editor_line(e);
	struct look l;
	unsigned bits;
	bool is_word = (cp >= 'a' && cp <= 'z') || (cp >= 'A' && cp <= 'Z') || cp == '_'
		       || (cp >= '0' && cp <= '9');
	bool is_closer = cp == '}' || cp == ')' || cp == ']';
	if (!e->lang || (!is_word && !is_closer && cp != ':'))
		return 0;
	read_code_line(e, line, e->sel.cursor, &l);
	if (!l.is_whole || l.begins_in_string || text_line_end(e->text, line) != e->sel.cursor) {
		e->moved_by = 0;
		return 0;
	}
	size_t before = l.shape.blank;
	bits = take_back(e, &l, cp);
	if (!bits)
		bits = is_closer ? place_bracket(e, &l) : place_word(e, &l, line, (char)cp);
	size_t after = e->sel.cursor - l.start - (l.n - before);
	e->moved_by = bits & EDITOR_CHANGED && is_word && after < before ? before - after : 0;
	e->moved_to = e->sel.cursor;
	return bits;
}

/* ---- brackets ---- */

/* Move to the bracket that matches the one at the cursor, or the one before it. */
unsigned edit_to_bracket(struct editor *e, int arg)
{
	size_t cursor = e->sel.cursor, other;
	(void)arg;
	for (size_t back = 0; back < 2 && back <= cursor; back++)
		if (syntax_match(e->syntax, e->text, cursor - back, BRACKET_JUMP, &other))
			return editor_select(e, other, other);
	return EDITOR_HANDLED;
}
