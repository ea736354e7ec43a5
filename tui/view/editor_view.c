/* SPDX-License-Identifier: MIT */
#include "view/editor_view.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/editor.h"
#include "text/find.h"
#include "text/text.h"
#include "text/walk.h"

#define MARKS_MAX 128       /* matches marked in a line */
#define MARKED_BYTES 65536u /* a longer line is not looked through with every frame */

struct painter {
	const struct editor *editor;
	struct canvas *canvas;
	struct rect text; /* the area without the gutter */
	size_t sel_start, sel_end;
	size_t cursor_line;
	bool has_focus;
	struct find *marked;
	struct find_match marks[MARKS_MAX]; /* in the line at hand, in order */
	size_t n_marks;
};

static void draw_number(const struct painter *p, int row, size_t line, bool is_current)
{
	char number[24];
	int gutter = editor_gutter(p->editor);
	struct rect area = {row, p->text.col - gutter, 1, gutter};
	int n = snprintf(number, sizeof(number), "%*zu ", gutter - 1, line + 1);
	if (gutter > 0 && n > 0)
		canvas_put(p->canvas, area, row, area.col, number, (size_t)n,
				(struct style){.role = is_current ? ROLE_TEXT : ROLE_LINE_NUMBER});
}

/* What is shown for the cluster at hand; returns its length. */
static size_t shown_as(const struct walk *w, char out[16], const char **ret)
{
	*ret = out;
	if (w->cluster.kind == CLUSTER_TEXT || w->cluster.kind == CLUSTER_ODD) {
		*ret = w->bytes;
		return w->cluster.len;
	}
	if (w->cluster.cp == '\t') {
		size_t n = w->columns < 16 ? w->columns : 16;
		memset(out, ' ', n);
		return n;
	}
	out[0] = '^';
	out[1] = (char)(w->cluster.cp ^ 0x40);
	return 2;
}

/* The matches in what is shown of a line. */
static void find_marks(struct painter *p, size_t start, size_t end)
{
	struct find_match *m = p->marks;

	p->n_marks = 0;
	if (!p->marked || end - start > MARKED_BYTES)
		return;
	while (p->n_marks < MARKS_MAX && start <= end
			&& find_next(p->marked, p->editor->text, start, end + 1, &m[p->n_marks])) {
		start = m[p->n_marks].pos + (m[p->n_marks].len ? m[p->n_marks].len : 1);
		p->n_marks++;
	}
}

static const struct find_match *mark_at(const struct painter *p, size_t pos)
{
	for (size_t i = 0; i < p->n_marks && p->marks[i].pos <= pos; i++)
		if (pos < p->marks[i].pos + p->marks[i].len)
			return &p->marks[i];
	return NULL;
}

static struct style style_at(const struct painter *p, const struct walk *w, uint16_t ground)
{
	const struct find_match *mark = mark_at(p, w->pos);
	bool is_current = mark && mark->pos == p->sel_start && mark->pos + mark->len == p->sel_end;

	if (mark && (is_current || p->sel_start == p->sel_end))
		return (struct style){.role = is_current ? ROLE_SEARCH_CURRENT : ROLE_SEARCH_MATCH};
	if (w->pos >= p->sel_start && w->pos < p->sel_end)
		return (struct style){.role = ROLE_SELECTION};
	if (mark)
		return (struct style){.role = ROLE_SEARCH_MATCH};
	bool is_control = w->cluster.kind == CLUSTER_CONTROL && w->cluster.cp != '\t';
	return (struct style){.role = ground, .attrs = is_control ? ATTR_DIM : 0};
}

/* Draw a line; where the cursor is in it, put the canvas' cursor there. */
static void draw_line(struct painter *p, int row, size_t line)
{
	const struct editor *e = p->editor;
	bool is_current = line == p->cursor_line && p->has_focus && p->sel_start == p->sel_end;
	uint16_t ground = is_current ? ROLE_LINE_CURRENT : ROLE_TEXT;
	size_t right = e->left_col + (size_t)p->text.cols;
	int shift = p->text.col - (int)e->left_col;
	struct walk w;

	canvas_fill(p->canvas, (struct rect){row, p->text.col, 1, p->text.cols}, " ",
			(struct style){.role = ground});
	draw_number(p, row, line, line == p->cursor_line);
	size_t start = text_line_start(e->text, line);
	find_marks(p, start, text_line_end(e->text, line));
	walk_init(&w, e->text, start, e->tab_width);
	walk_skip(&w, SIZE_MAX, e->left_col);
	bool is_more = walk_next(&w);
	for (; is_more && w.column < right; is_more = walk_next(&w)) {
		char made[16];
		const char *text;
		if (w.column + w.columns <= e->left_col)
			continue;
		size_t n = shown_as(&w, made, &text);
		canvas_put(p->canvas, p->text, row, (int)w.column + shift, text, n, style_at(p, &w, ground));
	}
	/* What goes on beyond an edge says so. */
	if (e->left_col > 0 && w.column > 0)
		canvas_put(p->canvas, p->text, row, p->text.col, "<", 1, (struct style){.role = ROLE_DIM});
	if (is_more) {
		canvas_put(p->canvas, p->text, row, p->text.col + p->text.cols - 1, ">", 1,
				(struct style){.role = ROLE_DIM});
		return;
	}
	/* The line's end is selected, too. */
	if (w.pos >= p->sel_start && w.pos < p->sel_end && w.column >= e->left_col)
		canvas_put(p->canvas, p->text, row, (int)w.column + shift, " ", 1,
				(struct style){.role = ROLE_SELECTION});
}

static void put_cursor(const struct painter *p)
{
	const struct editor *e = p->editor;
	long row = (long)p->cursor_line - (long)e->top_line;
	long col = (long)editor_column(e) - (long)e->left_col;
	bool is_seen = row >= 0 && row < p->text.rows && col >= 0 && col < p->text.cols;
	p->canvas->cursor_row = is_seen ? p->text.row + (int)row : -1;
	p->canvas->cursor_col = is_seen ? p->text.col + (int)col : -1;
}

void editor_draw(const struct editor *e, struct canvas *c, struct rect area, bool has_focus,
		struct find *marked)
{
	int gutter = editor_gutter(e);
	struct painter p = {.editor = e,
			.canvas = c,
			.has_focus = has_focus,
			.marked = marked,
			.cursor_line = editor_line(e),
			.text = {area.row, area.col + gutter, area.rows, area.cols - gutter},
			.sel_start = e->sel.anchor < e->sel.cursor ? e->sel.anchor : e->sel.cursor,
			.sel_end = e->sel.anchor < e->sel.cursor ? e->sel.cursor : e->sel.anchor};
	size_t lines = text_lines(e->text);

	for (int i = 0; i < area.rows; i++) {
		if (e->top_line + (size_t)i < lines)
			draw_line(&p, area.row + i, e->top_line + (size_t)i);
		else
			canvas_fill(c, (struct rect){area.row + i, area.col, 1, area.cols}, " ",
					(struct style){0});
	}
	if (has_focus)
		put_cursor(&p);
}
