/* SPDX-License-Identifier: MIT */
#include "model/layout.h"

static int clamp(int v, int low, int high)
{
	return v < low ? low : v > high ? high : v;
}

static struct layout single(int rows, int cols, enum pane shown)
{
	struct layout l = {.kind = LAYOUT_SINGLE,
			.title_row = 0,
			.status_row = rows - 2,
			.keys_row = rows - 1,
			.divider_row = -1,
			.divider_col = -1};

	l.panes[shown] = (struct rect){1, 0, rows - 3, cols};
	return l;
}

/* Tabs, editor, divider and output, from row `top` down to the row above the status. */
static void stack(struct layout *l, int top, int rows, int col, int cols)
{
	int room = rows - 2 - top - 2;
	int editor = room / 2;

	l->tabs = (struct rect){top, col, 1, cols};
	l->panes[PANE_EDITOR] = (struct rect){top + 1, col, editor, cols};
	l->divider_row = top + 1 + editor;
	l->panes[PANE_OUTPUT] = (struct rect){l->divider_row + 1, col, room - editor, cols};
}

static struct layout stacked(int rows, int cols)
{
	struct layout l = {.kind = LAYOUT_STACKED,
			.title_row = 0,
			.status_row = rows - 2,
			.keys_row = rows - 1,
			.divider_col = -1};

	l.strip = (struct rect){1, 1, rows >= 30 ? 2 : 1, cols - 2};
	stack(&l, 1 + l.strip.rows, rows, 1, cols - 2);
	return l;
}

static struct layout wide(int rows, int cols)
{
	struct layout l = {.kind = LAYOUT_WIDE, .title_row = 0, .status_row = rows - 2, .keys_row = rows - 1};
	int width = clamp(cols / 3, 38, 64);

	l.divider_col = cols - 2 - width;
	l.panes[PANE_METRICS] = (struct rect){1, l.divider_col + 1, rows - 3, width};
	stack(&l, 1, rows, 1, l.divider_col - 1);
	return l;
}

struct layout layout_make(int rows, int cols, enum pane shown)
{
	if (rows < LAYOUT_MIN_ROWS || cols < LAYOUT_MIN_COLS)
		return (struct layout){.kind = LAYOUT_TOO_SMALL, .divider_row = -1, .divider_col = -1};
	if (rows < 16 || cols < 60)
		return single(rows, cols, shown);
	return cols < 100 ? stacked(rows, cols) : wide(rows, cols);
}

bool rect_contains(struct rect r, int row, int col)
{
	return row >= r.row && row < r.row + r.rows && col >= r.col && col < r.col + r.cols;
}
