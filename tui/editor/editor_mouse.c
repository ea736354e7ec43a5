/* SPDX-License-Identifier: MIT */
#include "editor/editor_internal.h"

#include "cells/event.h"
#include "text/text.h"
#include "text/walk.h"

#define WHEEL_LINES 3

enum { DRAG_NONE, DRAG_CHARACTER, DRAG_WORD, DRAG_LINE };

/* The text position at a cell of the pane. A cell outside of the pane gives the nearest position. */
static size_t position_at(const struct editor *e, int row, int col)
{
	size_t first, line = editor_line_at(e, row, &first);
	int gutter = editor_gutter(e);
	size_t column = first + (size_t)(col > gutter ? col - gutter : 0);
	return walk_position(e->text, text_line_start(e->text, line), column, e->tab_width);
}

/* The text that a click with this unit selects. */
static struct selection unit_at(const struct editor *e, size_t pos, int unit)
{
	size_t line = text_line_of(e->text, pos);
	if (unit == DRAG_WORD)
		return editor_word_at(e, pos);
	if (unit == DRAG_LINE)
		return (struct selection){.anchor = text_line_start(e->text, line),
				.cursor = line + 1 < text_lines(e->text) ? text_line_start(e->text, line + 1)
									 : text_len(e->text)};
	return (struct selection){.anchor = pos, .cursor = pos};
}

static unsigned press_in_editor(struct editor *e, const struct event *ev)
{
	size_t pos = position_at(e, ev->row, ev->col);
	e->burst = BURST_NONE;
	e->goal_col = NO_GOAL;
	if (ev->button == 2) {
		e->sel.anchor = e->sel.cursor = pos;
		return editor_paste(e) | DONE;
	}
	if (ev->button != 1)
		return 0;
	if (ev->mods & MOD_SHIFT) {
		e->drag = DRAG_CHARACTER;
		e->drag_from = (struct selection){.anchor = e->sel.anchor, .cursor = e->sel.anchor};
		e->sel.cursor = pos;
		return DONE;
	}
	e->drag = ev->clicks >= 3 ? DRAG_LINE : ev->clicks == 2 ? DRAG_WORD : DRAG_CHARACTER;
	e->drag_from = e->sel = unit_at(e, pos, e->drag);
	return DONE;
}

static unsigned drag(struct editor *e, const struct event *ev)
{
	if (e->drag == DRAG_NONE)
		return 0;
	if (ev->row < 0)
		editor_scroll(e, -1);
	else if (ev->row >= e->rows)
		editor_scroll(e, 1);
	struct selection here = unit_at(e, position_at(e, ev->row, ev->col), e->drag);
	bool is_back = here.anchor < e->drag_from.anchor;
	e->sel.anchor = is_back ? e->drag_from.cursor : e->drag_from.anchor;
	e->sel.cursor = is_back ? here.anchor : here.cursor;
	return DONE;
}

unsigned editor_mouse(struct editor *e, const struct event *ev)
{
	unsigned bits = 0;
	switch (ev->action) {
	case MOUSE_WHEEL_UP: editor_scroll(e, -WHEEL_LINES); return DONE;
	case MOUSE_WHEEL_DOWN: editor_scroll(e, WHEEL_LINES); return DONE;
	case MOUSE_PRESS: bits = press_in_editor(e, ev); break;
	case MOUSE_DRAG: bits = drag(e, ev); break;
	case MOUSE_MOVE:
	case MOUSE_RELEASE:
		bits = e->drag ? EDITOR_HANDLED : 0;
		e->drag = DRAG_NONE;
		return bits;
	}
	if (bits)
		editor_show_cursor(e);
	return bits;
}
