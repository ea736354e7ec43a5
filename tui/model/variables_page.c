/* SPDX-License-Identifier: MIT */
/* The page of variables: area, keys and mouse. */
#include <string.h>

#include "cells/event.h"
#include "command/command.h"
#include "model/inspect.h"
#include "model/model.h"
#include "model/variable_tree.h"
#include "model/variables.h"
#include "text/cluster.h"

/* Fewer rows of the pane would leave no room for the graphs and the list. */
enum { SHARED_ROWS = 10 };

bool variables_is_overlay(const struct model *m)
{
	return m->variables_page.is_shown && m->layout.panes[PANE_METRICS].rows < SHARED_ROWS
	       && m->layout.kind != LAYOUT_TOO_SMALL;
}

struct rect variables_area(const struct model *m)
{
	struct rect pane = m->layout.panes[PANE_METRICS];
	int rows = m->rows > 16 ? m->rows - 6 : m->rows - 2, cols = m->cols > 70 ? m->cols - 8 : m->cols;

	if (!m->variables_page.is_shown || m->layout.kind == LAYOUT_TOO_SMALL)
		return (struct rect){0};
	if (variables_is_overlay(m))
		return (struct rect){(m->rows - rows) / 2, (m->cols - cols) / 2, rows, cols};
	/* The page takes the lower part of the pane. The graphs above it remain. */
	int above = pane.rows - pane.rows / 2;
	return (struct rect){pane.row + above, pane.col, pane.rows - above, pane.cols};
}

static int at_most(int value, int most)
{
	return value < most ? value : most;
}

/* Names and types are as wide as the longest one. A name has a bound; a type is cut only where too little
 * would be left of the values. The value gets the rest. */
void variables_columns(const struct model *m, int cols, int ret[VARIABLE_COLUMNS + 1])
{
	size_t longest[VARIABLE_COLUMNS] = {6, 6, 6, 6}; /* least widths: a heading and the sort mark */
	struct variable_line lines[VARIABLE_LINES_MAX];
	size_t n_lines = variable_lines(m, lines);

	for (size_t i = 0; i < n_lines; i++) {
		const struct variable *v = lines[i].row;
		if (!v)
			continue;
		const char *texts[] = {v->name, v->type, v->size, v->value};
		for (int k = 0; k < VARIABLE_COLUMNS; k++) {
			size_t n = cluster_columns(texts[k], strlen(texts[k]));
			n += k == 0 ? 2 * (lines[i].depth + 1) : 0;
			if (n > longest[k] && (n < 100 || k == VARIABLE_VALUE))
				longest[k] = n;
		}
	}
	int name = at_most((int)longest[0] + 1, cols * 35 / 100);
	int size = at_most((int)longest[2] + 1, 10), value = at_most((int)longest[3], cols / 5);
	int type = at_most((int)longest[1] + 1, cols - name - size - value);
	ret[VARIABLE_NAME] = 0;
	ret[VARIABLE_TYPE] = name;
	ret[VARIABLE_SIZE] = name + type;
	ret[VARIABLE_VALUE] = name + type + size;
	ret[VARIABLE_COLUMNS] = cols;
}

static enum variable_column column_at(const struct model *m, int cols, int col)
{
	int starts[VARIABLE_COLUMNS + 1];
	int at = VARIABLE_COLUMNS - 1;

	variables_columns(m, cols, starts);
	while (at > 0 && col < starts[at])
		at--;
	return (enum variable_column)at;
}

bool variables_has_focus(const struct model *m)
{
	return m->variables_page.is_shown && (m->focus == PANE_METRICS || variables_is_overlay(m));
}

static size_t rows_shown(const struct model *m)
{
	int rows = variables_area(m).rows - 2 - variables_is_overlay(m) - m->variables_page.has_filter;

	return rows > 1 ? (size_t)rows : 1;
}

static void move_to(struct model *m, long to)
{
	struct variables_page *p = &m->variables_page;
	struct variable_line lines[VARIABLE_LINES_MAX];
	size_t n = variable_lines(m, lines), rows = rows_shown(m);

	p->current = to < 0 || n == 0 ? 0 : (size_t)to >= n ? n - 1 : (size_t)to;
	if (p->current < p->scroll)
		p->scroll = p->current;
	if (p->current >= p->scroll + rows)
		p->scroll = p->current - rows + 1;
	m->needs_draw = true;
}

static void move_variable_by(struct model *m, long by)
{
	move_to(m, (long)m->variables_page.current + by);
}

/* Open or close the page. Opening gives it the focus. If the focus has moved elsewhere since then, the first
 * key press returns it, and the second one closes the page. */
static void variables_show(struct model *m, struct effects *out)
{
	struct variables_page *p = &m->variables_page;
	bool is_closing = p->is_shown && variables_has_focus(m);

	(void)out;
	p->is_shown = !is_closing;
	p->has_filter = false;
	m->needs_draw = true;
	if (m->layout.panes[PANE_METRICS].rows == 0) /* a box takes all keys */
		return;
	if (!is_closing && m->focus != PANE_METRICS) {
		p->focus_back = m->focus;
		model_focus(m, PANE_METRICS);
	} else if (is_closing && p->focus_back != PANE_METRICS) {
		model_focus(m, p->focus_back);
	}
}

static void variables_up(struct model *m, struct effects *out)
{
	(void)out;
	move_variable_by(m, -1);
}

static void variables_down(struct model *m, struct effects *out)
{
	(void)out;
	move_variable_by(m, 1);
}

static void variables_page_up(struct model *m, struct effects *out)
{
	(void)out;
	move_variable_by(m, -(long)rows_shown(m));
}

static void variables_page_down(struct model *m, struct effects *out)
{
	(void)out;
	move_variable_by(m, (long)rows_shown(m));
}

static void variables_first(struct model *m, struct effects *out)
{
	(void)out;
	move_to(m, 0);
}

static void variables_last(struct model *m, struct effects *out)
{
	(void)out;
	move_to(m, VARIABLES_MAX);
}

static void sort_variables_by(struct model *m, enum variable_column column)
{
	struct variables_page *p = &m->variables_page;

	p->is_reverse = p->sort == column && !p->is_reverse;
	p->sort = column;
	move_to(m, 0);
}

static void sort_next(struct model *m, struct effects *out)
{
	(void)out;
	m->variables_page.is_reverse = false;
	sort_variables_by(m, (enum variable_column)((m->variables_page.sort + 1) % VARIABLE_COLUMNS));
}

static void reverse(struct model *m, struct effects *out)
{
	(void)out;
	sort_variables_by(m, m->variables_page.sort);
}

static void show_changed(struct model *m, struct effects *out)
{
	(void)out;
	m->variables_page.only_changed = !m->variables_page.only_changed;
	m->variables_page.current = m->variables_page.scroll = 0;
}

static void variables_filter(struct model *m, struct effects *out)
{
	(void)out;
	m->variables_page.has_filter = true;
}

/* Escape clears the filter first, then closes the page. */
static void variables_leave(struct model *m, struct effects *out)
{
	if (field_text(&m->variables_page.filter)[0])
		field_clear(&m->variables_page.filter);
	else
		variables_show(m, out);
	move_to(m, 0);
}

bool variables_key(struct model *m, const struct event *ev)
{
	struct variables_page *p = &m->variables_page;
	bool is_key = ev->type == EVENT_KEY, is_end = is_key && (ev->key == K_ENTER || ev->key == K_ESCAPE);

	if (!p->has_filter || !variables_has_focus(m))
		return false;
	if (is_end && ev->key == K_ESCAPE)
		field_clear(&p->filter);
	if (is_end)
		p->has_filter = false;
	else if (!field_handle(&p->filter, ev))
		return false;
	move_to(m, 0);
	return true;
}

/* What can be shown as a table is. */
static void open_variable(struct model *m, struct effects *out)
{
	struct variable_line line;
	char path[VARIABLE_PATH_BYTES];

	if (!variable_line_current(m, &line))
		return;
	if (!line.row) {
		variable_expand(m);
	} else if (line.row->is_table) {
		variable_line_path(&line, path);
		table_page_open(m, m->lang, path, line.of ? line.row->name : NULL, out);
	} else {
		inspect_variable(m, out);
	}
}

static void expand_variable(struct model *m, struct effects *out)
{
	(void)out;
	variable_expand(m);
}

static void collapse_variable(struct model *m, struct effects *out)
{
	long to = variable_collapse(m);

	(void)out;
	move_to(m, to < 0 ? (long)m->variables_page.current : to);
}

bool variables_mouse(struct model *m, const struct event *ev, struct effects *out)
{
	bool is_overlay = variables_is_overlay(m);
	struct rect box = variables_area(m);
	int row = ev->row - box.row - 1; /* below the title */

	if (!m->variables_page.is_shown || (!is_overlay && !rect_contains(box, ev->row, ev->col)))
		return false;
	if (ev->action == MOUSE_WHEEL_UP || ev->action == MOUSE_WHEEL_DOWN)
		move_variable_by(m, ev->action == MOUSE_WHEEL_UP ? -3 : 3);
	else if (ev->action != MOUSE_PRESS || ev->button != 1)
		return true;
	else if (is_overlay && !rect_contains(box, ev->row, ev->col))
		m->variables_page.is_shown = false;
	else if (row == 0)
		sort_variables_by(m, column_at(m, box.cols - (is_overlay ? 4 : 2),
						     ev->col - box.col - (is_overlay ? 2 : 1)));
	else if (row > 0)
		move_to(m, (long)m->variables_page.scroll + row - 1);
	if (row > 0 && ev->action == MOUSE_PRESS && ev->clicks == 2)
		open_variable(m, out);
	m->needs_draw = true;
	return true;
}

static const struct command commands[] = {
		{"variables", "Show variables or processes",
				"show the variables of the buffer's language, or the processes", CONTEXT_ANY,
				.run = variables_show},
		{"variables-up", NULL, "select another variable", CONTEXT_VARIABLES, .run = variables_up},
		{"variables-down", NULL, NULL, CONTEXT_VARIABLES, .run = variables_down},
		{"variables-page-up", NULL, "page up or down", CONTEXT_VARIABLES, .run = variables_page_up},
		{"variables-page-down", NULL, NULL, CONTEXT_VARIABLES, .run = variables_page_down},
		{"variables-first", NULL, NULL, CONTEXT_VARIABLES, .run = variables_first},
		{"variables-last", NULL, NULL, CONTEXT_VARIABLES, .run = variables_last},
		{"variables-sort", NULL, "sort by the next column (or click its header)", CONTEXT_VARIABLES,
				.run = sort_next},
		{"variables-reverse", NULL, "reverse the order", CONTEXT_VARIABLES, .run = reverse},
		{"variables-filter", NULL, "filter by name or type", CONTEXT_VARIABLES,
				.run = variables_filter},
		{"variables-changed", NULL,
				"show only what the last run has made (+) or changed (*), or all again",
				CONTEXT_VARIABLES, .run = show_changed},
		{"variables-open", NULL,
				"show a data frame, array, list or dictionary as a table; else inspect",
				CONTEXT_VARIABLES, .run = open_variable},
		{"variables-expand", NULL, "show what the value consists of", CONTEXT_VARIABLES,
				.run = expand_variable},
		{"variables-collapse", NULL, "hide it; again: go to what it is a part of", CONTEXT_VARIABLES,
				.run = collapse_variable},
		{"variables-inspect", NULL, "show whole value, type and documentation", CONTEXT_VARIABLES,
				.run = inspect_variable},
		{"variables-leave", NULL, "clear the filter; again: show the processes", CONTEXT_VARIABLES,
				.run = variables_leave},
};
const struct command_table variables_commands = COMMAND_TABLE(commands);
