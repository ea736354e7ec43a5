/* SPDX-License-Identifier: MIT */
#ifndef TUI_METRICS_RUN_MARKS_H
#define TUI_METRICS_RUN_MARKS_H

/* Runs on the time axis of the graphs: which run made this peak. */

#include <stddef.h>
#include <stdint.h>

#include "metrics/metric_history.h"
#include "output/runs.h"

#define RUN_MARKS_MAX 256 /* shown at a time */

struct mark {
	uint32_t serial;
	int from, to; /* columns, both in view */
};

/* The runs that ran in the span, oldest first. Returns how many. `now_ns`: end of those that still run. */
size_t run_marks_in(const struct runs *runs, const struct metric_span *span, int columns, uint64_t now_ns,
		struct mark marks[RUN_MARKS_MAX]);
/* The mark at or left of a column, else the first; NULL: there is none. */
const struct mark *run_marks_at(const struct mark *marks, size_t n, int column);
/* The nearest run that has begun, older (by < 0) or newer than `serial`; with serial 0 the newest. NULL:
 * none. */
const struct run_info *run_marks_step(const struct runs *runs, uint32_t serial, int by);

#endif
