/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_IMPORT_H
#define TUI_RECORD_IMPORT_H

/* Imports a Jupyter notebook as a buffer with cells. Pure. */

#include <stdbool.h>
#include <stddef.h>

struct trm_error;
struct trm_lang;
struct writer;

#define IMPORT_MAX_BYTES ((size_t)256 << 20)

struct imported {
	const struct trm_lang *lang;
	size_t n_code, n_text; /* number of cells */
	size_t n_outputs;      /* outputs that were left out */
	size_t n_foreign;      /* cells in another language, imported as comments */
	bool is_lang_guessed;  /* the notebook names no language: python */
};

/* Write the cells of a notebook (nbformat 4, or "worksheets" of nbformat 3). Code cells follow "# %%"
 * (with the comment sign of the language). All other cells become comments behind "# %% [markdown]". A
 * cell in another language, marked by a "%%bash" magic or by terrarium's metadata, becomes comments
 * behind "# %% [bash]". Outputs are left out. Errors: TRM_EPROTO with a sentence that names the cell;
 * TRM_ENOTSUP for a language that cannot run here. */
int notebook_import(
		const char *json, size_t n, struct writer *w, struct imported *ret, struct trm_error *reterr);

/* "x.ipynb" */
bool notebook_is_named(const char *path);

#endif
