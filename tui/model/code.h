/* SPDX-License-Identifier: MIT */
#ifndef TUI_CODE_H
#define TUI_CODE_H

/* What of a buffer is run. */

#include <stdbool.h>
#include <stddef.h>

#include "editor/editor.h"

struct trm_lang;

bool code_is_blank(
		const struct editor *e, struct editor_run range); /* nothing but white space would be run */

/* The code of a range, malloc'd with a NUL behind; NULL when out of memory. Empty lines stand for
 * what is left out before it, so that line numbers in messages are the buffer's. Of Python the indentation
 * that all lines share is taken away: a piece of a body can be run. */
char *code_to_run(const struct editor *e, struct editor_run range, const struct trm_lang *lang,
		size_t *ret_len);

/* Lines of the buffer as a person counts them: what follows a final newline is none. */
size_t code_lines(const struct editor *e);

/* "all, 12 lines", "selection, 3 lines", "cell, 7 lines". Returns out. */
char *code_describe(const struct editor *e, struct editor_run range, char out[64]);

#endif
