/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_IMPORT_H
#define TUI_RECORD_IMPORT_H

/* A Jupyter notebook as a buffer with cells. Pure. */

#include <stdbool.h>
#include <stddef.h>

struct trm_error;
struct trm_lang;
struct writer;

#define IMPORT_MAX_BYTES ((size_t)256 << 20)

struct imported {
	const struct trm_lang *lang;
	size_t n_code, n_text; /* cells */
	size_t n_outputs;      /* that were left out */
	size_t n_foreign;      /* cells in another language: they stand there as comments */
	bool is_lang_guessed;  /* the notebook does not say: python */
};

/* Write the cells of a notebook (nbformat 4, or the "worksheets" of 3): code cells behind "# %%" (with the
 * language's comment sign), all others as comments behind "# %% [markdown]". A cell in another language
 * (a "%%bash" magic, terrarium's metadata) becomes comments behind "# %% [bash]". Outputs are left out.
 * Errors: TRM_EPROTO with a sentence that names the cell; TRM_ENOTSUP a language that cannot be run here. */
int notebook_import(
		const char *json, size_t n, struct writer *w, struct imported *ret, struct trm_error *reterr);

/* "x.ipynb" */
bool notebook_is_named(const char *path);

#endif
