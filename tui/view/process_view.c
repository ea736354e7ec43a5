/* SPDX-License-Identifier: MIT */
/* The process table of a sandbox. */
#include <inttypes.h>
#include <stdio.h>

#include "model/model.h"
#include "view/parts.h"

/* A command line without the folder of its program. */
static const char *without_folder(const char *command)
{
	const char *name = command;

	for (const char *p = command; *p && *p != ' '; p++)
		if (*p == '/')
			name = p + 1;
	return name;
}

static void cell_pid(const struct trm_process *p, char out[24])
{
	snprintf(out, 24, "%u", p->pid);
}

static void cell_cpu(const struct trm_process *p, char out[24])
{
	snprintf(out, 24, p->has_cpu ? "%.1f" : "n/a", p->cpu_percent);
}

static void cell_mem(const struct trm_process *p, char out[24])
{
	double mib = (double)p->mem_bytes / 1048576.0;

	snprintf(out, 24, mib < 9.95 ? "%.1fM" : "%.0fM", mib);
}

static void cell_state(const struct trm_process *p, char out[24])
{
	snprintf(out, 24, "%c", p->state);
}

static void cell_threads(const struct trm_process *p, char out[24])
{
	snprintf(out, 24, p->threads ? "%u" : "n/a", p->threads);
}

/* "1.25" seconds, "3:05" minutes, "1h02". */
static void cell_time(const struct trm_process *p, char out[24])
{
	uint64_t s = p->cpu_ns / 1000000000u;

	if (!p->start)
		snprintf(out, 24, "n/a");
	else if (s < 60)
		snprintf(out, 24, "%.2f", (double)p->cpu_ns / 1e9);
	else if (s < 3600)
		snprintf(out, 24, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
	else
		snprintf(out, 24, "%" PRIu64 "h%02" PRIu64, s / 3600, s / 60 % 60);
}

static void (*const cells[PROCESS_COLUMNS])(const struct trm_process *, char out[24]) = {
		[PROCESS_COLUMN_PID] = cell_pid,
		[PROCESS_COLUMN_CPU] = cell_cpu,
		[PROCESS_COLUMN_MEM] = cell_mem,
		[PROCESS_COLUMN_STATE] = cell_state,
		[PROCESS_COLUMN_THREADS] = cell_threads,
		[PROCESS_COLUMN_TIME] = cell_time,
};

/* Titles are right-aligned over their columns, except the title of the command, which is left-aligned. The
 * sort column is marked. */
static void draw_header(const struct model *m, struct canvas *c, const struct process_table *t,
		struct rect area, int row)
{
	for (unsigned i = 0; i < PROCESS_COLUMNS; i++) {
		int col, cols;
		if (!process_column_place((enum process_column)i, area.cols, &col, &cols))
			continue;
		const struct process_column_info *info = &process_columns[i];
		bool is_sorted = info->sort == t->sort;
		if (info->is_left_aligned)
			draw_text(c, area, row, area.col + col, is_sorted ? ROLE_TITLE : ROLE_TABLE_HEADER,
					info->title);
		else
			draw_format(c, area, row, area.col + col, is_sorted ? ROLE_TITLE : ROLE_TABLE_HEADER,
					"%*s", cols, info->title);
		if (is_sorted)
			draw_sign(c, m->has_utf8, row,
					area.col + col + (info->is_left_aligned ? info->title_cols : cols),
					t->is_reversed ? SIGN_RISING : SIGN_FALLING, ROLE_TITLE);
	}
}

static void draw_command(const struct model *m, struct canvas *c, const struct process_table *t,
		const struct process_row *r, struct rect area, int row, uint16_t role)
{
	static const char *const branches[2][2] = {{"|- ", "`- "}, {"├─ ", "└─ "}};
	const struct trm_process *p = &t->processes[r->at];
	int col, cols;

	if (!process_column_place(PROCESS_COLUMN_COMMAND, area.cols, &col, &cols))
		return;
	col += area.col;
	if (t->is_tree && r->depth)
		col = draw_text(c, area, row, col + 3 * (r->depth - 1), role == ROLE_TEXT ? ROLE_DIM : role,
				branches[m->has_utf8][r->is_last]);
	int end = draw_text(c, area, row, col, role, without_folder(p->command));
	if (end > area.col + area.cols)
		draw_text(c, area, row, area.col + area.cols - (m->has_utf8 ? 1 : 3), ROLE_DIM,
				sign(m->has_utf8, SIGN_ELLIPSIS));
}

/* A graph of what the process has used of late; its full height is a core, or more if it used more. */
static void draw_past(
		const struct model *m, struct canvas *c, const struct process_past *past, struct rect area)
{
	int n = area.cols * (m->graph_style == GRAPH_BRAILLE ? 2 : 1);
	float values[2 * PROCESS_VALUES];
	struct graph g = {.area = area,
			.style = m->graph_style,
			.role = ROLE_GRAPH_CPU,
			.limit = 100.0,
			.is_busy_at_limit = true,
			.marked_to = -1,
			.cursor = -1,
			.scale = 100.0};

	for (int i = 0; i < n; i++) {
		int at = past->n - n + i;
		values[i] = at < 0 ? -1.0f : past->cpu[at];
		g.scale = (double)values[i] > g.scale ? (double)values[i] : g.scale;
	}
	draw_spark(c, &g, values);
}

static void draw_process(const struct model *m, struct canvas *c, const struct process_table *t,
		const struct process_row *r, struct rect area, int row, uint16_t role)
{
	const struct trm_process *p = &t->processes[r->at];
	char text[24];
	int col, cols;

	canvas_fill(c, (struct rect){row, area.col, 1, area.cols}, " ", style_of(role));
	for (unsigned i = 0; i < PROCESS_COLUMNS; i++) {
		if (!cells[i] || !process_column_place((enum process_column)i, area.cols, &col, &cols))
			continue;
		cells[i](p, text);
		draw_format(c, area, row, area.col + col, role, "%*s", cols, text);
	}
	const struct process_past *past = process_table_past(t, p);
	if (past && process_column_place(PROCESS_COLUMN_PAST, area.cols, &col, &cols))
		draw_past(m, c, past, (struct rect){row, area.col + col, 1, cols});
	draw_command(m, c, t, r, area, row, role);
}

void draw_processes(const struct model *m, struct canvas *c, const struct process_table *t, int header_row,
		struct rect area, bool has_focus)
{
	struct rect all = {header_row, area.col, area.row + area.rows - header_row, area.cols};
	long selected = process_table_selected(t);
	int row = area.row, bottom = area.row + area.rows;

	draw_header(m, c, t, all, header_row);
	if (!t->is_known) {
		draw_text(c, all, row, area.col, ROLE_DIM, "   n/a");
		return;
	}
	for (size_t i = t->top; i < t->n && row < bottom; i++, row++) {
		bool is_current = (long)i == selected;
		draw_process(m, c, t, &t->rows[i], area, row,
				!is_current ? ROLE_TEXT
				: has_focus ? ROLE_TABLE_CURRENT
					    : ROLE_TITLE);
	}
	if (t->top + (size_t)area.rows < t->n && area.rows > 0)
		draw_format(c, all, bottom - 1, area.col + area.cols - 12, ROLE_DIM, " %3zu more %s",
				t->n - t->top - (size_t)area.rows, sign(m->has_utf8, SIGN_MORE));
}
