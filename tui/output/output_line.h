/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPUT_OUTPUT_LINE_H
#define TUI_OUTPUT_OUTPUT_LINE_H

/* One line of output as it appears: its bytes are parsed into cells, and carriage returns and colors take
 * effect. The object is used again for the next line to save memory. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells/canvas.h"
#include "output/scrollback.h"

#define OUT_LINE_COLS 16384 /* cells of a line; further cells are not shown */

struct output_line {
	struct cell *cells;
	size_t n, cap;
	size_t col;         /* column of the next character */
	size_t n_prefix;    /* cells at the start that the workbench added */
	enum out_kind kind; /* of its first piece */
	uint32_t run;
	bool is_soft;    /* continues in the next line */
	uint32_t figure; /* OUT_FIGURE: the figure, and the row of it */
	int figure_row;
};

void output_line_finish(struct output_line *l); /* accepts a zeroed object */

/* Read the next line. False: end of the store. For OUT_HEADER and OUT_FIGURE the line has no cells, and the
 * caller fills it with output_line_put(). */
bool output_line_read(struct output_line *l, struct out_reader *r);

/* Begin a line from another source. It is empty; fill it with output_line_put(). */
void output_line_begin(struct output_line *l, enum out_kind kind, uint32_t run);
uint16_t output_line_role(enum out_kind kind); /* the role of its text, for the theme */

/* Write text at the cursor in this style. Control characters work as in output. */
void output_line_put(struct output_line *l, const char *text, size_t n, struct style style);

/* Wrap at `width` cells (at least 2). Returns the cell after the row that begins at cell `from`. Rows end at
 * words, or within a word that takes more than half a row. A header never wraps; it is cut. */
size_t output_line_row_end(const struct output_line *l, size_t from, size_t width);
size_t output_line_rows(const struct output_line *l, size_t width); /* at least 1 */

#endif
