/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_EXPORT_H
#define TUI_RECORD_EXPORT_H

/* Exports a session as a file for other programs. Pure: a transcript in, text out. */

#include <stdbool.h>
#include <stddef.h>

#include "record/transcript.h"

struct trm_error;
struct writer;

struct export_format {
	const char *name;   /* "ipynb": value of --to */
	const char *suffix; /* ".ipynb" */
	const char *title;  /* "Jupyter notebook" */
	void (*write)(const struct transcript *s,
			struct writer *w); /* NULL: made by playing the recording (cast.h) */
};

/* The table; a row without a name ends it. */
extern const struct export_format export_formats[];

/* Find a format by its name, or by the suffix of a file name; NULL if there is none. */
const struct export_format *export_find(const char *name);
const struct export_format *export_guess(const char *filename);

/* ---- the formats, each in a file of its own ----
 *
 * Notebook: nbformat 4.5. One notebook has one kernel: python if any run is in python (its kernel has magics
 * for other languages), else the language of the first run. Cells in another language begin, in a python
 * notebook, with "%%bash" or "%%script node" (each such cell is then a process of its own there: state is
 * not kept from cell to cell); in every case the cell's metadata has terrarium.language, which import
 * goes by. */
void export_ipynb(const struct transcript *s, struct writer *w);
void export_markdown(const struct transcript *s, struct writer *w);
/* One page without scripts that loads nothing. HTML and SVG made by the code are isolated. */
void export_html(const struct transcript *s, struct writer *w);
/* "# %%" cells in the language of the first run. Cells in other languages become comments. */
void export_script(const struct transcript *s, struct writer *w);

/* The outputs of a run as the list that a cell of a notebook holds. */
void export_outputs(const struct transcript_run *run, struct writer *w);

/* ---- shared ---- */

/* The language of the notebook or script, as described above; python without any runs. */
const struct trm_lang *export_language(const struct transcript *s, bool prefers_python);

/* The forms of one display begin at piece *at. Returns the form that shows most on a page, and moves *at
 * behind the last form. */
const struct transcript_piece *export_best(const struct transcript_run *run, size_t *at);

/* A sentence about missing output; "" when nothing is missing. Returns out. */
char *export_missing(const struct transcript *s, char out[200]);

#endif
