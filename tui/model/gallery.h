/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_GALLERY_H
#define TUI_MODEL_GALLERY_H

/* The page of artifacts: images, tables, HTML and files of the runs. They can be shown, saved and opened
 * with other programs. HTML is shown as its text, with tables in columns. SVG is
 * shown as source. */

#include <stdbool.h>
#include <stddef.h>

#include "cells/canvas.h"

struct effects;
struct event;
struct model;
struct msg;

struct gallery {
	bool is_shown;
	size_t current, top; /* rows, newest first */
};

struct gallery_layout {
	struct rect box, inner;
	int head_row;
	struct rect rows;
	int hint_row;
};
struct gallery_layout gallery_layout(const struct model *m);

/* False: the page is not open. */
bool gallery_mouse(struct model *m, const struct event *ev, struct effects *out);
void gallery_close(struct model *m, struct effects *out);

#endif
