/* SPDX-License-Identifier: MIT */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

/* The model as cells. Drawing changes nothing. The canvas has the size that the model knows. */

struct canvas;
struct model;

void view(const struct model *m, struct canvas *c);

/* Draw only the editor and what tells of it, over what view() drew before: enough when
 * a key has changed nothing else. */
void view_editor(const struct model *m, struct canvas *c);

/* The same for the metrics: enough when a sample has come. */
void view_metrics(const struct model *m, struct canvas *c);

#endif
