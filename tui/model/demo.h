/* SPDX-License-Identifier: MIT */
#ifndef TUI_DEMO_H
#define TUI_DEMO_H

/* Presents a prepared file to an audience, cell by cell. The editor holds the current cell, and a large line
 * at the bottom shows its number and title. One key advances: it shows a cell, then runs it, then shows the
 * next one. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct effects;
struct model;
struct trm_lang;

#define DEMO_ROWS 3      /* rows of the large line; 1 on a low screen */
#define DEMO_CELLS 10000 /* further cells are not shown */

struct demo_cell {
	size_t pos, len; /* the code within the file's text */
	char title[96];
	bool is_text; /* marked as text, so it is not run */
};

struct demo {
	bool is_on;
	bool is_agreed; /* the person has agreed to run the file's cells */
	char *text;     /* text of the file */
	char path[4096];
	struct demo_cell *cells;
	size_t n, current;
	uint32_t buffer;   /* buffer that shows the cell */
	uint32_t run;      /* serial of the current cell's run; 0: it has not run yet */
	uint32_t typing;   /* characters per second; 0: the whole cell appears at once */
	size_t typed;      /* bytes of the cell that are shown */
	uint64_t typed_ns; /* time when `typed` last grew */
};

/* Begin with the first cell. The text is copied. 0, TRM_ENOMEM, or TRM_EINVAL: the text has no cell. */
int demo_begin(struct model *m, const struct trm_lang *lang, const char *path, const char *text, size_t n,
		uint32_t typing);
void demo_finish(struct demo *d); /* accepts a zeroed object */

/* demo_cells.c: find the cells of d->text. Same errors as demo_begin(). */
int demo_split(struct demo *d, const char *comment);

void demo_tick(struct model *m, struct effects *out); /* shows more of the cell */
int demo_wait_ms(const struct model *m);              /* time until the next demo_tick(); -1: none */
/* Do the keys of the demo apply now? They do not while code reads a line. */
bool demo_has_keys(const struct model *m);

/* What the key that advances would do: "run this cell", "next cell", "the last cell". */
const char *demo_next_text(const struct model *m);

#endif
