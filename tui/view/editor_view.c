/* SPDX-License-Identifier: MIT */
#include "view/editor_view.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/editor.h"
#include "text/text.h"
#include "text/walk.h"

struct painter {
	const struct editor *editor;
	struct canvas *canvas;
	struct rect text; /* the area without the gutter */
	size_t sel_start, sel_end;
	size_t cursor_line;
	bool has_focus;
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

static struct style style_at(const struct painter *p, const struct walk *w, uint16_t ground)
{
	if (w->pos >= p->sel_start && w->pos < p->sel_end)
		return (struct style){.role = ROLE_SELECTION};
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
	walk_init(&w, e->text, text_line_start(e->text, line), e->tab_width);
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
	if (is_more)
		return;
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

void editor_draw(const struct editor *e, struct canvas *c, struct rect area, bool has_focus)
{
	int gutter = editor_gutter(e);
	struct painter p = {.editor = e,
			.canvas = c,
			.has_focus = has_focus,
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
