/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTLINE_H
#define TUI_OUTLINE_H

/* One line of output as it looks: its bytes parsed into cells, carriage returns and
 * colours carried out. Kept from line to line so that memory is used again. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/outstore.h"
#include "view/canvas.h"

#define OUT_LINE_COLS 16384 /* cells of one line; what would stand to the right of it is not shown */

struct outline {
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

void outline_finish(struct outline *l); /* takes a zeroed object */

/* Read the next line. False at the end of the store. For OUT_HEADER and OUT_FIGURE the cells are empty: the
 * caller fills them with outline_put(). */
bool outline_read(struct outline *l, struct out_reader *r);

/* Begin a line that comes from elsewhere: empty, to be filled with outline_put(). */
void outline_begin(struct outline *l, enum out_kind kind, uint32_t run);
uint16_t outline_role(enum out_kind kind); /* what its text is, for the theme */

/* Write text at the cursor, in this style; control characters as in output. */
void outline_put(struct outline *l, const char *text, size_t n, struct style style);

/* Wrapping at `width` cells (at least 2): the cell behind the row that begins at cell `from`. Output is
 * wrapped at cells, as a terminal does; the workbench's own notes at words; a header never: it is cut. */
size_t outline_row_end(const struct outline *l, size_t from, size_t width);
size_t outline_rows(const struct outline *l, size_t width); /* at least 1 */

#endif
