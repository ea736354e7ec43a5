/* SPDX-License-Identifier: MIT */
#ifndef TUI_METRICS_H
#define TUI_METRICS_H

/* The metrics of a sandbox, and the state of the pane that shows them. The pane shows the workbench's own
 * sandbox. The page of sandboxes has a second object for the sandbox that it looks into. */

#include <stdbool.h>
#include <stdint.h>

#include <terrarium/metrics.h>

#include "metrics/metric_history.h"
#include "metrics/process_table.h"

enum graph_style { GRAPH_BRAILLE, GRAPH_BLOCKS, GRAPH_ASCII };

struct metrics {
	struct trm_sample sample;
	bool has_sample;
	struct process_table processes;
	struct metric_history history;
	/* looking */
	int zoom;            /* 0: two seconds per cell; positive: closer */
	uint64_t end_ns;     /* end of the visible time; 0: follows the newest sample */
	uint32_t marked_run; /* serial of the run that is selected in the graphs; 0: none */
	int cursor;          /* cell whose values are told, counted from the right, from 1; 0: none */
	bool is_hovered;     /* the pointer has put it there */
};

void metrics_finish(struct metrics *x); /* accepts a zeroed object */
void metrics_forget(struct metrics *x); /* another sandbox has started */
void metrics_take(struct metrics *x, const struct trm_metrics *sample);

/* The time of one cell of a graph. */
uint64_t metrics_cell_ns(const struct metrics *x);
/* The visible time as cells of a graph. */
struct metric_span metrics_span(const struct metrics *x);
/* The same for a graph with few cells, which still covers a minute. */
struct metric_span metrics_span_of(const struct metrics *x, int cells);
void metrics_zoom(struct metrics *x, int by); /* positive: closer */
/* Scroll by cells, back (negative) or forward, within the stored samples. */
void metrics_scroll_time(struct metrics *x, long cells, int columns);
/* Scroll so that this time is visible, if it is stored. */
void metrics_show_time(struct metrics *x, uint64_t at_ns, int columns);

#endif
