/* SPDX-License-Identifier: MIT */
/* The commands of the metrics pane: processes, earlier times, the cost of a run. */
#include "cells/event.h"
#include "command/command.h"
#include "metrics/metrics_layout.h"
#include "metrics/run_marks.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/update.h"

static struct metrics_layout layout(const struct model *m)
{
	return metrics_layout_of(&m->metrics, model_metrics_area(m));
}

static size_t page_of(const struct model *m)
{
	int rows = layout(m).table.rows;
	return rows > 1 ? (size_t)rows : 1;
}

/* ---- processes ---- */

static void move_process_selection(struct model *m, long by)
{
	process_table_move(&m->metrics.processes, by, page_of(m));
	m->needs_draw = true;
}

static void processes_up(struct model *m, struct effects *out)
{
	(void)out;
	move_process_selection(m, -1);
}

static void processes_down(struct model *m, struct effects *out)
{
	(void)out;
	move_process_selection(m, 1);
}

static void processes_page_up(struct model *m, struct effects *out)
{
	(void)out;
	move_process_selection(m, -(long)page_of(m));
}

static void processes_page_down(struct model *m, struct effects *out)
{
	(void)out;
	move_process_selection(m, (long)page_of(m));
}

static void processes_first(struct model *m, struct effects *out)
{
	(void)out;
	process_table_select(&m->metrics.processes, 0, page_of(m));
	m->needs_draw = true;
}

static void processes_last(struct model *m, struct effects *out)
{
	(void)out;
	process_table_select(&m->metrics.processes, (long)m->metrics.processes.n - 1, page_of(m));
	m->needs_draw = true;
}

static void sort_processes_by(struct model *m, enum process_sort sort)
{
	process_table_sort(&m->metrics.processes, sort);
	m->needs_draw = true;
}

static void sort_cpu(struct model *m, struct effects *out)
{
	(void)out;
	sort_processes_by(m, PROCESS_BY_CPU);
}

static void sort_mem(struct model *m, struct effects *out)
{
	(void)out;
	sort_processes_by(m, PROCESS_BY_MEM);
}

static void sort_pid(struct model *m, struct effects *out)
{
	(void)out;
	sort_processes_by(m, PROCESS_BY_PID);
}

static void sort_command(struct model *m, struct effects *out)
{
	(void)out;
	sort_processes_by(m, PROCESS_BY_COMMAND);
}

static void processes_tree(struct model *m, struct effects *out)
{
	(void)out;
	process_table_set_tree(&m->metrics.processes, !m->metrics.processes.is_tree);
	m->needs_draw = true;
}

/* ---- time ---- */

static int graph_cols(const struct model *m)
{
	int cols = layout(m).time.cols;
	return cols > 0 ? cols : 20;
}

static void scroll_graphs(struct model *m, int quarters)
{
	int cols = graph_cols(m);

	metrics_scroll_time(&m->metrics, (long)quarters * (cols / 4 ? cols / 4 : 1), cols);
	m->needs_draw = true;
}

static void graphs_back(struct model *m, struct effects *out)
{
	(void)out;
	scroll_graphs(m, -1);
}

static void graphs_forth(struct model *m, struct effects *out)
{
	(void)out;
	scroll_graphs(m, 1);
}

static void graphs_now(struct model *m, struct effects *out)
{
	(void)out;
	m->metrics.end_ns = 0;
	m->metrics.marked_run = 0;
	m->metrics.cursor = 0;
	m->needs_draw = true;
}

static void graph_zoom_in(struct model *m, struct effects *out)
{
	(void)out;
	metrics_zoom(&m->metrics, 1);
	m->needs_draw = true;
}

static void graph_zoom_out(struct model *m, struct effects *out)
{
	(void)out;
	metrics_zoom(&m->metrics, -1);
	m->needs_draw = true;
}

/* The cell whose values are told; beyond either end there is none. */
static void set_cursor(struct model *m, int cursor)
{
	m->metrics.cursor = cursor > 0 && cursor <= layout(m).time.cols ? cursor : 0;
	m->needs_draw = true;
}

static void cursor_back(struct model *m, struct effects *out)
{
	(void)out;
	if (m->metrics.cursor < graph_cols(m))
		set_cursor(m, m->metrics.cursor + 1);
}

static void cursor_forth(struct model *m, struct effects *out)
{
	(void)out;
	set_cursor(m, m->metrics.cursor - 1);
}

/* ---- the pane ---- */

void metrics_show(struct model *m)
{
	/* A strip cannot have the focus, so show the whole pane. */
	if (m->layout.kind == LAYOUT_STACKED) {
		m->panes.is_zoomed = true;
		m->focus = PANE_METRICS;
		model_relayout(m);
	}
	model_focus(m, PANE_METRICS);
}

static void show_metrics_pane(struct model *m, struct effects *out)
{
	(void)out;
	metrics_show(m);
}

/* ---- runs ---- */

static void show_block(struct model *m, uint32_t serial)
{
	struct rect area = model_output_area(m);

	if (!outpane_show_run(&m->out, area.rows > 0 ? area.rows : 1, area.cols > 0 ? area.cols : 1, serial))
		notices_add(&m->notices, m->now_ns, false, "the output of that run was dropped");
}

static void metrics_mark_run(struct model *m, uint32_t serial)
{
	const struct run_info *run = runs_find(&m->out.runs, serial);

	if (!run || !run->began_ns)
		return;
	m->metrics.marked_run = serial;
	metrics_show_time(&m->metrics, run->began_ns, graph_cols(m));
	show_block(m, serial);
	m->needs_draw = true;
}

static void step_mark(struct model *m, int by)
{
	const struct run_info *run = run_marks_step(&m->out.runs, m->metrics.marked_run, by);

	if (run)
		metrics_mark_run(m, run->serial);
	else if (!m->metrics.marked_run)
		notices_add(&m->notices, m->now_ns, false, "nothing has run yet");
}

static void mark_back(struct model *m, struct effects *out)
{
	(void)out;
	step_mark(m, -1);
}

static void mark_forth(struct model *m, struct effects *out)
{
	(void)out;
	step_mark(m, 1);
}

static void to_block(struct model *m, struct effects *out)
{
	(void)out;
	if (!m->metrics.marked_run) {
		step_mark(m, -1);
		return;
	}
	model_focus(m, PANE_OUTPUT);
	show_block(m, m->metrics.marked_run);
}

/* The reverse: select the run of the current block. */
static void block_to_graph(struct model *m, struct effects *out)
{
	const struct out_block *block = outpane_block(&m->out);

	(void)out;
	if (block)
		metrics_mark_run(m, block->serial);
	if (m->metrics.marked_run && m->layout.kind == LAYOUT_SINGLE)
		model_focus(m, PANE_METRICS);
}

static const struct command commands[] = {
		{"show-metrics", "Metrics", "go to the metrics; on small screens they fill the screen",
				CONTEXT_ANY, .run = show_metrics_pane},
		{"processes-up", NULL, "select a process", CONTEXT_METRICS, .run = processes_up},
		{"processes-down", NULL, NULL, CONTEXT_METRICS, .run = processes_down},
		{"processes-page-up", NULL, NULL, CONTEXT_METRICS, .run = processes_page_up},
		{"processes-page-down", NULL, NULL, CONTEXT_METRICS, .run = processes_page_down},
		{"processes-first", NULL, NULL, CONTEXT_METRICS, .run = processes_first},
		{"processes-last", NULL, NULL, CONTEXT_METRICS, .run = processes_last},
		{"sort-by-cpu", "Processes: sort by CPU", "sort by CPU; again: reverse the order",
				CONTEXT_METRICS, .run = sort_cpu},
		{"sort-by-memory", "Processes: sort by memory", "sort by memory", CONTEXT_METRICS,
				.run = sort_mem},
		{"sort-by-pid", "Processes: sort by number", "sort by number", CONTEXT_METRICS,
				.run = sort_pid},
		{"sort-by-command", "Processes: sort by name", "sort by name", CONTEXT_METRICS,
				.run = sort_command},
		{"process-tree", "Processes: as a tree", "show processes as a tree", CONTEXT_METRICS,
				.run = processes_tree},
		{"signal", "Processes: send a signal…", "send a signal to the selected process",
				CONTEXT_METRICS, .run = ask_signal},
		{"previous-mark", "Graphs: previous run", "select the previous run and show its block",
				CONTEXT_METRICS, .run = mark_back},
		{"next-mark", "Graphs: next run", "select the next run", CONTEXT_METRICS, .run = mark_forth},
		{"show-block", "Graphs: go to the run's output", "go to the selected run's block",
				CONTEXT_METRICS, .run = to_block},
		{"show-on-graph", "Output: show the run on the graphs",
				"select this block's run on the graphs: what it cost, and when",
				CONTEXT_OUTPUT, .run = block_to_graph},
		{"look-back", "Graphs: look back", "scroll the graphs back", CONTEXT_METRICS,
				.run = graphs_back},
		{"look-forth", "Graphs: look forward", "scroll the graphs forward", CONTEXT_METRICS,
				.run = graphs_forth},
		{"look-now", "Graphs: back to now", "return to now and deselect the run", CONTEXT_METRICS,
				.run = graphs_now},
		{"graph-cursor-back", "Graphs: read an earlier value",
				"move the time cursor back, to read the values at a time", CONTEXT_METRICS,
				.run = cursor_back},
		{"graph-cursor-forth", "Graphs: read a later value",
				"move the time cursor forward; past the end: hide it", CONTEXT_METRICS,
				.run = cursor_forth},
		{"graph-zoom-in", "Graphs: zoom in", "zoom in", CONTEXT_METRICS, .run = graph_zoom_in},
		{"graph-zoom-out", "Graphs: zoom out", "zoom out", CONTEXT_METRICS, .run = graph_zoom_out},
};
const struct command_table metrics_commands = COMMAND_TABLE(commands);

/* ---- mouse ---- */

static void click_header(struct model *m, const struct metrics_layout *l, int at_col)
{
	for (unsigned i = 0; i < PROCESS_COLUMNS; i++) {
		int col, cols;
		if (!process_column_place((enum process_column)i, l->table.cols, &col, &cols)
				|| at_col < l->table.col + col || at_col > l->table.col + col + cols)
			continue;
		if (process_columns[i].sort != PROCESS_SORTS)
			sort_processes_by(m, process_columns[i].sort);
		return;
	}
}

static void click_time(struct model *m, const struct metrics_layout *l, int column)
{
	struct metric_span span = metrics_span(&m->metrics);
	struct mark marks[RUN_MARKS_MAX];
	size_t n = run_marks_in(&m->out.runs, &span, l->time.cols, m->now_ns, marks);
	const struct mark *mark = run_marks_at(marks, n, column);

	if (mark)
		metrics_mark_run(m, mark->serial);
}

static void click_metrics(struct model *m, const struct event *ev)
{
	struct metrics_layout l = layout(m);
	int column = ev->col - l.time.col;

	if (rect_contains(l.table, ev->row, ev->col))
		process_table_select(&m->metrics.processes,
				(long)m->metrics.processes.top + ev->row - l.table.row, page_of(m));
	else if (ev->row == l.table_row && ev->col >= l.table.col)
		click_header(m, &l, ev->col);
	else if (column >= 0 && column < l.time.cols
			&& (l.table_row < 0 || ev->row < l.table_row || l.rule_col >= 0))
		click_time(m, &l, column);
	m->needs_draw = true;
}

/* The pointer is over the graphs, and no dialog or page is. */
void metrics_hover(struct model *m, const struct event *ev)
{
	struct metrics_layout l = layout(m);
	int cursor = l.time.col + l.time.cols - ev->col;
	bool is_over = rect_contains(model_metrics_area(m), ev->row, ev->col) && cursor > 0
		       && cursor <= l.time.cols && ev->row <= l.axis_row;

	cursor = is_over ? cursor : 0;
	if (cursor == m->metrics.cursor || (!cursor && !m->metrics.is_hovered))
		return;
	m->metrics.is_hovered = is_over;
	set_cursor(m, cursor);
}

void metrics_mouse(struct model *m, const struct event *ev, struct effects *out)
{
	struct metrics_layout l = layout(m);
	int by = ev->action == MOUSE_WHEEL_UP ? -1 : 1;

	(void)out;
	if (ev->action == MOUSE_PRESS && ev->button == 1)
		click_metrics(m, ev);
	else if (ev->action != MOUSE_WHEEL_UP && ev->action != MOUSE_WHEEL_DOWN)
		return;
	else if (rect_contains(l.table, ev->row, ev->col))
		process_table_scroll(&m->metrics.processes, 3 * by, page_of(m));
	else if (ev->mods & (MOD_CTRL | MOD_ALT | MOD_SHIFT))
		scroll_graphs(m, by);
	else
		metrics_zoom(&m->metrics, -by);
	m->needs_draw = true;
}
