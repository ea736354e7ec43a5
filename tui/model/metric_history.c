/* SPDX-License-Identifier: MIT */
#include "model/metric_history.h"

#include <string.h>

#define REACH 60   /* samples that a graph shows at least */
#define HALVINGS 4 /* of a limit: what is little shall look like little */

static float known(const struct trm_sample *s, enum trm_metric bit, double value)
{
	return s->known & bit ? (float)value : -1.0f;
}

void metric_history_add(struct metric_history *h, const struct trm_sample *sample)
{
	const double mib = 1024.0 * 1024.0;
	size_t at = h->n++ % METRIC_SAMPLES;

	h->values[SERIES_CPU][at] = known(sample, TRM_METRIC_CPU_PERCENT, sample->cpu_percent);
	h->values[SERIES_MEM][at] = known(sample, TRM_METRIC_MEM, (double)sample->mem_bytes / mib);
	h->values[SERIES_DISK][at] = known(sample, TRM_METRIC_DISK, (double)sample->disk_bytes / mib);
	h->values[SERIES_PROC][at] = known(sample, TRM_METRIC_PROCS, (double)sample->procs);
}

void metric_history_clear(struct metric_history *h)
{
	h->n = 0;
}

float metric_history_at(const struct metric_history *h, enum series series, uint64_t k)
{
	if (k >= h->n || h->n - k > METRIC_SAMPLES)
		return -1.0f;
	return h->values[series][k % METRIC_SAMPLES];
}

unsigned metric_history_per_column(int columns)
{
	return columns >= REACH ? 1 : columns < 1 ? REACH : (unsigned)((REACH + columns - 1) / columns);
}

void metric_history_columns(const struct metric_history *h, enum series series, int columns, float *out)
{
	unsigned per = metric_history_per_column(columns);
	uint64_t groups = (h->n + per - 1) / per; /* the newest may be incomplete */

	for (int i = 0; i < columns; i++) {
		uint64_t back = (uint64_t)(columns - i);
		float most = -1.0f;
		for (uint64_t k = 0; back <= groups && k < per; k++) {
			float v = metric_history_at(h, series, (groups - back) * per + k);
			most = v > most ? v : most;
		}
		out[i] = most;
	}
}

double metric_scale(const float *values, int n, double limit, bool halve)
{
	float most = 0.0f;

	for (int i = 0; i < n; i++)
		most = values[i] > most ? values[i] : most;
	if (limit <= 0.0) {
		double scale = 1.0;
		while (scale < (double)most)
			scale *= 2.0;
		return scale;
	}
	for (int i = 0; halve && i < HALVINGS && limit / 2.0 > (double)most; i++)
		limit /= 2.0;
	return limit;
}
