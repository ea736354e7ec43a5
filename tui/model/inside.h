/* SPDX-License-Identifier: MIT */
#ifndef TUI_INSIDE_LOG_H
#define TUI_INSIDE_LOG_H

/* What is run in the sandbox that is looked into (sandboxes.h): recent runs and live ones, as blocks beside
 * its figures, or in their place where there is no room for both. */

#include <stdbool.h>

#include "output/outpane.h"
#include "view/canvas.h"

struct model;
struct msg;

enum { INSIDE_BOTH_COLS = 90 }; /* as wide, log and figures stand side by side */

struct inside_log {
	bool is_open;   /* `out` may be used */
	bool is_wanted; /* where there is room for one of the two: the log */
	struct outpane out;
};

void inside_begin(struct inside_log *log, bool has_utf8);
void inside_finish(struct inside_log *log); /* takes a zeroed object */
/* MSG_INSIDE_JOINED, _OUTPUT, _DONE */
void inside_update(struct model *m, const struct msg *msg);

/* Where they lie in the page; rows 0: not shown. */
struct inside_layout {
	struct rect log, figures;
	int divider_col; /* -1: none */
};
struct inside_layout inside_layout(const struct model *m);
void inside_scroll(struct model *m, long pages);

#endif
