/* SPDX-License-Identifier: MIT */
#include "model/layout.h"

static int clamp(int v, int low, int high)
{
	return v < low ? low : v > high ? high : v;
}

enum { LEAST_ROWS = 3, LEAST_METRICS = 30, LEAST_MAIN = 50 };

static struct layout single(int rows, int cols, enum pane shown)
{
	/* Show tabs if the screen is large enough. */
	int tabs = shown == PANE_EDITOR && rows >= 16 && cols >= 60;
	struct layout l = {.kind = LAYOUT_SINGLE,
			.title_row = 0,
			.status_row = rows - 2,
			.keys_row = rows - 1,
			.divider_row = -1,
			.divider_col = -1};

	l.tabs = (struct rect){1, 0, tabs, cols};
	l.panes[shown] = (struct rect){1 + tabs, 0, rows - 3 - tabs, cols};
	return l;
}

/* Place tabs, editor, divider and output, from row `top` down to the row above the status line. */
static void stack(
		struct layout *l, int top, int rows, int col, int cols, const struct layout_request *request)
{
	int room = rows - 2 - top - 2;
	int editor = request->editor_permille ? (room * request->editor_permille + 500) / 1000 : room / 2;

	editor = clamp(editor, LEAST_ROWS, room - LEAST_ROWS);
	l->tabs = (struct rect){top, col, 1, cols};
	l->panes[PANE_EDITOR] = (struct rect){top + 1, col, editor, cols};
	l->divider_row = top + 1 + editor;
	l->panes[PANE_OUTPUT] = (struct rect){l->divider_row + 1, col, room - editor, cols};
}

static struct layout stacked(int rows, int cols, const struct layout_request *request)
{
	struct layout l = {.kind = LAYOUT_STACKED,
			.title_row = 0,
			.status_row = rows - 2,
			.keys_row = rows - 1,
			.divider_col = -1};

	l.strip = (struct rect){1, 1, rows >= 30 ? 2 : 1, cols - 2};
	stack(&l, 1 + l.strip.rows, rows, 1, cols - 2, request);
	return l;
}

static struct layout wide(int rows, int cols, const struct layout_request *request)
{
	struct layout l = {.kind = LAYOUT_WIDE, .title_row = 0, .status_row = rows - 2, .keys_row = rows - 1};
	int width = request->metrics_permille ? (cols * request->metrics_permille + 500) / 1000
					      : clamp(cols / 3, 38, 64);

	width = clamp(width, LEAST_METRICS, cols - LEAST_MAIN);

	l.divider_col = cols - 2 - width;
	l.panes[PANE_METRICS] = (struct rect){1, l.divider_col + 1, rows - 3, width};
	stack(&l, 1, rows, 1, l.divider_col - 1, request);
	return l;
}

struct layout layout_make(int rows, int cols, enum pane shown, const struct layout_request *request)
{
	if (rows < LAYOUT_MIN_ROWS || cols < LAYOUT_MIN_COLS)
		return (struct layout){.kind = LAYOUT_TOO_SMALL, .divider_row = -1, .divider_col = -1};
	if (rows < 16 || cols < 60 || request->is_zoomed)
		return single(rows, cols, shown);
	return cols < 100 ? stacked(rows, cols, request) : wide(rows, cols, request);
}

enum border layout_border_at(const struct layout *l, int row, int col)
{
	if (l->divider_col > 0 && col == l->divider_col && row > l->title_row && row < l->status_row)
		return BORDER_COL;
	if (l->divider_row > 0 && row == l->divider_row && (l->divider_col < 0 || col < l->divider_col))
		return BORDER_ROW;
	return BORDER_NONE;
}

void layout_move_border(const struct layout *l, int cols, enum border border, int row, int col,
		struct layout_request *request)
{
	int room = l->panes[PANE_EDITOR].rows + l->panes[PANE_OUTPUT].rows;

	if (border == BORDER_ROW && l->divider_row > 0) {
		int editor = clamp(row - l->panes[PANE_EDITOR].row, LEAST_ROWS, room - LEAST_ROWS);
		request->editor_permille = (uint16_t)((editor * 1000 + room / 2) / room);
	} else if (border == BORDER_COL && l->divider_col > 0) {
		int width = clamp(cols - 2 - col, LEAST_METRICS, cols - LEAST_MAIN);
		request->metrics_permille = (uint16_t)((width * 1000 + cols / 2) / cols);
	}
}

struct page_area layout_page(const struct layout *l, int rows, int cols)
{
	int from = l->title_row + 1, height = l->keys_row - from;
	struct page_area p = {.box = {from, 0, height, cols}, .has_border = rows >= 16 && cols >= 60};

	p.inner = p.has_border ? (struct rect){from + 1, 1, height - 2, cols - 2} : p.box;
	p.hint_row = p.inner.row + p.inner.rows - 1;
	return p;
}
