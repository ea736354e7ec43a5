/* SPDX-License-Identifier: MIT */
/* The page of sandboxes: keys and mouse. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cells/event.h"
#include "command/command.h"
#include "metrics/metrics_layout.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/update.h"
#include "text/format.h"

static void answer_stop_sandbox(struct model *m, int answer, struct effects *out);

static size_t page_of(const struct model *m)
{
	int rows = sandboxes_layout(m).table.rows;
	return rows > 1 ? (size_t)rows : 1;
}

static void sort_sandboxes_by(struct model *m, enum sandboxes_sort sort)
{
	sandboxes_sort_by(&m->sandboxes, sort);
	m->needs_draw = true;
}

/* ---- selection ---- */

static void select_row(struct model *m, long row)
{
	sandboxes_select(&m->sandboxes, row, page_of(m));
	m->needs_draw = true;
}

static size_t peek_page(const struct model *m)
{
	struct rect area = peek_layout(m).figures;
	int rows = metrics_layout_of(&m->sandboxes.metrics, area).table.rows;

	return rows > 1 ? (size_t)rows : 1;
}

static void move_sandbox_selection(struct model *m, long by)
{
	struct sandboxes *s = &m->sandboxes;
	long at = sandboxes_selected(s);

	if (s->is_inside)
		process_table_move(&s->metrics.processes, by, peek_page(m));
	else
		select_row(m, at < 0 ? (long)s->top : at + by);
	m->needs_draw = true;
}

static void sandboxes_up(struct model *m, struct effects *out)
{
	(void)out;
	move_sandbox_selection(m, -1);
}

static void sandboxes_down(struct model *m, struct effects *out)
{
	(void)out;
	move_sandbox_selection(m, 1);
}

static void sandboxes_page_up(struct model *m, struct effects *out)
{
	(void)out;
	if (m->sandboxes.is_inside && peek_layout(m).log.rows > 0)
		peek_scroll(m, -1);
	else
		move_sandbox_selection(m, -(long)page_of(m));
	m->needs_draw = true;
}

static void sandboxes_page_down(struct model *m, struct effects *out)
{
	(void)out;
	if (m->sandboxes.is_inside && peek_layout(m).log.rows > 0)
		peek_scroll(m, 1);
	else
		move_sandbox_selection(m, (long)page_of(m));
	m->needs_draw = true;
}

static void sandboxes_first(struct model *m, struct effects *out)
{
	(void)out;
	move_sandbox_selection(m, -(1L << 20));
}

static void sandboxes_last(struct model *m, struct effects *out)
{
	(void)out;
	move_sandbox_selection(m, 1L << 20);
}

/* The letters sort the visible list: sandboxes, or the processes in one sandbox. */
static void sort_either(struct model *m, enum sandboxes_sort sort, enum process_sort of_processes)
{
	if (!m->sandboxes.is_inside)
		sort_sandboxes_by(m, sort);
	else if (of_processes != PROCESS_SORTS)
		process_table_sort(&m->sandboxes.metrics.processes, of_processes);
	m->needs_draw = true;
}

static void sandboxes_by_name(struct model *m, struct effects *out)
{
	(void)out;
	sort_either(m, SANDBOXES_BY_NAME, PROCESS_BY_COMMAND);
}

static void sandboxes_by_cpu(struct model *m, struct effects *out)
{
	(void)out;
	sort_either(m, SANDBOXES_BY_CPU, PROCESS_BY_CPU);
}

static void sandboxes_by_memory(struct model *m, struct effects *out)
{
	(void)out;
	sort_either(m, SANDBOXES_BY_MEM, PROCESS_BY_MEM);
}

static void sandboxes_by_processes(struct model *m, struct effects *out)
{
	(void)out;
	sort_either(m, SANDBOXES_BY_PROCS, PROCESS_BY_PID);
}

static void sandboxes_by_uptime(struct model *m, struct effects *out)
{
	(void)out;
	sort_either(m, SANDBOXES_BY_UPTIME, PROCESS_SORTS);
}

static void sandboxes_tree(struct model *m, struct effects *out)
{
	struct process_table *t = &m->sandboxes.metrics.processes;

	(void)out;
	process_table_set_tree(t, !t->is_tree);
	m->needs_draw = true;
}

static void sandboxes_zoom_in(struct model *m, struct effects *out)
{
	(void)out;
	metrics_zoom(&m->sandboxes.metrics, 1);
	m->needs_draw = true;
}

static void sandboxes_zoom_out(struct model *m, struct effects *out)
{
	(void)out;
	metrics_zoom(&m->sandboxes.metrics, -1);
	m->needs_draw = true;
}

static void log_or_figures(struct model *m, struct effects *out)
{
	(void)out;
	m->sandboxes.log.is_wanted = !m->sandboxes.log.is_wanted;
	m->needs_draw = true;
}

/* ---- opening, looking into one, closing ---- */

static void look_end(struct model *m, struct effects *out)
{
	struct sandboxes *s = &m->sandboxes;

	s->is_inside = false;
	s->ended[0] = s->doing[0] = '\0';
	metrics_forget(&s->metrics);
	peek_finish(&s->log);
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
	engines_finish(&m->sandboxes.engines);
	effect_plain(out, EFFECT_SANDBOXES_END);
	m->needs_draw = true;
}

void sandboxes_show(struct model *m, struct effects *out)
{
	engines_finish(&m->sandboxes.engines);
	m->sandboxes.is_shown = true;
	effect_plain(out, EFFECT_SANDBOXES);
	m->needs_draw = true;
}

static void toggle(struct model *m, struct effects *out)
{
	if (m->sandboxes.is_shown)
		sandboxes_leave(m, out);
	else
		sandboxes_show(m, out);
}

static void sandboxes_back(struct model *m, struct effects *out)
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

void sandboxes_enter(struct model *m, const char *name)
{
	struct sandboxes *s = &m->sandboxes;

	s->is_inside = true;
	s->ended[0] = s->doing[0] = '\0';
	snprintf(s->inside, sizeof s->inside, "%s", name);
	metrics_forget(&s->metrics);
	peek_begin(&s->log, m->has_utf8);
	m->needs_draw = true;
}

static void sandboxes_look(struct model *m, struct effects *out)
{
	const struct engine_row *container = engines_selected(&m->sandboxes.engines);

	if (m->sandboxes.is_inside)
		return;
	if (container) {
		engines_ask_peek(m, container);
		return;
	}
	const struct trm_entry *e = selected(m);
	if (!e)
		return;
	if (e->is_stale) {
		notices_add(&m->notices, m->now_ns, false, "that sandbox has ended");
		return;
	}
	sandboxes_enter(m, e->name);
	effect_name(out, EFFECT_PEEK, e->name);
}

/* ---- stopping ---- */

static void describe_kernels(struct dialog *d, const struct trm_entry *e)
{
	char names[80] = "";

	for (unsigned i = 0; i < trm_lang_count(); i++)
		if (e->kernels & 1u << i)
			snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
					*names ? ", " : "", trm_lang_at(i)->name);
	if (e->has_kernels && *names)
		dialog_add_labeled(d, "Variables", ROLE_DIALOG, "all of %s", names);
}

/* Describe the loss as far as it is known without looking into the sandbox. */
static void describe_loss(const struct model *m, struct dialog *d, const struct trm_entry *e)
{
	const struct trm_sample *s = &e->sample;
	unsigned others = e->clients - (sandboxes_is_own(m, e) && e->clients > 0);
	bool knows_up = s->known & TRM_METRIC_UPTIME;
	char text[24];

	dialog_add_labeled(d, "Sandbox", ROLE_DIALOG, "%s%s%s", e->name, knows_up ? ", up " : "",
			knows_up ? format_uptime(text, s->uptime_ms) : "");
	describe_kernels(d, e);
	if (s->known & TRM_METRIC_PROCS)
		dialog_add_labeled(d, "Processes", ROLE_DIALOG, "%" PRIu64, s->procs);
	if (s->known & TRM_METRIC_DISK)
		dialog_add_labeled(d, "Files", ROLE_DIALOG, "all, %s", format_bytes(text, s->disk_bytes));
	if (e->has_state && others)
		dialog_add_labeled(d, "Attached", ROLE_DIALOG_WARN, "%u %sprogram%s", others,
				others < e->clients ? "other " : "", others == 1 ? "" : "s");
}

static void ask_stop(struct model *m, struct effects *out)
{
	static const struct dialog_button buttons[] = {{"Stop it", NULL, 's', 1}, {"Cancel", NULL, 'c', 0}};
	(void)out;
	if (engines_selected(&m->sandboxes.engines)) {
		notices_add(&m->notices, m->now_ns, false,
				"terrarium did not start this container: stop it with its engine");
		return;
	}
	const struct trm_entry *e = selected(m);
	if (!e)
		return;
	if (e->is_stale) {
		notices_add(&m->notices, m->now_ns, false,
				"nothing runs there: the next start of a sandbox removes it");
		return;
	}
	m->sandboxes.target = *e;
	dialog_begin(&m->dialog, "Stop the sandbox? You will lose:", answer_stop_sandbox);
	describe_loss(m, &m->dialog, e);
	if (sandboxes_is_own(m, e))
		dialog_add(&m->dialog, ROLE_DIALOG_WARN, "It is the sandbox of this workbench.");
	else if (e->has_client)
		dialog_add(&m->dialog, ROLE_DIALOG_WARN, "Started by process %u: %s", e->client_pid,
				e->client);
	dialog_set_buttons(&m->dialog, buttons, COUNT(buttons));
	m->dialog.focus = 1;
}

static void answer_stop_sandbox(struct model *m, int answer, struct effects *out)
{
	const struct trm_entry *e = &m->sandboxes.target;

	dialog_close(m);
	if (answer != 1)
		return;
	effect_add(out, (struct effect){.type = EFFECT_STOP_SANDBOX,
					.stop_sandbox = {effects_string(out, e->name), e->supervisor_pid,
							e->supervisor_start}});
	if (m->sandboxes.is_inside && strcmp(m->sandboxes.inside, e->name) == 0)
		look_end(m, out);
}

/* ---- mouse ---- */

static void click_sandboxes(struct model *m, const struct event *ev, struct effects *out)
{
	struct sandboxes_layout l = sandboxes_layout(m);
	int col, cols;

	if (rect_contains(l.table, ev->row, ev->col)) {
		size_t row = m->sandboxes.top + (size_t)(ev->row - l.table.row);
		bool is_there = sandboxes_can_select(&m->sandboxes, row);
		if (is_there)
			select_row(m, (long)row);
		if (is_there && ev->clicks >= 2)
			sandboxes_look(m, out);
		return;
	}
	for (unsigned i = 0; i < SANDBOXES_COLUMNS && ev->row == l.header_row; i++)
		if (sandboxes_place(i, l.table.cols, sandboxes_has_groups(&m->sandboxes), &col, &cols)
				&& ev->col >= l.table.col + col && ev->col <= l.table.col + col + cols
				&& sandboxes_columns[i].sort != SANDBOXES_SORTS)
			sort_sandboxes_by(m, sandboxes_columns[i].sort);
}

bool sandboxes_mouse(struct model *m, const struct event *ev, struct effects *out)
{
	if (!m->sandboxes.is_shown || ev->row == m->layout.keys_row || ev->row == m->layout.title_row)
		return false;
	if (ev->action == MOUSE_WHEEL_UP || ev->action == MOUSE_WHEEL_DOWN)
		move_sandbox_selection(m, ev->action == MOUSE_WHEEL_UP ? -1 : 1);
	else if (ev->action == MOUSE_PRESS && ev->button == 1 && !m->sandboxes.is_inside)
		click_sandboxes(m, ev, out);
	m->needs_draw = true;
	return true;
}

static const struct command commands[] = {
		{"sandboxes", "Sandboxes…", "show all your sandboxes on this machine, live", CONTEXT_ANY,
				.run = toggle},
		{"sandboxes-up", NULL, "select a sandbox", CONTEXT_SANDBOXES, .run = sandboxes_up},
		{"sandboxes-down", NULL, NULL, CONTEXT_SANDBOXES, .run = sandboxes_down},
		{"sandboxes-page-up", NULL, NULL, CONTEXT_SANDBOXES, .run = sandboxes_page_up},
		{"sandboxes-page-down", NULL, NULL, CONTEXT_SANDBOXES, .run = sandboxes_page_down},
		{"sandboxes-first", NULL, NULL, CONTEXT_SANDBOXES, .run = sandboxes_first},
		{"sandboxes-last", NULL, NULL, CONTEXT_SANDBOXES, .run = sandboxes_last},
		{"sandboxes-look", NULL, "look inside: runs, processes and graphs", CONTEXT_SANDBOXES,
				.run = sandboxes_look},
		{"sandboxes-back", NULL, "back", CONTEXT_SANDBOXES, .run = sandboxes_back},
		{"sandboxes-stop", NULL, "stop the sandbox; asks first", CONTEXT_SANDBOXES, .run = ask_stop},
		{"sandboxes-by-name", NULL, "sort by name; again: reverse the order", CONTEXT_SANDBOXES,
				.run = sandboxes_by_name},
		{"sandboxes-by-cpu", NULL, "sort by CPU", CONTEXT_SANDBOXES, .run = sandboxes_by_cpu},
		{"sandboxes-by-memory", NULL, "sort by memory", CONTEXT_SANDBOXES,
				.run = sandboxes_by_memory},
		{"sandboxes-by-processes", NULL, "sort by processes", CONTEXT_SANDBOXES,
				.run = sandboxes_by_processes},
		{"sandboxes-by-uptime", NULL, "sort by age", CONTEXT_SANDBOXES, .run = sandboxes_by_uptime},
		{"sandboxes-tree", NULL, "inside: show processes as a tree", CONTEXT_SANDBOXES,
				.run = sandboxes_tree},
		{"sandboxes-runs", NULL, "inside, on narrow screens: switch between runs and graphs",
				CONTEXT_SANDBOXES, .run = log_or_figures},
		{"sandboxes-zoom-in", NULL, "inside: zoom in", CONTEXT_SANDBOXES, .run = sandboxes_zoom_in},
		{"sandboxes-zoom-out", NULL, "inside: zoom out", CONTEXT_SANDBOXES,
				.run = sandboxes_zoom_out},
};
const struct command_table sandboxes_commands = COMMAND_TABLE(commands);
