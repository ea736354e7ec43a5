/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_TABLE_PAGE_H
#define TUI_MODEL_TABLE_PAGE_H

/* The page that shows a table, over the panes: a variable of a kernel, asked for page by page whenever that
 * is idle, or CSV, whose text is here. A run in the kernel has its page fetched again. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells/canvas.h"
#include "table/table_pane.h"
#include "widget/field.h"

struct effects;
struct event;
struct model;
struct msg;
struct trm_lang;

struct table_page {
	bool is_shown;
	const struct trm_lang *lang; /* whose kernel has it; NULL: it is CSV */
	char path[400];              /* of the variable, or the name of the file */
	char title[120];
	struct table_pane pane;
	char *bytes; /* of CSV; owned */
	struct trm_csv *csv;
	char error[240]; /* why the table, or what was asked for last, is not there; "" */
	/* searching */
	bool has_find; /* the text is being typed */
	struct field find;
	bool is_searching; /* … on from searched_to */
	uint64_t searched_to;
	bool is_asked; /* … by the page that is awaited */
};

void table_page_finish(struct table_page *t); /* takes a zeroed object */
/* Show a variable (a path as in <terrarium/table.h>), with this title; NULL: the path. */
void table_page_open(struct model *m, const struct trm_lang *lang, const char *path, const char *title,
		struct effects *out);
/* Show CSV; copies the text. False, with a notice: it is none. */
bool table_page_open_csv(struct model *m, const char *name, const char *bytes, size_t n);
void table_page_close(struct model *m);

/* Ask for the page that is needed, if the kernel can answer now. Called behind every message. */
void table_page_want(struct model *m, struct effects *out);
void table_page_answer(struct model *m, const struct msg *msg, struct effects *out);
void table_page_run_ended(struct model *m, const struct trm_lang *lang);
/* MSG_TABLE_FILE */
void table_page_file(struct model *m, const struct msg *msg);

/* A key for the text that is looked for; false: it is none of its. */
bool table_page_key(struct model *m, const struct event *ev);
bool table_page_mouse(struct model *m, const struct event *ev); /* false: it is not shown */

/* What holds the table up, or what can be done; for the last line. *ret_is_problem: it is the former. */
void table_page_hint(const struct model *m, char *out, size_t cap, bool *ret_is_problem);

/* Where it lies. */
struct table_page_layout {
	struct rect box, inner; /* inner: without borders; the same where there are none */
	int head_row, type_row; /* type_row -1: types are not shown */
	struct rect cells;
	int hint_row;
};
struct table_page_layout table_page_layout(const struct model *m);

#endif
