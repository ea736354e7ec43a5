/* SPDX-License-Identifier: MIT */
#include "metrics/metrics_layout.h"

#include "metrics/metrics.h"

enum {
	SIDE_COLS = 26,  /* from this width on, a graph may be next to its number */
	LABEL_COLS = 6,  /* "1024M " */
	LABEL_FROM = 30, /* columns of a pane with room for labels */
	WIDE_COLS = 110, /* columns of a pane with the processes next to the graphs */
	WIDE_ROWS = 16,
	TABLE_COLS = 56,
};

static int max(int a, int b)
{
	return a > b ? a : b;
}

static int lesser_int(int a, int b)
{
	return a < b ? a : b;
}

/* Distribute the rows among the graphs. CPU and memory get most. 0: the graph is next to its number. */
static void share(int room, bool has_net, bool has_wait, int heights[SERIES_COUNT])
{
	int extra = has_net + has_wait, small = room >= 26 ? 4 : room >= 18 ? 3 : room >= 12 ? 2 : 0;
	int big = (room - small * (2 + extra)) / 2;

	big = big < 2 ? 0 : lesser_int(big, 14);
	heights[SERIES_CPU] = heights[SERIES_MEM] = big;
	heights[SERIES_DISK] = heights[SERIES_PROC] = small;
	heights[SERIES_NET] = has_net ? small : -1;
	heights[SERIES_WAIT] = has_wait ? small : -1;
	if (!big && room >= 4)
		heights[SERIES_CPU] = 2;
}

static int place_meter(struct metrics_layout *l, enum series series, struct rect area, int row, int height)
{
	int cols = area.cols - 2 - l->label_cols;

	l->meters[series].row = row;
	if (height > 0)
		l->meters[series].graph = (struct rect){row + 1, area.col + 1, height, cols};
	else if (area.cols >= SIDE_COLS + 10)
		l->meters[series].graph =
				(struct rect){row, area.col + SIDE_COLS, 1, area.cols - SIDE_COLS - 1};
	if (height > 0)
		l->time = (struct rect){0, area.col + 1, 0, cols};
	return row + 1 + max(height, 0);
}

/* Place everything but the processes. Returns the row below. */
static int place_graphs(
		struct metrics_layout *l, struct rect area, bool has_net, bool has_wait, int table_rows)
{
	static const enum series order[] = {
			SERIES_CPU, SERIES_MEM, SERIES_DISK, SERIES_PROC, SERIES_NET, SERIES_WAIT};
	int heights[SERIES_COUNT], row = area.row, bottom = area.row + area.rows;
	bool has_more = area.rows >= 30;

	has_net = has_net && has_more;
	has_wait = has_wait && has_more; /* in this case its graph is below the text */
	int fixed = 4 + 1 + (area.rows >= 12 && !has_wait) + (area.rows >= 14) * 2;
	share(area.rows - fixed - has_net - has_wait - table_rows, has_net, has_wait, heights);
	for (unsigned i = 0; i < sizeof order / sizeof *order && row < bottom; i++)
		if (heights[order[i]] >= 0)
			row = place_meter(l, order[i], area, row, heights[order[i]]);
	if (area.rows >= 14 && l->time.cols) {
		l->run_marks_row = row++;
		l->axis_row = row++;
	}
	if (row < bottom)
		l->words_row = row++;
	if (area.rows >= 12 && row < bottom && !has_wait)
		l->wait_row = row++;
	return row;
}

static void place_table(struct metrics_layout *l, struct rect area)
{
	if (area.rows < 2)
		return;
	l->table_row = area.row;
	l->table = (struct rect){area.row + 1, area.col, area.rows - 1, area.cols};
}

/* `has_net`, `has_wait`: this metric is known, and gets a graph if there is room. */
static struct metrics_layout metrics_layout_make(struct rect area, bool has_net, bool has_wait)
{
	struct metrics_layout l = {.run_marks_row = -1,
			.axis_row = -1,
			.words_row = -1,
			.wait_row = -1,
			.rule_row = -1,
			.rule_col = -1,
			.table_row = -1,
			.label_cols = area.cols >= LABEL_FROM ? LABEL_COLS : 0};

	for (int i = 0; i < SERIES_COUNT; i++)
		l.meters[i].row = -1;
	if (area.cols >= WIDE_COLS && area.rows >= WIDE_ROWS) {
		int left = area.cols - 1 - max(TABLE_COLS, area.cols * 2 / 5);
		place_graphs(&l, (struct rect){area.row, area.col, area.rows, left}, has_net, has_wait, 0);
		l.rule_col = area.col + left;
		place_table(&l, (struct rect){area.row, l.rule_col + 1, area.rows, area.cols - left - 1});
		return l;
	}
	int row = place_graphs(&l, area, has_net, has_wait, area.rows >= 16 ? 2 + max(4, area.rows / 4) : 0);
	int left = area.row + area.rows - row;
	if (left >= 4)
		l.rule_row = row++;
	place_table(&l, (struct rect){row, area.col, area.row + area.rows - row, area.cols});
	return l;
}

struct metrics_layout metrics_layout_of(const struct metrics *x, struct rect area)
{
	uint32_t known = x->has_sample ? x->sample.known : 0;

	return metrics_layout_make(area, known & TRM_METRIC_NET, known & TRM_METRIC_THROTTLED_PERCENT);
}
