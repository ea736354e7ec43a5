/* SPDX-License-Identifier: MIT */
/* The metrics of a sandbox: the metrics pane and the strip, which shows the same in one or two rows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "metrics/metrics_layout.h"
#include "metrics/run_marks.h"
#include "model/model.h"
#include "text/cluster.h"
#include "text/format.h"
#include "view/parts.h"

/* Everything that the functions below need. */
struct measured {
	const struct model *m;
	struct canvas *c;
	const struct metrics *x;
	struct rect area;
	struct metrics_layout l;
	struct metric_span span;
	struct mark marks[RUN_MARKS_MAX];
	size_t n_marks;
	const struct mark *marked; /* NULL: no run is selected, or it is out of view */
	bool has_focus;
};

static const char *format_meter(
		const struct metrics *x, const struct meter *meter, char out[64], bool is_short)
{
	if (!x->has_sample)
		return "n/a";
	meter->tell(&x->sample, out, is_short);
	return out;
}

/* ---- graphs ---- */

static void draw_labels(const struct measured *p, const struct graph *g, const struct meter *meter)
{
	int col = g->area.col + g->area.cols;
	char top[24], text[32];

	if (!p->l.label_cols || g->area.rows < 2)
		return;
	meter->tell_value(g->scale, top);
	snprintf(text, sizeof text, "%*s", p->l.label_cols - 1, top);
	draw_text(p->c, p->area, g->area.row, col, ROLE_GRAPH_AXIS, text);
	if (g->area.rows >= 5) {
		meter->tell_value(g->scale / 2.0, top);
		snprintf(text, sizeof text, "%*s", p->l.label_cols - 1, top);
		draw_text(p->c, p->area, g->area.row + g->area.rows / 2, col, ROLE_GRAPH_AXIS, text);
	}
	snprintf(text, sizeof text, "%*s", p->l.label_cols - 1, "0");
	draw_text(p->c, p->area, g->area.row + g->area.rows - 1, col, ROLE_GRAPH_AXIS, text);
}

static struct graph graph_of(
		const struct model *m, const struct metrics *x, enum series series, struct rect area)
{
	const struct meter *meter = &meters[series];

	return (struct graph){.area = area,
			.style = m->graph_style,
			.role = meter->role,
			.limit = x->has_sample ? meter->limit(&x->sample) : 0.0,
			.is_busy_at_limit = meter->is_busy_at_limit,
			.marked_from = 0,
			.marked_to = -1,
			.cursor = -1};
}

/* A small value must look small. A graph with enough rows therefore always includes the limit. */
static bool halves(const struct meter *meter, int rows)
{
	return meter->halves && rows < 5;
}

/* -1: there is no cursor. */
static int cursor_column(const struct measured *p)
{
	return p->x->cursor > 0 && p->x->cursor <= p->l.time.cols ? p->l.time.cols - p->x->cursor : -1;
}

static void draw_series(const struct measured *p, enum series series)
{
	struct graph g = graph_of(p->m, p->x, series, p->l.meters[series].graph);

	if (!g.area.rows)
		return;
	bool is_beside = g.area.row == p->l.meters[series].row;
	if (p->marked && !is_beside) {
		g.marked_from = p->marked->from;
		g.marked_to = p->marked->to;
	}
	if (!is_beside)
		g.cursor = cursor_column(p);
	struct metric_span span = is_beside ? metrics_span_of(p->x, g.area.cols) : p->span;
	draw_graph(p->c, &g, &p->x->history, series, &span, halves(&meters[series], g.area.rows));
	if (!is_beside)
		draw_labels(p, &g, &meters[series]);
}

/* The value where the cursor is; negative: unknown. */
static float value_at_cursor(const struct measured *p, enum series series)
{
	struct metric_span one = {.end_ns = p->span.end_ns - (uint64_t)(p->x->cursor - 1) * p->span.column_ns,
			.column_ns = p->span.column_ns};
	float value = -1.0f;

	metric_history_columns(&p->x->history, series, &one, 1, &value);
	return value;
}

/* At the right of the number: the value under the cursor, else the peak of what is in view. */
static void draw_peak(const struct measured *p, enum series series, int row, int from_col)
{
	bool has_cursor = cursor_column(p) >= 0;
	uint64_t width_ns = (uint64_t)(p->l.time.cols > 0 ? p->l.time.cols : 1) * p->span.column_ns;
	uint64_t from_ns = p->span.end_ns > width_ns ? p->span.end_ns - width_ns : 0;
	float peak = has_cursor ? value_at_cursor(p, series)
				: metric_history_peak(&p->x->history, series, from_ns, p->span.end_ns);
	char value[24] = "n/a", text[40];

	if ((peak < 0.0f && !has_cursor) || p->l.meters[series].graph.row == row)
		return;
	if (peak >= 0.0f)
		meters[series].tell_value((double)peak, value);
	int right = p->l.rule_col >= 0 ? p->l.rule_col : p->area.col + p->area.cols;
	int n = snprintf(text, sizeof text, "%s %s", has_cursor ? "there" : "peak", value),
	    col = right - 1 - n;
	if (col > from_col)
		draw_text(p->c, p->area, row, col, has_cursor ? ROLE_MARK : ROLE_DIM, text);
}

/* Draw a part of a row if all of it fits. Returns the column after it. */
static int draw_whole(const struct measured *p, int row, int col, uint16_t role, const char *text)
{
	if (col + (int)cluster_columns(text, strlen(text)) > p->area.col + p->area.cols)
		return p->area.col + p->area.cols;
	return draw_text(p->c, p->area, row, col, role, text);
}

static int draw_pressure(
		const struct measured *p, int row, int col, const char *name, bool is_known, double percent)
{
	char text[40];

	snprintf(text, sizeof text, is_known ? " %s %.0f%%" : " %s n/a", name, percent);
	return draw_whole(p, row, col, is_known && percent >= 20.0 ? ROLE_WARN : ROLE_DIM, text);
}

/* Pressure answers the question: was the run slow because it had to wait? If the kernel does not report the
 * pressure of the sandbox, the pressure of the machine at least shows whether other programs were in the
 * way. */
static void draw_wait(const struct measured *p, int row)
{
	const struct trm_sample *s = &p->x->sample;
	uint32_t known = p->x->has_sample ? s->known : 0;

	if (row < 0)
		return;
	bool is_machine = known && s->pressure_is_machine;
	int col = draw_text(p->c, p->area, row, p->area.col + 1, ROLE_GRAPH_PRESSURE,
			is_machine ? "MACHINE" : "WAIT");
	col = draw_pressure(p, row, col, "cpu", known & TRM_METRIC_PRESSURE_CPU, s->pressure_cpu_percent);
	col = draw_pressure(p, row, col, "mem", known & TRM_METRIC_PRESSURE_MEM, s->pressure_mem_percent);
	col = draw_pressure(p, row, col, "io", known & TRM_METRIC_PRESSURE_IO, s->pressure_io_percent);
	if (p->area.cols >= 48 || (known & TRM_METRIC_THROTTLED_PERCENT && s->throttled_percent >= 0.5))
		draw_pressure(p, row, col, "throttled", known & TRM_METRIC_THROTTLED_PERCENT,
				s->throttled_percent);
}

/* How many processes the list has: a limit counts tasks, which are their threads and the agent. */
static int draw_listed(const struct measured *p, int row, int col)
{
	const struct process_table *t = &p->x->processes;
	char text[40];

	if (!t->is_known || !t->n || p->l.meters[SERIES_PROC].graph.row == row || !p->x->has_sample
			|| !(p->x->sample.known & TRM_METRIC_PROCS))
		return col;
	snprintf(text, sizeof text, ", %zu process%s", t->n, t->n == 1 ? "" : "es");
	return draw_whole(p, row, col, ROLE_DIM, text);
}

static void draw_meter(const struct measured *p, enum series series)
{
	const struct meter *meter = &meters[series];
	int row = p->l.meters[series].row;
	char text[64];

	if (row < 0)
		return;
	if (series == SERIES_WAIT) {
		draw_wait(p, row);
		draw_series(p, series);
		return;
	}
	draw_text(p->c, p->area, row, p->area.col + 1, meter->role, meter->name);
	uint16_t role = p->x->has_sample ? meter_role(meter, &p->x->sample) : ROLE_DIM;
	int end = draw_text(
			p->c, p->area, row, p->area.col + 6, role, format_meter(p->x, meter, text, false));
	if (series == SERIES_PROC)
		end = draw_listed(p, row, end);
	draw_peak(p, series, row, end);
	draw_series(p, series);
}

/* ---- time ---- */

/* "-90 s", "-5 min", "-2 h". All times of an axis have the same unit, which fits the longest one. */
static void format_ago(uint64_t ago_ns, uint64_t longest_ns, char out[24])
{
	double s = (double)((ago_ns + 500000000u) / 1000000000u), longest_s = (double)longest_ns / 1e9;
	double unit_s = longest_s < 300 ? 1 : longest_s < 7200 ? 60 : 3600;
	const char *unit = unit_s < 60 ? "s" : unit_s < 3600 ? "min" : "h";

	if (s < 1)
		snprintf(out, 24, "now");
	else
		snprintf(out, 24, unit_s < 60 ? "-%.0f %s" : "-%.3g %s", s / unit_s, unit);
}

/* The time between two labels: a round one, and no label runs into the next. */
static uint64_t tick_ns(uint64_t column_ns)
{
	static const unsigned steps_s[] = {
			5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600};
	enum { N = sizeof steps_s / sizeof *steps_s, APART = 12 };
	size_t i = 0;

	while (i + 1 < N && steps_s[i] * UINT64_C(1000000000) < APART * column_ns)
		i++;
	return steps_s[i] * UINT64_C(1000000000);
}

/* A label whose end is under its column, as that of "now" is. Returns the first column that it takes. */
static int draw_tick(const struct measured *p, struct rect t, uint64_t ago_ns, uint64_t longest_ns,
		uint16_t role, int free_to)
{
	char text[24];
	uint64_t now_ns = metric_span_at(metric_history_last_ns(&p->x->history), p->span.column_ns).end_ns;
	uint64_t shown_ns = now_ns - p->span.end_ns; /* how long ago the right end is */
	int end = t.cols - (int)((ago_ns - shown_ns) / p->span.column_ns);

	format_ago(ago_ns, longest_ns, text);
	int n = (int)strlen(text), col = end - n;
	if (col < 0 || col + n > free_to)
		return free_to;
	draw_text(p->c, t, t.row, t.col + col, role, text);
	return col - 1;
}

static void draw_axis(const struct measured *p)
{
	struct rect t = p->l.time;
	uint64_t last_ns = metric_history_last_ns(&p->x->history), column_ns = p->span.column_ns;
	uint64_t now_ns = metric_span_at(last_ns, column_ns).end_ns;

	if (p->l.axis_row < 0 || !last_ns)
		return;
	t.row = p->l.axis_row;
	t.rows = 1;
	uint64_t nearest_ns = now_ns - p->span.end_ns, longest_ns = nearest_ns + (uint64_t)t.cols * column_ns;
	int cursor = cursor_column(p), free_to = t.cols;
	if (cursor >= 0) { /* its label comes first, and the others make room */
		draw_tick(p, t, nearest_ns + (uint64_t)(p->x->cursor - 1) * column_ns, longest_ns, ROLE_MARK,
				t.cols);
		return;
	}
	free_to = draw_tick(
			p, t, nearest_ns, longest_ns, p->x->end_ns ? ROLE_WARN : ROLE_GRAPH_AXIS, free_to);
	uint64_t tick = tick_ns(column_ns);
	for (uint64_t ago = (nearest_ns / tick + 1) * tick; ago < longest_ns; ago += tick)
		free_to = draw_tick(p, t, ago, longest_ns, ROLE_GRAPH_AXIS, free_to);
}

static uint16_t role_of_run(const struct run_info *run)
{
	return run->state == RUN_DONE && run->status != TRM_STATUS_OK ? ROLE_OUT_ERROR : ROLE_MARK;
}

static void draw_marks(const struct measured *p)
{
	struct rect t = p->l.time;
	int free_from = 0;

	if (p->l.run_marks_row < 0)
		return;
	t.row = p->l.run_marks_row;
	t.rows = 1;
	for (size_t i = 0; i < p->n_marks; i++) {
		const struct mark *mark = &p->marks[i];
		const struct run_info *run = runs_find(&p->m->out.runs, mark->serial);
		bool is_marked = mark->serial == p->x->marked_run;
		uint16_t role = is_marked ? ROLE_MARK_CURRENT : run ? role_of_run(run) : ROLE_MARK;
		char number[24];
		for (int x = mark->from; x <= mark->to; x++)
			draw_sign(p->c, p->m->has_utf8, t.row, t.col + x, SIGN_SPAN, role);
		if (!run || !run->number || (mark->from < free_from && !is_marked))
			continue;
		snprintf(number, sizeof number, "%" PRIu64, run->number);
		draw_text(p->c, t, t.row, t.col + mark->from, role, number);
		free_from = mark->from + (int)strlen(number) + 1;
	}
}

/* ---- text ---- */

static void tell_uptime(const struct metrics *x, char out[24])
{
	if (x->has_sample && x->sample.known & TRM_METRIC_UPTIME)
		format_uptime(out, x->sample.uptime_ms);
	else
		snprintf(out, 24, "n/a");
}

/* Draw the cost of the selected run. */
static void draw_cost(const struct measured *p, const struct run_info *run)
{
	char wall[24], cpu[24], peak[24];
	uint64_t wall_us = run->ended_ns ? run->wall_us : (p->m->now_ns - run->began_ns) / 1000;

	char number[24] = "install";
	if (run->number)
		snprintf(number, sizeof number, "[%" PRIu64 "]", run->number);
	int col = draw_format(p->c, p->area, p->l.words_row, p->area.col + 1, ROLE_MARK, "%s %s", number,
			run->ended_ns && run->is_wall_unknown ? "n/a" : format_duration(wall, wall_us));
	if (run->has_cpu)
		col = draw_format(p->c, p->area, p->l.words_row, col, ROLE_TEXT, "  cpu %s",
				format_duration(cpu, run->cpu_us));
	if (run->has_mem_peak)
		col = draw_format(p->c, p->area, p->l.words_row, col, ROLE_TEXT, "  peak %s",
				format_bytes(peak, run->mem_peak_bytes));
	draw_format(p->c, p->area, p->l.words_row, col, ROLE_DIM, "  %s", run->excerpt);
}

static void draw_words(const struct measured *p, bool has_runs)
{
	const struct run_info *run = has_runs ? runs_find(&p->m->out.runs, p->x->marked_run) : NULL;
	const char *source = p->x->has_sample ? p->x->sample.source : "";
	const struct sandbox_info *box = &p->m->sandbox;
	char uptime[32], net[64];

	if (p->l.words_row < 0)
		return;
	if (run) {
		draw_cost(p, run);
		return;
	}
	tell_uptime(p->x, uptime);
	meters[SERIES_NET].tell(&p->x->sample, net, p->area.cols < 60);
	if (!p->x->has_sample || !(p->x->sample.known & TRM_METRIC_NET))
		snprintf(net, sizeof net, "%s",
				trm_guards_net_name(box->guards, box->n_guards, &box->limits));
	char text[200];
	if (p->l.meters[SERIES_NET].row < 0)
		snprintf(text, sizeof text, "NET  %s   up %s", net, uptime);
	else /* it has a row of its own */
		snprintf(text, sizeof text, "up   %s", uptime);
	int col = draw_text(p->c, p->area, p->l.words_row, p->area.col + 1, ROLE_DIM, text);
	snprintf(text, sizeof text, "   %s", source);
	draw_whole(p, p->l.words_row, col, ROLE_DIM, text);
}

/* ---- the pane ---- */

/* Join the line to the box around the metrics, if there is a box. */
static void join_box(const struct measured *p, int row)
{
	const struct rect *a = &p->area;
	const char *vertical = sign(p->m->has_utf8, SIGN_VERTICAL);
	const struct cell *cells = p->c->cells + (size_t)row * (size_t)p->c->cols;

	if (a->col > 0 && strcmp(cells[a->col - 1].text, vertical) == 0)
		draw_sign(p->c, p->m->has_utf8, row, a->col - 1, SIGN_TEE_RIGHT, ROLE_BORDER_FOCUS);
	if (a->col + a->cols < p->c->cols && strcmp(cells[a->col + a->cols].text, vertical) == 0)
		draw_sign(p->c, p->m->has_utf8, row, a->col + a->cols, SIGN_TEE_LEFT, ROLE_BORDER_FOCUS);
}

/* Draw a line across the pane. Where the pane has borders, the line is joined to them. */
static void rule(const struct measured *p, int row, const char *text)
{
	const struct layout *l = &p->m->layout;
	uint16_t role = p->has_focus ? ROLE_BORDER_FOCUS : ROLE_BORDER;
	bool u = p->m->has_utf8;

	draw_horizontal(p->c, u, row, p->area.col, p->area.cols, role);
	if (l->kind == LAYOUT_WIDE && p->area.col == l->divider_col + 1) {
		enum sign left = row == l->divider_row ? SIGN_CROSS : SIGN_TEE_RIGHT;
		draw_sign(p->c, u, row, p->area.col - 1, left, ROLE_BORDER);
		draw_sign(p->c, u, row, p->area.col + p->area.cols, SIGN_TEE_LEFT, ROLE_BORDER);
	} else
		join_box(p, row);
	draw_text(p->c, p->area, row, p->area.col + 1, p->has_focus ? ROLE_TITLE : ROLE_DIM, text);
}

static void draw_table(const struct measured *p)
{
	if (p->l.rule_row >= 0)
		rule(p, p->l.rule_row, p->x->processes.is_tree ? " processes, tree " : " processes ");
	if (p->l.rule_col >= 0)
		draw_vertical(p->c, p->m->has_utf8, p->area.row, p->l.rule_col, p->area.rows, ROLE_BORDER);
	if (p->l.table_row >= 0)
		draw_processes(p->m, p->c, &p->x->processes, p->l.table_row, p->l.table, p->has_focus);
}

void draw_measured(const struct model *m, struct canvas *c, const struct metrics *x, struct rect area,
		bool has_focus, bool has_runs)
{
	struct measured p = {.m = m,
			.c = c,
			.x = x,
			.area = area,
			.l = metrics_layout_of(x, area),
			.span = metrics_span(x),
			.has_focus = has_focus};

	if (has_runs)
		p.n_marks = run_marks_in(&m->out.runs, &p.span, p.l.time.cols, m->now_ns, p.marks);
	for (size_t i = 0; i < p.n_marks; i++)
		if (p.marks[i].serial == x->marked_run)
			p.marked = &p.marks[i];
	for (unsigned i = 0; i < SERIES_COUNT; i++)
		draw_meter(&p, (enum series)i);
	draw_marks(&p);
	draw_axis(&p);
	draw_words(&p, has_runs);
	draw_wait(&p, p.l.wait_row);
	draw_table(&p);
}

void draw_metrics(const struct model *m, struct canvas *c)
{
	draw_measured(m, c, &m->metrics, model_metrics_area(m), m->focus == PANE_METRICS, true);
}

/* ---- the strip ---- */

/* The width of each number in the strip. It is fixed, so that a growing number does not move the others. */
static const int strip_cols[SERIES_COUNT] = {
		[SERIES_CPU] = 6, [SERIES_MEM] = 9, [SERIES_DISK] = 9, [SERIES_PROC] = 7};

enum { STRIP_METERS = SERIES_PROC + 1 };

/* "CPU 37.2%  ▁▂▃". Returns the column after it. */
static int strip_meter(const struct model *m, struct canvas *c, struct rect area, int row, int col,
		enum series series, int graph_cols)
{
	const struct metrics *x = &m->metrics;
	const struct meter *meter = &meters[series];
	struct metric_span span = metrics_span_of(x, graph_cols);
	char text[64];

	col = draw_text(c, area, row, col, meter->role, meter->name) + 1;
	draw_text(c, area, row, col, x->has_sample ? meter_role(meter, &x->sample) : ROLE_DIM,
			format_meter(x, meter, text, true));
	col += strip_cols[series] + 1;
	if (graph_cols > 0) {
		struct graph g = graph_of(m, x, series, (struct rect){row, col, 1, graph_cols});
		draw_graph(c, &g, &x->history, series, &span, meter->halves);
	}
	return col + (graph_cols > 0 ? graph_cols + 2 : 1);
}

/* A strip of one row. It has graphs of CPU and memory only if there is room for them. */
static void strip_of_one(const struct model *m, struct canvas *c, struct rect area)
{
	bool has_disk = area.cols >= 60;
	int col = area.col + 1, room = (area.cols - 60) / 2;

	for (int i = 0; i < STRIP_METERS; i++)
		if (i != SERIES_DISK || has_disk)
			col = strip_meter(m, c, area, area.row, col, (enum series)i,
					i <= SERIES_MEM && room >= 4 ? room : 0);
}

void draw_strip(const struct model *m, struct canvas *c, struct rect area)
{
	int step = area.cols / 2;

	if (area.rows == 1) {
		strip_of_one(m, c, area);
		return;
	}
	for (int i = 0; i < STRIP_METERS; i++)
		strip_meter(m, c, area, area.row + i / 2, area.col + i % 2 * step + 1, (enum series)i,
				step - 18);
}
