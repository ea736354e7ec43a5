/* SPDX-License-Identifier: MIT */
#ifndef TUI_CELL_NOTES_H
#define TUI_CELL_NOTES_H

/* What the visible lines of the editor show about runs: a sign in the gutter, and a note after the code. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells/canvas.h"

struct cell_mark;
struct editor;

#define NOTES_MAX 256 /* lines that show the result of a run */

/* The note that a line shows about a run. */
struct line_note {
	size_t line;
	const struct cell_mark *mark;
	bool is_error; /* the line that failed; false: the first line of the code that ran */
};

struct cell_notes {
	struct line_note items[NOTES_MAX]; /* older runs first */
	size_t n;
};

/* Find the notes of the rows from e->top_line on, whose text ends at `shown_to`. */
void cell_notes_find(struct cell_notes *c, const struct editor *e, int rows, size_t shown_to);
/* The newest note of a line. A note about an error takes precedence. NULL: none. */
const struct line_note *cell_note_of(const struct cell_notes *c, size_t line);

const char *cell_note_sign(const struct cell_mark *mark, bool has_utf8);
uint16_t cell_note_role(const struct cell_mark *mark);
/* Draw a note after the code, which ends before column `col` of the canvas. `text` is the area of the code.
 */
void cell_note_draw(struct canvas *canvas, struct rect text, const struct line_note *note, int row, int col,
		bool has_utf8);

#endif
