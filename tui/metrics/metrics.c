/* SPDX-License-Identifier: MIT */
#include "metrics/metrics.h"

#define SECOND UINT64_C(1000000000)

/* Time per cell. A braille cell has two columns, so that the second scale shows each second. */
static const uint64_t scales_ns[] = {
		SECOND, 2 * SECOND, 4 * SECOND, 10 * SECOND, 30 * SECOND, 60 * SECOND, 300 * SECOND};
enum { N_SCALES = sizeof scales_ns / sizeof *scales_ns, FIRST_SCALE = 1 };

void metrics_finish(struct metrics *x)
{
	metric_history_finish(&x->history);
	process_table_finish(&x->processes);
	*x = (struct metrics){0};
}

void metrics_forget(struct metrics *x)
{
	x->has_sample = false;
	x->end_ns = 0;
	x->marked_run = 0;
	metric_history_clear(&x->history);
	process_table_clear(&x->processes);
}

void metrics_take(struct metrics *x, const struct trm_metrics *sample)
{
	x->sample = sample->sample;
	x->has_sample = true;
	metric_history_add(&x->history, &sample->sample);
	process_table_take(&x->processes, sample);
}

/* ---- time ---- */

uint64_t metrics_cell_ns(const struct metrics *x)
{
	return scales_ns[FIRST_SCALE - x->zoom];
}

struct metric_span metrics_span(const struct metrics *x)
{
	return metric_span_at(
			x->end_ns ? x->end_ns : metric_history_last_ns(&x->history), metrics_cell_ns(x));
}

struct metric_span metrics_span_of(const struct metrics *x, int cells)
{
	struct metric_span span = metrics_span(x);
	uint64_t reach_ns = 60 * SECOND / (uint64_t)(cells > 0 ? cells : 1);
	uint64_t cell_ns = (reach_ns + 2 * SECOND - 1) / (2 * SECOND) * (2 * SECOND);

	return cell_ns <= span.column_ns ? span : metric_span_at(span.end_ns - 1, cell_ns);
}

void metrics_zoom(struct metrics *x, int by)
{
	int at = FIRST_SCALE - x->zoom - by;

	at = at < 0 ? 0 : at >= N_SCALES ? N_SCALES - 1 : at;
	x->zoom = FIRST_SCALE - at;
}

void metrics_scroll_time(struct metrics *x, long cells, int columns)
{
	uint64_t cell_ns = metrics_cell_ns(x), last_ns = metric_history_last_ns(&x->history);
	uint64_t first_ns = metric_history_first_ns(&x->history), at_ns = x->end_ns ? x->end_ns : last_ns;
	uint64_t least_ns = first_ns + (uint64_t)(columns > 1 ? columns - 1 : 0) * cell_ns;
	uint64_t by_ns = (uint64_t)(cells < 0 ? -cells : cells) * cell_ns;

	if (cells < 0)
		at_ns = at_ns > by_ns + least_ns ? at_ns - by_ns : least_ns;
	else
		at_ns += by_ns;
	x->end_ns = at_ns >= last_ns ? 0 : at_ns;
}

void metrics_show_time(struct metrics *x, uint64_t at_ns, int columns)
{
	struct metric_span span = metrics_span(x);
	int column = metric_span_column(&span, columns, at_ns);

	if (column < 0)
		metrics_scroll_time(x, columns / 2 - (long)((span.end_ns - at_ns) / span.column_ns), columns);
	else if (column >= columns)
		metrics_scroll_time(x, (long)((at_ns - span.end_ns) / span.column_ns) + columns / 4, columns);
}
