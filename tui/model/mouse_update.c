/* SPDX-License-Identifier: MIT */
/* The mouse: find the pane, or the part of the frame, that an event is for. */
#include "cells/event.h"
#include "command/command.h"
#include "command/keymap.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/page.h"
#include "model/pane.h"
#include "model/update.h"

static void pane_mouse(struct model *m, enum pane pane, const struct event *ev, struct effects *out)
{
	if (ev->action == MOUSE_PRESS && m->focus != pane) {
		m->owes_focus = false;
		model_focus(m, pane);
	}
	pane_ops[pane].mouse(m, ev, out);
}

static void run_named(struct model *m, const char *name, struct effects *out)
{
	command_run(m, command_find(name), out);
}

/* Clicks outside of the panes: the key bar, the title, the tabs. */
static void chrome_click(struct model *m, const struct event *ev, struct effects *out)
{
	struct keybar_item items[KEYBAR_MAX];

	bool is_covered = m->tutor.is_on && !m->foot_rows; /* by the tutorial's instruction */

	if (ev->row == m->layout.keys_row && !is_covered) {
		int n = keybar_make(m, m->cols, items);
		for (int i = 0; i < n; i++)
			if (items[i].command && ev->col >= items[i].col
					&& ev->col < items[i].col + items[i].cols)
				command_run(m, items[i].command, out);
	} else if (ev->row == m->layout.title_row) {
		run_named(m, "language", out);
	} else if (rect_contains(m->layout.strip, ev->row, ev->col)) {
		metrics_show(m);
	} else if (rect_contains(m->layout.tabs, ev->row, ev->col)) {
		buffer_tab_click(m, ev->col, out);
	}
}

/* A drag moves a border between panes. A double-click moves it back to its default position. */
static bool drag_border(struct model *m, const struct event *ev)
{
	enum border border = layout_border_at(&m->layout, ev->row, ev->col);

	if (ev->action == MOUSE_PRESS && ev->button == 1 && border != BORDER_NONE) {
		m->moving = border;
		if (ev->clicks == 2 && border == BORDER_ROW)
			m->panes.editor_permille = 0;
		else if (ev->clicks == 2)
			m->panes.metrics_permille = 0;
	} else if (m->moving != BORDER_NONE && ev->action == MOUSE_DRAG) {
		layout_move_border(&m->layout, m->cols, m->moving, ev->row, ev->col, &m->panes);
	} else if (m->moving != BORDER_NONE && ev->action == MOUSE_RELEASE) {
		m->moving = BORDER_NONE;
		return true;
	} else {
		return false;
	}
	model_relayout(m);
	return true;
}

void update_mouse(struct model *m, const struct event *ev, struct effects *out)
{
	if (ev->action == MOUSE_PRESS || ev->action == MOUSE_DRAG)
		vi_break(&m->vi, model_editor(m));
	if (!m->has_mouse_pane && drag_border(m, ev))
		return;
	if (m->has_mouse_pane && (ev->action == MOUSE_DRAG || ev->action == MOUSE_RELEASE)) {
		m->has_mouse_pane = ev->action == MOUSE_DRAG;
		pane_mouse(m, m->mouse_pane, ev, out);
		return;
	}
	if (replay_mouse(m, ev, out) || page_mouse(m, ev, out))
		return;
	if (complete_mouse(m, ev, out) || variables_mouse(m, ev, out))
		return;
	for (int pane = 0; pane < PANE_COUNT; pane++) {
		if (!rect_contains(m->layout.panes[pane], ev->row, ev->col))
			continue;
		m->has_mouse_pane = ev->action == MOUSE_PRESS;
		m->mouse_pane = (enum pane)pane;
		pane_mouse(m, (enum pane)pane, ev, out);
		return;
	}
	if (ev->action == MOUSE_PRESS && ev->button == 1)
		chrome_click(m, ev, out);
}
