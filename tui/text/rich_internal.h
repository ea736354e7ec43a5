/* SPDX-License-Identifier: MIT */
#ifndef TUI_RICH_INTERNAL_H
#define TUI_RICH_INTERNAL_H

/* A text that grows up to RICH_MAX, and tables; for rich.c and its neighbors. */

#include <stdbool.h>
#include <stddef.h>

#define RICH_BOLD "\033[1m"
#define RICH_PLAIN "\033[22m"

struct rich {
	char *mem;
	size_t len, cap;
	bool is_full; /* RICH_MAX, or no memory */
	int newlines; /* at the end; 2 in the empty text */
	size_t cols;  /* that tables may use; 0: any */
	bool has_gap; /* a blank was skipped and is due before the next word */
};

void rich_add(struct rich *r, const char *text, size_t n);  /* printable bytes, newlines, our SGR */
void rich_word(struct rich *r, const char *text, size_t n); /* preceded by the blank that is due */
void rich_break(struct rich *r, int newlines);              /* end the line; 2: also leave one empty */
char *rich_take(struct rich *r, size_t *ret_len);           /* returns the result; r is empty then */

/* ---- a table that is being read ---- */

enum { TABLE_COLS = 64, TABLE_ROWS = 1000, TABLE_CELL_COLS = 60 };

struct rich_cell {
	char *text; /* owned, one line */
	bool is_head;
};

struct rich_table {
	struct rich_cell *cells; /* TABLE_COLS for each row */
	size_t n_rows, cap_rows, n_cols;
	size_t col;      /* of the open or next cell */
	size_t left_out; /* rows */
	bool is_in_row;
};

void rich_table_row(struct rich_table *t);
/* Add a cell's text that spans columns. Blanks at its ends are removed. */
void rich_table_cell(struct rich_table *t, const char *text, size_t n, bool is_head, size_t span);
/* Write the table in columns, and empty it. */
void rich_table_put(struct rich_table *t, struct rich *r);
void rich_table_finish(struct rich_table *t);

#endif
