/* SPDX-License-Identifier: MIT */
#include "editor/vi.h"

#include <string.h>

#include "cells/event.h"
#include "editor/editor_internal.h"
#include "syntax/syntax.h"
#include "text/text.h"
#include "text/walk.h"

#define COUNT_MAX 100000u
#define MATCH_REACH ((size_t)1 << 20)

enum span { SPAN_NONE, SPAN_EXCLUSIVE, SPAN_INCLUSIVE, SPAN_LINES };

const char *vi_mode_name(const struct vi *v)
{
	static const char *const names[] = {[VI_OFF] = "",
			[VI_NORMAL] = "NORMAL",
			[VI_INSERT] = "",
			[VI_VISUAL] = "VISUAL",
			[VI_VISUAL_LINES] = "VISUAL LINE"};

	return names[v->mode];
}

static bool is_visual(const struct vi *v)
{
	return v->mode == VI_VISUAL || v->mode == VI_VISUAL_LINES;
}

static bool is_idle(const struct vi *v)
{
	return !v->operator&& !v->prefix && !v->count && !v->before;
}

bool vi_wants(const struct vi *v, const struct event *ev)
{
	bool is_sign = ev->key >= ' ' && ev->key < KEYS_BASE && !(ev->mods & (MOD_CTRL | MOD_ALT));
	bool is_plain = is_sign || ((ev->key == K_BACKSPACE || ev->key == K_ENTER) && !ev->mods);

	if (v->mode == VI_OFF)
		return false;
	if (ev->key == K_ESCAPE)
		return v->mode == VI_INSERT || is_visual(v) || !is_idle(v);
	if (v->mode == VI_INSERT)
		return false;
	return is_plain || (ev->key == 'r' && ev->mods == MOD_CTRL);
}

/* ---- positions ---- */

static size_t line_start_at(const struct editor *e, size_t pos)
{
	return text_line_start(e->text, text_line_of(e->text, pos));
}

static size_t line_end_at(const struct editor *e, size_t pos)
{
	return text_line_end(e->text, text_line_of(e->text, pos));
}

static size_t first_ink(const struct editor *e, size_t pos)
{
	pos = line_start_at(e, pos);
	while (text_byte(e->text, pos) == ' ' || text_byte(e->text, pos) == '\t')
		pos++;
	return pos;
}

/* 0 white space, 1 a word, 2 punctuation. Big words include punctuation. */
static int class_of(const struct editor *e, size_t pos, bool is_big)
{
	unsigned char c = text_byte(e->text, pos);

	if (c == ' ' || c == '\t' || c == '\n' || pos >= text_len(e->text))
		return 0;
	bool is_word = c >= 0x80 || c == '_' || (c >= '0' && c <= '9')
		       || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
	return is_word || is_big ? 1 : 2;
}

static bool is_empty_line(const struct editor *e, size_t pos)
{
	return text_byte(e->text, pos) == '\n' && line_start_at(e, pos) == pos;
}

static size_t word_forward(const struct editor *e, size_t pos, bool is_big)
{
	size_t len = text_len(e->text);
	int class = class_of(e, pos, is_big);

	while (pos < len && class && class_of(e, pos, is_big) == class)
		pos = text_next(e->text, pos);
	while (pos < len && class_of(e, pos, is_big) == 0) {
		pos = text_next(e->text, pos);
		if (is_empty_line(e, pos))
			break;
	}
	return pos;
}

static size_t word_end(const struct editor *e, size_t pos, bool is_big)
{
	size_t len = text_len(e->text);

	pos = text_next(e->text, pos);
	while (pos < len && class_of(e, pos, is_big) == 0)
		pos = text_next(e->text, pos);
	int class = class_of(e, pos, is_big);
	for (size_t next = text_next(e->text, pos); next < len && class_of(e, next, is_big) == class;
			next = text_next(e->text, pos))
		pos = next;
	return pos;
}

static bool is_word_end(const struct editor *e, size_t pos, bool is_big)
{
	return class_of(e, text_next(e->text, pos), is_big) != class_of(e, pos, is_big);
}

static size_t word_back(const struct editor *e, size_t pos, bool is_big)
{
	while (pos > 0 && class_of(e, text_previous(e->text, pos), is_big) == 0) {
		pos = text_previous(e->text, pos);
		if (is_empty_line(e, pos))
			return pos;
	}
	if (pos == 0)
		return 0;
	int class = class_of(e, text_previous(e->text, pos), is_big);
	while (pos > 0 && class_of(e, text_previous(e->text, pos), is_big) == class)
		pos = text_previous(e->text, pos);
	return pos;
}

/* The next or previous empty line. */
static size_t paragraph(const struct editor *e, size_t pos, int by)
{
	size_t line = text_line_of(e->text, pos), lines = text_lines(e->text);
	bool has_ink = false;

	for (;;) {
		bool is_empty = text_line_start(e->text, line) == text_line_end(e->text, line);
		if (is_empty && has_ink)
			return text_line_start(e->text, line);
		has_ink |= !is_empty;
		if (by < 0 ? line == 0 : line + 1 >= lines)
			return by < 0 ? 0 : text_len(e->text);
		line = by < 0 ? line - 1 : line + 1;
	}
}

static bool find_in_line(const struct editor *e, uint32_t kind, uint32_t wanted, unsigned count, size_t *pos,
		bool is_again)
{
	size_t start = line_start_at(e, *pos), end = line_end_at(e, *pos), at = *pos;
	bool is_back = kind == 'F' || kind == 'T', is_till = kind == 't' || kind == 'T';
	struct walk w;

	/* Repeating t from the position before a match would find the same match again, so the search starts
	 * one character later. */
	if (is_again && is_till)
		at = is_back ? (at > start ? text_previous(e->text, at) : at) : text_next(e->text, at);
	for (unsigned k = 0; k < count;) {
		if (is_back ? at <= start : at >= end)
			return false;
		at = is_back ? text_previous(e->text, at) : text_next(e->text, at);
		if (at >= end)
			return false;
		walk_init(&w, e->text, at, e->tab_width);
		k += walk_next(&w) && w.cluster.cp == wanted;
	}
	*pos = !is_till ? at : is_back ? text_next(e->text, at) : text_previous(e->text, at);
	return true;
}

static size_t down_by(const struct editor *e, size_t pos, long by)
{
	long line = (long)text_line_of(e->text, pos) + by, last = (long)text_lines(e->text) - 1;

	line = line < 0 ? 0 : line > last ? last : line;
	return text_line_start(e->text, (size_t)line);
}

static bool find_partner(const struct editor *e, size_t *pos)
{
	for (size_t at = *pos, end = line_end_at(e, *pos); at < end; at = text_next(e->text, at))
		if (strchr("([{)]}", text_byte(e->text, at)))
			return syntax_match(e->syntax, e->text, at, MATCH_REACH, pos);
	return false;
}

/* Move *pos by a motion. The return value says which text an operator takes. SPAN_NONE: the key is not a
 * motion, or the motion fails. */
static enum span motion(struct vi *v, struct editor *e, uint32_t key, unsigned count, size_t *pos)
{
	size_t from = *pos, start = line_start_at(e, from), end = line_end_at(e, from);
	unsigned n = count ? count : 1;

	switch (key) {
	case 'h':
	case K_BACKSPACE:
		for (; n && *pos > start; n--)
			*pos = text_previous(e->text, *pos);
		return *pos == from ? SPAN_NONE : SPAN_EXCLUSIVE;
	case 'l':
	case ' ':
		for (; n && *pos < end; n--)
			*pos = text_next(e->text, *pos);
		return *pos == from ? SPAN_NONE : SPAN_EXCLUSIVE;
	case '0': *pos = start; return SPAN_EXCLUSIVE;
	case '^': *pos = first_ink(e, from); return SPAN_EXCLUSIVE;
	case '$': *pos = line_end_at(e, down_by(e, from, (long)n - 1)); return SPAN_EXCLUSIVE;
	case 'w':
	case 'W':
		for (; n; n--)
			*pos = word_forward(e, *pos, key == 'W');
		/* An operator with the last word of a line takes neither the end of the line nor the
		 * indentation of the next line. */
		if (v->operator&& * pos> end)
			*pos = end;
		return SPAN_EXCLUSIVE;
	case 'e':
	case 'E':
		for (; n; n--)
			*pos = word_end(e, *pos, key == 'E');
		return SPAN_INCLUSIVE;
	case 'b':
	case 'B':
		for (; n; n--)
			*pos = word_back(e, *pos, key == 'B');
		return SPAN_EXCLUSIVE;
	case '{':
	case '}':
		for (; n; n--)
			*pos = paragraph(e, *pos, key == '{' ? -1 : 1);
		return SPAN_EXCLUSIVE;
	case 'G':
		*pos = first_ink(e, count ? text_line_start(e->text, count - 1)
				    : text_len(e->text) && text_byte(e->text, text_len(e->text) - 1) == '\n'
						    ? text_len(e->text) - 1
						    : text_len(e->text));
		return SPAN_LINES;
	case 'j':
	case 'k':
		*pos = down_by(e, from, key == 'j' ? (long)n : -(long)n);
		return text_line_of(e->text, *pos) == text_line_of(e->text, from) ? SPAN_NONE : SPAN_LINES;
	case '+':
	case K_ENTER:
	case '-': *pos = first_ink(e, down_by(e, from, key == '-' ? -(long)n : (long)n)); return SPAN_LINES;
	case '%': return find_partner(e, pos) ? SPAN_INCLUSIVE : SPAN_NONE;
	case ';':
	case ',': {
		uint32_t kind = v->find, other = kind ^ 0x20; /* f F, t T */
		bool is_found = kind
				&& find_in_line(e, key == ';' ? kind : other, v->find_char, n, pos, true);
		bool is_forward = (key == ';' ? kind : other) & 0x20;
		return !is_found ? SPAN_NONE : is_forward ? SPAN_INCLUSIVE : SPAN_EXCLUSIVE;
	}
	default: return SPAN_NONE;
	}
}

/* ---- the cursor ---- */

/* In normal mode the cursor is on a character, not after the last one of the line. */
static void put_cursor_on(struct editor *e, size_t pos)
{
	size_t start = line_start_at(e, pos), end = line_end_at(e, pos);

	if (pos == end && pos > start)
		pos = text_previous(e->text, pos);
	e->sel.anchor = e->sel.cursor = pos;
}

static void vi_go_to(struct editor *e, size_t pos)
{
	put_cursor_on(e, pos);
	e->goal_col = NO_GOAL;
	e->burst = BURST_NONE;
}

static void show_visual(struct vi *v, struct editor *e)
{
	size_t low = v->anchor < v->cursor ? v->anchor : v->cursor,
	       high = v->anchor < v->cursor ? v->cursor : v->anchor;
	size_t from = low, to = high < line_end_at(e, high) ? text_next(e->text, high) : high;

	if (v->mode == VI_VISUAL_LINES) {
		from = line_start_at(e, low);
		to = line_end_at(e, high);
	}
	e->sel = v->cursor >= v->anchor ? (struct selection){.anchor = from, .cursor = to}
					: (struct selection){.anchor = to, .cursor = from};
}

static void begin_insert(struct vi *v, struct editor *e, size_t pos)
{
	v->mode = VI_INSERT;
	e->sel.anchor = e->sel.cursor = pos;
	e->burst = BURST_NONE;
}

/* ---- operators ---- */

static unsigned indent_lines(struct editor *e, size_t from, size_t to, int by)
{
	e->sel = (struct selection){.anchor = from, .cursor = to};
	unsigned bits = edit_tab(e, by);
	vi_go_to(e, first_ink(e, from));
	return bits;
}

/* Copy [from, to) to the clipboard, as whole lines or not. d and c also remove it. */
static unsigned operate(struct vi *v, struct editor *e, uint32_t op, size_t from, size_t to, bool is_lines)
{
	unsigned bits;

	if (op == '>' || op == '<')
		return indent_lines(e, line_start_at(e, from), line_end_at(e, to > from ? to - 1 : to),
				op == '>' ? 1 : -1);
	e->sel = (struct selection){.anchor = from, .cursor = to};
	bits = editor_copy(e);
	v->has_lines = is_lines;
	v->lines_len = e->clipboard->len;
	e->sel.anchor = e->sel.cursor = from;
	if (op == 'y') {
		vi_go_to(e, from);
		return bits | DONE;
	}
	e->burst = BURST_NONE;
	if (op == 'c' && is_lines && to > from && text_byte(e->text, to - 1) == '\n')
		to--; /* the line remains and becomes empty */
	bits |= editor_replace(e, from, to - from, "", 0, BURST_NONE);
	if (op == 'c')
		begin_insert(v, e, from);
	else if (is_lines)
		vi_go_to(e, first_ink(e, from < text_len(e->text) || from == 0 ? from : from - 1));
	else
		vi_go_to(e, from);
	return bits | DONE;
}

static unsigned operate_lines(struct vi *v, struct editor *e, uint32_t op, size_t one, size_t other)
{
	size_t low = one < other ? one : other, high = one < other ? other : one,
	       line = text_line_of(e->text, high);
	size_t from = line_start_at(e, low);
	size_t to = line + 1 < text_lines(e->text) ? text_line_start(e->text, line + 1) : text_len(e->text);
	size_t cursor = e->sel.cursor;

	/* The last line has no newline, so the newline before it is removed. */
	if (op == 'd' && to == text_len(e->text) && from > 0
			&& (to == from || text_byte(e->text, to - 1) != '\n'))
		from--;
	unsigned bits = operate(v, e, op, from, to, true);
	if (op == 'y')
		vi_go_to(e, low < cursor ? low : cursor);
	return bits;
}

/* ---- changes without a motion ---- */

static unsigned put_clipboard(struct vi *v, struct editor *e, bool is_behind, unsigned count)
{
	const struct clipboard *c = e->clipboard;
	bool is_lines = v->has_lines && v->lines_len == c->len;
	size_t pos = e->sel.cursor, end = line_end_at(e, pos), at = pos;
	unsigned bits = EDITOR_HANDLED;

	if (!c->len)
		return bits;
	if (is_lines)
		at = is_behind ? (end < text_len(e->text) ? end + 1 : end) : line_start_at(e, pos);
	else if (is_behind && pos < end)
		at = text_next(e->text, pos);
	bool needs_break = is_lines && is_behind && end == text_len(e->text);
	e->burst = BURST_NONE;
	if (needs_break)
		bits |= editor_replace(e, at++, 0, "\n", 1, BURST_NONE);
	for (unsigned k = 0; k < (count ? count : 1); k++)
		bits |= editor_replace(e, at, 0, c->text, c->len, BURST_NONE);
	vi_go_to(e, is_lines ? first_ink(e, at) : text_previous(e->text, at + c->len * (count ? count : 1)));
	return bits | DONE;
}

static unsigned join_lines(struct editor *e, unsigned count)
{
	unsigned bits = DONE;

	for (unsigned k = 1; k < (count > 2 ? count : 2); k++) {
		size_t end = line_end_at(e, e->sel.cursor), to = end + 1;
		if (end >= text_len(e->text))
			break;
		while (text_byte(e->text, to) == ' ' || text_byte(e->text, to) == '\t')
			to++;
		bool has_gap = text_byte(e->text, to) != ')' && text_byte(e->text, to) != '\n'
			       && end > line_start_at(e, end);
		bits |= editor_replace(e, end, to - end, " ", has_gap, BURST_NONE);
		vi_go_to(e, end);
	}
	return bits;
}

static unsigned replace_signs(struct editor *e, uint32_t cp, unsigned count)
{
	size_t pos = e->sel.cursor, end = line_end_at(e, pos), to = pos;
	char bytes[4], made[512];
	size_t n = trm_utf8_encode(cp, bytes), len = 0;

	for (unsigned k = 0; k < (count ? count : 1); k++) {
		if (to >= end || len + n > sizeof made)
			return EDITOR_HANDLED;
		to = text_next(e->text, to);
		memcpy(made + len, bytes, n);
		len += n;
	}
	unsigned bits = editor_replace(e, pos, to - pos, made, len, BURST_NONE);
	vi_go_to(e, pos + len - n);
	return bits;
}

static unsigned swap_case(struct editor *e, unsigned count)
{
	unsigned bits = DONE;

	for (unsigned k = 0; k < (count ? count : 1); k++) {
		size_t pos = e->sel.cursor, end = line_end_at(e, pos);
		char c = (char)text_byte(e->text, pos), other = c ^ 0x20;
		if (pos >= end)
			break;
		if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
			bits |= editor_replace(e, pos, 1, &other, 1, BURST_NONE);
		size_t next = text_next(e->text, pos);
		put_cursor_on(e, next < end ? next : pos);
	}
	return bits;
}

/* ---- keys ---- */

static void forget_keys(struct vi *v)
{
	v->count = v->before = 0;
	v->operator= v->prefix = 0;
}

static unsigned count_of(const struct vi *v)
{
	unsigned a = v->before ? v->before : 1, b = v->count ? v->count : 1;

	return v->before || v->count ? (a * b < COUNT_MAX ? a * b : COUNT_MAX) : 0;
}

/* A motion, with or without a pending operator. */
static unsigned move_or_operate(struct vi *v, struct editor *e, enum span span, size_t to)
{
	size_t from = is_visual(v) ? v->cursor : e->sel.cursor;
	uint32_t op = v->operator;

	forget_keys(v);
	if (span == SPAN_NONE)
		return EDITOR_HANDLED;
	if (is_visual(v)) {
		v->cursor = to;
		show_visual(v, e);
		return DONE;
	}
	if (!op) {
		vi_go_to(e, to);
		return DONE;
	}
	v->is_change = op != 'y';
	if (span == SPAN_LINES)
		return operate_lines(v, e, op, from, to);
	size_t low = from < to ? from : to, high = from < to ? to : from;
	if (span == SPAN_INCLUSIVE)
		high = text_next(e->text, high);
	return operate(v, e, op, low, high, false);
}

/* j and k keep the column. The motion of the editor does that. */
static unsigned move_vertically(struct vi *v, struct editor *e, uint32_t key)
{
	unsigned n = count_of(v) ? count_of(v) : 1;

	if (is_visual(v))
		e->sel.anchor = e->sel.cursor = v->cursor;
	for (; n; n--)
		editor_move(e, key == 'j' ? MOVE_DOWN : MOVE_UP, false);
	size_t goal = e->goal_col;
	forget_keys(v);
	if (is_visual(v)) {
		v->cursor = e->sel.cursor;
		show_visual(v, e);
	} else {
		put_cursor_on(e, e->sel.cursor);
	}
	e->goal_col = goal;
	return DONE;
}

static unsigned with_prefix(struct vi *v, struct editor *e, uint32_t key, enum vi_request *request)
{
	size_t pos = is_visual(v) ? v->cursor : e->sel.cursor;
	uint32_t prefix = v->prefix;
	unsigned count = count_of(v), n = count ? count : 1;

	v->prefix = 0;
	if (prefix == 'r') {
		forget_keys(v);
		v->is_change = true;
		return replace_signs(e, key, n);
	}
	if (prefix == 'g' && key == 'g') {
		pos = first_ink(e, text_line_start(e->text, count ? count - 1 : 0));
		return move_or_operate(v, e, SPAN_LINES, pos);
	}
	if (prefix == 'Z' && key == 'Z')
		*request = VI_COMMAND; /* the command asks what to do */
	if (prefix == 'g' || prefix == 'Z') {
		forget_keys(v);
		return EDITOR_HANDLED;
	}
	v->find = prefix;
	v->find_char = key;
	bool is_found = find_in_line(e, prefix, key, n, &pos, false);
	return move_or_operate(v, e,
			!is_found       ? SPAN_NONE
			: prefix & 0x20 ? SPAN_INCLUSIVE
					: SPAN_EXCLUSIVE,
			pos);
}

static unsigned visual_key(struct vi *v, struct editor *e, uint32_t key, bool *ret_done)
{
	size_t low = v->anchor < v->cursor ? v->anchor : v->cursor,
	       high = v->anchor < v->cursor ? v->cursor : v->anchor;
	bool is_lines = v->mode == VI_VISUAL_LINES;
	uint32_t op = key == 'x' ? 'd' : key == 's' ? 'c' : key;

	*ret_done = true;
	if (key == K_ESCAPE || (key == 'v' && !is_lines) || (key == 'V' && is_lines)) {
		v->mode = VI_NORMAL;
		forget_keys(v);
		vi_go_to(e, v->cursor);
		return DONE;
	}
	if (key == 'v' || key == 'V') {
		v->mode = key == 'v' ? VI_VISUAL : VI_VISUAL_LINES;
		show_visual(v, e);
		return DONE;
	}
	if (key == 'o') {
		size_t other = v->anchor;
		v->anchor = v->cursor;
		v->cursor = other;
		show_visual(v, e);
		return DONE;
	}
	*ret_done = op < 0x80 && strchr("dcy<>", (int)op) != NULL;
	if (!*ret_done)
		return 0;
	v->mode = VI_NORMAL;
	forget_keys(v);
	if (is_lines)
		return operate_lines(v, e, op, low, high);
	return operate(v, e, op, low, high < text_len(e->text) ? text_next(e->text, high) : high, false);
}

static unsigned open_line(struct vi *v, struct editor *e, bool is_above)
{
	size_t start = line_start_at(e, e->sel.cursor), end = line_end_at(e, e->sel.cursor);

	e->sel.anchor = e->sel.cursor = is_above ? start : end;
	if (!is_above) {
		v->mode = VI_INSERT;
		return edit_enter(e, 0);
	}
	unsigned bits = editor_replace(e, start, 0, "\n", 1, BURST_NONE);
	begin_insert(v, e, start);
	return bits;
}

/* A command that is short for an operator and a motion: x is dl. */
static unsigned shorthand(struct vi *v, struct editor *e, uint32_t op, uint32_t key)
{
	unsigned count = count_of(v);
	size_t to = e->sel.cursor;

	v->operator= op;
	enum span span = motion(v, e, key, count, &to);
	return move_or_operate(v, e, span, to);
}

static unsigned normal_command(struct vi *v, struct editor *e, uint32_t key, enum vi_request *request)
{
	size_t pos = e->sel.cursor, end = line_end_at(e, pos);
	unsigned count = count_of(v), bits = EDITOR_HANDLED;

	v->is_change = key < 0x80 && strchr("iaIAoOxXDCsSpPJ~", (int)key) != NULL;
	switch (key) {
	case 'x': return shorthand(v, e, 'd', 'l');
	case 'X': return shorthand(v, e, 'd', 'h');
	case 'D': return shorthand(v, e, 'd', '$');
	case 'C': return shorthand(v, e, 'c', '$');
	case 's': return shorthand(v, e, 'c', 'l');
	case 'Y':
	case 'S':
		forget_keys(v);
		return operate_lines(v, e, key == 'Y' ? 'y' : 'c', pos,
				down_by(e, pos, count ? (long)count - 1 : 0));
	case 'i': begin_insert(v, e, pos); break;
	case 'a': begin_insert(v, e, pos < end ? text_next(e->text, pos) : pos); break;
	case 'I': begin_insert(v, e, first_ink(e, pos)); break;
	case 'A': begin_insert(v, e, end); break;
	case 'o':
	case 'O': bits = open_line(v, e, key == 'O'); break;
	case 'p':
	case 'P': bits = put_clipboard(v, e, key == 'p', count); break;
	case 'J': bits = join_lines(e, count); break;
	case '~': bits = swap_case(e, count); break;
	case 'u':
		for (unsigned n = count ? count : 1; n; n--)
			bits |= editor_undo(e);
		put_cursor_on(e, selection_start(e->sel));
		break;
	case 'v':
	case 'V':
		v->mode = key == 'v' ? VI_VISUAL : VI_VISUAL_LINES;
		v->anchor = v->cursor = pos;
		show_visual(v, e);
		break;
	case '/': *request = VI_SEARCH; break;
	case 'n': *request = VI_NEXT; break;
	case 'N': *request = VI_PREVIOUS; break;
	case ':': *request = VI_COMMAND; break;
	case '.': *request = VI_REPEAT; break;
	default: break;
	}
	forget_keys(v);
	return bits | DONE;
}

static unsigned take_key(struct vi *v, struct editor *e, const struct event *ev, enum vi_request *request)
{
	uint32_t key = ev->key;
	size_t to = is_visual(v) ? v->cursor : e->sel.cursor;
	bool is_done = false;

	if (key == 'r' && ev->mods == MOD_CTRL) {
		unsigned bits = editor_redo(e);
		forget_keys(v);
		put_cursor_on(e, selection_start(e->sel));
		return bits;
	}
	if (v->prefix && key != K_ESCAPE)
		return with_prefix(v, e, key, request);
	if ((key >= '1' && key <= '9') || (key == '0' && v->count)) {
		v->count = v->count < COUNT_MAX ? v->count * 10 + (key - '0') : v->count;
		return EDITOR_HANDLED;
	}
	if (is_visual(v)) {
		unsigned bits = visual_key(v, e, key, &is_done);
		if (is_done)
			return bits;
	}
	if (key == K_ESCAPE) {
		forget_keys(v);
		return DONE;
	}
	if (key < 0x80 && strchr("fFtTgZr", (int)key) && !(key == 'r' && v->operator)) {
		v->prefix = key;
		return EDITOR_HANDLED;
	}
	if (v->operator== key) { /* dd, yy, >> */
		unsigned count = count_of(v);
		v->is_change = key != 'y';
		forget_keys(v);
		return operate_lines(v, e, key, to, down_by(e, to, count ? (long)count - 1 : 0));
	}
	if (!v->operator&&(key == 'j' || key == 'k'))
		return move_vertically(v, e, key);
	bool is_change_word = v->operator== 'c' &&(key == 'w' || key == 'W') && class_of(e, to, false);
	uint32_t meant = is_change_word ? key ^ ('w' ^ 'e') : key; /* cw means ce, as in vi … */
	unsigned count = count_of(v), stays = is_change_word && is_word_end(e, to, key == 'W');
	/* … except on the last character of a word, which is already an end. */
	enum span span = stays && count < 2 ? SPAN_INCLUSIVE
					    : motion(v, e, meant, stays ? count - 1 : count, &to);
	bool is_motion = meant == K_ENTER || meant == K_BACKSPACE
			 || (meant < 0x80 && strchr("hl 0^$wWeEbB{}GjkG+-%;,", (int)meant));
	if (is_motion)
		return move_or_operate(v, e, span, to);
	if (v->operator|| is_visual(v)) {
		forget_keys(v);
		return EDITOR_HANDLED;
	}
	if (key < 0x80 && strchr("dcy<>", (int)key)) {
		v->operator= key;
		v->before = v->count;
		v->count = 0;
		return EDITOR_HANDLED;
	}
	return normal_command(v, e, key, request);
}

/* ---- repeating a change ---- */

static void record_key(struct vi *v, uint32_t key)
{
	if (v->n_typed < VI_KEYS)
		v->typed[v->n_typed++] = key;
}

void vi_typed(struct vi *v, const struct event *ev)
{
	if (v->mode == VI_INSERT)
		record_key(v, ev->mods & (MOD_CTRL | MOD_ALT) ? 0 : ev->key);
}

static void end_change(struct vi *v)
{
	if (v->is_change && v->n_typed < VI_KEYS) {
		memcpy(v->last, v->typed, v->n_typed * sizeof *v->typed);
		v->n_last = v->n_typed;
	}
	v->n_typed = 0;
	v->is_change = false;
}

unsigned vi_key(struct vi *v, struct editor *e, const struct event *ev, enum vi_request *ret_request)
{
	unsigned bits;

	*ret_request = VI_NOTHING;
	if (v->mode == VI_NORMAL && editor_has_selection(e)) /* a selection by a search or the mouse */
		vi_go_to(e, selection_start(e->sel));
	record_key(v, ev->key);
	if (v->mode == VI_INSERT) { /* Escape */
		size_t pos = e->sel.cursor;
		v->mode = VI_NORMAL;
		vi_go_to(e, pos > line_start_at(e, pos) ? text_previous(e->text, pos) : pos);
		bits = DONE;
	} else {
		bits = take_key(v, e, ev, ret_request);
	}
	if (v->mode == VI_NORMAL && is_idle(v))
		end_change(v);
	editor_show_cursor(e);
	return bits | DONE;
}
