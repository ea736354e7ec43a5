/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_SANDBOX_PEEK_H
#define TUI_MODEL_SANDBOX_PEEK_H

/* What is run in the sandbox that is looked into (sandboxes.h): recent runs and live ones, as blocks beside
 * its figures, or in their place where there is no room for both. */

#include <stdbool.h>

#include "cells/canvas.h"
#include "output/outpane.h"

struct model;
struct msg;

enum { PEEK_BOTH_COLS = 90 }; /* as wide, log and figures stand side by side */

struct peek_log {
	bool is_open;   /* `out` may be used */
	bool is_wanted; /* where there is room for one of the two: the log */
	struct outpane out;
};

void peek_begin(struct peek_log *log, bool has_utf8);
void peek_finish(struct peek_log *log); /* takes a zeroed object */
/* MSG_INSIDE_JOINED, _OUTPUT, _DONE */
void peek_update(struct model *m, const struct msg *msg);

/* Where they lie in the page; rows 0: not shown. */
struct peek_layout {
	struct rect log, figures;
	int divider_col; /* -1: none */
};
struct peek_layout peek_layout(const struct model *m);
void peek_scroll(struct model *m, long pages);

#endif
