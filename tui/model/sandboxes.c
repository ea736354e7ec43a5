/* SPDX-License-Identifier: MIT */
#include "model/sandboxes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "model/msg.h"

void sandboxes_finish(struct sandboxes *s)
{
	free(s->entries);
	metrics_finish(&s->metrics);
	peek_finish(&s->log);
	engines_finish(&s->engines);
	*s = (struct sandboxes){0};
}

/* ---- the table ---- */

const struct sandboxes_column_info sandboxes_columns[SANDBOXES_COLUMNS] = {
		{SANDBOX_NAME, 0, SANDBOXES_BY_NAME},
		{SANDBOX_CPU, 0, SANDBOXES_BY_CPU},
		{SANDBOX_MEM, 0, SANDBOXES_BY_MEM},
		{SANDBOX_DISK, 112, SANDBOXES_SORTS},
		{SANDBOX_PROCS, 86, SANDBOXES_BY_PROCS},
		{SANDBOX_UPTIME, 66, SANDBOXES_BY_UPTIME},
		{SANDBOX_CLIENTS, 60, SANDBOXES_SORTS},
		{SANDBOX_KEPT, 71, SANDBOXES_SORTS},
		{SANDBOX_GROUP, 104, SANDBOXES_SORTS},
		{SANDBOX_STARTED_BY, 78, SANDBOXES_SORTS},
};

bool sandboxes_has_groups(const struct sandboxes *s)
{
	bool has = false;

	for (size_t i = 0; i < s->n; i++)
		has |= s->entries[i].group[0] != '\0';
	return has;
}

static bool is_placed(unsigned i, int table_cols, bool has_groups)
{
	return table_cols >= sandboxes_columns[i].from
	       && (sandboxes_columns[i].column != SANDBOX_GROUP || has_groups);
}

bool sandboxes_place(unsigned i, int table_cols, bool has_groups, int *ret_col, int *ret_cols)
{
	const struct sandbox_column_info *info = &sandbox_columns[sandboxes_columns[i].column];
	int col = 1;

	if (!is_placed(i, table_cols, has_groups))
		return false;
	for (unsigned k = 0; k < i; k++)
		if (is_placed(k, table_cols, has_groups))
			col += sandbox_columns[sandboxes_columns[k].column].cols + 1;
	*ret_col = col + (info->is_left_aligned && i > 0);
	*ret_cols = info->cols ? info->cols : table_cols - *ret_col;
	return true;
}

enum { LEAST_LIST_ROWS = 4 }; /* pools are shown below so many lines of the table */

struct sandboxes_layout sandboxes_layout(const struct model *m)
{
	struct page_area area = layout_page(&m->layout, m->rows, m->cols);
	struct sandboxes_layout l = {.box = area.box, .inner = area.inner, .hint_row = area.hint_row};

	l.header_row = l.inner.row;
	l.table = (struct rect){l.inner.row + 1, l.inner.col, l.inner.rows - 2, l.inner.cols};
	size_t n_pools = m->sandboxes.n_pools;
	int lines = n_pools > SANDBOXES_POOLS ? SANDBOXES_POOLS + 2 : n_pools ? (int)n_pools + 1 : 0;
	if (l.table.rows >= lines + LEAST_LIST_ROWS) {
		l.pools = (struct rect){l.hint_row - lines, l.inner.col, lines, l.inner.cols};
		l.table.rows -= lines;
	}
	return l;
}

static double weight(const struct trm_entry *e, enum sandboxes_sort sort)
{
	switch (sort) {
	case SANDBOXES_BY_CPU: return e->sample.cpu_percent;
	case SANDBOXES_BY_MEM: return (double)e->sample.mem_bytes;
	case SANDBOXES_BY_PROCS: return (double)e->sample.procs;
	case SANDBOXES_BY_UPTIME: return (double)e->sample.uptime_ms;
	case SANDBOXES_BY_NAME:
	case SANDBOXES_SORTS: break;
	}
	return 0;
}

static int compare_sandboxes(const void *a, const void *b, void *user)
{
	const struct sandboxes *s = user;
	const struct trm_entry *x = a, *y = b;
	double p = weight(x, s->sort), q = weight(y, s->sort);
	int order = p < q ? 1 : p > q ? -1 : strcmp(x->name, y->name);

	return s->is_reversed ? -order : order;
}

static void sort_sandboxes(struct sandboxes *s)
{
	if (s->n)
		qsort_r(s->entries, s->n, sizeof *s->entries, compare_sandboxes, s);
}

void sandboxes_sort_by(struct sandboxes *s, enum sandboxes_sort sort)
{
	s->is_reversed = s->sort == sort && !s->is_reversed;
	s->sort = sort;
	sort_sandboxes(s);
}

/* ---- messages ---- */

/* The selected sandbox is gone. Select the one that took its row. */
static void reselect(struct sandboxes *s, long row)
{
	row = row < 0 ? 0 : row >= (long)s->n ? (long)s->n - 1 : row;
	if (!s->n || sandboxes_selected(s) >= 0)
		return;
	s->selected_supervisor = s->entries[row].supervisor_pid;
	s->selected_start = s->entries[row].supervisor_start;
}

static void take_sandbox_list(struct sandboxes *s, const struct msg *msg)
{
	long before = sandboxes_selected(s);

	if (msg->sandboxes.n > s->cap) {
		struct trm_entry *entries = realloc(s->entries, msg->sandboxes.n * sizeof *entries);
		if (!entries)
			return;
		s->entries = entries;
		s->cap = msg->sandboxes.n;
	}
	s->is_known = true;
	s->n = msg->sandboxes.n;
	if (s->n)
		memcpy(s->entries, msg->sandboxes.entries, s->n * sizeof *s->entries);
	s->n_pools = msg->sandboxes.n_pools;
	for (size_t i = 0; i < s->n_pools && i < SANDBOXES_POOLS; i++)
		s->pools[i] = msg->sandboxes.pools[i];
	snprintf(s->error, sizeof s->error, "%s", msg->sandboxes.why ? msg->sandboxes.why : "");
	sort_sandboxes(s);
	if (s->top >= s->n + engines_lines(&s->engines))
		s->top = 0;
	reselect(s, before);
}

void sandboxes_update(struct model *m, const struct msg *msg)
{
	struct sandboxes *s = &m->sandboxes;

	if (!s->is_shown)
		return;
	m->needs_draw = true;
	switch (msg->type) {
	case MSG_SANDBOXES: take_sandbox_list(s, msg); break;
	case MSG_CONTAINER:
	case MSG_CONTAINERS_END: engines_take(&s->engines, msg); break;
	case MSG_INSIDE_PROGRESS: snprintf(s->doing, sizeof s->doing, "%s", msg->text); break;
	case MSG_INSIDE_METRICS: metrics_take(&s->metrics, msg->metrics); break;
	case MSG_INSIDE_CAUGHT_UP:
	case MSG_INSIDE_JOINED:
	case MSG_INSIDE_OUTPUT:
	case MSG_INSIDE_DONE: peek_update(m, msg); break;
	case MSG_INSIDE_CLOSED:
		snprintf(s->ended, sizeof s->ended, "%s", msg->text ? msg->text : "it has ended");
		s->metrics.has_sample = false;
		process_table_clear(&s->metrics.processes);
		break;
	default: break;
	}
}

/* ---- selection ---- */

size_t sandboxes_engines_at(const struct sandboxes *s)
{
	return s->n ? s->n : 1;
}

long sandboxes_selected(const struct sandboxes *s)
{
	if (engines_selected(&s->engines))
		return (long)sandboxes_engines_at(s) + 1 + s->engines.selected;
	for (size_t i = 0; i < s->n && s->selected_supervisor; i++)
		if (s->entries[i].supervisor_pid == s->selected_supervisor
				&& s->entries[i].supervisor_start == s->selected_start)
			return (long)i;
	return -1;
}

bool sandboxes_is_own(const struct model *m, const struct trm_entry *entry)
{
	return !entry->is_stale && strcmp(entry->backend, m->sandbox.backend) == 0
	       && strcmp(entry->name, m->sandbox.name) == 0;
}

bool sandboxes_can_select(const struct sandboxes *s, size_t line)
{
	size_t heading = sandboxes_engines_at(s);

	return line < s->n || (line > heading && line <= heading + s->engines.n);
}

/* The nearest selectable line in the direction of the motion. -1: there is none. */
static long nearest_line(const struct sandboxes *s, long line)
{
	long heading = (long)sandboxes_engines_at(s), last = heading + (long)s->engines.n;

	line = line < 0 ? 0 : line;
	if (line < (long)s->n)
		return line;
	if (!s->engines.n || (line <= heading && s->n && sandboxes_selected(s) > line))
		return (long)s->n - 1;
	return line <= heading ? heading + 1 : line < last ? line : last;
}

void sandboxes_select(struct sandboxes *s, long line, size_t page)
{
	line = nearest_line(s, line);
	if (line < 0)
		return;
	s->engines.selected = line < (long)s->n ? -1 : line - (long)sandboxes_engines_at(s) - 1;
	if (line < (long)s->n) {
		s->selected_supervisor = s->entries[line].supervisor_pid;
		s->selected_start = s->entries[line].supervisor_start;
	}
	if ((size_t)line < s->top)
		s->top = (size_t)line;
	else if ((size_t)line >= s->top + page)
		s->top = (size_t)line - page + 1;
}

void sandboxes_show_engines(struct model *m)
{
	struct sandboxes *s = &m->sandboxes;
	int rows = sandboxes_layout(m).table.rows;
	size_t page = rows > 1 ? (size_t)rows : 1, end = sandboxes_engines_at(s) + 2;

	if (end > s->top + page)
		s->top = end - page;
}
