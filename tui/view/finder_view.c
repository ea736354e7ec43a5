/* SPDX-License-Identifier: MIT */
/* The bar for finding and replacing, at the bottom of the editor. */
#include <string.h>

#include "model/model.h"
#include "text/cluster.h"
#include "view/parts.h"

/* Draw a text at the right end of a row. Returns the columns that it takes. */
static int draw_right(struct canvas *c, struct rect row, uint16_t role, const char *text, int most)
{
	int cols = (int)cluster_columns(text, strlen(text));

	if (cols == 0)
		return 0;
	cols = cols < most ? cols : most;
	struct rect area = {row.row, row.col + row.cols - cols - 1, 1, cols};
	draw_text(c, area, area.row, area.col, role, text);
	return cols + 2;
}

static void draw_finder_field(const struct model *m, struct canvas *c, struct rect area,
		const struct field *f, bool has_cursor)
{
	int cursor = draw_field(c, area, f);

	if (has_cursor && m->focus == PANE_EDITOR && !dialog_is_open(&m->dialog) && area.cols > 0) {
		c->cursor_row = area.row;
		c->cursor_col = cursor;
	}
}

static void options_text(const struct finder *f, char out[64])
{
	out[0] = '\0';
	if (f->opts.is_regex)
		strcat(out, " regex");
	if (f->opts.is_exact)
		strcat(out, " case");
	if (f->opts.is_word)
		strcat(out, " word");
}

static void draw_what(const struct model *m, struct canvas *c, struct rect row)
{
	const struct finder *f = &m->finder;
	char options[64];
	int col = draw_text(c, row, row.row, row.col, ROLE_KEY, f->has_replace ? " Find    " : " Find ");
	int half = (row.cols - (col - row.col)) / 2;

	options_text(f, options);
	int used = draw_right(c, row, f->is_wrong ? ROLE_STATUS_ERROR : ROLE_STATUS_OK, f->said, half);
	row.cols -= used;
	used = draw_right(c, row, ROLE_WARN, options, half / 2);
	row.cols -= used;
	bool has_room = row.cols - (col - row.col) > 64;
	if (!used && has_room && f->what.len == 0)
		row.cols -= draw_right(c, row, ROLE_DIM,
				"Enter next  Alt-X regex  Alt-C case  Alt-W word  Esc done", 60);
	draw_finder_field(m, c, (struct rect){row.row, col, 1, row.col + row.cols - col - 1}, &f->what,
			f->state == FINDER_WHAT);
}

static void draw_by(const struct model *m, struct canvas *c, struct rect row)
{
	int col = draw_text(c, row, row.row, row.col, ROLE_KEY, " Replace ");

	draw_finder_field(m, c, (struct rect){row.row, col, 1, row.col + row.cols - col - 1}, &m->finder.by,
			m->finder.state == FINDER_BY);
}

/* Draw bytes in one row, with signs for newlines and tabs. Returns the column after them. */
static int draw_shown(const struct model *m, struct canvas *c, struct rect row, int col, uint16_t role,
		const char *text, size_t n)
{
	while (n > 0) {
		size_t plain = 0;
		while (plain < n && text[plain] != '\n' && text[plain] != '\t')
			plain++;
		col = canvas_put(c, row, row.row, col, text, plain, style_of(role));
		text += plain;
		n -= plain;
		if (n == 0)
			break;
		col = draw_text(c, row, row.row, col, role, *text == '\t' ? " " : m->has_utf8 ? "⏎" : "\\n");
		text++;
		n--;
	}
	return col;
}

static void draw_question(const struct model *m, struct canvas *c, struct rect rows)
{
	const struct finder *f = &m->finder;
	struct rect first = {rows.row, rows.col, 1, rows.cols}, second = first;
	static const char *const keys[] = {"y", "yes", "n", "no", "a", "all", "q", "done"};
	char old[256];
	size_t n = editor_bytes(model_editor(m), f->match.pos, f->match.len, old, sizeof old);

	int col = draw_text(c, first, first.row, first.col, ROLE_KEY, " Replace ");
	col = draw_shown(m, c, first, col, ROLE_SEARCH_CURRENT, old, n);
	col = draw_text(c, first, first.row, col, ROLE_DIM, m->has_utf8 ? " → " : " -> ");
	draw_shown(m, c, first, col, ROLE_SEARCH_MATCH, f->preview, strlen(f->preview));
	if (rows.rows < 2)
		return;
	second.row++;
	col = second.col;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i += 2) {
		col = draw_format(c, second, second.row, col, ROLE_KEY, " %s", keys[i]);
		col = draw_format(c, second, second.row, col, ROLE_KEY_LABEL, " %s ", keys[i + 1]);
	}
	draw_format(c, second, second.row, col + 1, ROLE_DIM, "%zu replaced  %s", f->replaced, f->said);
}

void draw_finder(const struct model *m, struct canvas *c)
{
	const struct rect pane = m->layout.panes[PANE_EDITOR];
	struct rect text = model_editor_area(m);
	struct rect bar = {text.row + text.rows, pane.col, pane.rows - text.rows, pane.cols};

	if (bar.rows <= 0)
		return;
	canvas_fill(c, bar, " ", style_of(ROLE_TEXT));
	if (m->finder.state == FINDER_ASKING) {
		draw_question(m, c, bar);
		return;
	}
	struct rect row = {bar.row, bar.col, 1, bar.cols};
	if (bar.rows > 1 || !m->finder.has_replace || m->finder.state == FINDER_WHAT) {
		draw_what(m, c, row);
		row.row++;
	}
	if (m->finder.has_replace && row.row < bar.row + bar.rows)
		draw_by(m, c, row);
}
