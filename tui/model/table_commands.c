/* SPDX-License-Identifier: MIT */
/* The page of a table: keys and mouse. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cells/event.h"
#include "command/command.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/kernel_query.h"
#include "model/model.h"
#include "model/table_page.h"
#include "model/variables.h"

static void answer_table(struct model *m, int answer, struct effects *out);

static void move_mark(struct model *m, int64_t rows, int64_t columns)
{
	table_pane_move(&m->table_page.pane, rows, columns);
	m->needs_draw = true;
}

static int64_t page_rows(const struct model *m)
{
	int rows = m->table_page.pane.rows;
	return rows > 2 ? rows - 1 : 1;
}

static void mark_up(struct model *m, struct effects *out)
{
	(void)out;
	move_mark(m, -1, 0);
}

static void mark_down(struct model *m, struct effects *out)
{
	(void)out;
	move_mark(m, 1, 0);
}

static void mark_left(struct model *m, struct effects *out)
{
	(void)out;
	move_mark(m, 0, -1);
}

static void mark_right(struct model *m, struct effects *out)
{
	(void)out;
	move_mark(m, 0, 1);
}

static void mark_page_up(struct model *m, struct effects *out)
{
	(void)out;
	move_mark(m, -page_rows(m), 0);
}

static void mark_page_down(struct model *m, struct effects *out)
{
	(void)out;
	move_mark(m, page_rows(m), 0);
}

static void mark_first_column(struct model *m, struct effects *out)
{
	(void)out;
	move_mark(m, 0, INT32_MIN);
}

static void mark_last_column(struct model *m, struct effects *out)
{
	(void)out;
	move_mark(m, 0, INT32_MAX);
}

static void mark_first_row(struct model *m, struct effects *out)
{
	(void)out;
	move_mark(m, INT64_MIN / 4, 0);
}

static void mark_last_row(struct model *m, struct effects *out)
{
	(void)out;
	move_mark(m, INT64_MAX / 4, 0);
}

/* ---- sorting, widths ---- */

static void sort_column(struct model *m, struct effects *out)
{
	(void)out;
	table_pane_sort(&m->table_page.pane);
	m->table_page.error[0] = '\0';
	m->table_page.is_searching = false;
	m->needs_draw = true;
}

static void change_width(struct model *m, int by)
{
	table_pane_widen(&m->table_page.pane, by);
	m->needs_draw = true;
}

static void widen_column(struct model *m, struct effects *out)
{
	(void)out;
	change_width(m, 4);
}

static void narrow_column(struct model *m, struct effects *out)
{
	(void)out;
	change_width(m, -4);
}

static void fit_column(struct model *m, struct effects *out)
{
	(void)out;
	change_width(m, 0);
}

/* ---- searching ---- */

static void begin_find(struct model *m, struct effects *out)
{
	(void)out;
	m->table_page.has_find = true;
	field_select(&m->table_page.find);
}

static void search_from(struct model *m, uint64_t row)
{
	struct table_page *t = &m->table_page;

	if (!*field_text(&t->find))
		return;
	t->is_searching = true;
	t->searched_to = row;
	t->error[0] = '\0';
	m->needs_draw = true;
}

static void find_again(struct model *m, struct effects *out)
{
	if (*field_text(&m->table_page.find))
		search_from(m, m->table_page.pane.row + 1);
	else
		begin_find(m, out);
}

bool table_page_key(struct model *m, const struct event *ev)
{
	struct table_page *t = &m->table_page;

	if (!t->is_shown || !t->has_find)
		return false;
	m->needs_draw = true;
	if (ev->type == EVENT_KEY && (ev->key == K_ENTER || ev->key == K_ESCAPE)) {
		t->has_find = false;
		if (ev->key == K_ENTER)
			search_from(m, t->pane.row);
		return true;
	}
	return field_handle(&t->find, ev) || (ev->type == EVENT_KEY && ev->key < KEYS_BASE);
}

/* ---- the whole cell, closing ---- */

static void show_cell(struct model *m, struct effects *out)
{
	const struct table_page *t = &m->table_page;
	const struct table_pane *p = &t->pane;
	const struct trm_table_column *head = table_pane_head(p, p->column);
	bool is_known;
	const char *text = table_pane_cell(p, p->row, p->column, &is_known);

	(void)out;
	if (!is_known || !head)
		return;
	dialog_begin(&m->dialog, "Cell (Esc closes)", dialog_dismiss);
	m->dialog.command = "inspect";
	m->dialog.is_large = true;
	dialog_add_labeled(&m->dialog, "Column", ROLE_DIALOG, "%s", head->name);
	dialog_add_labeled(&m->dialog, "Type", ROLE_DIALOG, "%s", head->type);
	dialog_add_labeled(&m->dialog, "Row", ROLE_DIALOG, "%s", table_pane_label(p, p->row));
	dialog_add(&m->dialog, ROLE_DIALOG, "%s", "");
	dialog_add(&m->dialog, text ? ROLE_DIALOG : ROLE_DIALOG_DIM, "%s", text ? text : "there is no value");
}

static void leave(struct model *m, struct effects *out)
{
	(void)out;
	if (m->table_page.is_searching)
		m->table_page.is_searching = false;
	else
		table_page_close(m);
	m->needs_draw = true;
}

/* ---- the mouse ---- */

static void click_table(struct model *m, const struct event *ev, struct effects *out)
{
	struct table_page_layout l = table_page_layout(m);
	struct table_pane *p = &m->table_page.pane;
	struct table_place places[TABLE_PLACES];
	size_t n = table_pane_places(p, places);

	for (size_t i = 0; i < n; i++) {
		int col = l.cells.col + places[i].col;
		if (ev->col < col || ev->col > col + places[i].cols)
			continue;
		if (ev->row == l.head_row) {
			table_pane_to(p, p->row, places[i].column);
			sort_column(m, out);
		} else if (rect_contains(l.cells, ev->row, ev->col)) {
			table_pane_to(p, p->top + (uint64_t)(ev->row - l.cells.row), places[i].column);
			if (ev->clicks >= 2)
				show_cell(m, out);
		}
	}
}

bool table_page_mouse(struct model *m, const struct event *ev, struct effects *out)
{
	if (!m->table_page.is_shown || ev->row == m->layout.keys_row || ev->row == m->layout.title_row)
		return false;
	if (ev->action == MOUSE_WHEEL_UP || ev->action == MOUSE_WHEEL_DOWN)
		move_mark(m, ev->action == MOUSE_WHEEL_UP ? -3 : 3, 0);
	else if (ev->action == MOUSE_PRESS && ev->button == 1)
		click_table(m, ev, out);
	m->needs_draw = true;
	return true;
}

/* ---- opening by name ---- */

static void ask_table(struct model *m, struct effects *out)
{
	struct dialog *d = &m->dialog;

	(void)out;
	dialog_begin(d, "Show as a table", answer_table);
	dialog_add(d, ROLE_DIALOG_DIM, "a variable of %s, or a CSV file in the sandbox: data.csv",
			m->lang->name);
	dialog_set_field(d, "Name", NULL, false);
	m->needs_draw = true;
}

static bool is_csv_name(const char *name)
{
	size_t n = strlen(name);
	return strchr(name, '/') == name
	       || (n > 4 && (!strcasecmp(name + n - 4, ".csv") || !strcasecmp(name + n - 4, ".tsv")));
}

static void answer_table(struct model *m, int answer, struct effects *out)
{
	char name[400];

	if (answer == ANSWER_TAB || answer == ANSWER_MOVED)
		return;
	snprintf(name, sizeof name, "%s", field_text(&m->dialog.field));
	dialog_close(m);
	if (answer != ANSWER_ENTER || !*name)
		return;
	if (is_csv_name(name))
		effect_path(out, EFFECT_READ_TABLE, name);
	else
		table_page_open(m, m->lang, name, NULL, out);
}

static const struct command commands[] = {
		{"table", "Show as a table…", "show a variable, or a CSV file of the sandbox, as a table",
				CONTEXT_ANY, .run = ask_table},
		{"table-up", NULL, "mark another cell", CONTEXT_TABLE, .run = mark_up},
		{"table-down", NULL, NULL, CONTEXT_TABLE, .run = mark_down},
		{"table-left", NULL, NULL, CONTEXT_TABLE, .run = mark_left},
		{"table-right", NULL, NULL, CONTEXT_TABLE, .run = mark_right},
		{"table-page-up", NULL, "page up or down", CONTEXT_TABLE, .run = mark_page_up},
		{"table-page-down", NULL, NULL, CONTEXT_TABLE, .run = mark_page_down},
		{"table-first-column", NULL, "go to the first or the last column", CONTEXT_TABLE,
				.run = mark_first_column},
		{"table-last-column", NULL, NULL, CONTEXT_TABLE, .run = mark_last_column},
		{"table-first-row", NULL, "go to the first or the last row", CONTEXT_TABLE,
				.run = mark_first_row},
		{"table-last-row", NULL, NULL, CONTEXT_TABLE, .run = mark_last_row},
		{"table-sort", NULL,
				"sort by the column (or click its name); again: reverse the order, then as it was",
				CONTEXT_TABLE, .run = sort_column},
		{"table-find", NULL, "find a text in any cell, from here on", CONTEXT_TABLE,
				.run = begin_find},
		{"table-find-next", NULL, "find it again", CONTEXT_TABLE, .run = find_again},
		{"table-widen", NULL, "widen the column", CONTEXT_TABLE, .run = widen_column},
		{"table-narrow", NULL, "narrow the column", CONTEXT_TABLE, .run = narrow_column},
		{"table-fit", NULL, "fit the column to the visible text", CONTEXT_TABLE, .run = fit_column},
		{"table-cell", NULL, "show the whole cell", CONTEXT_TABLE, .run = show_cell},
		{"table-leave", NULL, "stop the search; again: close the table", CONTEXT_TABLE, .run = leave},
};
const struct command_table table_commands = COMMAND_TABLE(commands);
