/* SPDX-License-Identifier: MIT */
#include "editor/editor_internal.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>

#include "text/text.h"
#include "text/walk.h"

struct lines {
	size_t first, last;
};

/* The lines of the selection. The last line does not count if the selection ends at its start. */
static struct lines selected_lines(const struct editor *e)
{
	struct lines l = {.first = text_line_of(e->text, selection_start(e->sel)),
			.last = text_line_of(e->text, selection_end(e->sel))};
	if (l.last > l.first && text_line_start(e->text, l.last) == selection_end(e->sel))
		l.last--;
	return l;
}

static size_t shifted(size_t pos, size_t at, long by)
{
	if (pos < at || (pos == at && by > 0))
		return pos;
	if (by >= 0)
		return pos + (size_t)by;
	return pos - at > (size_t)-by ? pos - (size_t)-by : at;
}

/* One of several changes in an undo step: insert `text`, or delete n bytes, at `pos`. The selection moves
 * along. 0 or TRM_ENOMEM. */
static int change(struct editor *e, size_t pos, const char *text, size_t n)
{
	int r = text ? history_insert(e->history, pos, text, n) : history_delete(e->history, pos, n);
	long by = text ? (long)n : -(long)n;
	if (r != 0)
		return r;
	/* An insertion before a cursor moves the cursor. An insertion at the start of a selection becomes
	 * part of the selection. */
	bool has_selection = editor_has_selection(e), is_forward = e->sel.anchor < e->sel.cursor;
	size_t *start = is_forward ? &e->sel.anchor : &e->sel.cursor;
	size_t *end = is_forward ? &e->sel.cursor : &e->sel.anchor;
	if (!has_selection) {
		size_t cursor = text && e->sel.cursor == pos ? pos + n : shifted(e->sel.cursor, pos, by);
		e->sel.anchor = e->sel.cursor = cursor;
		return 0;
	}
	*start = shifted(*start, pos, by);
	*end = shifted(*end, pos, by);
	return 0;
}

static void begin_lines_step(struct editor *e)
{
	e->burst = BURST_NONE;
	e->goal_col = NO_GOAL;
	history_begin(e->history, e->sel, false);
}

static unsigned end_lines_step(struct editor *e, int r)
{
	history_end(e->history, e->sel);
	return DONE | EDITOR_CHANGED | (r < 0 ? EDITOR_NOMEM : 0u);
}

static int indent_line(struct editor *e, size_t line)
{
	char blanks[16];
	size_t pos = text_line_start(e->text, line), n = (size_t)e->tab_width;
	n = n < sizeof(blanks) ? n : sizeof(blanks);
	if (text_line_end(e->text, line) == pos)
		return 0;
	if (editor_uses_tabs(e, line))
		return change(e, pos, "\t", 1);
	memset(blanks, ' ', n);
	return change(e, pos, blanks, n);
}

static int dedent_line(struct editor *e, size_t line)
{
	size_t pos = text_line_start(e->text, line), n = 0;
	if (text_byte(e->text, pos) == '\t')
		return change(e, pos, NULL, 1);
	while (n < (size_t)e->tab_width && text_byte(e->text, pos + n) == ' ')
		n++;
	return change(e, pos, NULL, n);
}

/* Insert blanks up to the next tab stop, or a tab if the line is indented with tabs. At the start of a line
 * that is not indented, those around it decide. */
static unsigned type_tab(struct editor *e)
{
	char blanks[16];
	size_t width = (size_t)e->tab_width;
	size_t line = editor_line(e), start = text_line_start(e->text, line);
	bool is_indented = text_byte(e->text, start) == ' ' || text_byte(e->text, start) == '\t';
	if (is_indented ? text_byte(e->text, start) == '\t'
			: e->sel.cursor == start && editor_uses_tabs(e, line))
		return editor_insert(e, "\t", 1);
	size_t n = width - editor_column(e) % width;
	n = n < sizeof(blanks) ? n : sizeof(blanks);
	memset(blanks, ' ', n);
	return editor_insert(e, blanks, n);
}

unsigned edit_tab(struct editor *e, int arg)
{
	struct lines l = selected_lines(e);
	int r = 0;
	if (arg > 0 && !editor_has_selection(e))
		return type_tab(e);
	begin_lines_step(e);
	for (size_t line = l.first; line <= l.last && r == 0; line++)
		r = arg > 0 ? indent_line(e, line) : dedent_line(e, line);
	return end_lines_step(e, r);
}

/* ---- comments ---- */

/* Find the start of the line's text. False: the line is blank. */
static bool find_ink(const struct editor *e, size_t line, size_t *ret)
{
	size_t pos = text_line_start(e->text, line);
	while (text_byte(e->text, pos) == ' ' || text_byte(e->text, pos) == '\t')
		pos++;
	*ret = pos;
	return pos < text_line_end(e->text, line);
}

static bool has_sign(const struct editor *e, size_t pos, const char *sign)
{
	char bytes[8];
	size_t n = strlen(sign);
	return n < sizeof(bytes) && text_copy(e->text, pos, bytes, n) == n && memcmp(bytes, sign, n) == 0;
}

static int comment_line(struct editor *e, size_t line, size_t column, const char *sign)
{
	char insert[8];
	size_t pos = text_line_start(e->text, line) + column, ink, n = strlen(sign);
	if (!find_ink(e, line, &ink) || n + 1 > sizeof(insert))
		return 0;
	memcpy(insert, sign, n);
	insert[n] = ' ';
	return change(e, pos, insert, n + 1);
}

static int uncomment_line(struct editor *e, size_t line, const char *sign)
{
	size_t ink, n = strlen(sign);
	if (!find_ink(e, line, &ink))
		return 0;
	return change(e, ink, NULL, n + (text_byte(e->text, ink + n) == ' '));
}

/* Comment out the lines. If all lines are comments, uncomment them. */
unsigned edit_comment(struct editor *e, int arg)
{
	struct lines l = selected_lines(e);
	const char *sign = e->lang ? e->lang->comment : NULL;
	bool all = true, any = false;
	size_t ink, least = (size_t)-1;
	int r = 0;
	(void)arg;
	for (size_t line = l.first; line <= l.last && sign; line++) {
		if (!find_ink(e, line, &ink))
			continue;
		size_t column = ink - text_line_start(e->text, line);
		any = true;
		all = all && has_sign(e, ink, sign);
		least = column < least ? column : least;
	}
	if (!any)
		return EDITOR_HANDLED;
	begin_lines_step(e);
	for (size_t line = l.first; line <= l.last && r == 0; line++)
		r = all ? uncomment_line(e, line, sign) : comment_line(e, line, least, sign);
	return end_lines_step(e, r);
}

/* ---- moving ---- */

/* Exchange the lines with the line above or below. */
unsigned edit_move_lines(struct editor *e, int arg)
{
	struct lines l = selected_lines(e);
	if (arg < 0 ? l.first == 0 : l.last + 1 >= text_lines(e->text))
		return EDITOR_HANDLED;
	/* Swap blocks a and b. The newline between them stays in its place. */
	size_t first = arg < 0 ? l.first - 1 : l.first, second = arg < 0 ? l.first : l.last + 1;
	size_t last = arg < 0 ? l.last : l.last + 1;
	size_t a = text_line_start(e->text, first), a_len = text_line_end(e->text, second - 1) - a;
	size_t b = text_line_start(e->text, second), b_len = text_line_end(e->text, last) - b;
	char *swapped = malloc(b_len + 1 + a_len + 1);
	if (!swapped)
		return EDITOR_HANDLED | EDITOR_NOMEM;
	text_copy(e->text, b, swapped, b_len);
	swapped[b_len] = '\n';
	text_copy(e->text, a, swapped + b_len + 1, a_len);

	struct selection before = e->sel;
	e->burst = BURST_NONE;
	unsigned bits = editor_replace(e, a, a_len + 1 + b_len, swapped, b_len + 1 + a_len, BURST_NONE);
	free(swapped);
	if (bits & EDITOR_CHANGED) {
		/* Up, the selection moves back by the line that was above; down, it moves on by the line
		 * that was below. */
		size_t by = arg < 0 ? a_len + 1 : b_len + 1;
		e->sel.anchor = arg < 0 ? before.anchor - by : before.anchor + by;
		e->sel.cursor = arg < 0 ? before.cursor - by : before.cursor + by;
		size_t len = text_len(e->text);
		e->sel.anchor = e->sel.anchor < len ? e->sel.anchor : len;
		e->sel.cursor = e->sel.cursor < len ? e->sel.cursor : len;
		history_end(e->history, e->sel);
	}
	return bits;
}
