/* SPDX-License-Identifier: MIT */
#include "metrics/run_marks.h"

/* A waiting run has not begun. */
static bool has_begun(const struct run_info *run)
{
	return run && run->began_ns;
}

static uint64_t end_of(const struct run_info *run, uint64_t now_ns)
{
	return run->ended_ns ? run->ended_ns : now_ns;
}

size_t run_marks_in(const struct runs *runs, const struct metric_span *span, int columns, uint64_t now_ns,
		struct mark marks[RUN_MARKS_MAX])
{
	uint64_t width_ns = (uint64_t)columns * span->column_ns;
	uint64_t from_ns = span->end_ns > width_ns ? span->end_ns - width_ns : 0;
	uint32_t oldest = runs->last > RUNS_MAX ? runs->last - RUNS_MAX : 0, serial;
	size_t n = 0;

	/* Runs begin in the order of their serials. Go back to the first one that ended before the span. */
	for (serial = runs->last; serial > oldest && n < RUN_MARKS_MAX; serial--) {
		const struct run_info *run = runs_find(runs, serial);
		if (!has_begun(run) || run->began_ns >= span->end_ns)
			continue;
		if (end_of(run, now_ns) < from_ns)
			break;
		n++;
	}
	size_t count = 0;
	while (serial++ < runs->last && count < n) {
		const struct run_info *run = runs_find(runs, serial);
		if (!has_begun(run) || run->began_ns >= span->end_ns)
			continue;
		int from = metric_span_column(span, columns, run->began_ns);
		int to = metric_span_column(span, columns, end_of(run, now_ns));
		marks[count++] = (struct mark){serial, from < 0 ? 0 : from, to >= columns ? columns - 1 : to};
	}
	return count;
}

const struct mark *run_marks_at(const struct mark *marks, size_t n, int column)
{
	const struct mark *found = n ? marks : NULL;

	for (size_t i = 0; i < n; i++)
		if (marks[i].from <= column)
			found = &marks[i];
	return found;
}

const struct run_info *run_marks_step(const struct runs *runs, uint32_t serial, int by)
{
	uint32_t oldest = runs->last > RUNS_MAX ? runs->last - RUNS_MAX : 0;
	uint32_t at = serial ? serial : by < 0 ? runs->last + 1 : runs->last - 1;

	for (at += (uint32_t)by; at > oldest && at <= runs->last; at += (uint32_t)by) {
		const struct run_info *run = runs_find(runs, at);
		if (has_begun(run))
			return run;
	}
	return NULL;
}
