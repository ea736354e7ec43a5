/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_VARIABLE_TREE_H
#define TUI_MODEL_VARIABLE_TREE_H

/* The lines of the page of variables: its rows, and below those that are expanded what they consist of,
 * fetched a page at a time, and again after each run. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/variables.h"

struct effects;
struct model;
struct msg;
struct trm_lang;

enum { VARIABLE_LINES_MAX = 3000, VARIABLE_DEPTH_MAX = 12, VARIABLE_PATH_BYTES = 300 };

/* What one value consists of. */
struct expansion {
	char path[VARIABLE_PATH_BYTES]; /* "x/3/0": a variable's name, and numbers of members */
	struct variable *rows;
	size_t n;
	uint64_t count; /* of all members; more than n: not all were fetched */
	bool is_wanted; /* the next page is to be fetched */
	bool is_stale;  /* … and all of it again: something has run */
};

/* Of one language, whose page it was when they were expanded. */
struct variable_tree {
	const struct trm_lang *lang;
	struct expansion *all; /* in no order */
	size_t n, cap;
	char asked[VARIABLE_PATH_BYTES]; /* whose page is awaited */
	bool is_anew;                    /* … which is the first one */
};

struct variable_line {
	const struct variable *row; /* NULL: there are more members than were fetched */
	const struct expansion *of; /* it is a member of this; NULL: a variable */
	size_t number;              /* … with this number */
	unsigned depth;
	bool is_open;
};

void variable_tree_finish(struct variable_tree *t); /* takes a zeroed object */

/* The lines as they are shown. Returns how many. */
size_t variable_lines(const struct model *m, struct variable_line lines[VARIABLE_LINES_MAX]);
/* The marked one; false: there is none. */
bool variable_line_current(const struct model *m, struct variable_line *ret);
void variable_line_path(const struct variable_line *line, char out[VARIABLE_PATH_BYTES]);

/* Expand the marked line, or fetch more; take it back, or go to what it is a member of. */
void variable_expand(struct model *m);
/* Returns the line to be marked; -1: as before. */
long variable_collapse(struct model *m);

/* Ask for what is wanted, if the kernel can answer now. Called behind every message. */
void variable_tree_want(struct model *m, struct effects *out);
void variable_tree_answer(struct model *m, const struct msg *msg, struct effects *out);
void variable_tree_run_ended(struct model *m, const struct trm_lang *lang);

#endif
