/* SPDX-License-Identifier: MIT */
#ifndef TRM_RECIPE_READER_H
#define TRM_RECIPE_READER_H

/* Reading a recipe from JSON: declarations for all its parts. Everything is checked before it is used,
 * and a mistake is reported with its position. The functions return 0 or a negative code, with a
 * sentence. */

#include "recipe/recipe_internal.h"

/* The current position: child `nth` of `up`. Positions are nested on the stack. */
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

/* The context that decides which words the arguments may contain: a step, and perhaps an "each". */
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
/* There is no `what` of that name. Suggests the nearest known one; NULL: none is near. */
int reader_fail_unknown(const struct reader *r, const struct spot *at, const char *what, const char *word,
		size_t n, const char *nearest);
/* Check that it is UTF-8 of a reasonable length, without control characters other than tabs and newlines. */
int reader_check_text(const struct reader *r, const struct spot *at, const char *s);
/* The same for an item that must be a text. `*ret` is freed and replaced by a copy. */
int reader_text(const struct reader *r, const struct spot *at, const struct cJSON *item, char **ret);

/* ---- steps: read_steps.c ---- */

/* Are all placeholders known, and available in this place? */
int reader_check_template(
		const struct reader *r, const struct spot *at, const struct place *place, const char *text);
int reader_steps(const struct reader *r, const struct spot *at, const struct cJSON *object);

#endif
