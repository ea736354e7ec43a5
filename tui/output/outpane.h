/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPANE_H
#define TUI_OUTPANE_H

/* The output pane: what the runs have printed (the store, and behind it the screen that is still being drawn
 * on), in blocks that can be folded; which part of it is looked at, which line is the current one, what is
 * selected. Sizes are given in cells by the caller, who knows the layout.
 *
 * Lines have numbers that stay theirs. When old output has been dropped, the line before the first
 * that is kept says how much. */

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

/* A place in the output: a line and a cell of it. */
struct out_pos {
	uint64_t line;
	size_t cell;
};

/* The bar in which a pattern is typed. */
struct outbar {
	bool is_open, is_regex;
	bool is_looking; /* not all that was there when the pattern was typed has been looked through */
	struct field what;
	uint64_t origin; /* the current line when it was opened; UINT64_MAX: none */
	char said[160];  /* about the search: "3 of 17 lines", what is wrong with the pattern */
	bool is_wrong;   /* … and it is a failure */
};

struct outpane {
	struct scrollback store;
	struct live_screen screen;
	struct out_blocks blocks;
	struct runs runs;
	struct figures figures;
	bool has_utf8;
	uint64_t now_ns;    /* for the time that a run has taken so far */
	bool is_cut;        /* long lines are not wrapped, … */
	size_t left;        /* … but seen from this cell on */
	bool is_scrolled;   /* stands still at `top`; else the end is shown */
	struct out_pos top; /* start of the first row shown */
	bool has_mark;      /* there is a current line, … */
	uint64_t mark;      /* … this one */
	bool has_selection, is_dragging;
	struct out_pos anchor, cursor;
	struct outsearch search;
	struct outbar bar;
};

int outpane_init(struct outpane *p, size_t cap_bytes); /* 0 or TRM_ENOMEM */
void outpane_finish(struct outpane *p);                /* takes a zeroed object */
void outpane_clear(struct outpane *p);

/* ---- taking output ---- */

void outpane_begin(struct outpane *p, uint32_t serial); /* a run's block, with its header */
/* The same, unless the last block is its own: several runs may print in turns. */
void outpane_turn_to(struct outpane *p, uint32_t serial);
/* Output of the run in hand, and what the workbench adds to it (which then stands on a line of its own). */
void outpane_print(struct outpane *p, enum out_kind kind, uint32_t serial, const void *bytes, size_t n);
void outpane_add(struct outpane *p, enum out_kind kind, uint32_t serial, const char *text, size_t n);
void outpane_end_line(struct outpane *p); /* also: what is on the screen is final */
bool outpane_ends_with(const struct outpane *p, const char *text);

/* ---- reading: lines first <= k < end, those of folded blocks left out ---- */

uint64_t outpane_first(const struct outpane *p);
uint64_t outpane_end(const struct outpane *p);

struct outwalk {
	const struct outpane *p;
	struct out_reader r;
	bool has_reader;
	bool counts_rows;    /* headers are not written out: they take one row whatever they say */
	uint64_t line, next; /* the one just read; the next */
};

void outwalk_start(struct outwalk *w, const struct outpane *p, uint64_t line);
/* Read the next line as it is to be seen, headers written out. False at the end. */
bool outwalk_next(struct outwalk *w, struct output_line *line);
/* Read one line. False: there is none. */
bool outpane_read(const struct outpane *p, uint64_t number, struct output_line *line);

/* Write out the header of line->run into a line that has just begun. */
void outpane_write_header(const struct outpane *p, struct output_line *line);

/* ---- what is looked at: outview.c ---- */

/* The cell behind the row that begins at cell `from`: of a wrapped line, or the whole of it. */
size_t outpane_row_end(const struct outpane *p, const struct output_line *l, size_t from, size_t width);

/* Where the first row of a pane of this size begins. */
struct out_pos outpane_top(const struct outpane *p, int rows, int cols);
/* The block whose header is shown in the first row, in place of what would be there, because it has been
 * scrolled away; or NULL. */
const struct out_block *outpane_sticky(const struct outpane *p, struct out_pos top, int rows);
bool outpane_has_more(const struct outpane *p, int rows, int cols); /* below */

/* Rows up (negative) or down; reaching the end means to follow it again. */
void outpane_scroll(struct outpane *p, int rows, int cols, long by);
void outpane_scroll_home(struct outpane *p);
void outpane_scroll_end(struct outpane *p);
/* Bring a line into view and make it the current one; its block is unfolded. */
void outpane_show(struct outpane *p, int rows, int cols, uint64_t line);
/* The header of a run's block. False: it is gone. */
bool outpane_show_run(struct outpane *p, int rows, int cols, uint32_t serial);

/* Move the current line by shown lines; leaving the end means to follow it. */
void outpane_move(struct outpane *p, int rows, int cols, long by);
/* The block of the current line; without one, the newest that is in view. NULL: there is none. */
struct out_block *outpane_block(const struct outpane *p);
/* Make the header of the next or previous block the current line. */
void outpane_next_block(struct outpane *p, int rows, int cols, int by);

/* The place shown at a row and column of the pane (clamped to what is there). */
struct out_pos outpane_hit(const struct outpane *p, int rows, int cols, int row, int col);

/* ---- selection: outselect.c ---- */

void outpane_select_all(struct outpane *p);
void outpane_select_word(struct outpane *p, struct out_pos at);
void outpane_select_block(struct outpane *p, const struct out_block *block); /* without its header */
/* Make the selection longer by lines, as Shift with an arrow key does. */
void outpane_select_lines(struct outpane *p, int rows, int cols, int by);
/* Whether a cell is selected. */
bool outpane_is_selected(const struct outpane *p, struct out_pos at);

/* What is selected as text, trailing blanks cut; malloc'd. NULL: nothing, or out of memory. */
char *outpane_copy(const struct outpane *p, size_t *ret_len);

#endif
