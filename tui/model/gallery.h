/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_GALLERY_H
#define TUI_MODEL_GALLERY_H

/* The page of what runs have made: images, tables, HTML, files. They can be looked at, saved and opened
 * outside. HTML and SVG are shown as text here, never interpreted. */

#include <stdbool.h>
#include <stddef.h>

#include "cells/canvas.h"

struct effects;
struct event;
struct model;
struct msg;

struct gallery {
	bool is_shown;
	size_t current, top; /* rows, the newest first */
};

struct gallery_layout {
	struct rect box, inner;
	int head_row;
	struct rect rows;
	int hint_row;
};
struct gallery_layout gallery_layout(const struct model *m);

bool gallery_mouse(struct model *m, const struct event *ev, struct effects *out); /* false: it is not shown */
void gallery_close(struct model *m);
/* DIALOG_SAVE_ALL */
void answer_save_all(struct model *m, int answer, struct effects *out);

#endif
