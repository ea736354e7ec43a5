/* SPDX-License-Identifier: MIT */
/* Graphs over time: filled, with the newest value on the right. */
#include <string.h>

#include "text/cluster.h"
#include "view/parts.h"

#define HEAT_FROM 0.3 /* part of the limit up to which a graph has its own color */
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

/* How hot a height is: a part of the limit, and so the same in each graph of the series. In a single row the
 * value itself is the height. */
static unsigned heat_of(const struct graph *g, int row, float value)
{
	double height = g->area.rows > 1 ? (row + 0.5) / g->area.rows * g->scale : (double)value;
	double load = g->limit > 0.0 ? height / g->limit : 0.0;
	double heat = (load - HEAT_FROM) / (1.0 - HEAT_FROM) * COLOR_HEATS;

	heat = g->is_busy_at_limit ? heat / 2 : heat;
	return heat < 0.0 ? 0 : heat > COLOR_HEATS ? COLOR_HEATS : (unsigned)(heat + 0.5);
}

static bool is_marked(const struct graph *g, int column)
{
	return (column >= g->marked_from && column <= g->marked_to) || column == g->cursor;
}

static void put_graph_cell(struct canvas *c, const struct graph *g, int row, int column, const char *text,
		struct style style)
{
	int y = g->area.row + g->area.rows - 1 - row, x = g->area.col + column;

	canvas_put(c, g->area, y, x, text, strlen(text),
			is_marked(g, column) ? style_with(ROLE_MARK, ATTR_BOLD) : style);
}

static void put_filled(
		struct canvas *c, const struct graph *g, int row, int column, const char *text, float value)
{
	struct style style = style_of(g->role);

	style.fg = COLOR_HEAT(heat_of(g, row, value));
	put_graph_cell(c, g, row, column, text, style);
}

/* The cursor, or the limit where the graph reaches up to it, if nothing is in the way. */
static void put_empty(struct canvas *c, const struct graph *g, int row, int column)
{
	bool is_limit = g->limit > 0.0 && row == g->area.rows - 1 && g->scale >= g->limit && g->area.rows > 1;
	bool is_ascii = g->style == GRAPH_ASCII;

	if (column == g->cursor)
		put_graph_cell(c, g, row, column, is_ascii ? "|" : "│", style_of(ROLE_MARK));
	else if (is_limit)
		put_graph_cell(c, g, row, column, is_ascii ? "." : "┈", style_of(ROLE_GRAPH_LIMIT));
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
		float most = left > right ? left : right;
		for (int y = 0; y < g->area.rows; y++) {
			int l = steps_in_row(steps[0], y, DOTS), r = steps_in_row(steps[1], y, DOTS);
			if (!l && !r) {
				put_empty(c, g, y, x);
				continue;
			}
			braille(text, l, r);
			put_filled(c, g, y, x, text, most);
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
				put_filled(c, g, y, x, blocks[g->style == GRAPH_BLOCKS][here], values[x]);
			else
				put_empty(c, g, y, x);
		}
	}
}

void draw_spark(struct canvas *c, struct graph *g, const float *values)
{
	if (g->style == GRAPH_BRAILLE)
		draw_dots(c, g, values);
	else
		draw_blocks(c, g, values);
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
	draw_spark(c, g, values);
}
