/* SPDX-License-Identifier: MIT */
#ifndef TUI_METRICS_SANDBOX_COLUMN_H
#define TUI_METRICS_SANDBOX_COLUMN_H

/* The columns of tables of sandboxes. Each table (`terrarium ps`, `terrarium metrics`, the page of sandboxes,
 * the linear workbench) has a list of those that it shows. */

#include <stdbool.h>

struct trm_entry;

enum { SANDBOX_CELL = 160 };

enum sandbox_column {
	SANDBOX_NAME,
	SANDBOX_BACKEND,
	SANDBOX_KERNELS,
	SANDBOX_CPU,
	SANDBOX_MEM, /* use and limit */
	SANDBOX_MEM_USED,
	SANDBOX_MEM_LIMIT,
	SANDBOX_DISK,
	SANDBOX_PROCS,
	SANDBOX_UPTIME,
	SANDBOX_AGE, /* the same, in fewer characters */
	SANDBOX_IDLE,
	SANDBOX_CLIENTS,
	SANDBOX_KEPT,
	SANDBOX_GROUP,
	SANDBOX_STARTED_BY,
	SANDBOX_COLUMNS
};

struct sandbox_column_info {
	const char *title, *brief; /* brief: where there is little room */
	int cols;                  /* where all cells have the same width; 0: the rest of the line */
	bool is_left_aligned;
	void (*value)(const struct trm_entry *e,
			char out[SANDBOX_CELL]); /* leaves what is unknown as it is */
};
extern const struct sandbox_column_info sandbox_columns[SANDBOX_COLUMNS];

/* The cell of a sandbox; `unknown` if its value is unknown, or there is none. Returns `out`. */
const char *sandbox_cell(enum sandbox_column column, const struct trm_entry *e, const char *unknown,
		char out[SANDBOX_CELL]);

#endif
