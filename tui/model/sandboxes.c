/* SPDX-License-Identifier: MIT */
#include "model/sandboxes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/answers.h"
#include "model/command.h"
#include "model/effect.h"
#include "model/metrics_layout.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"
#include "term/event.h"

void sandboxes_finish(struct sandboxes *s)
{
	free(s->entries);
	metrics_finish(&s->metrics);
	*s = (struct sandboxes){0};
}

/* ---- the table ---- */

const struct sandboxes_column_info sandboxes_columns[SANDBOXES_COLUMNS] = {
		[SANDBOXES_NAME] = {"NAME", true, 20, 0, SANDBOXES_BY_NAME},
		[SANDBOXES_CPU] = {"CPU%", false, 6, 0, SANDBOXES_BY_CPU},
		[SANDBOXES_MEM] = {"MEM", false, 10, 0, SANDBOXES_BY_MEM},
		[SANDBOXES_DISK] = {"DISK", false, 9, 90, SANDBOXES_SORTS},
		[SANDBOXES_PROCS] = {"PROC", false, 7, 56, SANDBOXES_BY_PROCS},
		[SANDBOXES_UPTIME] = {"UP", false, 9, 66, SANDBOXES_BY_UPTIME},
		[SANDBOXES_CLIENT] = {"STARTED BY", true, 0, 74, SANDBOXES_SORTS},
};

bool sandboxes_place(enum sandboxes_column column, int table_cols, int *ret_col, int *ret_cols)
{
	int col = 1;

	if (table_cols < sandboxes_columns[column].from)
		return false;
	for (unsigned i = 0; i < (unsigned)column; i++)
		if (table_cols >= sandboxes_columns[i].from)
			col += sandboxes_columns[i].cols + 1;
	*ret_col = col + (column == SANDBOXES_CLIENT);
	*ret_cols = sandboxes_columns[column].cols ? sandboxes_columns[column].cols : table_cols - *ret_col;
	return true;
}

struct sandboxes_layout sandboxes_layout(const struct model *m)
{
	int from = m->layout.title_row + 1, rows = m->layout.keys_row - from;
	struct sandboxes_layout l = {.box = {from, 0, rows, m->cols}};
	bool has_border = m->rows >= 16 && m->cols >= 60;

	l.inner = has_border ? (struct rect){from + 1, 1, rows - 2, m->cols - 2} : l.box;
	l.header_row = l.inner.row;
	l.table = (struct rect){l.inner.row + 1, l.inner.col, l.inner.rows - 2, l.inner.cols};
	l.hint_row = l.inner.row + l.inner.rows - 1;
	return l;
}

static size_t page_of(const struct model *m)
{
	int rows = sandboxes_layout(m).table.rows;
	return rows > 1 ? (size_t)rows : 1;
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

static int compare(const void *a, const void *b, void *user)
{
	const struct sandboxes *s = user;
	const struct trm_entry *x = a, *y = b;
	double p = weight(x, s->sort), q = weight(y, s->sort);
	int order = p < q ? 1 : p > q ? -1 : strcmp(x->name, y->name);

	return s->is_reversed ? -order : order;
}

static void arrange(struct sandboxes *s)
{
	if (s->n)
		qsort_r(s->entries, s->n, sizeof *s->entries, compare, s);
}

static void sort_by(struct model *m, enum sandboxes_sort sort)
{
	struct sandboxes *s = &m->sandboxes;

	s->is_reversed = s->sort == sort && !s->is_reversed;
	s->sort = sort;
	arrange(s);
	m->needs_draw = true;
}

/* ---- what comes ---- */

/* The one that was selected has gone: whoever has taken its place. */
static void reselect(struct sandboxes *s, long row)
{
	row = row < 0 ? 0 : row >= (long)s->n ? (long)s->n - 1 : row;
	if (!s->n || sandboxes_selected(s) >= 0)
		return;
	s->selected_keeper = s->entries[row].keeper_pid;
	s->selected_start = s->entries[row].keeper_start;
}

static void take(struct sandboxes *s, const struct msg *msg)
{
	long before = sandboxes_selected(s);

	if (msg->n_entries > s->cap) {
		struct trm_entry *entries = realloc(s->entries, msg->n_entries * sizeof *entries);
		if (!entries)
			return;
		s->entries = entries;
		s->cap = msg->n_entries;
	}
	s->is_known = true;
	s->n = msg->n_entries;
	if (s->n)
		memcpy(s->entries, msg->entries, s->n * sizeof *s->entries);
	snprintf(s->error, sizeof s->error, "%s", msg->text ? msg->text : "");
	arrange(s);
	if (s->top >= s->n)
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
	case MSG_SANDBOXES: take(s, msg); break;
	case MSG_INSIDE_METRICS: metrics_take(&s->metrics, msg->metrics); break;
	case MSG_INSIDE_CLOSED:
		snprintf(s->ended, sizeof s->ended, "%s", msg->text ? msg->text : "it has ended");
		s->metrics.has_sample = false;
		process_table_clear(&s->metrics.processes);
		break;
	default: break;
	}
}

/* ---- selection ---- */

long sandboxes_selected(const struct sandboxes *s)
{
	for (size_t i = 0; i < s->n && s->selected_keeper; i++)
		if (s->entries[i].keeper_pid == s->selected_keeper
				&& s->entries[i].keeper_start == s->selected_start)
			return (long)i;
	return -1;
}

bool sandboxes_is_own(const struct model *m, const struct trm_entry *entry)
{
	return !entry->is_stale && strcmp(entry->backend, m->sandbox.backend) == 0
	       && strcmp(entry->name, m->sandbox.name) == 0;
}

static void select_row(struct model *m, long row)
{
	struct sandboxes *s = &m->sandboxes;
	size_t page = page_of(m);

	if (!s->n)
		return;
	row = row < 0 ? 0 : row >= (long)s->n ? (long)s->n - 1 : row;
	s->selected_keeper = s->entries[row].keeper_pid;
	s->selected_start = s->entries[row].keeper_start;
	if ((size_t)row < s->top)
		s->top = (size_t)row;
	else if ((size_t)row >= s->top + page)
		s->top = (size_t)row - page + 1;
	m->needs_draw = true;
}

static size_t inside_page(const struct model *m)
{
	struct rect area = sandboxes_layout(m).inner;
	int rows = metrics_layout_of(&m->sandboxes.metrics, area).table.rows;

	return rows > 1 ? (size_t)rows : 1;
}

static void move(struct model *m, long by)
{
	struct sandboxes *s = &m->sandboxes;
	long at = sandboxes_selected(s);

	if (s->is_inside)
		process_table_move(&s->metrics.processes, by, inside_page(m));
	else
		select_row(m, at < 0 ? (long)s->top : at + by);
	m->needs_draw = true;
}

static void up(struct model *m, struct effects *out)
{
	(void)out;
	move(m, -1);
}

static void down(struct model *m, struct effects *out)
{
	(void)out;
	move(m, 1);
}

static void page_up(struct model *m, struct effects *out)
{
	(void)out;
	move(m, -(long)page_of(m));
}

static void page_down(struct model *m, struct effects *out)
{
	(void)out;
	move(m, (long)page_of(m));
}

static void first(struct model *m, struct effects *out)
{
	(void)out;
	move(m, -(1L << 20));
}

static void last(struct model *m, struct effects *out)
{
	(void)out;
	move(m, 1L << 20);
}

/* The letters sort what is seen: sandboxes, or the processes in one. */
static void sort_either(struct model *m, enum sandboxes_sort sort, enum process_sort of_processes)
{
	if (!m->sandboxes.is_inside)
		sort_by(m, sort);
	else if (of_processes != PROCESS_SORTS)
		process_table_sort(&m->sandboxes.metrics.processes, of_processes);
	m->needs_draw = true;
}

static void by_name(struct model *m, struct effects *out)
{
	(void)out;
	sort_either(m, SANDBOXES_BY_NAME, PROCESS_BY_COMMAND);
}

static void by_cpu(struct model *m, struct effects *out)
{
	(void)out;
	sort_either(m, SANDBOXES_BY_CPU, PROCESS_BY_CPU);
}

static void by_mem(struct model *m, struct effects *out)
{
	(void)out;
	sort_either(m, SANDBOXES_BY_MEM, PROCESS_BY_MEM);
}

static void by_procs(struct model *m, struct effects *out)
{
	(void)out;
	sort_either(m, SANDBOXES_BY_PROCS, PROCESS_BY_PID);
}

static void by_uptime(struct model *m, struct effects *out)
{
	(void)out;
	sort_either(m, SANDBOXES_BY_UPTIME, PROCESS_SORTS);
}

static void tree(struct model *m, struct effects *out)
{
	struct process_table *t = &m->sandboxes.metrics.processes;

	(void)out;
	process_table_set_tree(t, !t->is_tree);
	m->needs_draw = true;
}

static void zoom_in(struct model *m, struct effects *out)
{
	(void)out;
	metrics_zoom(&m->sandboxes.metrics, 1);
	m->needs_draw = true;
}

static void zoom_out(struct model *m, struct effects *out)
{
	(void)out;
	metrics_zoom(&m->sandboxes.metrics, -1);
	m->needs_draw = true;
}

/* ---- showing, looking, leaving ---- */

static void look_end(struct model *m, struct effects *out)
{
	struct sandboxes *s = &m->sandboxes;

	s->is_inside = false;
	s->ended[0] = '\0';
	metrics_forget(&s->metrics);
	effect_plain(out, EFFECT_LOOK_END);
	m->needs_draw = true;
}

void sandboxes_leave(struct model *m, struct effects *out)
{
	if (!m->sandboxes.is_shown)
		return;
	if (m->sandboxes.is_inside)
		look_end(m, out);
	m->sandboxes.is_shown = m->sandboxes.is_known = false;
	m->sandboxes.n = 0;
	effect_plain(out, EFFECT_SANDBOXES_END);
	m->needs_draw = true;
}

static void toggle(struct model *m, struct effects *out)
{
	if (m->sandboxes.is_shown) {
		sandboxes_leave(m, out);
		return;
	}
	m->sandboxes.is_shown = true;
	effect_plain(out, EFFECT_SANDBOXES);
	m->needs_draw = true;
}

static void back(struct model *m, struct effects *out)
{
	if (m->sandboxes.is_inside)
		look_end(m, out);
	else
		sandboxes_leave(m, out);
}

static const struct trm_entry *selected(struct model *m)
{
	struct sandboxes *s = &m->sandboxes;
	long row = sandboxes_selected(s);

	if (row < 0)
		notices_add(&m->notices, m->now_ns, false, "select a sandbox first, with the arrow keys");
	m->needs_draw = true;
	return row < 0 ? NULL : &s->entries[row];
}

static void look(struct model *m, struct effects *out)
{
	struct sandboxes *s = &m->sandboxes;
	const struct trm_entry *e = s->is_inside ? NULL : selected(m);

	if (!e)
		return;
	if (e->is_stale) {
		notices_add(&m->notices, m->now_ns, false, "nothing runs there any more");
		return;
	}
	s->is_inside = true;
	s->ended[0] = '\0';
	snprintf(s->inside, sizeof s->inside, "%s", e->name);
	metrics_forget(&s->metrics);
	effect_text(out, EFFECT_LOOK, NULL, e->name);
}

/* ---- stopping ---- */

static void ask_stop(struct model *m, struct effects *out)
{
	static const struct dialog_button buttons[] = {{"Stop it", NULL, 's', 1}, {"Cancel", NULL, 'c', 0}};
	const struct trm_entry *e = selected(m);

	(void)out;
	if (!e)
		return;
	if (e->is_stale) {
		notices_add(&m->notices, m->now_ns, false,
				"nothing runs there: the next sandbox that starts sweeps it away");
		return;
	}
	m->sandboxes.target = *e;
	dialog_begin(&m->dialog, DIALOG_STOP_SANDBOX, "Stop the sandbox?");
	dialog_add(&m->dialog, ROLE_DIALOG,
			"%s: %u processes with all their state and its files will be lost.", e->name,
			(unsigned)e->sample.procs);
	if (sandboxes_is_own(m, e))
		dialog_add(&m->dialog, ROLE_DIALOG_WARN, "It is the sandbox of this workbench.");
	else if (e->has_client)
		dialog_add(&m->dialog, ROLE_DIALOG_WARN, "It was started by process %u: %s", e->client_pid,
				e->client);
	dialog_set_buttons(&m->dialog, buttons, COUNT(buttons));
	m->dialog.focus = 1;
}

void answer_stop_sandbox(struct model *m, int answer, struct effects *out)
{
	const struct trm_entry *e = &m->sandboxes.target;

	dialog_close(m);
	if (answer != 1 || !effect_text(out, EFFECT_STOP_SANDBOX, NULL, e->name))
		return;
	out->items[out->n - 1].number = e->keeper_pid;
	out->items[out->n - 1].identity = e->keeper_start;
	if (m->sandboxes.is_inside && strcmp(m->sandboxes.inside, e->name) == 0)
		look_end(m, out);
}

/* ---- mouse ---- */

static void click(struct model *m, const struct event *ev, struct effects *out)
{
	struct sandboxes_layout l = sandboxes_layout(m);
	int col, cols;

	if (rect_contains(l.table, ev->row, ev->col)) {
		size_t row = m->sandboxes.top + (size_t)(ev->row - l.table.row);
		if (row < m->sandboxes.n)
			select_row(m, (long)row);
		if (row < m->sandboxes.n && ev->clicks >= 2)
			look(m, out);
		return;
	}
	for (unsigned i = 0; i < SANDBOXES_COLUMNS && ev->row == l.header_row; i++)
		if (sandboxes_place((enum sandboxes_column)i, l.table.cols, &col, &cols)
				&& ev->col >= l.table.col + col && ev->col <= l.table.col + col + cols
				&& sandboxes_columns[i].sort != SANDBOXES_SORTS)
			sort_by(m, sandboxes_columns[i].sort);
}

bool sandboxes_mouse(struct model *m, const struct event *ev, struct effects *out)
{
	if (!m->sandboxes.is_shown || ev->row == m->layout.keys_row || ev->row == m->layout.title_row)
		return false;
	if (ev->action == MOUSE_WHEEL_UP || ev->action == MOUSE_WHEEL_DOWN)
		move(m, ev->action == MOUSE_WHEEL_UP ? -1 : 1);
	else if (ev->action == MOUSE_PRESS && ev->button == 1 && !m->sandboxes.is_inside)
		click(m, ev, out);
	m->needs_draw = true;
	return true;
}

static const struct command commands[] = {
		{"sandboxes", "Sandboxes…", "all sandboxes that you run on this machine, live", PLACE_ANY,
				toggle, NULL, 0, false},
		{"sandboxes-up", NULL, "select one", PLACE_SANDBOXES, up, NULL, 0, false},
		{"sandboxes-down", NULL, NULL, PLACE_SANDBOXES, down, NULL, 0, false},
		{"sandboxes-page-up", NULL, NULL, PLACE_SANDBOXES, page_up, NULL, 0, false},
		{"sandboxes-page-down", NULL, NULL, PLACE_SANDBOXES, page_down, NULL, 0, false},
		{"sandboxes-first", NULL, NULL, PLACE_SANDBOXES, first, NULL, 0, false},
		{"sandboxes-last", NULL, NULL, PLACE_SANDBOXES, last, NULL, 0, false},
		{"sandboxes-look", NULL, "look inside: its processes and graphs", PLACE_SANDBOXES, look, NULL,
				0, false},
		{"sandboxes-back", NULL, "back", PLACE_SANDBOXES, back, NULL, 0, false},
		{"sandboxes-stop", NULL, "stop it, after a question", PLACE_SANDBOXES, ask_stop, NULL, 0,
				false},
		{"sandboxes-by-name", NULL, "sort by name; again: the other way round", PLACE_SANDBOXES,
				by_name, NULL, 0, false},
		{"sandboxes-by-cpu", NULL, "sort by CPU", PLACE_SANDBOXES, by_cpu, NULL, 0, false},
		{"sandboxes-by-memory", NULL, "sort by memory", PLACE_SANDBOXES, by_mem, NULL, 0, false},
		{"sandboxes-by-processes", NULL, "sort by processes", PLACE_SANDBOXES, by_procs, NULL, 0,
				false},
		{"sandboxes-by-uptime", NULL, "sort by age", PLACE_SANDBOXES, by_uptime, NULL, 0, false},
		{"sandboxes-tree", NULL, "inside: processes as a tree", PLACE_SANDBOXES, tree, NULL, 0,
				false},
		{"sandboxes-zoom-in", NULL, "inside: closer in time", PLACE_SANDBOXES, zoom_in, NULL, 0,
				false},
		{"sandboxes-zoom-out", NULL, "inside: more time", PLACE_SANDBOXES, zoom_out, NULL, 0, false},
};
const struct command_table sandboxes_commands = COMMAND_TABLE(commands);
