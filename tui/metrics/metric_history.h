/* SPDX-License-Identifier: MIT */
#ifndef TUI_METRIC_HISTORY_H
#define TUI_METRIC_HISTORY_H

/* What the sandbox has used over time, for graphs. What was not known stays unknown. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/metrics.h>

#ifndef METRIC_SAMPLES
#define METRIC_SAMPLES 16384 /* kept: four and a half hours at one a second; a power of two */
#endif

enum series {
	SERIES_CPU,  /* per cent of a core */
	SERIES_MEM,  /* MiB */
	SERIES_DISK, /* MiB */
	SERIES_PROC,
	SERIES_NET,  /* KiB/s in both directions */
	SERIES_WAIT, /* per cent: the worst of pressure on CPU, memory and I/O, and of throttled periods */
	SERIES_COUNT
};

struct metric_point {
	uint64_t time_ns;
	float values[SERIES_COUNT]; /* negative: unknown */
};

struct metric_history {
	struct metric_point *points; /* ring of cap, grown up to METRIC_SAMPLES */
	size_t cap;
	uint64_t n;                 /* samples ever added; sample k lies at k % cap */
	uint64_t net_bytes, net_ns; /* of the sample before; net_ns 0: it told none */
};

void metric_history_finish(struct metric_history *h); /* takes a zeroed object */
void metric_history_add(struct metric_history *h, const struct trm_sample *sample);
void metric_history_clear(struct metric_history *h);

/* Sample k, counted from the first ever; NULL if it is gone, or not there yet. */
const struct metric_point *metric_history_at(const struct metric_history *h, uint64_t k);
/* Times of the oldest and the newest sample that are kept; 0 if there are none. */
uint64_t metric_history_first_ns(const struct metric_history *h);
uint64_t metric_history_last_ns(const struct metric_history *h);

/* A stretch of time as columns: the last one ends at end_ns, a multiple of column_ns. */
struct metric_span {
	uint64_t end_ns, column_ns;
};
/* The span that ends with the column in which `at_ns` lies. Columns stand still in time, so that a peak
 * keeps its shape as it moves left. */
struct metric_span metric_span_at(uint64_t at_ns, uint64_t column_ns);
/* Which of `columns` a time lies in; -1: before them, `columns`: behind. */
int metric_span_column(const struct metric_span *span, int columns, uint64_t at_ns);

/* The values of the columns, oldest first (negative: unknown): each the largest of its samples. A column
 * without a sample of its own shows the one before, if that is not long ago. */
void metric_history_columns(const struct metric_history *h, enum series series,
		const struct metric_span *span, int columns, float *out);
/* The largest value between two times; negative: none is known. */
float metric_history_peak(
		const struct metric_history *h, enum series series, uint64_t from_ns, uint64_t to_ns);

/* Somebody else has measured a peak between two times, which samples may have missed: have it shown. */
void metric_history_raise(
		struct metric_history *h, enum series series, uint64_t from_ns, uint64_t to_ns, float peak);

/* Full scale of a graph: the limit halved as often as the largest shown value allows, so that it
 * changes seldom. limit <= 0 (unknown): the next power of two. */
double metric_scale(const float *values, int n, double limit, bool halve);

#endif
