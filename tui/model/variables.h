/* SPDX-License-Identifier: MIT */
#ifndef TUI_VARIABLES_H
#define TUI_VARIABLES_H

/* What the kernels' variables are, as far as it is known: names, types and sizes are asked for when a
 * kernel has been idle for a moment after a run, values only while the page of the right column
 * that shows them is open. A run never waits for that: the library cuts such a question short. */

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

#define VARIABLES_MAX 2000 /* rows that are kept */

/* What the last run has done to a variable, as far as it is known: values are only while the page is shown.
 */
enum variable_change { VARIABLE_SAME, VARIABLE_NEW, VARIABLE_CHANGED };

struct variable {
	char *name, *type, *size, *value; /* owned by one block at `name` */
	uint64_t magnitude;               /* of the size, to sort by */
	enum variable_change change;
};

enum variable_column { VARIABLE_NAME, VARIABLE_TYPE, VARIABLE_SIZE, VARIABLE_VALUE, VARIABLE_COLUMNS };

/* Of one language. */
struct variables {
	struct variable *rows;
	size_t n;
	bool is_known;   /* asked and answered since the kernel started */
	bool is_stale;   /* something has run since */
	bool is_awaited; /* … and the kernel has been asked again */
	bool is_untold;  /* … and there was no answer: a server need not have one. Nothing is known */
	bool is_warm;    /* this kernel has answered before: the first answer takes longer */
	bool has_values; /* … were asked for */
};

/* The page. */
struct variables_page {
	bool is_shown; /* in the right column, in place of the processes */
	enum variable_column sort;
	bool is_reverse;
	bool has_filter;   /* is being typed */
	bool only_changed; /* what the last run has made or changed */
	struct field filter;
	size_t current, scroll; /* of the rows that pass the filter */
	enum pane focus_back;   /* that had the focus when it was opened */
};

/* Where the columns begin on a page so wide, as the rows need it; behind the last: the page's width. */
void variables_columns(const struct model *m, int cols, int ret[VARIABLE_COLUMNS + 1]);

void variables_finish(struct variables *v); /* takes a zeroed object */

/* What a run takes with it that ends its kernel: "at least 12 variables of python" (known from before it),
 * "what this run has made", "the variables of python" when nothing is known. */
void variables_phrase(const struct model *m, const struct trm_lang *lang, char *out, size_t cap);

/* A run has ended; the kernel is new. */
/* The kernels may be asked, but not at once. */
void variables_wait(struct model *m);
void variables_run_ended(struct model *m, const struct trm_lang *lang);
void variables_kernel_gone(struct model *m, const struct trm_lang *lang);
/* Ask, if it is time to. */
void variables_tick(struct model *m, struct effects *out);
/* In how many ms it is; -1: not at all. */
int variables_wait_ms(const struct model *m);
void variables_answer(struct model *m, const struct msg *msg, struct effects *out);

/* The rows that the page shows, sorted and filtered: indexes into rows; at most VARIABLES_MAX. Returns
 * how many. */
size_t variables_list(const struct model *m, uint16_t list[VARIABLES_MAX]);
/* How many of the rows are functions and classes, which only a filter shows. 0 while there is one. */
size_t variables_definitions(const struct model *m);

/* The one that the mark is on; NULL: there is none. */
const struct variable *variables_current(const struct model *m);

/* Where the page is: in the metrics pane, or, where that is not on the screen, in a box over the others that
 * takes all keys. 0 rows: it is not shown. With borders, if it is a box. */
struct rect variables_area(const struct model *m);
bool variables_is_overlay(const struct model *m);
bool variables_has_focus(const struct model *m);

/* A key for the filter line; false: it is none of its. */
bool variables_key(struct model *m, const struct event *ev);
/* A click marks, a double click inspects, on the head it sorts. False: it is not on the page. */
bool variables_mouse(struct model *m, const struct event *ev, struct effects *out);

#endif
