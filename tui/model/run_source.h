/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_RUN_SOURCE_H
#define TUI_MODEL_RUN_SOURCE_H

/* What of a buffer is run. */

#include <stdbool.h>
#include <stddef.h>

#include "editor/editor.h"

struct trm_lang;

bool run_source_is_blank(
		const struct editor *e, struct editor_run range); /* nothing but white space would be run */

/* The code of a range, malloc'd with a NUL behind; NULL when out of memory. Empty lines stand for
 * what is left out before it, so that line numbers in messages are the buffer's. Of Python the indentation
 * that all lines share is taken away: a piece of a body can be run. */
char *run_source_text(const struct editor *e, struct editor_run range, const struct trm_lang *lang,
		size_t *ret_len);

/* Lines of the buffer as a person counts them: what follows a final newline is none. */
size_t run_source_lines(const struct editor *e);

/* "all, 12 lines", "selection, 3 lines", "cell, 7 lines". Returns out. */
char *run_source_describe(const struct editor *e, struct editor_run range, char out[64]);

#endif
