/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "text/cluster.h"
#include "view/parts.h"

/* One row of a line, its cells [from, to). */
static void draw_row(const struct model *m, struct canvas *c, int row, struct rect area,
		const struct outline *l, uint64_t line, size_t from, size_t to)
{
	struct cell *cells = c->cells + (size_t)row * (size_t)c->cols + (size_t)area.col;

	for (size_t i = from; i < to && (int)(i - from) < area.cols; i++) {
		cells[i - from] = l->cells[i];
		if (outpane_is_selected(&m->out, (struct out_pos){line, i}))
			cells[i - from].style = style_of(ROLE_SELECTION);
	}
}

static void draw_lines(const struct model *m, struct canvas *c, struct rect area)
{
	struct out_pos pos = outpane_top(&m->out, area.rows, area.cols);
	struct out_reader r;
	struct outline l = {0};
	int row = area.row;

	out_reader_seek(&r, &m->out.store, pos.line);
	while (row < area.row + area.rows && outpane_read(&m->out, &r, &l)) {
		size_t from = pos.cell, end;
		do {
			end = outline_row_end(&l, from, (size_t)area.cols);
			draw_row(m, c, row, area, &l, pos.line, from, end);
			if (l.kind == OUT_HEADER && l.n > (size_t)area.cols) /* these are never wrapped */
				draw_text(c, area, row, area.col + area.cols - (m->has_utf8 ? 1 : 3),
						ROLE_DIM, sign(m->has_utf8, SIGN_ELLIPSIS));
			row++;
			from = end;
		} while (end < l.n && row < area.row + area.rows);
		pos = (struct out_pos){pos.line + 1, 0};
	}
	outline_finish(&l);
}

/* The line for stdin, at the bottom of the pane. */
static void draw_input(const struct model *m, struct canvas *c, struct rect pane)
{
	struct rect clip = {pane.row + pane.rows - 1, pane.col, 1, pane.cols};
	const char *text = field_text(&m->input), *prompt = m->run.prompt[0] ? m->run.prompt : "stdin";
	size_t before = cluster_columns(text, m->input.cursor);

	canvas_fill(c, clip, " ", style_of(ROLE_OUT_INPUT));
	int col = draw_text(c, clip, clip.row, clip.col + 1, ROLE_OUT_INPUT, prompt);
	if (prompt[strlen(prompt) - 1] != ' ')
		col = draw_format(c, clip, clip.row, col, ROLE_OUT_INPUT, "%s ",
				m->run.prompt[0] ? "" : sign(m->has_utf8, SIGN_PROMPT));
	int room = clip.col + clip.cols - col - 1;
	int shift = (int)before > room ? (int)before - room : 0;
	struct rect field = {clip.row, col, 1, room + 1};
	if (!m->run.is_secret)
		canvas_put(c, field, clip.row, col - shift, text, m->input.len, style_of(ROLE_OUT_INPUT));
	if (m->focus == PANE_OUTPUT && m->dialog.kind == DIALOG_NONE && room >= 0) {
		c->cursor_row = clip.row;
		c->cursor_col = m->run.is_secret ? col : col + (int)before - shift;
	}
}

static void draw_hint(const struct model *m, struct canvas *c, struct rect area)
{
	static const char *const words[] = {
			"Output appears here.", "F5 runs what is in the editor, F1 tells all keys."};

	for (int i = 0; i < 2 && i < area.rows; i++)
		draw_text(c, area, area.row + i, area.col, ROLE_DIM, words[i]);
	(void)m;
}

void draw_output(const struct model *m, struct canvas *c)
{
	struct rect area = model_output_area(m);

	if (outstore_end(&m->out.store) == outstore_first(&m->out.store))
		draw_hint(m, c, area);
	else
		draw_lines(m, c, area);
	if (m->has_input)
		draw_input(m, c, m->layout.panes[PANE_OUTPUT]);
}
