/* SPDX-License-Identifier: MIT */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

/* Draws the model into a canvas. Drawing does not change the model. The canvas must have the size that the
 * model knows. */

#include "cells/canvas.h"

struct model;

void view(const struct model *m, struct canvas *c);

/* Draw only the editor and the parts of the frame that depend on it, on top of an earlier view(). This is
 * enough after a key that has changed nothing else. */
void view_editor(const struct model *m, struct canvas *c);

/* The same for the metrics. This is enough after a new sample. */
void view_metrics(const struct model *m, struct canvas *c);

/* The state of the editor's pane when it was drawn, as far as it decides which line is in which row. */
struct editor_glance {
	const void *text;
	struct rect area;
	/* Number of lines; first visible line and column; line of the cursor. */
	size_t lines, top_line, left_col, line;
	bool has_focus;
};
struct editor_glance view_glance(const struct model *m);

/* Draw only the line with the cursor, so that a typed key appears at once. Call view_editor() next to draw
 * the rest. Returns false and draws nothing if more than that line has changed since the pane was drawn from
 * `last`, or if something covers the line. */
bool view_editor_line(const struct model *m, struct canvas *c, const struct editor_glance *last);

/* Draw only the output, so that a result appears before the other changes at the end of a run. Call view()
 * next. Returns false and draws nothing if there is no output pane or if something may cover it. */
bool view_output(const struct model *m, struct canvas *c);

/* Draw only the metrics of a sandbox on the whole screen: m->metrics in view_monitor_area(), with the
 * sandbox's name above and a line of keys below. Other parts of the model are not used. */
struct rect view_monitor_area(int rows, int cols);
void view_monitor(const struct model *m, struct canvas *c, const char *name, const char *keys);

#endif
