/* SPDX-License-Identifier: MIT */
#ifndef TUI_DEMO_H
#define TUI_DEMO_H

/* A prepared file is shown cell by cell to an audience: the editor holds the cell that one is at, a big line
 * below everything says which, and one key goes on: it shows a cell, then runs it, then shows the next. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct effects;
struct model;
struct trm_lang;

#define DEMO_ROWS 3      /* of the big line; 1 where the screen is low */
#define DEMO_CELLS 10000 /* more than these are not shown */

struct demo_cell {
	size_t pos, len; /* its code in the file's text */
	char title[96];
	bool is_text; /* marked as such: it is not run */
};

struct demo {
	bool is_on;
	bool is_agreed; /* the person said that the file's cells may be run */
	char *text;     /* the file */
	char path[4096];
	struct demo_cell *cells;
	size_t n, current;
	uint32_t buffer;   /* that shows the cell */
	uint32_t run;      /* serial of the current cell's run; 0: it was not run yet */
	uint32_t typing;   /* characters a second; 0: a cell is there at once */
	size_t typed;      /* bytes of the cell that are there */
	uint64_t typed_ns; /* when they were */
};

/* Begin with the first cell. Copies the text. 0; TRM_ENOMEM; TRM_EINVAL there is no cell in it. */
int demo_begin(struct model *m, const struct trm_lang *lang, const char *path, const char *text, size_t n,
		uint32_t typing);
void demo_finish(struct demo *d); /* takes a zeroed object */

/* Find the cells of d->text: demo_cells.c. Errors as of demo_begin(). */
int demo_split(struct demo *d, const char *comment);

/* Ask, once for the file, whether its cells may be run. */
void demo_ask(struct model *m);
void answer_demo(struct model *m, int answer, struct effects *out);

void demo_tick(struct model *m, struct effects *out); /* more is typed */
int demo_wait_ms(const struct model *m);              /* until that is due; -1: never */
/* Do its keys count now? Not while code reads a line. */
bool demo_has_keys(const struct model *m);

/* What the key that goes on would do: "run this cell", "next cell", "the last cell". */
const char *demo_next_words(const struct model *m);

#endif
