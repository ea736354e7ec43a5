/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPANE_H
#define TUI_OUTPANE_H

/* The output pane: which part of the store is looked at, and what of it is selected. Sizes are
 * given in cells by the caller, who knows the layout. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/outline.h"
#include "model/outstore.h"
#include "model/runs.h"

/* A place in the output: a line and a cell of it. */
struct out_pos {
	uint64_t line;
	size_t cell;
};

struct outpane {
	struct outstore store;
	struct runs runs;
	bool has_utf8;
	bool is_scrolled;   /* stands still at `top`; else the end is shown */
	struct out_pos top; /* start of the first row shown */
	bool has_selection, is_dragging;
	struct out_pos anchor, cursor;
};

int outpane_init(struct outpane *p, size_t cap_bytes); /* 0 or TRM_ENOMEM */
void outpane_finish(struct outpane *p);                /* takes a zeroed object */
void outpane_clear(struct outpane *p);

/* Read a line as it is to be seen, headers written out. */
bool outpane_read(const struct outpane *p, struct out_reader *r, struct outline *line);

/* Where the first row of a pane of this size begins. */
struct out_pos outpane_top(const struct outpane *p, int rows, int cols);

/* Rows up (negative) or down; reaching the end means to follow it again. */
void outpane_scroll(struct outpane *p, int rows, int cols, long by);
void outpane_scroll_home(struct outpane *p);
void outpane_scroll_end(struct outpane *p);

/* The place shown at a row and column of the pane (clamped to what is there). */
struct out_pos outpane_hit(const struct outpane *p, int rows, int cols, int row, int col);

void outpane_select_all(struct outpane *p);
/* Make the selection longer by lines, as Shift with an arrow key does. */
void outpane_select_lines(struct outpane *p, int rows, int cols, int by);
/* Whether a cell is selected. */
bool outpane_is_selected(const struct outpane *p, struct out_pos at);

/* What is selected as text, trailing blanks cut; malloc'd. NULL: nothing, or out of memory. */
char *outpane_copy(const struct outpane *p, size_t *ret_len);

#endif
