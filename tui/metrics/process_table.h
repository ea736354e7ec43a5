/* SPDX-License-Identifier: MIT */
#ifndef TUI_PROCESS_TABLE_H
#define TUI_PROCESS_TABLE_H

/* The processes of the last sample, in the order in which they are shown. The selection
 * belongs to a process, not to a row: it stays on it wherever sorting moves it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/metrics.h>

enum process_sort { PROCESS_BY_CPU, PROCESS_BY_MEM, PROCESS_BY_PID, PROCESS_BY_COMMAND, PROCESS_SORTS };

/* Columns that the table is drawn with, and that are clicked on. */
enum process_column {
	PROCESS_COLUMN_PID,
	PROCESS_COLUMN_CPU,
	PROCESS_COLUMN_MEM,
	PROCESS_COLUMN_STATE,
	PROCESS_COLUMN_THREADS,
	PROCESS_COLUMN_TIME,
	PROCESS_COLUMN_COMMAND,
	PROCESS_COLUMNS
};
struct process_column_info {
	const char *title;
	int cols, title_cols;
	bool is_left;           /* its text begins at the left */
	bool is_extra;          /* only in a wide table */
	enum process_sort sort; /* PROCESS_SORTS: none */
};
extern const struct process_column_info process_columns[PROCESS_COLUMNS];
/* Where it lies in a table so wide; false: it is not shown. */
bool process_column_place(enum process_column column, int table_cols, int *ret_col, int *ret_cols);

struct process_row {
	uint32_t at; /* in `processes` */
	uint8_t depth;
	bool is_last; /* of its parent's children; in a tree */
};

struct process_table {
	struct trm_process *processes; /* as they came */
	struct process_row *rows;      /* as they are shown */
	size_t n, cap;
	bool is_known;
	enum process_sort sort;
	bool is_reversed, is_tree;
	uint32_t selected_pid; /* 0: none is selected */
	uint64_t selected_start;
	size_t top; /* first row shown */
};

void process_table_finish(struct process_table *t); /* takes a zeroed object */
void process_table_clear(struct process_table *t);  /* forget the processes, keep the settings */
/* Copies. Out of memory: the table is as it was. */
void process_table_take(struct process_table *t, const struct trm_metrics *metrics);

/* Sort by this, or if it is so already, the other way round. */
void process_table_sort(struct process_table *t, enum process_sort sort);
void process_table_set_tree(struct process_table *t, bool is_tree);

/* Row of the selected process; -1: none is selected, or it has ended. */
long process_table_selected(const struct process_table *t);
const struct trm_process *process_table_at(const struct process_table *t, size_t row);
/* `page`: rows that are shown at a time: the selected one is among them then. */
void process_table_select(struct process_table *t, long row, size_t page);
void process_table_move(struct process_table *t, long by, size_t page);
void process_table_scroll(struct process_table *t, long by, size_t page);

#endif
