/* SPDX-License-Identifier: MIT */
#ifndef TUI_METRICS_H
#define TUI_METRICS_H

/* What is measured in one sandbox, and how the metrics pane looks at it. The pane shows
 * the workbench's own sandbox; the sandboxes view makes a second one for the sandbox that
 * it looks into. */

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
	int zoom;            /* 0: two seconds a cell; positive: closer */
	uint64_t end_ns;     /* of the time shown; 0: now, whatever comes */
	uint32_t marked_run; /* serial of the run that is selected on the graphs; 0: none */
};

void metrics_finish(struct metrics *x); /* takes a zeroed object */
void metrics_forget(struct metrics *x); /* the sandbox is another one */
void metrics_take(struct metrics *x, const struct trm_metrics *sample);

/* Time that one cell of a graph stands for. */
uint64_t metrics_cell_ns(const struct metrics *x);
/* The time shown in cells of a graph. */
struct metric_span metrics_span(const struct metrics *x);
/* The same for a graph of few cells, which reaches back a minute all the same. */
struct metric_span metrics_span_of(const struct metrics *x, int cells);
void metrics_zoom(struct metrics *x, int by); /* positive: closer */
/* Look back (negative) or forth by so many cells; not beyond what is kept. */
void metrics_scroll_time(struct metrics *x, long cells, int columns);
/* Have this time in view, if it is kept. */
void metrics_show_time(struct metrics *x, uint64_t at_ns, int columns);

#endif
