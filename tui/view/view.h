/* SPDX-License-Identifier: MIT */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

/* The model as cells. Drawing changes nothing. The canvas has the size that the model knows. */

struct canvas;
struct model;

void view(const struct model *m, struct canvas *c);

#endif
