/* SPDX-License-Identifier: MIT */
/* The variables of a kernel as a table, in the lower part of the metrics pane or in a box of its own. */
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "model/variable_tree.h"
#include "text/cluster.h"
#include "view/parts.h"

/* A table in a box of its own has the background of dialogs. */
static uint8_t ground(const struct model *m)
{
	return variables_is_overlay(m) ? ROLE_DIALOG : 0;
}

static void draw_head(const struct model *m, struct canvas *c, struct rect area)
{
	static const char *const names[] = {"NAME", "TYPE", "SIZE", "VALUE"};
	const struct variables_page *p = &m->variables_page;
	int starts[VARIABLE_COLUMNS + 1];

	variables_columns(m, area.cols, starts);
	for (int i = 0; i < VARIABLE_COLUMNS; i++) {
		struct rect cell = {area.row, area.col + starts[i], 1, starts[i + 1] - starts[i]};
		bool is_sorted = (int)p->sort == i;
		const char *sorted = !is_sorted      ? ""
				     : p->is_reverse ? (m->has_utf8 ? " ▴" : " ^")
						     : (m->has_utf8 ? " ▾" : " v");
		struct style style = {.role = ROLE_TABLE_HEADER, .ground = ground(m)};
		int col = canvas_put(c, cell, cell.row, cell.col, names[i], strlen(names[i]), style);
		canvas_put(c, cell, cell.row, col, sorted, strlen(sorted), style);
	}
}

/* "▸ " before what can be expanded; members stand further in. */
static void put_name(const struct model *m, const struct variable_line *line, bool has_signs, char *out,
		size_t cap)
{
	const char *sign = line->is_open            ? (m->has_utf8 ? "▾ " : "v ")
			   : line->row->has_members ? (m->has_utf8 ? "▸ " : "> ")
						    : "  ";

	snprintf(out, cap, "%*s%s%s", 2 * (int)line->depth, "", has_signs ? sign : "", line->row->name);
}

static void draw_more(const struct model *m, struct canvas *c, struct rect area,
		const struct variable_line *line, bool is_current)
{
	uint16_t role = is_current ? ROLE_TABLE_CURRENT : ROLE_DIM;

	if (is_current)
		canvas_fill(c, area, " ", style_of(role));
	draw_format(c, area, area.row, area.col + 2 * (int)line->depth, role, "%s %llu more",
			m->has_utf8 ? "…" : "...", (unsigned long long)(line->of->count - line->of->n));
}

static void draw_variable(const struct model *m, struct canvas *c, struct rect area,
		const struct variable_line *line, bool has_signs, bool is_current)
{
	char name[300];
	if (!line->row) {
		draw_more(m, c, area, line, is_current);
		return;
	}
	const struct variable *v = line->row;
	put_name(m, line, has_signs, name, sizeof name);
	const char *texts[] = {name, v->type, v->size, v->value};
	uint16_t role = is_current ? ROLE_TABLE_CURRENT : ROLE_TEXT;
	int starts[VARIABLE_COLUMNS + 1];

	variables_columns(m, area.cols, starts);
	if (is_current)
		canvas_fill(c, area, " ", style_of(role));
	if (v->change != VARIABLE_SAME)
		canvas_put(c, (struct rect){area.row, area.col - 1, 1, 1}, area.row, area.col - 1,
				v->change == VARIABLE_NEW ? "+" : "*", 1,
				(struct style){.role = v->change == VARIABLE_NEW ? ROLE_OUT_OK : ROLE_WARN,
						.ground = ground(m)});
	for (int i = 0; i < VARIABLE_COLUMNS; i++) {
		int cols = starts[i + 1] - starts[i] - (i + 1 < VARIABLE_COLUMNS);
		struct rect cell = {area.row, area.col + starts[i], 1, cols};
		struct style style = {.role = i == VARIABLE_NAME || is_current ? role : ROLE_DIM,
				.ground = is_current ? (uint8_t)role : ground(m)};
		if (canvas_put(c, cell, cell.row, cell.col, texts[i], strlen(texts[i]), style)
				> cell.col + cols)
			canvas_put(c, cell, cell.row, cell.col + cols - 1, m->has_utf8 ? "…" : "~",
					m->has_utf8 ? 3 : 1, style);
	}
}

static const char *nothing_text(const struct model *m, char *out, size_t cap)
{
	const struct variables *v = &m->variables[m->lang->index];

	if (v->n && m->variables_page.only_changed)
		snprintf(out, cap, "the last run has changed nothing");
	else if (v->n && field_text(&m->variables_page.filter)[0])
		snprintf(out, cap, "no match (%zu variable%s hidden)", v->n, v->n == 1 ? "" : "s");
	else if (v->n)
		snprintf(out, cap, "only functions and classes; a filter shows them");
	else if (m->sandbox.state == SANDBOX_DEAD)
		snprintf(out, cap, "there is no sandbox");
	else if (v->is_untold)
		snprintf(out, cap, "not known: %s does not tell them here", m->lang->name);
	else if (v->is_known || !v->is_stale)
		snprintf(out, cap, "%s has no variables yet", m->lang->name);
	else
		snprintf(out, cap, "known when %s is idle", m->lang->name);
	return out;
}

static void draw_filter(const struct model *m, struct canvas *c, struct rect area)
{
	int col = draw_text(c, area, area.row, area.col, ROLE_DIALOG_TITLE, "Filter ");
	struct rect field = {area.row, col, 1, area.col + area.cols - col};

	c->cursor_row = field.row;
	c->cursor_col = draw_field(c, field, &m->variables_page.filter);
}

static void draw_rows(const struct model *m, struct canvas *c, struct rect area)
{
	const struct variables_page *p = &m->variables_page;
	struct variable_line lines[VARIABLE_LINES_MAX];
	size_t n = variable_lines(m, lines);
	bool has_signs = false;
	char text[96];

	for (size_t i = 0; i < n; i++)
		has_signs |= lines[i].row && lines[i].row->has_members;
	if (n == 0)
		draw_text(c, area, area.row, area.col, variables_is_overlay(m) ? ROLE_DIALOG_DIM : ROLE_DIM,
				nothing_text(m, text, sizeof text));
	for (size_t i = p->scroll; i < n && (int)(i - p->scroll) < area.rows; i++) {
		struct rect row = {area.row + (int)(i - p->scroll), area.col, 1, area.cols};
		draw_variable(m, c, row, &lines[i], has_signs, i == p->current && variables_has_focus(m));
	}
}

static void draw_title(const struct model *m, struct canvas *c, struct rect area, bool is_box)
{
	const struct variables *v = &m->variables[m->lang->index];
	bool is_ours = variables_has_focus(m);
	uint16_t list[VARIABLES_MAX];
	char text[160], count[24] = "", hidden[48] = "";
	size_t n = variables_list(m, list), definitions = variables_definitions(m);

	if (v->is_known && v->n)
		snprintf(count, sizeof count, " (%zu)", n);
	if (definitions)
		snprintf(hidden, sizeof hidden, ", %zu %shidden", definitions,
				area.cols < 56     ? ""
				: definitions == 1 ? "definition "
						   : "definitions ");
	snprintf(text, sizeof text, " variables of %s%s%s%s%s ", m->lang->name, count, hidden,
			m->variables_page.only_changed             ? ", changed"
			: field_text(&m->variables_page.filter)[0] ? ", filtered"
								   : "",
			v->is_stale && model_is_running(m) ? ", before this run" : "");
	if (is_box) {
		canvas_fill(c, area, " ", style_of(ROLE_DIALOG));
		draw_box(c, m->has_utf8, area, ROLE_DIALOG_DIM);
		draw_cut_text(c, m->has_utf8, (struct rect){area.row, area.col, 1, area.cols - 2}, area.row,
				area.col + 2, ROLE_DIALOG_TITLE, text);
		return;
	}
	canvas_fill(c, area, " ", style_of(ROLE_TEXT));
	draw_vertical(c, m->has_utf8, area.row, area.col - 1, area.rows,
			is_ours ? ROLE_BORDER_FOCUS : ROLE_BORDER);
	/* The drawing below may have left a line of its own here. */
	draw_vertical(c, m->has_utf8, area.row, area.col + area.cols, area.rows,
			is_ours ? ROLE_BORDER_FOCUS : ROLE_BORDER);
	draw_horizontal(c, m->has_utf8, area.row, area.col, area.cols,
			is_ours ? ROLE_BORDER_FOCUS : ROLE_BORDER);
	enum sign left = area.row == m->layout.divider_row ? SIGN_CROSS : SIGN_TEE_RIGHT;
	draw_sign(c, m->has_utf8, area.row, area.col - 1, left, ROLE_BORDER);
	draw_sign(c, m->has_utf8, area.row, area.col + area.cols, SIGN_TEE_LEFT, ROLE_BORDER);
	draw_cut_text(c, m->has_utf8, (struct rect){area.row, area.col, 1, area.cols - 1}, area.row,
			area.col + 1, is_ours ? ROLE_TITLE : ROLE_DIM, text);
}

void draw_variables(const struct model *m, struct canvas *c)
{
	struct rect area = variables_area(m);
	bool is_box = variables_is_overlay(m);

	if (area.rows < 4)
		return;
	if (is_box)
		c->cursor_row = c->cursor_col = -1;
	draw_title(m, c, area, is_box);
	struct rect inside = {area.row + 1, area.col + (is_box ? 2 : 1), area.rows - 1 - is_box,
			area.cols - (is_box ? 4 : 2)};
	draw_head(m, c, inside);
	inside.row++;
	inside.rows--;
	if (m->variables_page.has_filter) {
		inside.rows--;
		draw_filter(m, c, (struct rect){inside.row + inside.rows, inside.col, 1, inside.cols});
	}
	draw_rows(m, c, inside);
}
