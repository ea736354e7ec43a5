/* SPDX-License-Identifier: MIT */
/* The page of all running sandboxes. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "metrics/sandbox_column.h"
#include "model/model.h"
#include "view/parts.h"

static void draw_header(const struct model *m, struct canvas *c, const struct sandboxes_layout *l)
{
	const struct sandboxes *s = &m->sandboxes;
	bool has_groups = sandboxes_has_groups(s);

	for (unsigned i = 0; i < SANDBOXES_COLUMNS; i++) {
		const struct sandboxes_column_info *info = &sandboxes_columns[i];
		const struct sandbox_column_info *of = &sandbox_columns[info->column];
		int col, cols;
		if (!sandboxes_place(i, l->table.cols, has_groups, &col, &cols))
			continue;
		uint16_t role = info->sort == s->sort ? ROLE_TITLE : ROLE_TABLE_HEADER;
		int end = draw_format(c, l->inner, l->header_row, l->table.col + col, role, "%*s",
				of->is_left_aligned ? 0 : cols, of->brief);
		if (info->sort == s->sort && info->sort != SANDBOXES_SORTS)
			draw_sign(c, m->has_utf8, l->header_row, end,
					s->is_reversed ? SIGN_RISING : SIGN_FALLING, ROLE_TITLE);
	}
}

static void draw_sandbox(const struct model *m, struct canvas *c, const struct sandboxes_layout *l,
		const struct trm_entry *e, int row, bool is_current)
{
	uint16_t role = is_current ? ROLE_TABLE_CURRENT : e->is_stale ? ROLE_DIM : ROLE_TEXT;
	struct rect line = {row, l->table.col, 1, l->table.cols};
	char text[SANDBOX_CELL];
	int col, cols;
	bool has_groups = sandboxes_has_groups(&m->sandboxes);
	bool is_ours = sandboxes_is_own(m, e) && !m->sandbox.is_attached;

	canvas_fill(c, line, " ", style_of(role));
	for (unsigned i = 0; i < SANDBOXES_COLUMNS; i++) {
		enum sandbox_column column = sandboxes_columns[i].column;
		if (!sandboxes_place(i, l->table.cols, has_groups, &col, &cols))
			continue;
		struct rect cell = {row, l->table.col + col, 1, cols};
		bool is_left = sandbox_columns[column].is_left_aligned;
		sandbox_cell(column, e, is_left ? "" : "n/a", text);
		if (!is_left)
			draw_format(c, line, row, cell.col, role, "%*s", cols, text);
		else if (column == SANDBOX_STARTED_BY)
			draw_cut_text(c, m->has_utf8, cell, row, cell.col, role,
					is_ours ? "this workbench" : text);
		else
			draw_text(c, cell, row, cell.col, role, text);
	}
}

/* ---- other containers of the engines ---- */

struct engine_columns {
	int name, state; /* columns, including the blank after each; the image gets the rest */
};

static struct engine_columns engine_columns(int cols)
{
	return (struct engine_columns){.name = cols >= 100 ? 44 : cols >= 70 ? 34 : 24, .state = 11};
}

static void draw_engine_cells(struct canvas *c, struct rect line, uint16_t role, const char *name,
		const char *state, const char *image)
{
	struct engine_columns w = engine_columns(line.cols);
	int col = line.col + 1, end = line.col + line.cols;

	draw_text(c, (struct rect){line.row, col, 1, w.name - 1}, line.row, col, role, name);
	col += w.name;
	draw_text(c, (struct rect){line.row, col, 1, w.state - 1}, line.row, col, role, state);
	col += w.state;
	if (col < end)
		draw_text(c, (struct rect){line.row, col, 1, end - col}, line.row, col, role, image);
}

static void draw_engine_row(struct canvas *c, struct rect line, const struct engine_row *row, bool is_current)
{
	uint16_t role = is_current ? ROLE_TABLE_CURRENT : row->problem[0] ? ROLE_STATUS_ERROR : ROLE_TEXT;

	canvas_fill(c, line, " ", style_of(role));
	if (row->problem[0])
		draw_text(c, line, line.row, line.col + 1, role, row->problem);
	else
		draw_engine_cells(c, line, role, row->name, row->state, row->image);
}

/* Draw line `at` of the other containers. */
static void draw_engine_line(const struct model *m, struct canvas *c, struct rect line, size_t at)
{
	const struct engines *e = &m->sandboxes.engines;

	if (at == 0)
		draw_engine_cells(c, line, ROLE_TABLE_HEADER, "CONTAINER", "STATE", "IMAGE");
	else if (e->n)
		draw_engine_row(c, line, &e->rows[at - 1], e->selected == (long)at - 1);
	else
		draw_text(c, line, line.row, line.col + 1, e->error[0] ? ROLE_STATUS_ERROR : ROLE_DIM,
				e->is_asking  ? "asking the container engines ..."
				: e->error[0] ? e->error
					      : "no other container is running");
}

/* ---- pools ---- */

static void draw_pool(
		const struct model *m, struct canvas *c, struct rect line, const struct trm_pool_entry *pool)
{
	const struct trm_pool_stats *s = &pool->stats;
	uint64_t others = s->n_failed + s->starting, made = s->n_started > others ? s->n_started - others : 0;
	uint16_t role = s->why.code ? ROLE_STATUS_ERROR : ROLE_TEXT;
	struct rect name = {line.row, line.col + 1, 1, 20};
	char what[600];

	snprintf(what, sizeof what, "%s%s", s->why.code ? "failed: " : "",
			s->why.code             ? s->why.msg
			: s->is_short_of_memory ? "too little memory"
						: pool->group);
	draw_cut_text(c, m->has_utf8, name, line.row, name.col, role, pool->name);
	int end = draw_format(c, line, line.row, name.col + name.cols + 1, role,
			"%4u %4u %8u %6u %7" PRIu64 " %7" PRIu64 "  ", pool->size, s->idle, s->starting,
			s->taken, made, s->n_failed);
	if (end < line.col + line.cols)
		draw_cut_text(c, m->has_utf8, (struct rect){line.row, end, 1, line.col + line.cols - end},
				line.row, end, role, what);
}

static void draw_pools(const struct model *m, struct canvas *c, struct rect area)
{
	const struct sandboxes *s = &m->sandboxes;
	struct rect line = {area.row, area.col, 1, area.cols};

	if (!area.rows)
		return;
	draw_format(c, line, line.row, line.col + 1, ROLE_TABLE_HEADER,
			"%-20s SIZE IDLE STARTING IN USE    MADE  FAILED", "POOL");
	for (size_t i = 0; i < s->n_pools && i < SANDBOXES_POOLS; i++) {
		line.row++;
		draw_pool(m, c, line, &s->pools[i]);
	}
	line.row++;
	if (s->n_pools > SANDBOXES_POOLS)
		draw_format(c, line, line.row, line.col + 1, ROLE_DIM, "and %zu more: terrarium ps --pools",
				s->n_pools - SANDBOXES_POOLS);
}

static void draw_list(const struct model *m, struct canvas *c, const struct sandboxes_layout *l)
{
	const struct sandboxes *s = &m->sandboxes;
	long current = sandboxes_selected(s);
	int row = l->table.row;

	draw_header(m, c, l);
	size_t engines = sandboxes_engines_at(s), end = engines + engines_lines(&s->engines);
	for (size_t i = s->top; i < end && row < l->table.row + l->table.rows; i++, row++)
		if (i < s->n)
			draw_sandbox(m, c, l, &s->entries[i], row, (long)i == current);
		else if (i >= engines)
			draw_engine_line(m, c, (struct rect){row, l->table.col, 1, l->table.cols},
					i - engines);
	if (s->top > 0)
		return;
	if (s->error[0])
		draw_text(c, l->inner, l->table.row, l->table.col + 1, ROLE_STATUS_ERROR, s->error);
	else if (!s->n)
		draw_text(c, l->inner, l->table.row, l->table.col + 1, ROLE_DIM,
				s->is_known ? "no sandbox is running" : "looking ...");
}

/* Draw the lines that other clients' runs print, as the output pane draws its own. */
static void draw_log(const struct model *m, const struct outpane *p, struct canvas *c, struct rect area)
{
	struct out_pos top = outpane_top(p, area.rows, area.cols);
	struct outwalk w;
	struct output_line l = {0};
	size_t from = top.cell, end;
	int row = area.row;

	outwalk_start(&w, p, top.line);
	while (row < area.row + area.rows && outwalk_next(&w, &l)) {
		do {
			struct cell *to = c->cells + (size_t)row * (size_t)c->cols + (size_t)area.col;
			end = outpane_row_end(p, &l, from, (size_t)area.cols);
			for (size_t i = from; i < end && (int)(i - from) < area.cols; i++)
				to[i - from] = l.cells[i];
			if (end > from && end - from > (size_t)area.cols)
				draw_text(c, area, row, area.col + area.cols - (m->has_utf8 ? 1 : 3),
						ROLE_DIM, sign(m->has_utf8, SIGN_ELLIPSIS));
			row++;
			from = end;
		} while (end < l.n && row < area.row + area.rows);
		from = 0;
	}
	output_line_finish(&l);
}

static void draw_inside(const struct model *m, struct canvas *c)
{
	const struct sandboxes *s = &m->sandboxes;
	struct peek_layout l = peek_layout(m);
	struct rect log = {l.log.row, l.log.col + 1, l.log.rows, l.log.cols - 2};

	if (l.figures.rows > 0)
		draw_measured(m, c, &s->metrics, l.figures, true, false);
	if (l.divider_col >= 0)
		draw_vertical(c, m->has_utf8, l.log.row, l.divider_col, l.log.rows, ROLE_BORDER);
	if (log.rows > 0 && s->log.is_open && s->log.out.runs.last)
		draw_log(m, &s->log.out, c, log);
	else if (log.rows > 0)
		draw_text(c, log, log.row, log.col, ROLE_DIM, "nothing has been run there yet");
}

void draw_sandboxes(const struct model *m, struct canvas *c)
{
	const struct sandboxes *s = &m->sandboxes;
	struct sandboxes_layout l = sandboxes_layout(m);
	const char *word = s->ended[0] ? s->ended : s->doing;
	char title[130];

	canvas_fill(c, l.box, " ", style_of(ROLE_TEXT));
	if (l.inner.row > l.box.row)
		draw_box(c, m->has_utf8, l.box, ROLE_BORDER_FOCUS);
	if (s->is_inside)
		snprintf(title, sizeof title, " inside %.72s%s%.40s%s ", s->inside, *word ? ": " : "", word,
				strlen(word) > 40 ? sign(m->has_utf8, SIGN_ELLIPSIS) : "");
	else
		snprintf(title, sizeof title, " sandboxes: %zu ", s->n);
	if (l.inner.row > l.box.row)
		draw_text(c, l.box, l.box.row, l.box.col + 2, s->ended[0] ? ROLE_STATUS_ERROR : ROLE_TITLE,
				title);
	if (s->is_inside) {
		draw_inside(m, c);
		return;
	}
	draw_list(m, c, &l);
	draw_pools(m, c, l.pools);
	const struct notice *notice = notices_at(&m->notices, 0);
	bool has_notice = m->notices.is_shown && notice;
	draw_text(c, l.inner, l.hint_row, l.inner.col + 1,
			has_notice && notice->is_error ? ROLE_STATUS_ERROR
			: has_notice                   ? ROLE_STATUS
						       : ROLE_DIM,
			has_notice ? notice->text
			: l.inner.cols < 76
					? "Enter look  s stop  o others  Esc back"
					: "Enter looks inside   s stops   o other containers   n c m p u sort   Esc back");
}
