/* SPDX-License-Identifier: MIT */
/* Graphs over time: filled, with the newest value on the right. */
#include <string.h>

#include "text/cluster.h"
#include "view/parts.h"

enum { CELLS_MAX = 256, DOTS = 4, EIGHTHS = 8 };

/* The characters for each fill level of a cell, from empty to full. */
static const char *const blocks[2][EIGHTHS + 1] = {
		{" ", "_", "_", ".", "-", "-", "=", "=", "#"},
		{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
};

/* The height of a value in steps. A known value is at least one step high, so that 0 is a thin line. */
static int steps_of(const struct graph *g, float value, int per_row)
{
	int most = g->area.rows * per_row;

	if (value < 0.0f)
		return 0;
	double part = g->scale > 0.0 ? (double)value / g->scale : 0.0;
	int steps = (int)(part * most + 0.5);
	return steps < 1 ? 1 : steps > most ? most : steps;
}

static int steps_in_row(int steps, int row, int per_row)
{
	int here = steps - row * per_row;
	return here < 0 ? 0 : here > per_row ? per_row : here;
}

static uint16_t role_of(const struct graph *g, float value)
{
	double load = g->limit > 0.0 ? (double)value / g->limit : 0.0;

	if (load >= GRAPH_CRITICAL)
		return g->is_busy_at_limit ? ROLE_WARN : ROLE_CRITICAL;
	return load >= GRAPH_WARN && !g->is_busy_at_limit ? ROLE_WARN : g->role;
}

static void put_graph_cell(
		struct canvas *c, const struct graph *g, int row, int column, const char *text, uint16_t role)
{
	int y = g->area.row + g->area.rows - 1 - row, x = g->area.col + column;
	bool is_marked = column >= g->marked_from && column <= g->marked_to;

	canvas_put(c, g->area, y, x, text, strlen(text),
			is_marked ? style_with(ROLE_MARK, ATTR_BOLD) : style_of(role));
}

/* Draw the limit if the graph reaches up to it and the cell is free. */
static void limit_line(struct canvas *c, const struct graph *g, int row, int column)
{
	if (g->limit <= 0.0 || row != g->area.rows - 1 || g->scale < g->limit || g->area.rows < 2)
		return;
	put_graph_cell(c, g, row, column, g->style == GRAPH_ASCII ? "." : "┈", ROLE_GRAPH_LIMIT);
}

/* A braille character is U+2800 plus one bit per dot. From top to bottom, the left column has the bits 1 2 4
 * 40 (hex), the right column 8 10 20 80. */
static void braille(char out[4], int left, int right)
{
	static const uint8_t filled[2][DOTS + 1] = {{0, 0x40, 0x44, 0x46, 0x47}, {0, 0x80, 0xA0, 0xB0, 0xB8}};
	uint8_t bits = filled[0][left] | filled[1][right];

	out[0] = (char)0xE2;
	out[1] = (char)(0xA0 | bits >> 6);
	out[2] = (char)(0x80 | (bits & 0x3F));
	out[3] = '\0';
}

static void draw_dots(struct canvas *c, const struct graph *g, const float *values)
{
	char text[4];

	for (int x = 0; x < g->area.cols; x++) {
		float left = values[2 * x], right = values[2 * x + 1];
		int steps[2] = {steps_of(g, left, DOTS), steps_of(g, right, DOTS)};
		uint16_t role = role_of(g, left > right ? left : right);
		for (int y = 0; y < g->area.rows; y++) {
			int l = steps_in_row(steps[0], y, DOTS), r = steps_in_row(steps[1], y, DOTS);
			if (!l && !r) {
				limit_line(c, g, y, x);
				continue;
			}
			braille(text, l, r);
			put_graph_cell(c, g, y, x, text, role);
		}
	}
}

static void draw_blocks(struct canvas *c, const struct graph *g, const float *values)
{
	for (int x = 0; x < g->area.cols; x++) {
		int steps = steps_of(g, values[x], EIGHTHS);
		for (int y = 0; y < g->area.rows; y++) {
			int here = steps_in_row(steps, y, EIGHTHS);
			if (here)
				put_graph_cell(c, g, y, x, blocks[g->style == GRAPH_BLOCKS][here],
						role_of(g, values[x]));
			else
				limit_line(c, g, y, x);
		}
	}
}

void draw_graph(struct canvas *c, struct graph *g, const struct metric_history *h, enum series series,
		const struct metric_span *span, bool halve)
{
	float values[2 * CELLS_MAX];
	int per_cell = g->style == GRAPH_BRAILLE ? 2 : 1;
	struct metric_span fine = {span->end_ns, span->column_ns / (uint64_t)per_cell};

	if (g->area.cols > CELLS_MAX) {
		g->area.col += g->area.cols - CELLS_MAX;
		g->area.cols = CELLS_MAX;
	}
	if (g->area.cols < 1 || g->area.rows < 1)
		return;
	metric_history_columns(h, series, &fine, g->area.cols * per_cell, values);
	g->scale = metric_scale(values, g->area.cols * per_cell, g->limit, halve);
	if (g->style == GRAPH_BRAILLE)
		draw_dots(c, g, values);
	else
		draw_blocks(c, g, values);
}
