/* SPDX-License-Identifier: MIT */
#include "metrics/process_table.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 16 /* deeper levels are shown at this one */

const struct process_column_info process_columns[PROCESS_COLUMNS] = {
		[PROCESS_COLUMN_PID] = {"PID", 6, 3, false, false, PROCESS_BY_PID},
		[PROCESS_COLUMN_CPU] = {"CPU%", 5, 4, false, false, PROCESS_BY_CPU},
		[PROCESS_COLUMN_MEM] = {"MEM", 6, 3, false, false, PROCESS_BY_MEM},
		[PROCESS_COLUMN_STATE] = {"S", 1, 1, false, true, PROCESS_SORTS},
		[PROCESS_COLUMN_THREADS] = {"THR", 3, 3, false, true, PROCESS_SORTS},
		[PROCESS_COLUMN_TIME] = {"TIME", 6, 4, false, true, PROCESS_SORTS},
		[PROCESS_COLUMN_PAST] = {"CPU BEFORE", 10, 10, false, true, PROCESS_SORTS},
		[PROCESS_COLUMN_COMMAND] = {"COMMAND", 0, 7, true, false, PROCESS_BY_COMMAND},
};

/* The past needs more room than the other extra columns. */
static bool is_column_shown(enum process_column column, int table_cols)
{
	enum { EXTRA_FROM = 48, PAST_FROM = 56 };

	return !process_columns[column].is_extra
	       || table_cols >= (column == PROCESS_COLUMN_PAST ? PAST_FROM : EXTRA_FROM);
}

bool process_column_place(enum process_column column, int table_cols, int *ret_col, int *ret_cols)
{
	int col = 0;

	if (!is_column_shown(column, table_cols))
		return false;
	for (unsigned i = 0; i < (unsigned)column; i++)
		if (is_column_shown((enum process_column)i, table_cols))
			col += process_columns[i].cols + 1;
	*ret_col = col + process_columns[column].is_left_aligned;
	*ret_cols = process_columns[column].cols ? process_columns[column].cols : table_cols - *ret_col;
	return true;
}

void process_table_finish(struct process_table *t)
{
	free(t->processes);
	free(t->rows);
	free(t->pasts);
	*t = (struct process_table){0};
}

void process_table_clear(struct process_table *t)
{
	t->n = t->top = t->n_pasts = 0;
	t->is_known = false;
	t->selected_pid = 0;
}

/* ---- order ---- */

static int compare_numbers(double a, double b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

/* Heaviest first; pids and commands in ascending order. Equal rows are sorted by pid, so that they keep
 * their places. */
static int compare_processes(
		const struct process_table *t, const struct trm_process *a, const struct trm_process *b)
{
	int order = 0;

	switch (t->sort) {
	case PROCESS_BY_CPU: order = compare_numbers(a->cpu_percent, b->cpu_percent); break;
	case PROCESS_BY_MEM: order = compare_numbers((double)a->mem_bytes, (double)b->mem_bytes); break;
	case PROCESS_BY_COMMAND: order = strcmp(a->command, b->command); break;
	case PROCESS_BY_PID:
	case PROCESS_SORTS: break;
	}
	if (!order)
		order = a->pid < b->pid ? -1 : a->pid > b->pid;
	return t->is_reversed ? -order : order;
}

static int compare_rows(const void *a, const void *b, void *user)
{
	const struct process_table *t = user;

	return compare_processes(t, &t->processes[((const struct process_row *)a)->at],
			&t->processes[((const struct process_row *)b)->at]);
}

static bool has_parent(const struct process_table *t, uint32_t ppid)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->processes[i].pid == ppid)
			return true;
	return false;
}

/* Append the children of `ppid` from the sorted rows to `out`, each followed by its own children. Placed
 * rows are marked in `done`, because the parents that a sandbox reports may form circles. */
static size_t place_children(const struct process_table *t, uint32_t ppid, bool is_root, unsigned depth,
		bool *done, struct process_row *out, size_t n)
{
	size_t last = n;

	for (size_t i = 0; i < t->n; i++) {
		struct process_row row = t->rows[i];
		const struct trm_process *p = &t->processes[row.at];
		bool is_child = is_root ? !has_parent(t, p->ppid) : p->ppid == ppid;
		if (done[i] || !is_child || (p->pid == p->ppid && !is_root))
			continue;
		done[i] = true;
		row.depth = (uint8_t)(depth < DEPTH_MAX ? depth : DEPTH_MAX);
		last = n;
		out[n++] = row;
		n = place_children(t, p->pid, false, depth + 1, done, out, n);
	}
	if (last < n)
		out[last].is_last = true;
	return n;
}

static void make_tree(struct process_table *t)
{
	struct process_row *out = malloc(t->n * sizeof *out);
	bool *done = calloc(t->n, sizeof *done);

	if (out && done) {
		size_t n = place_children(t, 0, true, 0, done, out, 0);
		for (size_t i = 0; i < t->n; i++) /* for circles */
			if (!done[i])
				out[n++] = t->rows[i];
		memcpy(t->rows, out, n * sizeof *out);
	}
	free(out);
	free(done);
}

static void sort_processes(struct process_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		t->rows[i] = (struct process_row){.at = (uint32_t)i};
	if (!t->n)
		return;
	qsort_r(t->rows, t->n, sizeof *t->rows, compare_rows, t);
	if (t->is_tree)
		make_tree(t);
}

/* ---- a new sample ---- */

static bool grow_process_table(struct process_table *t, size_t n)
{
	if (n <= t->cap)
		return true;
	struct trm_process *processes = realloc(t->processes, n * sizeof *processes);
	if (processes)
		t->processes = processes;
	struct process_row *rows = realloc(t->rows, n * sizeof *rows);
	if (rows)
		t->rows = rows;
	if (!processes || !rows)
		return false;
	t->cap = n;
	return true;
}

/* ---- the past ---- */

static int compare_pasts(const void *a, const void *b)
{
	const struct process_past *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

const struct process_past *process_table_past(const struct process_table *t, const struct trm_process *p)
{
	struct process_past key = {.pid = p->pid, .start = p->start};

	return t->n_pasts ? bsearch(&key, t->pasts, t->n_pasts, sizeof key, compare_pasts) : NULL;
}

static void remember(struct process_past *past, const struct trm_process *p)
{
	if (past->n == PROCESS_VALUES)
		memmove(past->cpu, past->cpu + 1, --past->n * sizeof *past->cpu);
	past->cpu[past->n++] = p->has_cpu ? (float)p->cpu_percent : -1.0f;
}

/* The pasts of those that live go on; the others are forgotten. */
static void take_pasts(struct process_table *t)
{
	struct process_past *pasts = t->n ? calloc(t->n, sizeof *pasts) : NULL;

	for (size_t i = 0; pasts && i < t->n; i++) {
		const struct trm_process *p = &t->processes[i];
		const struct process_past *before = process_table_past(t, p);
		pasts[i] = before ? *before : (struct process_past){.pid = p->pid, .start = p->start};
		remember(&pasts[i], p);
	}
	free(t->pasts);
	t->pasts = pasts;
	t->n_pasts = pasts ? t->n : 0;
	if (pasts)
		qsort(pasts, t->n_pasts, sizeof *pasts, compare_pasts);
}

void process_table_take(struct process_table *t, const struct trm_metrics *metrics)
{
	if (!grow_process_table(t, metrics->n_processes))
		return;
	t->is_known = metrics->has_processes;
	t->n = t->is_known ? metrics->n_processes : 0;
	if (t->n)
		memcpy(t->processes, metrics->processes, t->n * sizeof *t->processes);
	take_pasts(t);
	sort_processes(t);
	if (t->top >= t->n)
		t->top = 0;
}

void process_table_sort(struct process_table *t, enum process_sort sort)
{
	t->is_reversed = t->sort == sort && !t->is_reversed;
	t->sort = sort;
	sort_processes(t);
}

void process_table_set_tree(struct process_table *t, bool is_tree)
{
	t->is_tree = is_tree;
	sort_processes(t);
}

/* ---- selection ---- */

const struct trm_process *process_table_at(const struct process_table *t, size_t row)
{
	return row < t->n ? &t->processes[t->rows[row].at] : NULL;
}

long process_table_selected(const struct process_table *t)
{
	for (size_t i = 0; i < t->n && t->selected_pid; i++) {
		const struct trm_process *p = process_table_at(t, i);
		if (p->pid == t->selected_pid && p->start == t->selected_start)
			return (long)i;
	}
	return -1;
}

void process_table_scroll(struct process_table *t, long by, size_t page)
{
	long last = (long)t->n - (long)page, to = (long)t->top + by;

	to = to > last ? last : to;
	t->top = to < 0 ? 0 : (size_t)to;
}

void process_table_select(struct process_table *t, long row, size_t page)
{
	const struct trm_process *p;

	row = row >= (long)t->n ? (long)t->n - 1 : row;
	row = row < 0 ? 0 : row;
	if (!(p = process_table_at(t, (size_t)row)))
		return;
	t->selected_pid = p->pid;
	t->selected_start = p->start;
	if ((size_t)row < t->top)
		t->top = (size_t)row;
	else if (page && (size_t)row >= t->top + page)
		t->top = (size_t)row - page + 1;
}

void process_table_move(struct process_table *t, long by, size_t page)
{
	long at = process_table_selected(t);

	process_table_select(t, at < 0 ? (long)t->top : at + by, page);
}
