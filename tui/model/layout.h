/* SPDX-License-Identifier: MIT */
#ifndef TUI_LAYOUT_H
#define TUI_LAYOUT_H

/* The positions of the panes for a screen size. Pure geometry, shared by update() (what was clicked, how
 * long is a page) and view().
 *
 *   WIDE                        STACKED               SINGLE
 *   ┌ title ────────────────┐   ┌ title ──────────┐   title
 *   │ tabs        │ metrics │   │ metrics strip   │   one of editor,
 *   │ editor      │         │   │ tabs            │   output, metrics
 *   ├─────────────┤         │   │ editor          │
 *   │ output      │         │   ├─────────────────┤   status
 *   └ status ─────┴─────────┘   │ output          │   keys
 *   keys                        └ status ─────────┘
 *                               keys                                  */

#include <stdbool.h>
#include <stdint.h>

#include "cells/canvas.h"

#define LAYOUT_MIN_ROWS 10
#define LAYOUT_MIN_COLS 40

enum layout_kind { LAYOUT_TOO_SMALL, LAYOUT_SINGLE, LAYOUT_STACKED, LAYOUT_WIDE };
enum pane { PANE_EDITOR, PANE_OUTPUT, PANE_METRICS, PANE_COUNT };

struct layout {
	enum layout_kind kind;
	struct rect panes[PANE_COUNT]; /* without borders; 0 rows: not visible, or a strip */
	struct rect strip;             /* the metrics in one or two rows; 0 rows: none */
	struct rect tabs;              /* 0 rows: none */
	int title_row, status_row, keys_row;
	int divider_row; /* between editor and output; -1: none */
	int divider_col; /* left of the metrics; -1: none */
};

/* The person's wishes for the layout; zeroed: none. They are stored between sessions. */
struct layout_request {
	uint16_t editor_permille; /* share of the rows of editor and output; 0: half */
	/* Share of the columns, if the metrics are beside the other panes; 0: a third. */
	uint16_t metrics_permille;
	bool is_zoomed; /* one pane fills the screen, as in SINGLE */
};

/* `shown` is the pane that SINGLE shows. */
struct layout layout_make(int rows, int cols, enum pane shown, const struct layout_request *request);

/* The borders between panes can be moved. These functions return the border at a cell, and the new wishes
 * after a border was moved to another cell, or by a number of rows or columns, as far as possible. */
enum border { BORDER_NONE, BORDER_ROW, BORDER_COL };
enum border layout_border_at(const struct layout *l, int row, int col);
void layout_move_border(const struct layout *l, int cols, enum border border, int row, int col,
		struct layout_request *request);

/* A page over the panes: its border, if the screen is large enough for one, and what is within. */
struct page_area {
	struct rect box, inner;
	bool has_border;
	int hint_row; /* the last one of `inner` */
};
struct page_area layout_page(const struct layout *l, int rows, int cols);

#endif
