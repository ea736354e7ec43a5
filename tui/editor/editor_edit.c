/* SPDX-License-Identifier: MIT */
#include "editor/editor_internal.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>

#include "text/cluster.h"
#include "text/text.h"
#include "text/walk.h"

unsigned editor_replace(
		struct editor *e, size_t pos, size_t n, const char *text, size_t len, enum burst burst)
{
	if (n == 0 && len == 0)
		return EDITOR_HANDLED;
	history_begin(e->history, e->sel, burst != BURST_NONE && burst == (enum burst)e->burst);
	bool is_done = history_delete(e->history, pos, n) == 0;
	if (is_done && history_insert(e->history, pos, text, len) != 0) {
		struct selection ignored;
		if (n > 0)
			history_undo(e->history, &ignored);
		is_done = false;
	}
	if (!is_done)
		return DONE | EDITOR_NOMEM;
	e->sel.anchor = e->sel.cursor = pos + len;
	e->goal_col = NO_GOAL;
	e->burst = (int)burst;
	history_end(e->history, e->sel);
	return DONE | EDITOR_CHANGED;
}

static unsigned replace_selection(struct editor *e, const char *text, size_t len, enum burst burst)
{
	size_t start = selection_start(e->sel);
	return editor_replace(e, start, selection_end(e->sel) - start, text, len, burst);
}

unsigned editor_insert(struct editor *e, const char *text, size_t n)
{
	e->burst = BURST_NONE;
	return replace_selection(e, text, n, BURST_NONE);
}

unsigned editor_type(struct editor *e, uint32_t cp)
{
	char bytes[4];
	if (editor_has_selection(e))
		e->burst = BURST_NONE;
	unsigned bits = replace_selection(e, bytes, trm_utf8_encode(cp, bytes), BURST_TYPE);
	return bits & EDITOR_CHANGED ? bits | edit_place_line(e, cp) : bits;
}

/* The start of what Backspace erases: in the indentation of a line the previous tab stop, elsewhere one
 * cluster. */
static size_t erase_to(const struct editor *e, size_t cursor)
{
	size_t start = text_line_start(e->text, text_line_of(e->text, cursor)), width = (size_t)e->tab_width;

	for (size_t pos = start; pos < cursor; pos++)
		if (text_byte(e->text, pos) != ' ')
			return text_previous(e->text, cursor);
	if (cursor == start)
		return text_previous(e->text, cursor);
	return start + (cursor - start - 1) / width * width;
}

unsigned edit_erase(struct editor *e, int arg)
{
	enum move move = (enum move)arg;
	bool is_back = move == MOVE_LEFT || move == MOVE_WORD_LEFT;
	if (editor_has_selection(e)) {
		e->burst = BURST_NONE;
		return replace_selection(e, "", 0, BURST_NONE);
	}
	size_t cursor = e->sel.cursor, other;
	switch (move) {
	case MOVE_WORD_LEFT: other = editor_word_left(e, cursor); break;
	case MOVE_WORD_RIGHT: other = editor_word_right(e, cursor); break;
	case MOVE_LEFT: other = erase_to(e, cursor); break;
	default: other = text_next(e->text, cursor); break;
	}
	size_t start = is_back ? other : cursor;
	if (move == MOVE_LEFT && editor_is_in_pair(e))
		return editor_replace(e, cursor - 1, 2, "", 0, BURST_ERASE);
	return editor_replace(e, start, (is_back ? cursor : other) - start, "", 0,
			is_back ? BURST_ERASE : BURST_DELETE);
}

/* ---- clipboard ---- */

void clipboard_finish(struct clipboard *c)
{
	free(c->text);
	for (size_t i = 0; i < CLIPBOARD_OLDER; i++)
		free(c->older[i].text);
	*c = (struct clipboard){0};
}

void clipboard_take(struct clipboard *c, char *text, size_t len)
{
	if (c->text) {
		free(c->older[CLIPBOARD_OLDER - 1].text);
		memmove(c->older + 1, c->older, sizeof c->older - sizeof *c->older);
		c->older[0] = (struct clipboard_text){c->text, c->len};
	}
	c->text = text;
	c->len = len;
	c->collector = NULL;
}

/* Where a copy comes, compared to the content of the clipboard. */
enum collect { COLLECT_INSTEAD, COLLECT_BEHIND, COLLECT_BEFORE };

static unsigned copy_text_range(struct editor *e, size_t pos, size_t n, enum collect collect)
{
	struct clipboard *c = e->clipboard;
	size_t old = collect != COLLECT_INSTEAD ? c->len : 0, at = collect == COLLECT_BEHIND ? old : 0;
	char *text = malloc(old + n + 1);
	if (!text)
		return EDITOR_HANDLED | EDITOR_NOMEM;
	if (old)
		memcpy(text + (collect == COLLECT_BEFORE ? n : 0), c->text, old);
	text_copy(e->text, pos, text + at, n);
	text[old + n] = '\0';
	if (collect == COLLECT_INSTEAD) {
		clipboard_take(c, text, n);
	} else {
		free(c->text);
		c->text = text;
		c->len = old + n;
	}
	return EDITOR_HANDLED | EDITOR_CLIPBOARD;
}

unsigned editor_copy(struct editor *e)
{
	size_t start = selection_start(e->sel);
	if (!editor_has_selection(e))
		return EDITOR_HANDLED;
	e->burst = BURST_NONE;
	return copy_text_range(e, start, selection_end(e->sel) - start, COLLECT_INSTEAD);
}

unsigned editor_cut(struct editor *e)
{
	unsigned bits = editor_copy(e);
	if (!(bits & EDITOR_CLIPBOARD))
		return bits;
	bits |= editor_insert(e, "", 0);
	e->burst = BURST_CUT;
	e->clipboard->collector = e;
	return bits;
}

unsigned editor_paste(struct editor *e)
{
	if (e->clipboard->len == 0)
		return EDITOR_HANDLED;
	unsigned bits = editor_insert(e, e->clipboard->text, e->clipboard->len);
	editor_show_cursor(e);
	e->burst = BURST_PASTE;
	e->pasted = e->clipboard->len;
	return bits;
}

unsigned editor_paste_older(struct editor *e)
{
	struct clipboard *c = e->clipboard;
	struct clipboard_text latest = {c->text, c->len};
	size_t n = 0, was = e->pasted;

	while (n < CLIPBOARD_OLDER && c->older[n].text)
		n++;
	if (e->burst != BURST_PASTE || n == 0 || was > e->sel.cursor)
		return EDITOR_HANDLED;
	/* The oldest comes after the latest. */
	c->text = c->older[0].text;
	c->len = c->older[0].len;
	memmove(c->older, c->older + 1, (n - 1) * sizeof *c->older);
	c->older[n - 1] = latest;
	unsigned bits = editor_replace(e, e->sel.cursor - was, was, c->text, c->len, BURST_NONE);
	e->burst = BURST_PASTE;
	e->pasted = c->len;
	editor_show_cursor(e);
	return bits;
}

/* Cut the lines of the selection. Repeated cuts are collected in the clipboard. */
unsigned edit_cut_line(struct editor *e, int arg)
{
	size_t last = text_line_of(e->text, selection_end(e->sel));
	size_t start = text_line_start(e->text, text_line_of(e->text, selection_start(e->sel)));
	size_t end = last + 1 < text_lines(e->text) ? text_line_start(e->text, last + 1) : text_len(e->text);
	(void)arg;
	if (start == end)
		return EDITOR_HANDLED;
	unsigned bits = copy_text_range(
			e, start, end - start, e->burst == BURST_CUT_LINE ? COLLECT_BEHIND : COLLECT_INSTEAD);
	if (bits & EDITOR_NOMEM)
		return bits;
	return bits | editor_replace(e, start, end - start, "", 0, BURST_CUT_LINE);
}

/* Cuts without another command in between are collected in the clipboard, however long the pause; each is a
 * step of undo. */
static unsigned cut_range(struct editor *e, size_t start, size_t end, enum collect collect)
{
	bool collects = e->burst == BURST_CUT && e->clipboard->collector == e;

	if (start == end)
		return EDITOR_HANDLED;
	unsigned bits = copy_text_range(e, start, end - start, collects ? collect : COLLECT_INSTEAD);
	if (bits & EDITOR_NOMEM)
		return bits;
	bits |= editor_replace(e, start, end - start, "", 0, BURST_NONE);
	e->burst = BURST_CUT;
	e->clipboard->collector = e;
	return bits;
}

/* Cut the rest of the line. At the end of a line, cut the newline. */
unsigned edit_cut_to_line_end(struct editor *e, int arg)
{
	size_t start = e->sel.cursor, end = text_line_end(e->text, text_line_of(e->text, start));
	(void)arg;
	return cut_range(e, start, start == end ? text_next(e->text, start) : end, COLLECT_BEHIND);
}

unsigned edit_cut_word(struct editor *e, int arg)
{
	size_t pos = e->sel.cursor;

	return arg == MOVE_WORD_LEFT ? cut_range(e, editor_word_left(e, pos), pos, COLLECT_BEFORE)
				     : cut_range(e, pos, editor_word_right(e, pos), COLLECT_BEHIND);
}

/* Exchange the characters around the cursor, or at the end of a line the two before it, and go on. */
unsigned edit_transpose(struct editor *e, int arg)
{
	size_t pos = e->sel.cursor, line = text_line_of(e->text, pos), start = text_line_start(e->text, line),
	       end = text_line_end(e->text, line);
	char bytes[256];
	(void)arg;
	size_t middle = pos == end && pos > start ? text_previous(e->text, pos) : pos;
	if (middle == start || middle == end)
		return EDITOR_HANDLED;
	size_t from = text_previous(e->text, middle), to = text_next(e->text, middle), first = middle - from;
	if (to - from > sizeof bytes)
		return EDITOR_HANDLED;
	text_copy(e->text, middle, bytes, to - middle);
	text_copy(e->text, from, bytes + (to - middle), first);
	return editor_replace(e, from, to - from, bytes, to - from, BURST_NONE);
}

/* Duplicate the selection. Without a selection, duplicate the line. */
unsigned edit_duplicate(struct editor *e, int arg)
{
	size_t line = editor_line(e), start = selection_start(e->sel), end = selection_end(e->sel);
	struct selection before = e->sel;
	bool is_line = !editor_has_selection(e);
	(void)arg;
	if (is_line) {
		start = text_line_start(e->text, line);
		end = text_line_end(e->text, line);
	}
	char *copy = malloc(end - start + 1);
	if (!copy)
		return EDITOR_HANDLED | EDITOR_NOMEM;
	copy[0] = '\n';
	text_copy(e->text, start, copy + is_line, end - start);
	size_t n = end - start + is_line;
	e->burst = BURST_NONE;
	unsigned bits = editor_replace(e, end, 0, copy, n, BURST_NONE);
	free(copy);
	if (bits & EDITOR_CHANGED) {
		e->sel = (struct selection){.anchor = before.anchor + n, .cursor = before.cursor + n};
		history_end(e->history, e->sel);
	}
	return bits;
}

/* ---- undo ---- */

static unsigned travel(struct editor *e, bool (*step)(struct history *, struct selection *))
{
	if (!step(e->history, &e->sel))
		return EDITOR_HANDLED;
	e->goal_col = NO_GOAL;
	e->burst = BURST_NONE;
	editor_show_cursor(e);
	return DONE | EDITOR_CHANGED;
}

unsigned editor_undo(struct editor *e)
{
	return travel(e, history_undo);
}

unsigned editor_redo(struct editor *e)
{
	return travel(e, history_redo);
}
