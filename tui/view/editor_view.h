/* SPDX-License-Identifier: MIT */
#ifndef TUI_EDITOR_VIEW_H
#define TUI_EDITOR_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "cells/canvas.h"

struct editor;
struct find;

/* The role of a byte of this kind (enum syntax_kind, see syntax/syntax.h). */
uint16_t editor_role(uint8_t kind);

/* Draw the pane into `area`, whose size editor_resize() was told. With `has_focus` the
 * canvas' cursor is put (or hidden where it lies outside), else it is left alone.
 * The matches of `marked` (may be NULL) stand out; a line goes from a cell's mark to the edge. */
void editor_draw(const struct editor *e, struct canvas *c, struct rect area, bool has_focus,
		struct find *marked, bool has_utf8);
/* Only the line with the cursor, which has the focus, and without what its brackets match with. */
void editor_draw_cursor_line(const struct editor *e, struct canvas *c, struct rect area, struct find *marked,
		bool has_utf8);

#endif
