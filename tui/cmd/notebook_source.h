/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_NOTEBOOK_SOURCE_H
#define TUI_CMD_NOTEBOOK_SOURCE_H

/* The cells of a Jupyter notebook as code to be run. */

#include <stdbool.h>
#include <stddef.h>

struct source;
struct trm_error;
struct trm_lang;

bool source_is_notebook(const struct source *s);

/* Make a source of each code cell, in order; empty cells and those with text are left out. `s` has been read.
 * Cells are in the notebook's language, in `forced` if that is not NULL, or in that of their magic
 * ("%%bash"). The caller frees *ret, after source_finish() of each. Errors: a sentence with the file's name.
 */
int source_split_notebook(const struct source *s, const struct trm_lang *forced, struct source **ret,
		size_t *ret_n, struct trm_error *reterr);

#endif
