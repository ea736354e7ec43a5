/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPUT_OUTPUT_LINE_H
#define TUI_OUTPUT_OUTPUT_LINE_H

/* One line of output as it looks: its bytes parsed into cells, carriage returns and
 * colors carried out. Kept from line to line so that memory is used again. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells/canvas.h"
#include "output/scrollback.h"

#define OUT_LINE_COLS 16384 /* cells of one line; what would stand to the right of it is not shown */

struct output_line {
	struct cell *cells;
	size_t n, cap;
	size_t col;         /* where the next character goes */
	size_t n_prefix;    /* cells at the start that the workbench put there */
	enum out_kind kind; /* of its first piece */
	uint32_t run;
	bool is_soft;    /* goes on in the next line */
	uint32_t figure; /* OUT_FIGURE: which, and which row of it */
	int figure_row;
};

void output_line_finish(struct output_line *l); /* takes a zeroed object */

/* Read the next line. False at the end of the store. For OUT_HEADER and OUT_FIGURE the cells are empty: the
 * caller fills them with output_line_put(). */
bool output_line_read(struct output_line *l, struct out_reader *r);

/* Begin a line that comes from elsewhere: empty, to be filled with output_line_put(). */
void output_line_begin(struct output_line *l, enum out_kind kind, uint32_t run);
uint16_t output_line_role(enum out_kind kind); /* what its text is, for the theme */

/* Write text at the cursor, in this style; control characters as in output. */
void output_line_put(struct output_line *l, const char *text, size_t n, struct style style);

/* Wrapping at `width` cells (at least 2): the cell behind the row that begins at cell `from`. Output is
 * wrapped at words, and at cells where a word takes more than half a row; a header never: it is cut. */
size_t output_line_row_end(const struct output_line *l, size_t from, size_t width);
size_t output_line_rows(const struct output_line *l, size_t width); /* at least 1 */

#endif
