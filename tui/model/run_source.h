/* SPDX-License-Identifier: MIT */
#ifndef TUI_MODEL_RUN_SOURCE_H
#define TUI_MODEL_RUN_SOURCE_H

/* The code of a part of a buffer. */

#include <stdbool.h>
#include <stddef.h>

#include "editor/editor.h"

struct trm_lang;

/* Does the range have only white space? */
bool run_source_is_blank(const struct editor *e, struct editor_run range);

/* The code of a range, malloc'd with a NUL. NULL when out of memory. Empty lines replace the text before the
 * range, so that line numbers in messages are those of the buffer. In Python the indentation that all lines
 * share is removed, so that part of a body can run. */
char *run_source_text(const struct editor *e, struct editor_run range, const struct trm_lang *lang,
		size_t *ret_len);

/* The lines of the buffer as a person counts them: a final newline starts no further line. */
size_t run_source_lines(const struct editor *e);

/* "all, 12 lines", "selection, 3 lines", "cell, 7 lines". Returns out. */
char *run_source_describe(const struct editor *e, struct editor_run range, char out[64]);

/* The language in which a range runs: that of the buffer, or of its cell ("# %% [bash]"). `lang` is for a
 * buffer without a language. */
const struct trm_lang *run_source_lang(
		const struct editor *e, struct editor_run range, const struct trm_lang *lang);
/* The text of a range for questions about it, without comment signs if it is in another language. malloc'd
 * and NUL-terminated; NULL: out of memory. */
char *run_source_slice(const struct editor *e, struct editor_run range, size_t *ret_len);

#endif
