/* SPDX-License-Identifier: MIT */
#ifndef TUI_LAYOUT_H
#define TUI_LAYOUT_H

/* Where the panes lie, for a size of the screen. Pure geometry, shared by update (what
 * was clicked, how long is a page) and view.
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
	struct rect panes[PANE_COUNT]; /* without borders; 0 rows: not on the screen, or a strip */
	struct rect strip;             /* metrics folded to a line or two; 0 rows: none */
	struct rect tabs;              /* 0 rows: none */
	int title_row, status_row, keys_row;
	int divider_row; /* between editor and output; -1: none */
	int divider_col; /* left of the metrics; -1: none */
};

/* What the person wants of it; zeroed: nothing in particular. Kept between sessions. */
struct layout_request {
	uint16_t editor_permille;  /* of the rows that editor and output share; 0: half */
	uint16_t metrics_permille; /* of the columns, where the metrics are beside the rest; 0: a third */
	bool is_zoomed;            /* one pane has it all: as SINGLE, on a screen of any size */
};

/* `shown`: which pane SINGLE shows. */
struct layout layout_make(int rows, int cols, enum pane shown, const struct layout_request *request);

/* The lines between panes can be moved. Which one lies at a cell, and the wish once it has been moved to
 * another cell, or by so many rows or columns, as far as it goes. */
enum border { BORDER_NONE, BORDER_ROW, BORDER_COL };
enum border layout_border_at(const struct layout *l, int row, int col);
void layout_move_border(const struct layout *l, int cols, enum border border, int row, int col,
		struct layout_request *request);

#endif
