/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "text/cluster.h"
#include "view/parts.h"

#define GRAPH_COLS_MAX 256

/* One measured thing: how it is called, told and drawn. */
struct meter {
	const char *name;
	uint16_t role;
	enum series series;
	bool halve; /* the graph's scale may be a part of the limit */
	void (*tell)(const struct trm_sample *s, char out[64], bool is_short);
	double (*limit)(const struct trm_sample *s); /* in the units of the history; 0: unknown */
	double (*load)(const struct trm_sample *s);  /* part of the limit, 0 … 1; negative: unknown */
};

/* ---- numbers ---- */

static void tell_cpu(const struct trm_sample *s, char out[64], bool is_short)
{
	bool has_limit = s->known & TRM_METRIC_CPU_LIMIT;

	if (!(s->known & TRM_METRIC_CPU_PERCENT))
		snprintf(out, 64, "n/a");
	else if (is_short)
		snprintf(out, 64, "%.1f%%", s->cpu_percent);
	else if (has_limit)
		snprintf(out, 64, "%.1f %% of %.3g core%s", s->cpu_percent, s->cpu_limit,
				s->cpu_limit == 1.0 ? "" : "s");
	else
		snprintf(out, 64, "%.1f %% of a core", s->cpu_percent);
}

/* "64 / 512 MiB", in MiB throughout so that the columns can be compared; below 10 with a decimal. */
static void tell_bytes(
		char out[64], bool is_known, uint64_t bytes, bool has_limit, uint64_t limit, bool is_short)
{
	const double mib = 1024.0 * 1024.0;
	double v = (double)bytes / mib;
	const char *unit = is_short ? "M" : " MiB", *slash = is_short ? "/" : " / ";

	if (!is_known)
		snprintf(out, 64, "n/a");
	else if (has_limit)
		snprintf(out, 64, "%.*f%s%.0f%s", v < 9.95 ? 1 : 0, v, slash, (double)limit / mib, unit);
	else
		snprintf(out, 64, "%.*f%s", v < 9.95 ? 1 : 0, v, unit);
}

static void tell_mem(const struct trm_sample *s, char out[64], bool is_short)
{
	tell_bytes(out, s->known & TRM_METRIC_MEM, s->mem_bytes, s->known & TRM_METRIC_MEM_LIMIT,
			s->mem_limit_bytes, is_short);
}

static void tell_disk(const struct trm_sample *s, char out[64], bool is_short)
{
	tell_bytes(out, s->known & TRM_METRIC_DISK, s->disk_bytes, s->known & TRM_METRIC_DISK_LIMIT,
			s->disk_limit_bytes, is_short);
}

static void tell_procs(const struct trm_sample *s, char out[64], bool is_short)
{
	if (!(s->known & TRM_METRIC_PROCS))
		snprintf(out, 64, "n/a");
	else if (s->known & TRM_METRIC_PROCS_LIMIT)
		snprintf(out, 64, is_short ? "%" PRIu64 "/%" PRIu64 : "%" PRIu64 " / %" PRIu64, s->procs,
				s->procs_limit);
	else
		snprintf(out, 64, "%" PRIu64, s->procs);
}

static double limit_cpu(const struct trm_sample *s)
{
	return s->known & TRM_METRIC_CPU_LIMIT ? s->cpu_limit * 100.0 : 100.0;
}

static double limit_mem(const struct trm_sample *s)
{
	return s->known & TRM_METRIC_MEM_LIMIT ? (double)s->mem_limit_bytes / 1048576.0 : 0.0;
}

static double limit_disk(const struct trm_sample *s)
{
	return s->known & TRM_METRIC_DISK_LIMIT ? (double)s->disk_limit_bytes / 1048576.0 : 0.0;
}

static double limit_procs(const struct trm_sample *s)
{
	return s->known & TRM_METRIC_PROCS_LIMIT ? (double)s->procs_limit : 0.0;
}

static double part(bool is_known, double value, double limit)
{
	return is_known && limit > 0.0 ? value / limit : -1.0;
}

static double load_cpu(const struct trm_sample *s)
{
	return part(s->known & TRM_METRIC_CPU_PERCENT, s->cpu_percent, limit_cpu(s));
}

static double load_mem(const struct trm_sample *s)
{
	return part(s->known & TRM_METRIC_MEM, (double)s->mem_bytes / 1048576.0, limit_mem(s));
}

static double load_disk(const struct trm_sample *s)
{
	return part(s->known & TRM_METRIC_DISK, (double)s->disk_bytes / 1048576.0, limit_disk(s));
}

static double load_procs(const struct trm_sample *s)
{
	return part(s->known & TRM_METRIC_PROCS, (double)s->procs, limit_procs(s));
}

static const struct meter meters[SERIES_COUNT] = {
		[SERIES_CPU] = {"CPU", ROLE_GRAPH_CPU, SERIES_CPU, false, tell_cpu, limit_cpu, load_cpu},
		[SERIES_MEM] = {"MEM", ROLE_GRAPH_MEM, SERIES_MEM, true, tell_mem, limit_mem, load_mem},
		[SERIES_DISK] = {"DISK", ROLE_GRAPH_DISK, SERIES_DISK, true, tell_disk, limit_disk,
				load_disk},
		[SERIES_PROC] = {"PROC", ROLE_GRAPH_PROC, SERIES_PROC, true, tell_procs, limit_procs,
				load_procs},
};

/* A processor at its limit is busy, not in danger; everything else near its limit is. */
static uint16_t role_of_load(const struct meter *meter, const struct trm_sample *s)
{
	double load = meter->load(s);

	if (load >= 0.95)
		return meter->series == SERIES_CPU ? ROLE_WARN : ROLE_CRITICAL;
	return load >= 0.8 ? ROLE_WARN : ROLE_TEXT;
}

static void graph(const struct model *m, struct canvas *c, const struct meter *meter, struct rect area)
{
	float values[GRAPH_COLS_MAX];
	int cols = area.cols < GRAPH_COLS_MAX ? area.cols : GRAPH_COLS_MAX;

	if (cols < 1)
		return;
	area.cols = cols;
	metric_history_columns(&m->history, meter->series, cols, values);
	double scale = metric_scale(values, cols, meter->limit(&m->sample), meter->halve);
	draw_graph(c, m->has_utf8, area, values, scale, meter->role);
}

static const char *tell(const struct model *m, const struct meter *meter, char out[64], bool is_short)
{
	if (!m->has_sample)
		return is_short ? "n/a" : "n/a";
	meter->tell(&m->sample, out, is_short);
	return out;
}

static void tell_uptime(const struct model *m, char out[32])
{
	uint64_t s = m->sample.uptime_ms / 1000;

	if (m->has_sample && m->sample.known & TRM_METRIC_UPTIME)
		snprintf(out, 32, "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(out, 32, "n/a");
}

/* What the sandbox says of itself. */
static const char *tell_net(const struct model *m)
{
	static const char *const words[] = {
			[TRM_ENFORCED] = "off", [TRM_WEAK] = "off (weakly)", [TRM_NOT_ENFORCED] = "on"};

	for (size_t i = 0; i < m->sandbox.n_guards && m->sandbox.state == SANDBOX_READY; i++)
		if (strcmp(m->sandbox.guards[i].what, "network") == 0)
			return words[m->sandbox.guards[i].strength];
	return "n/a";
}

/* ---- the pane ---- */

/* A meter: its number beside a graph of one row, or above a graph of several. Returns the rows used. */
static int draw_meter(const struct model *m, struct canvas *c, const struct meter *meter, struct rect area,
		int row, int graph_rows)
{
	char text[64];
	int below = graph_rows > 1 || area.cols < 44;

	draw_text(c, area, row, area.col + 1, meter->role, meter->name);
	draw_text(c, area, row, area.col + 6, m->has_sample ? role_of_load(meter, &m->sample) : ROLE_DIM,
			tell(m, meter, text, false));
	if (graph_rows == 0)
		return 1;
	if (below)
		graph(m, c, meter, (struct rect){row + 1, area.col + 1, graph_rows, area.cols - 2});
	else
		graph(m, c, meter, (struct rect){row, area.col + 26, 1, area.cols - 27});
	return below ? 1 + graph_rows : 1;
}

/* A command line whose program is shown without the folder it lies in. */
static const char *without_folder(const char *command)
{
	const char *name = command;

	for (const char *p = command; *p && *p != ' '; p++)
		if (*p == '/')
			name = p + 1;
	return name;
}

static void draw_processes(const struct model *m, struct canvas *c, struct rect area)
{
	char cpu[16], mem[24];
	int row = area.row;

	draw_text(c, area, row++, area.col, ROLE_DIM, "   PID  CPU%    MEM  COMMAND");
	if (!m->has_processes) {
		draw_text(c, area, row, area.col, ROLE_DIM, "   n/a");
		return;
	}
	for (size_t i = m->process_scroll; i < m->n_processes && row < area.row + area.rows; i++, row++) {
		const struct trm_process *p = &m->processes[i];
		snprintf(cpu, sizeof cpu, p->has_cpu ? "%.1f" : "n/a", p->cpu_percent);
		double mib = (double)p->mem_bytes / 1048576.0;
		snprintf(mem, sizeof mem, mib < 9.95 ? "%.1fM" : "%.0fM", mib);
		int end = draw_format(c, area, row, area.col, ROLE_TEXT, "%6u %5s %6s  %s", p->pid, cpu, mem,
				without_folder(p->command));
		if (end > area.col + area.cols)
			draw_text(c, area, row, area.col + area.cols - (m->has_utf8 ? 1 : 3), ROLE_DIM,
					sign(m->has_utf8, SIGN_ELLIPSIS));
	}
	if (m->all_processes > m->n_processes && row < area.row + area.rows)
		draw_format(c, area, row, area.col, ROLE_DIM, "   and %zu more",
				m->all_processes - m->n_processes);
}

/* How many rows the graphs of CPU, MEM, DISK and PROC may take in a pane of so many rows. */
static void graph_heights(int rows, int out[SERIES_COUNT])
{
	static const struct {
		int rows, heights[SERIES_COUNT];
	} steps[] = {
			{44, {6, 5, 2, 2}},
			{32, {4, 3, 1, 1}},
			{24, {3, 2, 1, 1}},
			{18, {2, 1, 1, 1}},
			{14, {1, 1, 1, 1}},
			{11, {1, 1, 0, 0}},
			{0, {0, 0, 0, 0}},
	};
	size_t i = 0;

	while (rows < steps[i].rows)
		i++;
	memcpy(out, steps[i].heights, sizeof steps[i].heights);
}

static void rule(const struct model *m, struct canvas *c, struct rect area, int row, const char *text)
{
	uint16_t role = m->focus == PANE_METRICS ? ROLE_BORDER_FOCUS : ROLE_BORDER;

	draw_horizontal(c, m->has_utf8, row, area.col, area.cols, role);
	if (m->layout.kind == LAYOUT_WIDE) {
		enum sign left = row == m->layout.divider_row ? SIGN_CROSS : SIGN_TEE_RIGHT;
		draw_sign(c, m->has_utf8, row, area.col - 1, left, ROLE_BORDER);
		draw_sign(c, m->has_utf8, row, area.col + area.cols, SIGN_TEE_LEFT, ROLE_BORDER);
	}
	draw_text(c, area, row, area.col + 1, m->focus == PANE_METRICS ? ROLE_TITLE : ROLE_DIM, text);
}

void draw_metrics(const struct model *m, struct canvas *c)
{
	struct rect area = m->layout.panes[PANE_METRICS];
	int heights[SERIES_COUNT], row = area.row, bottom = area.row + area.rows;
	char uptime[32];

	graph_heights(area.rows, heights);
	for (int i = 0; i < SERIES_COUNT && row < bottom; i++)
		row += draw_meter(m, c, &meters[i], area, row, heights[i])
		       + (area.rows >= 26); /* air, if there is room */
	tell_uptime(m, uptime);
	if (row < bottom)
		draw_format(c, area, row++, area.col + 1, ROLE_DIM, "NET  %s   up %s   %s", tell_net(m),
				uptime, m->has_sample ? m->sample.source : "");
	if (bottom - row >= 4)
		rule(m, c, area, row++, " processes ");
	if (bottom - row >= 2)
		draw_processes(m, c, (struct rect){row, area.col, bottom - row, area.cols});
}

/* ---- the strip ---- */

/* Columns of a number in the strip: fixed, so that one that grows does not push the rest aside. */
static const int strip_cols[SERIES_COUNT] = {
		[SERIES_CPU] = 6, [SERIES_MEM] = 9, [SERIES_DISK] = 9, [SERIES_PROC] = 7};

/* "CPU 37.2%  ▁▂▃"; returns the column behind it. */
static int strip_meter(const struct model *m, struct canvas *c, struct rect area, int row, int col,
		enum series series, int graph_cols)
{
	const struct meter *meter = &meters[series];
	char text[64];

	col = draw_text(c, area, row, col, meter->role, meter->name) + 1;
	draw_text(c, area, row, col, m->has_sample ? role_of_load(meter, &m->sample) : ROLE_DIM,
			tell(m, meter, text, true));
	col += strip_cols[series] + 1;
	if (graph_cols > 0)
		graph(m, c, meter, (struct rect){row, col, 1, graph_cols});
	return col + (graph_cols > 0 ? graph_cols + 2 : 1);
}

/* One row: graphs of CPU and memory, and only if they get some room. */
static void strip_of_one(const struct model *m, struct canvas *c, struct rect area)
{
	bool has_disk = area.cols >= 60;
	int col = area.col + 1, room = (area.cols - 60) / 2;

	for (int i = 0; i < SERIES_COUNT; i++)
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
	for (int i = 0; i < SERIES_COUNT; i++)
		strip_meter(m, c, area, area.row + i / 2, area.col + i % 2 * step + 1, (enum series)i,
				step - 18);
}
