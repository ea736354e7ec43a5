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

/* Draw the pane into `area`. Call editor_resize() with the size of `area` first. With `has_focus` the cursor
 * of the canvas is set, or hidden if it lies outside of the area; without `has_focus` the cursor does not
 * change. The matches of `marked` (may be NULL) are highlighted. A line extends from each cell mark to the
 * edge. */
void editor_draw(const struct editor *e, struct canvas *c, struct rect area, bool has_focus,
		struct find *marked, bool has_utf8);
/* Draw only the line with the cursor, without matching brackets. The editor must have the focus. */
void editor_draw_cursor_line(const struct editor *e, struct canvas *c, struct rect area, struct find *marked,
		bool has_utf8);

#endif
