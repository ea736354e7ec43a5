/* SPDX-License-Identifier: MIT */
/* vi's keys with Ctrl: scrolling and redo in normal and visual mode, erasing in insert mode. */
#include "editor/vi_internal.h"

#include <string.h>

#include "cells/event.h"
#include "text/text.h"
#include "text/walk.h"

/* Keys that vi takes from the key map in normal and visual mode: its own, and those that would edit the text
 * or close the buffer there. */
bool vi_wants_ctrl(uint32_t key)
{
	return (key < 0x80 && key && strchr("abdefhjkruvwxyz] ", (int)key)) || key == K_LEFT || key == K_RIGHT
	       || key == K_BACKSPACE || key == K_DELETE;
}

bool vi_wants_ctrl_typed(uint32_t key)
{
	return key == 'w' || key == 'u';
}

/* ---- scrolling ---- */

/* Scroll, and move the cursor by as many lines. */
static unsigned page_by(struct vi *v, struct editor *e, long lines)
{
	size_t pos = vi_first_ink(e, vi_down_by(e, vi_is_visual(v) ? v->cursor : e->sel.cursor, lines));

	editor_scroll(e, lines);
	if (vi_is_visual(v)) {
		v->cursor = pos;
		vi_show_visual(v, e);
	} else {
		vi_go_to(e, pos);
	}
	return DONE;
}

static unsigned scroll(struct editor *e, long lines)
{
	editor_scroll(e, lines);
	return DONE | EDITOR_SCROLLED;
}

static unsigned redo(struct editor *e, long count)
{
	unsigned bits = EDITOR_HANDLED;

	for (; count; count--)
		bits |= editor_redo(e);
	size_t pos = selection_start(e->sel);
	if (bits & EDITOR_CHANGED) { /* the cursor goes to where the change began */
		pos = selection_start(history_before(e->history));
		/* A reload has put another text there. */
		while (pos > 0 && (text_byte(e->text, pos) & 0xC0) == 0x80)
			pos--;
	}
	vi_put_cursor(e, pos);
	return bits;
}

unsigned vi_ctrl_key(struct vi *v, struct editor *e, uint32_t key, unsigned count)
{
	long n = count ? (long)count : 1, page = (e->rows > 3 ? e->rows - 2 : 1) * n,
	     half = count ? n : (e->rows > 1 ? e->rows / 2 : 1);

	switch (key) {
	case 'f':
	case K_PAGE_DOWN: return page_by(v, e, page);
	case 'b':
	case K_PAGE_UP: return page_by(v, e, -page);
	case 'd': return page_by(v, e, half);
	case 'u': return page_by(v, e, -half);
	case 'e': return scroll(e, n);
	case 'y': return scroll(e, -n);
	case 'w': v->prefix = VI_WINDOW; return EDITOR_HANDLED;
	case 'r':
		if (!vi_is_visual(v))
			return redo(e, n);
	}
	v->unknown = key;
	return EDITOR_HANDLED;
}

/* ---- insert mode ---- */

/* Erase a word, or with ^U all before the cursor: what was typed first, then what was there before. At the
 * start of a line that is the break before it. */
unsigned vi_erase_typed(struct vi *v, struct editor *e, uint32_t key)
{
	size_t pos = e->sel.cursor, start = vi_line_start(e, pos), ink = vi_first_ink(e, pos);

	if (pos == start)
		return edit_erase(e, MOVE_LEFT);
	if (v->insert_at >= start && v->insert_at < pos)
		start = v->insert_at;
	if (key == 'u') {
		start = ink > start && ink < pos ? ink : start;
		return editor_replace(e, start, pos - start, "", 0, BURST_NONE);
	}
	size_t from = pos;
	while (from > start && vi_class_of(e, text_previous(e->text, from), false) == 0)
		from = text_previous(e->text, from);
	int class = from > start ? vi_class_of(e, text_previous(e->text, from), false) : 0;
	while (from > start && vi_class_of(e, text_previous(e->text, from), false) == class)
		from = text_previous(e->text, from);
	return editor_replace(e, from, pos - from, "", 0, BURST_NONE);
}
