/* SPDX-License-Identifier: MIT */
#ifndef TUI_METRIC_HISTORY_H
#define TUI_METRIC_HISTORY_H

/* The last samples of what the sandbox uses, for graphs. What was not known stays unknown. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/metrics.h>

#ifndef METRIC_SAMPLES
#define METRIC_SAMPLES 512 /* a power of two */
#endif

enum series { SERIES_CPU, SERIES_MEM, SERIES_DISK, SERIES_PROC, SERIES_COUNT };

struct metric_history {
	float values[SERIES_COUNT]
		    [METRIC_SAMPLES]; /* negative: unknown; CPU in percent, MEM and DISK in MiB */
	uint64_t n;                   /* samples ever added; sample k lies at k % METRIC_SAMPLES */
};

void metric_history_add(struct metric_history *h, const struct trm_sample *sample);
void metric_history_clear(struct metric_history *h);

/* Sample k, counted from the first ever; negative if unknown or gone. */
float metric_history_at(const struct metric_history *h, enum series series, uint64_t k);

/* How many samples share one column of a graph that is `columns` wide, so that it reaches back at
 * least 60 samples. */
unsigned metric_history_per_column(int columns);

/* The values of the graph's columns, oldest first (negative: unknown): each the largest of its samples.
 * Columns are aligned to sample numbers, so that a peak keeps its shape as it moves left. */
void metric_history_columns(const struct metric_history *h, enum series series, int columns, float *out);

/* Full scale of a graph: the limit halved as often as the largest shown value allows, so that it
 * changes seldom. limit <= 0 (unknown): the next power of two. */
double metric_scale(const float *values, int n, double limit, bool halve);

#endif
