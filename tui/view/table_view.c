/* SPDX-License-Identifier: MIT */
/* The page of a table: names, types and cells. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "text/cluster.h"
#include "text/format.h"
#include "view/parts.h"

/* Draw a text in a cell. A longer text ends in an ellipsis. */
static void draw_cell(const struct model *m, struct canvas *c, struct rect cell, const char *text,
		bool is_right, struct style style)
{
	int cols = (int)cluster_columns(text, strlen(text));
	int from = is_right && cols < cell.cols ? cell.col + cell.cols - cols : cell.col;

	canvas_put(c, cell, cell.row, from, text, strlen(text), style);
	if (cols > cell.cols && cell.cols > 0)
		canvas_put(c, cell, cell.row, cell.col + cell.cols - 1, m->has_utf8 ? "…" : "~",
				m->has_utf8 ? 3 : 1, style);
}

static void draw_head(const struct model *m, struct canvas *c, const struct table_page_layout *l,
		const struct table_place *place)
{
	const struct table_pane *p = &m->table_page.pane;
	const struct trm_table_column *head = table_pane_head(p, place->column);
	bool is_sorted = p->sort == (int64_t)place->column;
	struct rect cell = {l->head_row, l->cells.col + place->col, 1, place->cols};

	if (!head)
		return;
	if (is_sorted && cell.cols > 2)
		cell.cols -= 2;
	draw_cell(m, c, cell, head->name, head->is_number && !is_sorted,
			style_of(place->column == p->column ? ROLE_TITLE : ROLE_TABLE_HEADER));
	if (is_sorted)
		draw_sign(c, m->has_utf8, l->head_row, cell.col + cell.cols + 1,
				p->is_descending ? SIGN_FALLING : SIGN_RISING, ROLE_TITLE);
	if (l->type_row >= 0)
		draw_cell(m, c, (struct rect){l->type_row, l->cells.col + place->col, 1, place->cols},
				head->type, head->is_number, style_of(ROLE_DIM));
}

static void draw_table_row(const struct model *m, struct canvas *c, const struct table_page_layout *l,
		const struct table_place *places, size_t n, uint64_t row)
{
	const struct table_pane *p = &m->table_page.pane;
	int at = l->cells.row + (int)(row - p->top);
	const char *label = table_pane_label(p, row);
	bool is_current = row == p->row, is_known;

	if (is_current)
		canvas_fill(c, (struct rect){at, l->cells.col, 1, l->cells.cols}, " ",
				style_of(ROLE_LINE_CURRENT));
	draw_cell(m, c, (struct rect){at, l->cells.col, 1, table_pane_label_cols(p)}, label ? label : "",
			true,
			(struct style){.role = ROLE_LINE_NUMBER,
					.ground = is_current ? ROLE_LINE_CURRENT : 0});
	for (size_t i = 0; i < n; i++) {
		const struct trm_table_column *head = table_pane_head(p, places[i].column);
		const char *text = table_pane_cell(p, row, places[i].column, &is_known);
		bool is_marked = is_current && places[i].column == p->column;
		struct rect cell = {at, l->cells.col + places[i].col, 1, places[i].cols};
		uint16_t role = is_marked ? ROLE_TABLE_CURRENT : text ? ROLE_TEXT : ROLE_DIM;
		struct style style = {.role = role,
				.ground = is_marked    ? 0
					  : is_current ? ROLE_LINE_CURRENT
						       : 0};
		if (is_marked)
			canvas_fill(c, cell, " ", style);
		draw_cell(m, c, cell,
				text          ? text
				: is_known    ? "-"
				: m->has_utf8 ? "·"
					      : ".",
				head && head->is_number, style);
	}
}

static void draw_find(const struct model *m, struct canvas *c, const struct table_page_layout *l)
{
	int col = draw_text(c, l->inner, l->hint_row, l->inner.col + 1, ROLE_TITLE, "Find ");
	struct rect field = {l->hint_row, col, 1, l->inner.col + l->inner.cols - col};

	c->cursor_row = field.row;
	c->cursor_col = draw_field(c, field, &m->table_page.find);
}

static void draw_hint(const struct model *m, struct canvas *c, const struct table_page_layout *l)
{
	char text[320];
	bool is_problem;

	table_page_hint(m, text, sizeof text, &is_problem);
	draw_text(c, l->inner, l->hint_row, l->inner.col + 1, is_problem ? ROLE_STATUS_ERROR : ROLE_DIM,
			text);
}

static void draw_table_title(const struct model *m, struct canvas *c, const struct table_page_layout *l)
{
	const struct table_page *t = &m->table_page;
	const struct trm_table *page = &t->pane.page;
	char text[320], rows[32], row[32], columns[32];

	format_count(rows, page->rows, ' ');
	format_count(row, t->pane.row + (page->rows > 0), ' ');
	format_count(columns, page->columns, ' ');
	if (t->pane.has_page)
		snprintf(text, sizeof text, " %s: %.40s, %s row%s, %s column%s, row %s ", t->title,
				page->type, rows, page->rows == 1 ? "" : "s", columns,
				page->columns == 1 ? "" : "s", row);
	else
		snprintf(text, sizeof text, " %s ", t->title);
	if (l->inner.row > l->box.row)
		draw_box(c, m->has_utf8, l->box, ROLE_BORDER_FOCUS);
	struct rect line = {l->box.row, l->box.col + 1, 1, l->box.cols - 2};
	draw_cell(m, c, line, text, false, style_of(ROLE_TITLE));
}

static void draw_nothing(const struct model *m, struct canvas *c, const struct table_page_layout *l)
{
	const struct table_page *t = &m->table_page;
	const char *text = t->error[0]                 ? ""
			   : !t->pane.has_page         ? "waiting for the first rows"
			   : t->pane.page.columns == 0 ? "no columns"
						       : "no rows";

	draw_text(c, l->inner, l->cells.row, l->cells.col + 1, ROLE_DIM, text);
}

void draw_table_page(const struct model *m, struct canvas *c)
{
	struct table_page_layout l = table_page_layout(m);
	const struct table_pane *p = &m->table_page.pane;
	struct table_place places[TABLE_PLACES];
	size_t n = table_pane_places(p, places);

	canvas_fill(c, l.box, " ", style_of(ROLE_TEXT));
	draw_table_title(m, c, &l);
	for (size_t i = 0; i < n; i++)
		draw_head(m, c, &l, &places[i]);
	for (int i = 0; i < l.cells.rows && p->top + (uint64_t)i < p->page.rows && n; i++)
		draw_table_row(m, c, &l, places, n, p->top + (uint64_t)i);
	if (!p->has_page || p->page.rows == 0 || p->page.columns == 0)
		draw_nothing(m, c, &l);
	if (m->table_page.has_find)
		draw_find(m, c, &l);
	else
		draw_hint(m, c, &l);
}
