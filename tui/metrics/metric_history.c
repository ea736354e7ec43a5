/* SPDX-License-Identifier: MIT */
#include "metrics/metric_history.h"

#include <stdlib.h>
#include <string.h>

#define HALVINGS 4 /* most halvings of a limit, so that a small value still looks small */
#define FIRST_POINTS 256
#define MIB (1024.0 * 1024.0)

static float known(const struct trm_sample *s, enum trm_metric bit, double value)
{
	return s->known & bit ? (float)value : -1.0f;
}

static float worst(float a, float b)
{
	return a > b ? a : b;
}

static float wait_of(const struct trm_sample *s)
{
	float most = known(s, TRM_METRIC_THROTTLED_PERCENT, s->throttled_percent);

	if (s->pressure_is_machine)
		return most; /* the pressure of the whole machine, which other programs may cause */
	most = worst(most, known(s, TRM_METRIC_PRESSURE_CPU, s->pressure_cpu_percent));
	most = worst(most, known(s, TRM_METRIC_PRESSURE_MEM, s->pressure_mem_percent));
	return worst(most, known(s, TRM_METRIC_PRESSURE_IO, s->pressure_io_percent));
}

static float net_rate(struct metric_history *h, const struct trm_sample *s)
{
	uint64_t bytes = s->net_rx_bytes + s->net_tx_bytes, before = h->net_bytes, since_ns = h->net_ns;
	bool is_known = s->known & TRM_METRIC_NET;

	h->net_bytes = bytes;
	h->net_ns = is_known ? s->time_ns : 0;
	if (!is_known || !since_ns || s->time_ns <= since_ns || bytes < before)
		return -1.0f;
	return (float)((double)(bytes - before) / 1024.0 / ((double)(s->time_ns - since_ns) / 1e9));
}

void metric_history_finish(struct metric_history *h)
{
	free(h->points);
	*h = (struct metric_history){0};
}

/* Double the capacity up to METRIC_SAMPLES. Out of memory: replace the oldest samples. */
static bool grow_metric_history(struct metric_history *h)
{
	size_t cap = h->cap ? h->cap * 2 : METRIC_SAMPLES < FIRST_POINTS ? METRIC_SAMPLES : FIRST_POINTS;

	if (h->n < h->cap || cap > METRIC_SAMPLES || h->n > h->cap)
		return h->cap > 0;
	struct metric_point *points = realloc(h->points, cap * sizeof *points);
	if (!points)
		return h->cap > 0;
	/* h->n is the old capacity: the ring has not wrapped yet, so its order is right. */
	h->points = points;
	h->cap = cap;
	return true;
}

void metric_history_add(struct metric_history *h, const struct trm_sample *s)
{
	if (!grow_metric_history(h))
		return;
	h->points[h->n++ % h->cap] = (struct metric_point){
			.time_ns = s->time_ns,
			.values = {[SERIES_CPU] = known(s, TRM_METRIC_CPU_PERCENT, s->cpu_percent),
					[SERIES_MEM] = known(s, TRM_METRIC_MEM, (double)s->mem_bytes / MIB),
					[SERIES_DISK] = known(
							s, TRM_METRIC_DISK, (double)s->disk_bytes / MIB),
					[SERIES_PROC] = known(s, TRM_METRIC_PROCS, (double)s->procs),
					[SERIES_NET] = net_rate(h, s),
					[SERIES_WAIT] = wait_of(s)},
	};
}

void metric_history_clear(struct metric_history *h)
{
	h->n = 0;
	h->net_ns = 0;
}

static uint64_t oldest_sample(const struct metric_history *h)
{
	return h->n > h->cap ? h->n - h->cap : 0;
}

const struct metric_point *metric_history_at(const struct metric_history *h, uint64_t k)
{
	return k < h->n && k >= oldest_sample(h) ? &h->points[k % h->cap] : NULL;
}

uint64_t metric_history_first_ns(const struct metric_history *h)
{
	return h->n ? metric_history_at(h, oldest_sample(h))->time_ns : 0;
}

uint64_t metric_history_last_ns(const struct metric_history *h)
{
	return h->n ? metric_history_at(h, h->n - 1)->time_ns : 0;
}

/* The first sample at or after a time; n: there is none. */
static uint64_t first_from(const struct metric_history *h, uint64_t at_ns)
{
	uint64_t low = oldest_sample(h), high = h->n;

	while (low < high) {
		uint64_t mid = low + (high - low) / 2;
		if (metric_history_at(h, mid)->time_ns < at_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* ---- columns ---- */

struct metric_span metric_span_at(uint64_t at_ns, uint64_t column_ns)
{
	return (struct metric_span){(at_ns / column_ns + 1) * column_ns, column_ns};
}

int metric_span_column(const struct metric_span *span, int columns, uint64_t at_ns)
{
	if (at_ns >= span->end_ns)
		return columns;
	uint64_t back = (span->end_ns - 1 - at_ns) / span->column_ns;
	return back >= (uint64_t)columns ? -1 : columns - 1 - (int)back;
}

/* The last known value of a series, which also counts for a while afterwards. */
struct last {
	float value;
	uint64_t time_ns, apart_ns; /* since the sample before it; 0: there was none */
};

static void note_last_value(struct last *l, const struct metric_point *p, enum series series)
{
	if (!p || p->values[series] < 0.0f)
		return;
	l->apart_ns = l->time_ns ? p->time_ns - l->time_ns : 0;
	l->time_ns = p->time_ns;
	l->value = p->values[series];
}

void metric_history_columns(const struct metric_history *h, enum series series,
		const struct metric_span *span, int columns, float *out)
{
	uint64_t width_ns = (uint64_t)columns * span->column_ns;
	uint64_t from_ns = span->end_ns > width_ns ? span->end_ns - width_ns : 0;
	uint64_t k = first_from(h, from_ns);
	const struct metric_point *p;
	struct last last = {0};

	note_last_value(&last, k > 1 ? metric_history_at(h, k - 2) : NULL, series);
	note_last_value(&last, k ? metric_history_at(h, k - 1) : NULL, series);
	for (int i = 0; i < columns; i++) {
		uint64_t back_ns = (uint64_t)(columns - 1 - i) * span->column_ns;
		uint64_t end_ns = span->end_ns > back_ns ? span->end_ns - back_ns : 0;
		out[i] = -1.0f;
		for (; (p = metric_history_at(h, k)) && p->time_ns < end_ns; k++) {
			note_last_value(&last, p, series);
			out[i] = worst(out[i], p->values[series]);
		}
		if (out[i] < 0.0f && last.time_ns
				&& end_ns - last.time_ns <= last.apart_ns / 2 * 3 + span->column_ns)
			out[i] = last.value;
	}
}

void metric_history_raise(
		struct metric_history *h, enum series series, uint64_t from_ns, uint64_t to_ns, float peak)
{
	struct metric_point *highest = NULL;

	for (uint64_t k = first_from(h, from_ns); metric_history_at(h, k); k++) {
		struct metric_point *p = &h->points[k % h->cap];
		if (p->time_ns > to_ns)
			break;
		if (!highest || p->values[series] > highest->values[series])
			highest = p;
	}
	if (highest && highest->values[series] < peak)
		highest->values[series] = peak;
	if (highest || to_ns < metric_history_last_ns(h) || !grow_metric_history(h))
		return;
	/* The run began and ended between two samples, so it gets a point of its own. */
	struct metric_point *p = &h->points[h->n++ % h->cap];
	p->time_ns = to_ns;
	for (int i = 0; i < SERIES_COUNT; i++)
		p->values[i] = i == (int)series ? peak : -1.0f;
}

float metric_history_peak(
		const struct metric_history *h, enum series series, uint64_t from_ns, uint64_t to_ns)
{
	const struct metric_point *p;
	float most = -1.0f;

	for (uint64_t k = first_from(h, from_ns); (p = metric_history_at(h, k)) && p->time_ns <= to_ns; k++)
		most = worst(most, p->values[series]);
	return most;
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
