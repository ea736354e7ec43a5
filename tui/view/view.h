/* SPDX-License-Identifier: MIT */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

/* The model as cells. Drawing changes nothing. The canvas has the size that the model knows. */

#include "cells/canvas.h"

struct model;

void view(const struct model *m, struct canvas *c);

/* Draw only the editor and what tells of it, over what view() drew before: enough when
 * a key has changed nothing else. */
void view_editor(const struct model *m, struct canvas *c);

/* The same for the metrics: enough when a sample has come. */
void view_metrics(const struct model *m, struct canvas *c);

/* What the editor's pane was drawn from, as far as it decides which lines are where. */
struct editor_glance {
	const void *text;
	struct rect area;
	size_t lines, top_line, left_col, line; /* of the text; first seen; the cursor's */
	bool has_focus;
};
struct editor_glance view_glance(const struct model *m);

/* Draw only the line with the cursor, and the cursor, so that a key is seen before all that follows from it
 * is found out: view_editor() has to come next. False: nothing was drawn, as more than that line has changed
 * since the pane was drawn from `last`, or something lies over it. */
bool view_editor_line(const struct model *m, struct canvas *c, const struct editor_glance *last);

/* Draw only the output, so that a result is seen before what else a run's end changes: view() has to come
 * next. False: nothing was drawn, as there is no such pane or something may lie over it. */
bool view_output(const struct model *m, struct canvas *c);

/* Only what a sandbox uses, on the whole screen: m->metrics in view_monitor_area(), under its name, above a
 * line of keys. The model's other parts are not looked at. */
struct rect view_monitor_area(int rows, int cols);
void view_monitor(const struct model *m, struct canvas *c, const char *name, const char *keys);

#endif
