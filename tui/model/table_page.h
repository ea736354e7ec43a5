/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_TABLE_PAGE_H
#define TUI_MODEL_TABLE_PAGE_H

/* The page that shows a table and covers the panes. The table is a variable of a kernel, which is asked for
 * pages while it is idle, or CSV, whose text is stored here. After a run the page is fetched again. */

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
	const struct trm_lang *lang; /* language of the kernel; NULL: CSV */
	char path[400];              /* path of the variable, or name of the file */
	char title[120];
	struct table_pane pane;
	char *bytes; /* text of the CSV; owned */
	struct trm_csv *csv;
	char error[240]; /* why the table, or the last request, has failed; "" */
	/* The search. */
	bool has_find; /* the person types the text */
	struct field find;
	bool is_searching; /* the text is searched for; the next page continues at searched_to */
	uint64_t searched_to;
	bool is_asked; /* the requested page includes the search */
};

void table_page_finish(struct table_page *t); /* accepts a zeroed object */
/* Show a variable (a path as in <terrarium/table.h>), with this title; NULL: the path. */
void table_page_open(struct model *m, const struct trm_lang *lang, const char *path, const char *title,
		struct effects *out);
/* Show CSV. Copies the text. False, with a notice: the text is not CSV. */
bool table_page_open_csv(struct model *m, const char *name, const char *bytes, size_t n);
void table_page_close(struct model *m);

/* Request the page that is needed, if the kernel can answer now. Called after each message. */
void table_page_want(struct model *m, struct effects *out);
void table_page_answer(struct model *m, const struct msg *msg, struct effects *out);
void table_page_run_ended(struct model *m, const struct trm_lang *lang);
/* MSG_TABLE_FILE */
void table_page_file(struct model *m, const struct msg *msg);

/* A key for the search text. False: it is another key. */
bool table_page_key(struct model *m, const struct event *ev);
bool table_page_mouse(struct model *m, const struct event *ev,
		struct effects *out); /* false: the page is not open */

/* The last line: why the table is not complete, or what the keys do. *ret_is_problem: it is the former. */
void table_page_hint(const struct model *m, char *out, size_t cap, bool *ret_is_problem);

/* The layout of the page. */
struct table_page_layout {
	struct rect box, inner; /* inner: without borders, if there are any */
	int head_row, type_row; /* type_row -1: types are not shown */
	struct rect cells;
	int hint_row;
};
struct table_page_layout table_page_layout(const struct model *m);

#endif
