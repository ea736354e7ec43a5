/* SPDX-License-Identifier: MIT */
#include "view/editor_view.h"

#include <stdio.h>
#include <string.h>

#include "editor/editor.h"
#include "syntax/syntax.h"
#include "text/cluster.h"
#include "text/find.h"
#include "text/text.h"
#include "text/walk.h"
#include "view/cell_notes.h"

#define KINDS 4096         /* bytes whose syntax kinds are found in one call */
#define BRACKET_REACH 8192 /* bytes that are searched for the matching bracket */
#define NOWHERE SIZE_MAX
#define RUN_MARKS_MAX 128   /* matches that are marked in one line */
#define MARKED_BYTES 65536u /* a longer line is not searched in each frame */

struct painter {
	const struct editor *editor;
	struct canvas *canvas;
	struct rect text;          /* the area without the gutter */
	size_t left_col, next_col; /* of the line at hand: the first column shown, the first one beyond */
	size_t sel_start, sel_end;
	size_t cursor_line;
	size_t brackets[2];          /* the pair of brackets at the cursor; NOWHERE: none */
	size_t kinds_from, kinds_to; /* bytes whose kinds are in `kinds` */
	size_t shown_to;             /* end of the last visible line */
	uint8_t kinds[KINDS];
	bool has_focus, is_in_cursor_line;
	struct find *marked;
	bool has_utf8;
	struct find_match marks[RUN_MARKS_MAX]; /* matches in the current line, in order */
	size_t n_marks;
	struct cell_notes notes; /* for the visible lines */
};

static const uint16_t kind_roles[SYNTAX_KINDS] = {
		[SYNTAX_TEXT] = ROLE_TEXT,
		[SYNTAX_KEYWORD] = ROLE_SYN_KEYWORD,
		[SYNTAX_STRING] = ROLE_SYN_STRING,
		[SYNTAX_ESCAPE] = ROLE_SYN_ESCAPE,
		[SYNTAX_EMBED] = ROLE_SYN_ESCAPE,
		[SYNTAX_NUMBER] = ROLE_SYN_NUMBER,
		[SYNTAX_CONSTANT] = ROLE_SYN_CONSTANT,
		[SYNTAX_COMMENT] = ROLE_SYN_COMMENT,
		[SYNTAX_FUNCTION] = ROLE_SYN_FUNCTION,
		[SYNTAX_BUILTIN] = ROLE_SYN_BUILTIN,
		[SYNTAX_DECORATOR] = ROLE_SYN_DECORATOR,
		[SYNTAX_TYPE] = ROLE_SYN_TYPE,
		[SYNTAX_VARIABLE] = ROLE_SYN_VARIABLE,
		[SYNTAX_PROPERTY] = ROLE_SYN_PROPERTY,
		[SYNTAX_PARAMETER] = ROLE_SYN_PARAMETER,
		[SYNTAX_OPERATOR] = ROLE_SYN_OPERATOR,
		[SYNTAX_PUNCTUATION] = ROLE_SYN_PUNCTUATION,
};

uint16_t editor_role(uint8_t kind)
{
	return kind < SYNTAX_KINDS ? kind_roles[kind] : ROLE_TEXT;
}

static void draw_number(const struct painter *p, int row, size_t line, bool is_current)
{
	char number[24];
	int gutter = editor_gutter(p->editor), signs = p->editor->marks.n > 0;
	struct rect area = {row, p->text.col - gutter, 1, gutter};
	const struct line_note *note = cell_note_of(&p->notes, line);
	bool goes_on = p->editor->wraps && p->left_col > 0;
	int n = goes_on ? snprintf(number, sizeof(number), "%*s ", gutter - signs - 1, "")
			: snprintf(number, sizeof(number), "%*zu ", gutter - signs - 1, line + 1);

	if (gutter <= 0 || n <= 0)
		return;
	uint16_t role = note && note->is_error && !note->mark->is_stale ? ROLE_OUT_ERROR
			: is_current                                    ? ROLE_TEXT
									: ROLE_LINE_NUMBER;
	if (signs) {
		const char *sign = note && !goes_on ? cell_note_sign(note->mark, p->has_utf8) : " ";
		canvas_put(p->canvas, area, row, area.col, sign, strlen(sign),
				(struct style){.role = note ? cell_note_role(note->mark) : ROLE_LINE_NUMBER});
	}
	canvas_put(p->canvas, area, row, area.col + signs, number, (size_t)n, (struct style){.role = role});
}

/* Set *ret to the text that the screen shows for the current cluster. Returns its length. */
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

/* Find the matches in the visible part of a line. */
static void find_marks(struct painter *p, size_t start, size_t end)
{
	struct find_match *m = p->marks;

	p->n_marks = 0;
	if (!p->marked || end - start > MARKED_BYTES)
		return;
	while (p->n_marks < RUN_MARKS_MAX && start <= end
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

/* The syntax kind of the byte at `pos`. The line with this byte ends at line_end. */
static uint8_t kind_at(struct painter *p, size_t pos, size_t line_end)
{
	if (pos < p->kinds_from || pos >= p->kinds_to) {
		size_t end = line_end > p->shown_to ? line_end : p->shown_to;
		p->kinds_from = pos;
		p->kinds_to = end - pos < KINDS ? end : pos + KINDS;
		syntax_paint_faults(p->editor->syntax, p->editor->text, pos, p->kinds_to, p->kinds);
	}
	return p->kinds[pos - p->kinds_from];
}

/* The style of an unclosed bracket or of another syntax error. */
static struct style fault_style(const struct walk *w, uint8_t kind)
{
	bool is_bracket = w->cluster.cp && w->cluster.cp < 0x80 && strchr("([{}])", (int)w->cluster.cp)
			  && (kind & (uint8_t)~SYNTAX_FAULT) == SYNTAX_PUNCTUATION;

	return (struct style){
			.role = is_bracket ? ROLE_BRACKET_ERROR : ROLE_SYN_ERROR, .attrs = ATTR_UNDERLINE};
}

static struct style style_at(struct painter *p, const struct walk *w, uint16_t ground, size_t line_end)
{
	const struct find_match *mark = mark_at(p, w->pos);
	bool is_current = mark && mark->pos == p->sel_start && mark->pos + mark->len == p->sel_end;

	if (mark && (is_current || p->sel_start == p->sel_end))
		return (struct style){.role = is_current ? ROLE_SEARCH_CURRENT : ROLE_SEARCH_MATCH};
	if (w->pos >= p->sel_start && w->pos < p->sel_end)
		return (struct style){.role = ROLE_SELECTION};
	if (mark)
		return (struct style){.role = ROLE_SEARCH_MATCH};
	if (w->pos == p->brackets[0] || w->pos == p->brackets[1])
		return (struct style){.role = ROLE_BRACKET_MATCH};
	bool is_control = w->cluster.kind == CLUSTER_CONTROL && w->cluster.cp != '\t';
	uint8_t kind = kind_at(p, w->pos, line_end);
	/* The line that the person is editing shows no errors. */
	if (kind & SYNTAX_FAULT && !p->is_in_cursor_line)
		return fault_style(w, kind);
	uint16_t role = editor_role(kind & (uint8_t)~SYNTAX_FAULT);
	bool is_plain = role == ROLE_TEXT;
	return (struct style){.role = is_plain ? ground : role,
			.ground = is_plain ? 0 : (uint8_t)ground,
			.attrs = is_control ? ATTR_DIM : 0};
}

/* A cell begins here. Draw a line from the mark to the edge. */
static void draw_separator(const struct painter *p, int row, size_t start, size_t column)
{
	const char *piece = p->has_utf8 ? "─" : "-";
	int col = p->text.col + (int)(column - p->left_col) + 1;

	if (!editor_begins_cell(p->editor, start))
		return;
	for (; col < p->text.col + p->text.cols; col++)
		canvas_put(p->canvas, p->text, row, col, piece, strlen(piece),
				(struct style){.role = ROLE_CELL_SEPARATOR});
}

/* Neighboring clusters of one style, which are drawn together. */
struct stretch {
	struct rect area; /* the row, and the columns of the clusters */
	struct style style;
	size_t n;
	char bytes[128];
};

static void stretch_end(const struct painter *p, struct stretch *s)
{
	if (s->n)
		canvas_put(p->canvas, p->text, s->area.row, s->area.col, s->bytes, s->n, s->style);
	s->n = 0;
}

static bool is_same(const struct style *a, const struct style *b)
{
	return a->role == b->role && a->attrs == b->attrs && a->ground == b->ground;
}

/* Join only printable ASCII. Other clusters may be wider or narrower on a terminal and would shift their
 * neighbors. */
static void stretch_add(const struct painter *p, struct stretch *s, struct rect area, const char *text,
		size_t n, struct style style)
{
	bool is_plain = n == 1 && *text >= ' ' && *text < 0x7F;
	if (s->n && (!is_plain || s->n == sizeof(s->bytes) || !is_same(&s->style, &style)))
		stretch_end(p, s);
	if (!is_plain) {
		canvas_put(p->canvas, p->text, area.row, area.col, text, n, style);
		return;
	}
	if (!s->n) {
		s->area = area;
		s->style = style;
	}
	s->bytes[s->n++] = *text;
}

/* Draw a line that begins at `start`. Returns the end of the line. */
static size_t draw_line(struct painter *p, int row, size_t line, size_t start)
{
	const struct editor *e = p->editor;
	bool is_current = line == p->cursor_line && p->has_focus && p->sel_start == p->sel_end;
	uint16_t ground = is_current ? ROLE_LINE_CURRENT : ROLE_TEXT;
	size_t right = p->next_col;
	int shift = p->text.col - (int)p->left_col;
	size_t line_end = text_line_end_from(e->text, line, start);
	struct walk w;

	canvas_fill(p->canvas, (struct rect){row, p->text.col, 1, p->text.cols}, " ",
			(struct style){.role = ground});
	draw_number(p, row, line, line == p->cursor_line);
	bool wraps = e->wraps;
	find_marks(p, start, line_end);
	p->is_in_cursor_line = p->has_focus && line == p->cursor_line;
	walk_init(&w, e->text, start, e->tab_width);
	walk_skip(&w, SIZE_MAX, p->left_col);
	bool is_more = walk_next(&w);
	struct stretch stretch = {.n = 0};
	for (; is_more && w.column < right; is_more = walk_next(&w)) {
		char made[16];
		const char *text;
		if (w.column + w.columns <= p->left_col)
			continue;
		size_t n = shown_as(&w, made, &text);
		stretch_add(p, &stretch, (struct rect){row, (int)w.column + shift, 1, (int)w.columns}, text,
				n, style_at(p, &w, ground, line_end));
	}
	stretch_end(p, &stretch);
	/* Mark the edges where the line continues. */
	if (!wraps && p->left_col > 0 && w.column > 0)
		canvas_put(p->canvas, p->text, row, p->text.col, "<", 1, (struct style){.role = ROLE_DIM});
	if (is_more && wraps)
		return line_end;
	if (is_more) {
		canvas_put(p->canvas, p->text, row, p->text.col + p->text.cols - 1, ">", 1,
				(struct style){.role = ROLE_DIM});
		return line_end;
	}
	if (w.column >= p->left_col) {
		draw_separator(p, row, start, w.column);
		cell_note_draw(p->canvas, p->text, cell_note_of(&p->notes, line), row, (int)w.column + shift,
				p->has_utf8);
	}
	/* The newline is selected, too. */
	if (w.pos >= p->sel_start && w.pos < p->sel_end && w.column >= p->left_col)
		canvas_put(p->canvas, p->text, row, (int)w.column + shift, " ", 1,
				(struct style){.role = ROLE_SELECTION});
	return line_end;
}

/* Find the pair of brackets that the cursor is on or just after. */
static void find_brackets(struct painter *p)
{
	const struct editor *e = p->editor;
	size_t cursor = e->sel.cursor;
	if (!p->has_focus || p->sel_start != p->sel_end)
		return;
	for (size_t back = 0; back < 2 && back <= cursor; back++) {
		if (!syntax_match(e->syntax, e->text, cursor - back, BRACKET_REACH, &p->brackets[1]))
			continue;
		p->brackets[0] = cursor - back;
		return;
	}
	p->brackets[1] = NOWHERE;
}

static void put_cursor(const struct painter *p)
{
	const struct editor *e = p->editor;
	size_t first, column = editor_column(e);
	long row = editor_row_at(e, p->cursor_line, column, &first);
	long col = (long)column - (long)first;
	if (e->wraps && col >= p->text.cols) /* on a blank beyond the edge */
		col = p->text.cols - 1;
	bool is_seen = row >= 0 && row < p->text.rows && col >= 0 && col < p->text.cols;
	p->canvas->cursor_row = is_seen ? p->text.row + (int)row : -1;
	p->canvas->cursor_col = is_seen ? p->text.col + (int)col : -1;
}

static struct painter painter_for(const struct editor *e, struct canvas *c, struct rect area, bool has_focus,
		struct find *marked, bool has_utf8)
{
	int gutter = editor_gutter(e);

	return (struct painter){.editor = e,
			.canvas = c,
			.has_focus = has_focus,
			.marked = marked,
			.has_utf8 = has_utf8,
			.left_col = e->wraps ? 0 : e->left_col,
			.next_col = (e->wraps ? 0 : e->left_col)
				    + (size_t)(area.cols > gutter ? area.cols - gutter : 0),
			.cursor_line = editor_line(e),
			.brackets = {NOWHERE, NOWHERE},
			.text = {area.row, area.col + gutter, area.rows, area.cols - gutter},
			.sel_start = e->sel.anchor < e->sel.cursor ? e->sel.anchor : e->sel.cursor,
			.sel_end = e->sel.anchor < e->sel.cursor ? e->sel.cursor : e->sel.anchor};
}

/* The columns of a row of a line that wraps. Returns how many rows there are down to it, and one more if the
 * line goes on. */
static size_t take_row(struct painter *p, size_t line, size_t row)
{
	struct line_row place = editor_row_numbered(p->editor, line, row);

	p->left_col = place.first;
	p->next_col = place.next != SIZE_MAX ? place.next : place.first + (size_t)p->text.cols;
	return place.row + 1 + (place.next != SIZE_MAX);
}

void editor_draw(const struct editor *e, struct canvas *c, struct rect area, bool has_focus,
		struct find *marked, bool has_utf8)
{
	struct painter p = painter_for(e, c, area, has_focus, marked, has_utf8);
	size_t lines = text_lines(e->text);

	p.shown_to = text_line_end(e->text, e->top_line + (size_t)(area.rows > 0 ? area.rows - 1 : 0));
	find_brackets(&p);
	cell_notes_find(&p.notes, e, p.text.rows, p.shown_to);
	size_t start = text_line_start(e->text, e->top_line);
	size_t line = e->top_line, row = e->wraps ? e->top_row : 0;
	for (int i = 0; i < area.rows; i++) {
		size_t rows = 1;
		if (line < lines && e->wraps)
			rows = take_row(&p, line, row);
		if (line < lines) {
			size_t end = draw_line(&p, area.row + i, line, start);
			bool is_whole = !e->wraps || ++row >= rows;
			line += is_whole;
			row = is_whole ? 0 : row;
			start = is_whole ? end + 1 : start;
		} else
			canvas_fill(c, (struct rect){area.row + i, area.col, 1, area.cols}, " ",
					(struct style){0});
	}
	if (has_focus)
		put_cursor(&p);
}

void editor_draw_cursor_line(const struct editor *e, struct canvas *c, struct rect area, struct find *marked,
		bool has_utf8)
{
	struct painter p = painter_for(e, c, area, true, marked, has_utf8);
	size_t row = p.cursor_line - e->top_line;

	p.shown_to = text_line_end(e->text, p.cursor_line);
	cell_notes_find(&p.notes, e, p.text.rows, p.shown_to);
	if (p.cursor_line >= e->top_line && row < (size_t)area.rows)
		draw_line(&p, area.row + (int)row, p.cursor_line, text_line_start(e->text, p.cursor_line));
	put_cursor(&p);
}
