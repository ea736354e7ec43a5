/* SPDX-License-Identifier: MIT */
#ifndef TUI_METRICS_RUN_MARKS_H
#define TUI_METRICS_RUN_MARKS_H

/* Runs on the time axis of the graphs. They show which run caused a peak. */

#include <stddef.h>
#include <stdint.h>

#include "metrics/metric_history.h"
#include "output/runs.h"

#define RUN_MARKS_MAX 256 /* visible marks */

struct mark {
	uint32_t serial;
	int from, to; /* columns, both visible */
};

/* The runs in the span, oldest first. Returns their number. `now_ns`: end of runs that are still active. */
size_t run_marks_in(const struct runs *runs, const struct metric_span *span, int columns, uint64_t now_ns,
		struct mark marks[RUN_MARKS_MAX]);
/* The last mark that starts at or before a column, else the first mark; NULL: there is none. */
const struct mark *run_marks_at(const struct mark *marks, size_t n, int column);
/* The nearest run that has begun, older (by < 0) or newer than `serial`; with serial 0 the newest. NULL:
 * none. */
const struct run_info *run_marks_step(const struct runs *runs, uint32_t serial, int by);

#endif
