/* SPDX-License-Identifier: MIT */
#ifndef TUI_NOTEBOOK_H
#define TUI_NOTEBOOK_H

/* A Jupyter notebook as a script with cells, and back.
 *
 * A notebook keeps the bytes of its file. Printing it again replaces only what has changed: the source of an
 * edited cell, the outputs of one that ran. All else stays byte for byte: metadata, attachments, ids, order
 * of names, indentation. Pure.
 *
 * The script: a code cell follows a line "# %%" (with the comment sign of the language). Text cells become
 * comments behind "# %% [markdown]" or "# %% [raw]"; code cells in another language (a "%%bash" magic, or
 * terrarium's metadata) comments behind "# %% [bash]", without the magic. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "notebook/json_span.h"

struct trm_error;
struct trm_lang;

#define NOTEBOOK_MAX_BYTES ((size_t)256 << 20)

enum notebook_kind { NOTEBOOK_CODE, NOTEBOOK_MARKDOWN, NOTEBOOK_RAW };

struct notebook_cell {
	enum notebook_kind kind;
	const struct trm_lang *foreign; /* code in another language; NULL: in the notebook's */
	char *title;                    /* after "# %%"; "": none */
	char *magic;                    /* line that names the language, not part of `source`; "": none */
	char *source;                   /* without line breaks at its end */
	size_t n;
	struct json_span raw; /* a cell of a file: its bytes */
	size_t pos, end;      /* a cell of a script: its bytes after the mark */
};

/* Tells whether a byte of a cell stands in a string: a line "# %%" is no mark there. `text` begins with the
 * cell, and goes on behind it. */
struct notebook_strings {
	bool (*has)(void *user, const char *text, size_t n, size_t pos);
	void *user;
};

struct notebook {
	char *json; /* n bytes, NUL-terminated */
	size_t n;
	struct json_span root, list; /* the object; its list of cells */
	char indent[17];             /* one level */
	bool is_one_line;            /* it has no indentation */
	bool has_ids;                /* cells have ids: nbformat 4.5 */
	bool is_old;                 /* nbformat 3 or older: it can be read, but not written */
	const struct trm_lang *lang; /* of its kernel */
	bool is_lang_guessed;        /* it names no language: python */
	/* For writing and reading its script. NULL: strings are not known, and each line counts. Borrowed. */
	const struct notebook_strings *strings;
	bool knows_strings; /* its script was written with them */
	struct notebook_cell *cells;
	size_t n_cells;
	size_t n_code, n_text, n_outputs, n_foreign; /* numbers of cells and outputs */
};

bool notebook_is_named(const char *path); /* "x.ipynb" */

/* Read a notebook. An empty text is a notebook without cells. Errors: TRM_EPROTO names the invalid line or
 * cell; TRM_ENOTSUP for a language that cannot run here; TRM_ETOOBIG; TRM_ENOMEM. */
int notebook_parse(const char *json, size_t n, struct notebook **ret, struct trm_error *reterr);
/* Create a notebook without cells for the kernel of a language. NULL: out of memory. */
struct notebook *notebook_create(const struct trm_lang *lang);
void notebook_destroy(struct notebook *nb); /* accepts NULL */

/* Find a language by Jupyter's name: "ipython" is python. Returns as trm_lang_find() does. */
int notebook_find_language(const char *name, const struct trm_lang **ret, struct trm_error *reterr);

/* Jupyter's names for the kernel of a language. Languages without a fixed name in Jupyter keep their own. */
struct notebook_kernel {
	const char *name, *display, *language, *suffix, *mime;
	const char *magic; /* first line of a cell in this language in a python notebook */
};
struct notebook_kernel notebook_kernel_of(const struct trm_lang *lang);

/* The code of a cell in another language: remove the comment sign of `lang` from each line, in place. Returns
 * the new length. */
size_t notebook_uncomment(const struct trm_lang *lang, char *text, size_t n);

/* What the file holds of the last run of a cell, for a mark beside it. */
struct notebook_saved {
	uint64_t count;  /* the number of the run; 0: unknown */
	bool has_failed; /* the text is the error, else the value */
	char *text;      /* malloc'd; NULL: none */
};
/* False: nothing has run. */
bool notebook_saved_result(const struct notebook_cell *cell, struct notebook_saved *ret);

/* Write the script. */
void notebook_put_script(const struct notebook *nb, FILE *out);

/* The result of a run of a cell of the script. */
struct notebook_result {
	size_t pos, end;     /* the bytes that ran, within those of the cell */
	uint64_t count;      /* the number of the run; 0: null */
	const char *outputs; /* list of outputs in JSON; borrowed */
	size_t n;
};

/* Write the notebook with the changes of its script. 0, or TRM_ENOMEM. */
int notebook_print(const struct notebook *nb, const char *script, size_t n,
		const struct notebook_result *results, size_t n_results, FILE *out);

/* ---- shared by the files of this room ---- */

/* Find the cells of a script. `strings` NULL: not known. 0, or TRM_ENOMEM. */
int notebook_split(const struct trm_lang *lang, const struct notebook_strings *strings, const char *script,
		size_t n, struct notebook_cell **ret, size_t *ret_n);
void notebook_cells_free(struct notebook_cell *cells, size_t n);
/* A text of the file is a string or a list of strings; malloc'd. False: neither, or out of memory. */
bool notebook_read_text(struct json_span source, char **ret, size_t *ret_n);
long notebook_number(struct json_span value); /* a whole number; 0 for any other value */

bool notebook_same_cell(const struct notebook_cell *a, const struct notebook_cell *b);

#define NOTEBOOK_NEW SIZE_MAX
/* Find for each new cell the old cell that it was; NOTEBOOK_NEW: none. `ret` has room for n_new. 0, or
 * TRM_ENOMEM. */
int notebook_match(const struct notebook_cell *old, size_t n_old, const struct notebook_cell *new,
		size_t n_new, size_t *ret);

#endif
