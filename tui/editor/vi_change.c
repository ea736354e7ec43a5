/* SPDX-License-Identifier: MIT */
/* vi's operators, and changes without a motion. */
#include "editor/vi_internal.h"

#include <stdlib.h>
#include <string.h>

#include "text/text.h"
#include "text/walk.h"

/* ---- the cursor ---- */

void vi_put_cursor(struct editor *e, size_t pos)
{
	pos = pos < text_len(e->text) ? pos : text_len(e->text);
	size_t start = vi_line_start(e, pos), end = vi_line_end(e, pos);

	if (pos == end && pos > start)
		pos = text_previous(e->text, pos);
	e->sel.anchor = e->sel.cursor = pos;
}

void vi_go_to(struct editor *e, size_t pos)
{
	vi_put_cursor(e, pos);
	e->goal_col = NO_GOAL;
	e->burst = BURST_NONE;
}

struct vi_ends vi_visual_ends(const struct vi *v, const struct editor *e)
{
	size_t len = text_len(e->text), anchor = v->anchor < len ? v->anchor : len,
	       cursor = v->cursor < len ? v->cursor : len;

	return anchor < cursor ? (struct vi_ends){anchor, cursor} : (struct vi_ends){cursor, anchor};
}

void vi_show_visual(struct vi *v, struct editor *e)
{
	struct vi_ends ends = vi_visual_ends(v, e);
	size_t from = ends.low, end = vi_line_end(e, ends.high),
	       to = ends.high < end ? text_next(e->text, ends.high) : ends.high;

	if (v->mode == VI_VISUAL_LINES) {
		from = vi_line_start(e, ends.low);
		to = end;
	}
	e->sel = v->cursor >= v->anchor ? (struct selection){.anchor = from, .cursor = to}
					: (struct selection){.anchor = to, .cursor = from};
}

void vi_begin_insert(struct vi *v, struct editor *e, size_t pos)
{
	v->mode = VI_INSERT;
	v->repeats = 0;
	v->opens_lines = v->was_indented = false;
	v->insert_at = pos;
	v->of = e;
	e->sel.anchor = e->sel.cursor = pos;
	e->burst = BURST_NONE;
}

unsigned vi_open_line(struct vi *v, struct editor *e, bool is_above)
{
	size_t start = vi_line_start(e, e->sel.cursor), ink = vi_first_ink(e, start);

	history_pin(e->history, e->sel); /* where undo goes to */
	e->sel.anchor = e->sel.cursor = is_above ? start : vi_line_end(e, start);
	if (!is_above) {
		unsigned made = edit_enter(e, 0);
		vi_begin_insert(v, e, e->sel.cursor);
		v->was_indented = true;
		return made;
	}
	/* The new line is indented as the one below is. */
	char *blanks = text_slice(e->text, start, ink - start + 1);
	if (!blanks)
		return DONE | EDITOR_NOMEM;
	blanks[ink - start] = '\n';
	unsigned bits = editor_replace(e, start, 0, blanks, ink - start + 1, BURST_NONE);
	free(blanks);
	vi_begin_insert(v, e, ink);
	v->was_indented = true;
	return bits;
}

unsigned vi_end_insert(struct vi *v, struct editor *e)
{
	size_t pos = e->sel.cursor, start = vi_line_start(e, pos),
	       from = v->repeats && v->opens_lines ? vi_line_start(e, v->insert_at) : v->insert_at;
	/* A reload may have put another text there, in which that is no position between characters. */
	bool is_same = v->of == e && (text_byte(e->text, from) & 0xC0) != 0x80;
	bool is_typed = v->repeats && is_same && (v->opens_lines ? pos >= v->insert_at : pos > v->insert_at);
	unsigned bits = DONE;

	v->mode = VI_NORMAL;
	if (v->was_indented && vi_first_ink(e, pos) == vi_line_end(e, pos)) {
		bits |= editor_replace(e, start, vi_line_end(e, pos) - start, "", 0, BURST_NONE);
		pos = e->sel.cursor;
	}
	char *text = is_typed && pos >= from ? text_slice(e->text, from, pos - from) : NULL;
	size_t len = pos - from;
	for (; text && v->repeats && !(bits & EDITOR_NOMEM); v->repeats--) {
		if (v->opens_lines)
			bits |= editor_replace(e, e->sel.cursor, 0, "\n", 1, BURST_NONE);
		bits |= editor_replace(e, e->sel.cursor, 0, text, len, BURST_NONE);
	}
	free(text);
	pos = e->sel.cursor;
	vi_go_to(e, pos > vi_line_start(e, pos) ? text_previous(e->text, pos) : pos);
	return bits;
}

/* ---- operators ---- */

static unsigned indent_lines(struct editor *e, size_t from, size_t to, int by)
{
	e->sel = (struct selection){.anchor = from, .cursor = to};
	unsigned bits = from < to ? edit_tab(e, by) : DONE; /* an empty line stays empty */
	vi_go_to(e, vi_first_ink(e, from));
	return bits;
}

unsigned vi_operate(struct vi *v, struct editor *e, uint32_t op, size_t from, size_t to, bool is_lines)
{
	unsigned bits;

	if (op == '>' || op == '<')
		return indent_lines(e, vi_line_start(e, from), vi_line_end(e, to > from ? to - 1 : to),
				op == '>' ? 1 : -1);
	if (op == '=' || op == '!') {
		v->unknown = op;
		v->is_change = false;
		return EDITOR_HANDLED;
	}
	if (op == 'u' || op == 'U' || op == '~') {
		if (!is_lines) /* where undo leads to */
			vi_go_to(e, from);
		return vi_change_case(e, op, from, to);
	}
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
		to--; /* the line remains, with its indentation */
	if (op == 'c' && is_lines)
		from = vi_first_ink(e, from) < to ? vi_first_ink(e, from) : to;
	bits |= editor_replace(e, from, to - from, "", 0, BURST_NONE);
	if (op == 'c') {
		vi_begin_insert(v, e, from);
		v->was_indented = is_lines;
	} else {
		size_t at = from < text_len(e->text) || from == 0 ? from : from - 1;
		vi_go_to(e, is_lines ? vi_first_ink(e, at) : from);
	}
	return bits | DONE;
}

unsigned vi_operate_lines(struct vi *v, struct editor *e, uint32_t op, size_t one, size_t other)
{
	size_t low = one < other ? one : other, high = one < other ? other : one,
	       line = text_line_of(e->text, high);
	size_t from = vi_line_start(e, low);
	size_t to = line + 1 < text_lines(e->text) ? text_line_start(e->text, line + 1) : text_len(e->text);
	size_t cursor = e->sel.cursor;

	/* The last line has no newline, so the newline before it is removed. */
	if (op == 'd' && to == text_len(e->text) && from > 0
			&& (to == from || text_byte(e->text, to - 1) != '\n'))
		from--;
	unsigned bits = vi_operate(v, e, op, from, to, true);
	if (op == 'y')
		vi_go_to(e, low < cursor ? low : cursor);
	else if (op == 'u' || op == 'U' || op == '~')
		vi_go_to(e, low);
	return bits;
}

/* ---- changes without a motion ---- */

unsigned vi_put_clipboard(struct vi *v, struct editor *e, bool is_behind, unsigned count)
{
	const struct clipboard *c = e->clipboard;
	bool is_lines = v->has_lines && v->lines_len == c->len;
	size_t pos = e->sel.cursor, end = vi_line_end(e, pos), at = pos;
	unsigned bits = EDITOR_HANDLED;

	if (!c->len)
		return bits;
	if (is_lines)
		at = is_behind ? (end < text_len(e->text) ? end + 1 : end) : vi_line_start(e, pos);
	else if (is_behind && pos < end)
		at = text_next(e->text, pos);
	bool needs_break = is_lines && is_behind && end == text_len(e->text);
	e->burst = BURST_NONE;
	if (needs_break)
		bits |= editor_replace(e, at++, 0, "\n", 1, BURST_NONE);
	for (unsigned k = 0; k < (count ? count : 1) && !(bits & EDITOR_NOMEM); k++)
		bits |= editor_replace(e, at, 0, c->text, c->len, BURST_NONE);
	bool is_long = memchr(c->text, '\n', c->len) != NULL;
	vi_go_to(e, is_lines      ? vi_first_ink(e, at)
			: is_long ? at
				  : text_previous(e->text, at + c->len * (count ? count : 1)));
	return bits | DONE;
}

unsigned vi_join_lines(struct editor *e, unsigned count)
{
	size_t end = vi_line_end(e, e->sel.cursor), piece = vi_line_start(e, end); /* that was joined last */
	unsigned bits = DONE;

	for (unsigned k = 1; k < (count > 2 ? count : 2) && end < vi_last_end(e); k++) {
		size_t to = end + 1;
		while (text_byte(e->text, to) == ' ' || text_byte(e->text, to) == '\t')
			to++;
		bool ends_blank = end > piece && text_byte(e->text, end - 1) == ' ';
		bool has_gap = to < vi_line_end(e, to) && text_byte(e->text, to) != ')' && !ends_blank
			       && end > vi_line_start(e, end);
		bits |= editor_replace(e, end, to - end, " ", has_gap, BURST_NONE);
		vi_go_to(e, end);
		piece = end + has_gap;
		end = vi_line_end(e, piece);
	}
	return bits;
}

unsigned vi_replace_characters(struct editor *e, uint32_t cp, unsigned count)
{
	size_t pos = e->sel.cursor, end = vi_line_end(e, pos), to = pos;

	for (unsigned k = 0; k < (count ? count : 1); k++) {
		if (to >= end)
			return EDITOR_HANDLED;
		to = text_next(e->text, to);
	}
	if (cp != '\n')
		return vi_replace_each(e, cp, pos, to, true);
	unsigned bits = editor_replace(e, pos, to - pos, "\n", 1, BURST_NONE); /* all become one break */
	vi_go_to(e, pos + 1);
	return bits;
}

unsigned vi_swap_case(struct editor *e, unsigned count)
{
	unsigned bits = DONE;

	for (unsigned k = 0; k < (count ? count : 1); k++) {
		size_t pos = e->sel.cursor, end = vi_line_end(e, pos);
		char c = (char)text_byte(e->text, pos), other = c ^ 0x20;
		if (pos >= end)
			break;
		if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
			bits |= editor_replace(e, pos, 1, &other, 1, BURST_NONE);
		size_t next = text_next(e->text, pos);
		vi_put_cursor(e, next < end ? next : pos);
		if (next >= end)
			break;
	}
	return bits;
}
