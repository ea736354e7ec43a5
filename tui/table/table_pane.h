/* SPDX-License-Identifier: MIT */
#ifndef TUI_TABLE_PANE_H
#define TUI_TABLE_PANE_H

/* A table that is looked at through a window: which cell is marked, what is to be seen, how wide columns are,
 * and which page is to be fetched for that. Knows nothing of where pages come from. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/table.h>

enum {
	TABLE_FIT_COLS = 32,   /* a column is at most as wide, unless it is made wider */
	TABLE_WIDE_COLS = 200, /* … and then as this */
	TABLE_NARROW_COLS = 3,
	TABLE_SEEN = 1024, /* columns whose widths are remembered; those behind fit the page in hand */
	TABLE_PLACES = 128,
};

struct table_pane {
	struct trm_table page; /* in hand; empty if there is none */
	bool has_page;
	unsigned wanted, asked,
			got;  /* versions of the table: what is to be seen, was asked for, is in hand */
	uint64_t row, column; /* the marked cell */
	uint64_t top, left;   /* the first ones that are seen */
	int rows, cols;       /* of the window, the heading not counted */
	int64_t sort;         /* column; -1: none */
	bool is_descending;
	uint8_t seen[TABLE_SEEN];   /* widest text of the columns so far */
	uint8_t chosen[TABLE_SEEN]; /* widths that were chosen; 0: it fits */
};

/* Where a column is to be seen: columns of the screen behind the left edge of the window. */
struct table_place {
	uint64_t column;
	int col, cols;
};

void table_pane_init(struct table_pane *p);
void table_pane_finish(struct table_pane *p); /* takes a zeroed object */
void table_pane_resize(struct table_pane *p, int rows, int cols);

/* A page has come: takes it over. The mark stays within the table. */
void table_pane_take(struct table_pane *p, struct trm_table *page);
/* A page is to be fetched: what is seen is not in hand, or may have changed. */
bool table_pane_lacks(const struct table_pane *p);
/* The table may have changed: a page that was asked for before does not do. */
void table_pane_changed(struct table_pane *p);
/* What is in hand is from before that. */
bool table_pane_is_stale(const struct table_pane *p);
/* The page to ask for: what is seen, and some of what is around it. `path` and `find` are left alone. */
void table_pane_query(struct table_pane *p, struct trm_table_query *query);

void table_pane_move(struct table_pane *p, int64_t rows, int64_t columns);
void table_pane_to(struct table_pane *p, uint64_t row, uint64_t column);
/* Sort by the marked column; again: the other way round; again: not at all. */
void table_pane_sort(struct table_pane *p);
void table_pane_widen(struct table_pane *p, int by); /* the marked column; 0: fit it again */

int table_pane_label_cols(const struct table_pane *p);
int table_pane_cols(const struct table_pane *p, uint64_t column);
/* The columns that are seen, from the left; the last one may be cut. Returns how many. */
size_t table_pane_places(const struct table_pane *p, struct table_place places[TABLE_PLACES]);

/* NULL: not in hand. */
const struct trm_table_column *table_pane_head(const struct table_pane *p, uint64_t column);
const char *table_pane_label(const struct table_pane *p, uint64_t row);
/* The text of a cell; NULL: there is no value, or with *ret_is_known false, it is not in hand. */
const char *table_pane_cell(const struct table_pane *p, uint64_t row, uint64_t column, bool *ret_is_known);

#endif
