/* SPDX-License-Identifier: MIT */
#ifndef TUI_METRICS_LAYOUT_H
#define TUI_METRICS_LAYOUT_H

/* Where things lie in the metrics pane, for its size. Pure geometry, shared by update
 * (what was clicked, how many processes make a page) and view.
 *
 *   column, from some rows on          wide and high (the pane zoomed)
 *   CPU  37.2 % of 1 core   peak 98 %  graphs            │ processes
 *   graph                       100 %  …                 │
 *   …                                  runs              │
 *   runs         ▲12 ━━━━━             time              │
 *   time  -60 s      -30 s        now  words             │
 *   words                                                         */

#include <stdbool.h>

#include "cells/canvas.h"
#include "metrics/metric_history.h"

struct metrics_layout {
	struct {
		int row;           /* row of its name and number; -1: not shown */
		struct rect graph; /* 0 rows: none */
	} meters[SERIES_COUNT];
	struct rect time;  /* columns of the graphs with the common time axis; 0 cols: there is none */
	int run_marks_row; /* runs; -1: not shown */
	int axis_row;      /* -1: not shown */
	int words_row;     /* network, uptime; -1: not shown */
	int wait_row;      /* pressure, throttling; -1: not shown */
	int rule_row;      /* above the processes; -1: none */
	int rule_col;      /* left of the processes; -1: none */
	int table_row;     /* heading of the processes; -1: not shown */
	struct rect table; /* rows of the processes */
	int label_cols;    /* right of the graphs, for the scale; 0: none */
};

struct metrics;
/* The layout for the known metrics of a sandbox. */
struct metrics_layout metrics_layout_of(const struct metrics *x, struct rect area);

#endif
