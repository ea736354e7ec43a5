/* SPDX-License-Identifier: MIT */
#ifndef TUI_METRIC_HISTORY_H
#define TUI_METRIC_HISTORY_H

/* The metrics of a sandbox over time, for graphs. Unknown values stay unknown. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/metrics.h>

#ifndef METRIC_SAMPLES
#define METRIC_SAMPLES 16384 /* capacity: four and a half hours with one per second; a power of two */
#endif

enum series {
	SERIES_CPU,  /* percent of a core */
	SERIES_MEM,  /* MiB */
	SERIES_DISK, /* MiB */
	SERIES_PROC,
	SERIES_NET, /* KiB/s in both directions */
	/* Percent: the maximum of the pressure on CPU, memory and I/O, and of throttled periods. */
	SERIES_WAIT,
	SERIES_COUNT
};

struct metric_point {
	uint64_t time_ns;
	float values[SERIES_COUNT]; /* negative: unknown */
};

struct metric_history {
	struct metric_point *points; /* ring of cap, which grows up to METRIC_SAMPLES */
	size_t cap;
	uint64_t n;                 /* samples ever added; sample k is at k % cap */
	uint64_t net_bytes, net_ns; /* from the previous sample; net_ns 0: unknown */
};

void metric_history_finish(struct metric_history *h); /* accepts a zeroed object */
void metric_history_add(struct metric_history *h, const struct trm_sample *sample);
void metric_history_clear(struct metric_history *h);

/* Sample k, counted from the first one ever; NULL: it was dropped, or does not exist yet. */
const struct metric_point *metric_history_at(const struct metric_history *h, uint64_t k);
/* Times of the oldest and the newest stored sample; 0: there are none. */
uint64_t metric_history_first_ns(const struct metric_history *h);
uint64_t metric_history_last_ns(const struct metric_history *h);

/* A span of time as columns. The last column ends at end_ns, a multiple of column_ns. */
struct metric_span {
	uint64_t end_ns, column_ns;
};
/* The span that ends with the column of `at_ns`. Columns have fixed times, so that a peak keeps its shape as
 * it moves left. */
struct metric_span metric_span_at(uint64_t at_ns, uint64_t column_ns);
/* The column of a time; -1: before the span, `columns`: after it. */
int metric_span_column(const struct metric_span *span, int columns, uint64_t at_ns);

/* The values of the columns, oldest first (negative: unknown). Each is the maximum of its samples. A column
 * without samples shows the previous value if that is recent. */
void metric_history_columns(const struct metric_history *h, enum series series,
		const struct metric_span *span, int columns, float *out);
/* The maximum between two times; negative: unknown. */
float metric_history_peak(
		const struct metric_history *h, enum series series, uint64_t from_ns, uint64_t to_ns);

/* Raise the values between two times to a peak that was measured elsewhere, and which the samples may have
 * missed. */
void metric_history_raise(
		struct metric_history *h, enum series series, uint64_t from_ns, uint64_t to_ns, float peak);

/* The value at full height of a graph: the limit, halved as often as the largest value allows, so that it
 * rarely changes. limit <= 0 (unknown): the next power of two. */
double metric_scale(const float *values, int n, double limit, bool halve);

#endif
