/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPANE_H
#define TUI_OUTPANE_H

/* The output pane: the output of the runs (the store, followed by the live screen) in blocks that can be
 * folded, the visible part, the current line, and the selection. The caller, who knows the layout, passes
 * sizes in cells.
 *
 * The number of a line does not change. If old output was dropped, the line before the first stored line
 * says how much. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output/figures.h"
#include "output/live_screen.h"
#include "output/outblock.h"
#include "output/output_line.h"
#include "output/outsearch.h"
#include "output/runs.h"
#include "output/scrollback.h"
#include "widget/field.h"

/* A position in the output. */
struct out_pos {
	uint64_t line;
	size_t cell;
};

static inline bool out_pos_is_before(struct out_pos a, struct out_pos b)
{
	return a.line < b.line || (a.line == b.line && a.cell < b.cell);
}

/* The search bar. */
struct outbar {
	bool is_open, is_regex;
	bool is_looking; /* the search has not covered all output yet */
	struct field what;
	uint64_t origin; /* current line when the bar opened; UINT64_MAX: none */
	char said[160];  /* result of the search: "3 of 17 lines", or the error in the pattern */
	bool is_wrong;   /* … and it is an error */
};

struct outpane {
	struct scrollback store;
	struct live_screen screen;
	struct out_blocks blocks;
	struct runs runs;
	struct figures figures;
	bool has_utf8;
	uint64_t now_ns;    /* for the running time of a run */
	bool is_cut;        /* long lines are not wrapped … */
	size_t left;        /* … but shown from this cell on */
	bool is_scrolled;   /* fixed at `top`; false: follows the end */
	struct out_pos top; /* start of the first visible row */
	bool has_mark;      /* there is a current line … */
	uint64_t mark;      /* … with this number */
	bool has_selection, is_dragging;
	struct out_pos anchor, cursor;
	struct outsearch search;
	struct outbar bar;
};

int outpane_init(struct outpane *p, size_t cap_bytes); /* 0 or TRM_ENOMEM */
void outpane_finish(struct outpane *p);                /* accepts a zeroed object */
void outpane_clear(struct outpane *p);

/* ---- adding output ---- */

void outpane_begin(struct outpane *p, uint32_t serial); /* starts the block of a run, with its header */
/* The same, unless the last block belongs to this run already. Several runs may print in turns. */
void outpane_turn_to(struct outpane *p, uint32_t serial);
/* Add output of the current run, or text of the workbench, which gets its own line. */
void outpane_print(struct outpane *p, enum out_kind kind, uint32_t serial, const void *bytes, size_t n);
void outpane_add(struct outpane *p, enum out_kind kind, uint32_t serial, const char *text, size_t n);
void outpane_end_line(struct outpane *p); /* also moves the live screen to the store */
/* Put the blocks in the order in which their runs began (run_info.began_ms): outsort.c. */
void outpane_sort(struct outpane *p);
bool outpane_ends_with(const struct outpane *p, const char *text);

/* ---- reading: lines first <= k < end, without those of folded blocks ---- */

uint64_t outpane_first(const struct outpane *p);
uint64_t outpane_end(const struct outpane *p);

struct outwalk {
	const struct outpane *p;
	struct out_reader r;
	bool has_reader;
	bool counts_rows;    /* headers are not filled in, because they always take one row */
	uint64_t line, next; /* the line just read; the next one */
};

void outwalk_start(struct outwalk *w, const struct outpane *p, uint64_t line);
/* Read the next visible line, with headers filled in. False: end of the output. */
bool outwalk_next(struct outwalk *w, struct output_line *line);
/* Read one line. False: there is none. */
bool outpane_read(const struct outpane *p, uint64_t number, struct output_line *line);

/* Fill the header of line->run into a line that was just begun. */
void outpane_write_header(const struct outpane *p, struct output_line *line);

/* ---- the visible part: outview.c ---- */

/* The cell after the row that begins at cell `from`, if the line wraps; else the end of the line. */
size_t outpane_row_end(const struct outpane *p, const struct output_line *l, size_t from, size_t width);

/* The start of the first row in a pane of this size. */
struct out_pos outpane_top(const struct outpane *p, int rows, int cols);
/* The block whose header was scrolled out of view and covers the first row; or NULL. */
const struct out_block *outpane_sticky(const struct outpane *p, struct out_pos top, int rows);
bool outpane_has_more(const struct outpane *p, int rows, int cols); /* below the pane */

/* Scroll by rows, up (negative) or down. At the end the pane follows the output again. */
void outpane_scroll(struct outpane *p, int rows, int cols, long by);
void outpane_scroll_home(struct outpane *p);
void outpane_scroll_end(struct outpane *p);
/* Scroll to a line and make it the current one. Its block is unfolded. */
void outpane_show(struct outpane *p, int rows, int cols, uint64_t line);
/* The same with the header of a run's block. False: it was dropped. */
bool outpane_show_run(struct outpane *p, int rows, int cols, uint32_t serial);

/* Move the current line by visible lines. Beyond the end the pane follows the output. */
void outpane_move(struct outpane *p, int rows, int cols, long by);
/* The block of the current line, or without one the newest visible block. NULL: there is none. */
struct out_block *outpane_block(const struct outpane *p);
/* Make the header of the next or previous block the current line. */
void outpane_next_block(struct outpane *p, int rows, int cols, int by);

/* The position at a row and column of the pane, limited to existing output. */
struct out_pos outpane_hit(const struct outpane *p, int rows, int cols, int row, int col);

/* ---- selection: outselect.c ---- */

void outpane_select_all(struct outpane *p);
void outpane_select_word(struct outpane *p, struct out_pos at);
void outpane_select_block(struct outpane *p, const struct out_block *block); /* without its header */
/* Extend the selection by lines, as Shift with an arrow key does. */
void outpane_select_lines(struct outpane *p, int rows, int cols, int by);
/* Is this cell selected? */
bool outpane_is_selected(const struct outpane *p, struct out_pos at);

/* The selected text without trailing blanks, malloc'd. NULL: nothing is selected, or out of memory. */
char *outpane_copy(const struct outpane *p, size_t *ret_len);

#endif
