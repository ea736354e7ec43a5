/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_IMPORT_H
#define TUI_RECORD_IMPORT_H

/* A Jupyter notebook as a script that has no way back: for a demo, and for notebooks of old formats. Pure. */

#include <stdbool.h>
#include <stddef.h>

struct trm_error;
struct trm_lang;
struct writer;

struct imported {
	const struct trm_lang *lang;
	size_t n_code, n_text; /* number of cells */
	size_t n_outputs;      /* outputs that were left out */
	size_t n_foreign;      /* cells in another language, imported as comments */
	bool is_lang_guessed;  /* the notebook names no language: python */
};

/* Write the script of a notebook (nbformat 4, or "worksheets" of nbformat 3), as notebook_put_script().
 * Errors: those of notebook_parse(). */
int notebook_import(
		const char *json, size_t n, struct writer *w, struct imported *ret, struct trm_error *reterr);

#endif
