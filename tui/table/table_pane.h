/* SPDX-License-Identifier: MIT */
#ifndef TUI_TABLE_PANE_H
#define TUI_TABLE_PANE_H

/* A window on a table: the selected cell, the visible part, the widths of columns, and the page that must be
 * fetched. It does not know where pages come from. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/table.h>

enum {
	TABLE_FIT_COLS = 32,   /* a column is at most this wide, unless it is widened */
	TABLE_WIDE_COLS = 200, /* … to at most this */
	TABLE_NARROW_COLS = 3,
	TABLE_SEEN = 1024, /* columns whose widths are stored; further ones fit the current page */
	TABLE_PLACES = 128,
};

struct table_pane {
	struct trm_table page; /* the current page; empty if there is none */
	bool has_page;
	unsigned wanted, asked,
			/* Versions of the table: that must be visible, that was requested, that is shown. */
			got;
	uint64_t row, column; /* the selected cell */
	uint64_t top, left;   /* first visible row and column */
	int rows, cols;       /* of the window, without the heading */
	int64_t sort;         /* column; -1: none */
	bool is_descending;
	uint8_t seen[TABLE_SEEN];   /* widest text of each column so far */
	uint8_t chosen[TABLE_SEEN]; /* widths that the person chose; 0: it fits the text */
};

/* The position of a visible column, relative to the left edge of the window. */
struct table_place {
	uint64_t column;
	int col, cols;
};

void table_pane_init(struct table_pane *p);
void table_pane_finish(struct table_pane *p); /* accepts a zeroed object */
void table_pane_resize(struct table_pane *p, int rows, int cols);

/* A page has arrived. The pane takes it over. The selection stays within the table. */
void table_pane_take(struct table_pane *p, struct trm_table *page);
/* Must a page be fetched, because the visible part is not there or may have changed? */
bool table_pane_lacks(const struct table_pane *p);
/* The table may have changed, so a page that was requested before is out of date. */
void table_pane_changed(struct table_pane *p);
/* Is the current page out of date? */
bool table_pane_is_stale(const struct table_pane *p);
/* The page to request: the visible part and some of its surroundings. `path` and `find` do not change. */
void table_pane_query(struct table_pane *p, struct trm_table_query *query);

void table_pane_move(struct table_pane *p, int64_t rows, int64_t columns);
void table_pane_to(struct table_pane *p, uint64_t row, uint64_t column);
/* Sort by the selected column; the second call reverses the order, the third one turns sorting off. */
void table_pane_sort(struct table_pane *p);
void table_pane_widen(struct table_pane *p, int by); /* of the selected column; 0: fit the text again */

int table_pane_label_cols(const struct table_pane *p);
int table_pane_cols(const struct table_pane *p, uint64_t column);
/* The visible columns from left to right. The last one may be cut. Returns their number. */
size_t table_pane_places(const struct table_pane *p, struct table_place places[TABLE_PLACES]);

/* NULL: not on the current page. */
const struct trm_table_column *table_pane_head(const struct table_pane *p, uint64_t column);
const char *table_pane_label(const struct table_pane *p, uint64_t row);
/* The text of a cell. NULL: there is no value, or with *ret_is_known false, the cell is not on the current
 * page. */
const char *table_pane_cell(const struct table_pane *p, uint64_t row, uint64_t column, bool *ret_is_known);

#endif
