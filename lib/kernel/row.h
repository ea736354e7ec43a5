/* SPDX-License-Identifier: MIT */
#ifndef TRM_KERNEL_ROW_H
#define TRM_KERNEL_ROW_H

/* Reading the rows of the language table from JSON. */

#include <stddef.h>

#include "kernel/kernel.h"

struct cJSON;

struct row {
	struct trm_lang lang;
	struct kernel_spec spec;
	const char *const
			*compiler; /* with options, of a batch language whose pieces keep state; NULL: none */
	const char *const *start;  /* of a resident language: its command; NULL: it is batch */
	const char *needs; /* program whose presence tells that it is installed; NULL: the first of `start` */
};

/* JSON with languages in it. Rows borrow texts and lists from it, so that it stays as long as they do. */
struct row_text {
	const char *file; /* "": the built-in ones */
	const char *json;
	size_t n, offset; /* of `root` */
	struct cJSON *root;
	void **lists; /* n_lists of them */
	size_t n_lists;
};
void row_text_finish(struct row_text *text);

/* Read child `nth` of text->root on top of what is in `row`. 0, or TRM_EINVAL with the place. */
int row_read(struct row_text *text, size_t nth, struct row *row, struct trm_error *reterr);
/* The source of its driver, or what is compiled with its pieces: native.inc of C and C++, whose compilers are
 * told their language by -x, or carry.go. */
struct embed row_companion(const struct row *row);
/* "FILE:LINE:COLUMN: language \"x\", KEY: …"; key NULL: the row as a whole. Returns TRM_EINVAL. */
int row_fail(const struct row_text *text, size_t nth, const char *key, struct trm_error *reterr,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
