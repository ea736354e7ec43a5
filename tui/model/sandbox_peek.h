/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_SANDBOX_PEEK_H
#define TUI_MODEL_SANDBOX_PEEK_H

/* The runs in the sandbox that the page of sandboxes looks into (sandboxes.h): recent and active runs, as
 * blocks. They are shown next to the metrics, or in their place if there is no room for both. */

#include <stdbool.h>

#include "cells/canvas.h"
#include "output/outpane.h"

struct model;
struct msg;

enum { PEEK_BOTH_COLS = 90 }; /* least width for log and metrics side by side */

struct peek_log {
	bool is_open;   /* `out` is initialized */
	bool is_wanted; /* if there is room for only one of the two: show the log */
	struct outpane out;
};

void peek_begin(struct peek_log *log, bool has_utf8);
void peek_finish(struct peek_log *log); /* accepts a zeroed object */
/* MSG_INSIDE_JOINED, _OUTPUT, _DONE */
void peek_update(struct model *m, const struct msg *msg);

/* The layout of the page. Areas with 0 rows are not shown. */
struct peek_layout {
	struct rect log, figures;
	int divider_col; /* -1: none */
};
struct peek_layout peek_layout(const struct model *m);
void peek_scroll(struct model *m, long pages);

#endif
