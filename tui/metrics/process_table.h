/* SPDX-License-Identifier: MIT */
#ifndef TUI_PROCESS_TABLE_H
#define TUI_PROCESS_TABLE_H

/* The processes of the last sample, in the order of display. The selection belongs to a process, not to a
 * row, so it stays with the process after sorting. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/metrics.h>

enum process_sort { PROCESS_BY_CPU, PROCESS_BY_MEM, PROCESS_BY_PID, PROCESS_BY_COMMAND, PROCESS_SORTS };

/* The columns of the table, for drawing and for clicks. */
enum process_column {
	PROCESS_COLUMN_PID,
	PROCESS_COLUMN_CPU,
	PROCESS_COLUMN_MEM,
	PROCESS_COLUMN_STATE,
	PROCESS_COLUMN_THREADS,
	PROCESS_COLUMN_TIME,
	PROCESS_COLUMN_PAST,
	PROCESS_COLUMN_COMMAND,
	PROCESS_COLUMNS
};
struct process_column_info {
	const char *title;
	int cols, title_cols;
	bool is_left_aligned;   /* its text is left-aligned */
	bool is_extra;          /* only in a wide table */
	enum process_sort sort; /* PROCESS_SORTS: none */
};
extern const struct process_column_info process_columns[PROCESS_COLUMNS];
/* The position of a column in a table of this width. False: it is not shown. */
bool process_column_place(enum process_column column, int table_cols, int *ret_col, int *ret_cols);

/* What a process has used of late, a value for each sample, oldest first. It ends with the process. */
#define PROCESS_VALUES 32
struct process_past {
	uint32_t pid;
	uint64_t start;
	uint8_t n;
	float cpu[PROCESS_VALUES]; /* per cent of a core; negative: unknown */
};

struct process_row {
	uint32_t at; /* index into `processes` */
	uint8_t depth;
	bool is_last; /* among the children of its parent; in a tree */
};

struct process_table {
	struct trm_process *processes; /* as they came */
	struct process_row *rows;      /* in the order of display */
	struct process_past *pasts;    /* of the first n_pasts processes, in the order of numbers */
	size_t n_pasts;
	size_t n, cap;
	bool is_known;
	enum process_sort sort;
	bool is_reversed, is_tree;
	uint32_t selected_pid; /* 0: none */
	uint64_t selected_start;
	size_t top; /* first visible row */
};

void process_table_finish(struct process_table *t); /* accepts a zeroed object */
void process_table_clear(struct process_table *t);  /* removes the processes, keeps the settings */
/* Copies the processes. Out of memory: the table does not change. */
void process_table_take(struct process_table *t, const struct trm_metrics *metrics);

/* The past of a process; NULL: not known. */
const struct process_past *process_table_past(const struct process_table *t, const struct trm_process *p);

/* Sort by this column. If it is sorted so already, reverse the order. */
void process_table_sort(struct process_table *t, enum process_sort sort);
void process_table_set_tree(struct process_table *t, bool is_tree);

/* Row of the selected process; -1: none is selected, or it has ended. */
long process_table_selected(const struct process_table *t);
const struct trm_process *process_table_at(const struct process_table *t, size_t row);
/* `page`: visible rows. The selected row is scrolled into view. */
void process_table_select(struct process_table *t, long row, size_t page);
void process_table_move(struct process_table *t, long by, size_t page);
void process_table_scroll(struct process_table *t, long by, size_t page);

#endif
