/* SPDX-License-Identifier: MIT */
/* The completion popup: keys, mouse and position. */
#include <string.h>

#include "cells/event.h"
#include "command/command.h"
#include "editor/editor_internal.h"
#include "model/complete.h"
#include "model/complete_internal.h"
#include "model/model.h"
#include "model/update.h"
#include "text/cluster.h"
#include "text/text.h"
#include "text/walk.h"

static void popup_complete(struct model *m, struct effects *out)
{
	if (m->focus == PANE_EDITOR)
		complete_begin(m, false, m->completion.state == COMPLETE_OPEN, out);
}

/* Tab completes after a word, and otherwise indents. */
static void complete_or_indent(struct model *m, struct effects *out)
{
	struct editor *e = model_editor(m);
	unsigned char before = e->sel.cursor ? text_byte(e->text, e->sel.cursor - 1) : 0;

	if (!editor_has_selection(e) && before && (is_word_byte(before) || strchr("./", before)))
		complete_begin(m, false, true, out);
	else
		editor_done(m, edit_tab(e, 1), out);
}

static void move_popup_by(struct model *m, long by)
{
	struct complete *c = &m->completion;
	long to = (long)c->current + by, n = (long)c->n_shown;

	to = by == 1 && to == n ? 0 : by == -1 && to < 0 ? n - 1 : to < 0 ? 0 : to >= n ? n - 1 : to;
	c->current = (size_t)to;
	c->has_moved = true;
	size_t rows = (size_t)complete_area(m).rows;
	if (c->current < c->scroll)
		c->scroll = c->current;
	if (rows && c->current >= c->scroll + rows)
		c->scroll = c->current - rows + 1;
	m->needs_draw = true;
}

static void popup_up(struct model *m, struct effects *out)
{
	(void)out;
	move_popup_by(m, -1);
}

static void popup_down(struct model *m, struct effects *out)
{
	(void)out;
	move_popup_by(m, 1);
}

static void popup_page_up(struct model *m, struct effects *out)
{
	(void)out;
	move_popup_by(m, -COMPLETE_ROWS);
}

static void popup_page_down(struct model *m, struct effects *out)
{
	(void)out;
	move_popup_by(m, COMPLETE_ROWS);
}

/* Enter accepts the candidate if the person opened the popup or moved the selection; else it ends the line.
 */
static void choose_candidate(struct model *m, struct effects *out)
{
	bool is_wanted = (!m->completion.is_auto || m->completion.has_moved) && !complete_is_exact(m);

	if (is_wanted) {
		complete_accept(m, out);
		return;
	}
	complete_close(m);
	editor_done(m, editor_command(model_editor(m), command_find("new-line"), false, m->now_ns), out);
}

static void dismiss(struct model *m, struct effects *out)
{
	(void)out;
	complete_close(m);
}

bool complete_mouse(struct model *m, const struct event *ev, struct effects *out)
{
	struct rect area = complete_area(m);

	if (!complete_is_shown(m))
		return false;
	if (!rect_contains(area, ev->row, ev->col)) {
		if (ev->action == MOUSE_PRESS)
			complete_close(m);
		return false;
	}
	if (ev->action == MOUSE_WHEEL_UP || ev->action == MOUSE_WHEEL_DOWN) {
		move_popup_by(m, ev->action == MOUSE_WHEEL_UP ? -3 : 3);
	} else if (ev->action == MOUSE_PRESS && ev->button == 1) {
		size_t at = m->completion.scroll + (size_t)(ev->row - area.row);
		if (at < m->completion.n_shown) {
			m->completion.current = at;
			complete_accept(m, out);
		}
	}
	return true;
}

static const struct command commands[] = {
		{"complete", "Complete the word", "complete the word: asks the running interpreter",
				CONTEXT_EDITOR, .run = popup_complete},
		{"complete-or-indent", NULL, "complete the word; after a space: indent", CONTEXT_EDITOR,
				.run = complete_or_indent},
		{"popup-up", NULL, "select another completion", CONTEXT_POPUP, .run = popup_up},
		{"popup-down", NULL, NULL, CONTEXT_POPUP, .run = popup_down},
		{"popup-page-up", NULL, NULL, CONTEXT_POPUP, .run = popup_page_up},
		{"popup-page-down", NULL, NULL, CONTEXT_POPUP, .run = popup_page_down},
		{"popup-accept", NULL, "accept the selected completion", CONTEXT_POPUP,
				.run = complete_accept},
		{"popup-choose", NULL,
				"accept it if you asked for completions or used the arrow keys; "
				"else new line",
				CONTEXT_POPUP, .run = choose_candidate},
		{"popup-close", NULL, "close", CONTEXT_POPUP, .run = dismiss},
};
const struct command_table complete_commands = COMMAND_TABLE(commands);

/* ---- geometry ---- */

/* The columns of the visible candidates. There is a minimum, so that the popup keeps its width. */
static int popup_width(const struct complete *c)
{
	size_t most = 8;

	for (size_t k = 0; k < c->n_shown; k++) {
		const char *text = c->all[c->shown[k]].text;
		size_t cols = cluster_columns(text, strlen(text));
		most = cols > most ? cols : most;
	}
	return (int)(most > 44 ? 44 : most) + 2 + (c->is_busy ? 6 : 10);
}

struct rect complete_area(const struct model *m)
{
	const struct complete *c = &m->completion;
	const struct editor *e = model_editor(m);
	struct rect pane = model_editor_area(m);

	if (!complete_is_shown(m) || pane.rows < 2)
		return (struct rect){0};
	size_t line_start = text_line_start(e->text, editor_line(e)), first;
	size_t column = walk_column(e->text, line_start, c->start, e->tab_width);
	long line = editor_row_at(e, editor_line(e), column, &first);
	int col = (int)column - (int)first;
	int rows = c->n_shown < COMPLETE_ROWS ? (int)c->n_shown : COMPLETE_ROWS, cols = popup_width(c);
	int cursor_row = pane.row + (int)line;
	int below = m->layout.status_row - cursor_row - 1 - c->is_busy,
	    above = cursor_row - pane.row - c->is_busy;
	bool is_above = below < rows && above > below;

	if (line < 0 || line >= pane.rows)
		return (struct rect){0};
	rows = rows > (is_above ? above : below) ? (is_above ? above : below) : rows;
	cols = cols > m->cols ? m->cols : cols;
	col += pane.col + editor_gutter(e) - 1;
	col = col + cols > m->cols ? m->cols - cols : col < 0 ? 0 : col;
	return (struct rect){is_above ? cursor_row - rows - c->is_busy : cursor_row + 1, col,
			rows < 1 ? 0 : rows, cols};
}
