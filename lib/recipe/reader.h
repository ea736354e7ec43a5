/* SPDX-License-Identifier: MIT */
#ifndef TRM_RECIPE_READER_H
#define TRM_RECIPE_READER_H

/* Reading a recipe out of JSON: what its parts share. Everything is looked at before anything is believed,
 * and a mistake is told with its place. The functions return 0 or a negative code, with the sentence written.
 */

#include "recipe/recipe_internal.h"

/* Where one is: child `nth` of what `up` is about. On the stack, one within another. */
struct spot {
	const struct spot *up;
	size_t nth;
	const char *name; /* NULL: an element of an array */
};

struct reader {
	const struct recipe_text *text;
	struct trm_recipe *recipe;
	struct trm_error *err;
};

/* What the arguments of a list may mention: those of a step, within an "each" or not. */
struct place {
	enum recipe_step step;
	int list; /* -1: in no "each" */
	int depth;
};

/* ---- mistakes and texts: reader.c ---- */

/* "FILE:LINE:COLUMN: backend \"x\", steps.create[2]: …" */
int reader_fail(const struct reader *r, const struct spot *at, const char *fmt, ...)
		__attribute__((format(printf, 3, 4)));
int reader_no_memory(const struct reader *r);
/* There is no `what` of that name: with the nearest that there is; NULL: none is near. */
int reader_fail_unknown(const struct reader *r, const struct spot *at, const char *what, const char *word,
		size_t n, const char *nearest);
/* UTF-8 of a reasonable length, without control characters but for tabs and newlines. */
int reader_check_text(const struct reader *r, const struct spot *at, const char *s);
/* The same of an item that must be a text; `*ret` is freed and becomes a copy. */
int reader_text(const struct reader *r, const struct spot *at, const struct cJSON *item, char **ret);

/* ---- steps: read_steps.c ---- */

/* Are all placeholders known, and known at that place? */
int reader_check_template(
		const struct reader *r, const struct spot *at, const struct place *place, const char *text);
int reader_steps(const struct reader *r, const struct spot *at, const struct cJSON *object);

#endif
