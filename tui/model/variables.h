/* SPDX-License-Identifier: MIT */
#ifndef TUI_VARIABLES_H
#define TUI_VARIABLES_H

/* The variables of the kernels, as far as they are known. A kernel is asked for names, types and sizes when
 * it has been idle for a moment after a run; for values only while the page with the values is open. A run
 * never waits for an answer, because the library cancels such a question. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells/canvas.h"
#include "model/layout.h"
#include "widget/field.h"

struct effects;
struct event;
struct model;
struct msg;
struct trm_lang;

#define VARIABLES_MAX 2000 /* rows that are stored */

/* What the last run did to a variable, as far as it is known. Values are known only while the page is open.
 */
enum variable_change { VARIABLE_SAME, VARIABLE_NEW, VARIABLE_CHANGED };

struct variable {
	char *name, *type, *size, *value; /* one block at `name` holds all four */
	uint64_t magnitude;               /* numeric size, for sorting */
	enum variable_change change;
	bool is_table, has_members; /* it can be shown as a table; it can be expanded */
};

enum variable_column { VARIABLE_NAME, VARIABLE_TYPE, VARIABLE_SIZE, VARIABLE_VALUE, VARIABLE_COLUMNS };

/* The variables of one language. */
struct variables {
	struct variable *rows;
	size_t n;
	bool is_known;   /* the kernel has answered since its start */
	bool is_stale;   /* code has run since then */
	bool is_awaited; /* … and the kernel was asked again */
	bool is_untold;  /* … and did not answer (a server may not be able to); nothing is known */
	bool is_warm;    /* the kernel was asked before; its first answer takes longer */
	bool has_values; /* the last question asked for values, too */
};

/* The page. */
struct variables_page {
	bool is_shown; /* in the right column, in place of the processes */
	enum variable_column sort;
	bool is_reverse;
	bool has_filter;   /* the filter is being typed */
	bool only_changed; /* only variables that the last run has created or changed */
	struct field filter;
	size_t current, scroll; /* indexes into the filtered rows */
	enum pane focus_back;   /* pane that had the focus before */
};

/* The start of each column for this width, based on the rows. The last entry is the width of the page. */
void variables_columns(const struct model *m, int cols, int ret[VARIABLE_COLUMNS + 1]);

void variables_finish(struct variables *v); /* accepts a zeroed object */

/* What is lost with the kernel: "at least 12 variables of python" (known before the run), "what this run has
 * computed", "python's variables" if nothing is known. Returns the verb for it, "is" or "are". */
const char *variables_phrase(const struct model *m, const struct trm_lang *lang, char *out, size_t cap);

/* Wait a moment before the kernels are asked. */
void variables_wait(struct model *m);
/* A run has ended; the interpreter has ended, and its variables are lost. */
void variables_run_ended(struct model *m, const struct trm_lang *lang);
void variables_kernel_gone(struct model *m, const struct trm_lang *lang);
/* Ask if it is time. */
void variables_tick(struct model *m, struct effects *out);
/* Time until then in ms; -1: none. */
int variables_wait_ms(const struct model *m);
void variables_answer(struct model *m, const struct msg *msg, struct effects *out);

/* The rows of the page, sorted and filtered, as indexes into rows; at most VARIABLES_MAX. Returns their
 * number. */
size_t variables_list(const struct model *m, uint16_t list[VARIABLES_MAX]);
/* The number of functions and classes, which are only shown with a filter. With a filter: 0. */
size_t variables_definitions(const struct model *m);

/* Read a row of an answer: its name is then the owner of all texts. False: out of memory. */
struct cJSON;
bool variable_take(struct variable *v, const struct cJSON *row);

/* The area of the page: in the metrics pane, or, if that is not visible or too low, in a box over the other
 * panes that takes all keys. 0 rows: the page is not open. The area of a box includes its borders. */
struct rect variables_area(const struct model *m);
bool variables_is_overlay(const struct model *m);
bool variables_has_focus(const struct model *m);

/* A key for the filter line. False: it is another key. */
bool variables_key(struct model *m, const struct event *ev);
/* A click selects, a double-click inspects, a click on the heading sorts. False: the event was not on the
 * page. */
bool variables_mouse(struct model *m, const struct event *ev, struct effects *out);

#endif
