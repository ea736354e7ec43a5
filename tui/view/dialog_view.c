/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "text/cluster.h"
#include "view/editor_view.h"
#include "view/parts.h"

/* Draw a line of code, each cluster in the color of its kind. Returns the column after the line. */
static int put_code(struct canvas *c, struct rect strip, const struct dialog_row *row)
{
	const uint8_t *kinds = row->line->kinds;
	int col = strip.col + 1, end = strip.col + strip.cols;
	size_t first = (size_t)(row->text - row->line->text), n;

	if (!kinds)
		return canvas_put(c, strip, strip.row, col, row->text, row->n, style_of(ROLE_TEXT));
	for (size_t at = 0; at < row->n && col <= end; at += n) {
		n = cluster_at(row->text + at, row->n - at).len;
		col = canvas_put(c, strip, strip.row, col, row->text + at, n,
				style_of(editor_role(kinds[first + at])));
	}
	return col;
}

/* Code that is too long is cut at the edge and gets an ellipsis, so that nobody approves code that they do
 * not see. */
static void draw_code(
		const struct model *m, struct canvas *c, struct rect strip, const struct dialog_row *row)
{
	const char *ellipsis = sign(m->has_utf8, SIGN_ELLIPSIS);
	int end = strip.col + strip.cols;

	canvas_fill(c, strip, " ", style_of(ROLE_TEXT));
	if (put_code(c, strip, row) > end)
		draw_text(c, strip, strip.row, end - (m->has_utf8 ? 1 : 3), ROLE_WARN, ellipsis);
}

static void draw_text_rows(const struct model *m, struct canvas *c, const struct dialog_layout *l)
{
	const struct dialog *d = &m->dialog;
	size_t line = 0, at = 0, k = 0;
	struct dialog_row row;

	while (dialog_next_row(d, (size_t)l->text.cols, &line, &at, &row)) {
		if (k++ < d->scroll)
			continue;
		int y = l->text.row + (int)(k - 1 - d->scroll);
		if (y >= l->text.row + l->text.rows)
			return;
		size_t label = row.is_first && row.line->label_len < row.n ? row.line->label_len : 0;
		if (row.line->is_code) {
			draw_code(m, c, (struct rect){y, l->text.col, 1, l->text.cols}, &row);
			continue;
		}
		int col = canvas_put(c, l->text, y, l->text.col + row.indent, row.text, label,
				style_of(ROLE_DIALOG_TITLE));
		canvas_put(c, l->text, y, col, row.text + label, row.n - label, style_of(row.line->role));
	}
}

/* The sign in the border that says how many lines of text follow below. */
static void draw_mark(const struct model *m, struct canvas *c, const struct dialog_layout *l)
{
	size_t below = m->dialog.scroll + (size_t)l->text.rows;
	char text[48];

	if (below >= l->n_rows)
		return;
	snprintf(text, sizeof text, " %zu more %s ", l->n_rows - below, sign(m->has_utf8, SIGN_MORE));
	int cols = (int)cluster_columns(text, strlen(text));
	draw_text(c, l->box, l->box.row + l->box.rows - 1, l->box.col + l->box.cols - 2 - cols,
			ROLE_DIALOG_TITLE, text);
}

/* Draw an item of the list. The letters that match the search are highlighted. */
static void draw_item(struct canvas *c, struct rect strip, int col, const char *text,
		const struct dialog_choice *choice, bool is_current)
{
	static const struct dialog_choice plain = {0};

	choice = choice ? choice : &plain;
	for (size_t at = 0, n; text[at]; at += n) {
		n = cluster_at(text + at, strlen(text + at)).len;
		bool is_mark = (at < 64 && choice->marks >> at & 1)
			       || (at >= choice->mark_from && at < choice->mark_to);
		struct style style = {.role = is_current ? ROLE_MENU_CURRENT : ROLE_MENU};
		if (is_mark && is_current)
			style.attrs = ATTR_UNDERLINE;
		else if (is_mark)
			style = (struct style){.role = ROLE_POPUP_MATCH, .ground = ROLE_MENU};
		else if (!is_current && at < choice->label_len)
			style = (struct style){.role = ROLE_DIALOG_DIM, .ground = ROLE_MENU};
		col = canvas_put(c, strip, strip.row, col, text + at, n, style);
	}
}

static void draw_list_row(const struct model *m, struct canvas *c, struct rect strip, size_t i)
{
	const struct dialog *d = &m->dialog;
	const struct dialog_choice *choice = d->choices ? &d->choices[i] : NULL;
	bool is_current = i == d->current;
	uint16_t role = is_current ? ROLE_MENU_CURRENT : ROLE_MENU;

	canvas_fill(c, strip, " ", style_of(role));
	draw_text(c, strip, strip.row, strip.col + 1, role,
			is_current ? sign(m->has_utf8, SIGN_CURRENT) : " ");
	int cols = choice && choice->right[0] ? (int)cluster_columns(choice->right, strlen(choice->right)) + 2
					      : 0;
	struct rect text = {strip.row, strip.col + DIALOG_ITEM_COL, 1, strip.cols - DIALOG_ITEM_COL - cols};
	draw_item(c, text, text.col, d->items[i], choice, is_current);
	if ((int)cluster_columns(d->items[i], strlen(d->items[i])) > text.cols)
		draw_text(c, text, text.row, text.col + text.cols - (m->has_utf8 ? 1 : 3), role,
				sign(m->has_utf8, SIGN_ELLIPSIS));
	if (cols) {
		struct style key = is_current ? style_of(role)
					      : (struct style){.role = ROLE_DIALOG_DIM, .ground = ROLE_MENU};
		struct rect end = {strip.row, strip.col + strip.cols - cols, 1, cols};
		canvas_fill(c, end, " ", style_of(role));
		canvas_put(c, end, end.row, end.col + 1, choice->right, strlen(choice->right), key);
	}
	if (is_current && !d->has_field) {
		c->cursor_row = strip.row;
		c->cursor_col = strip.col + 1;
		c->hides_cursor = true; /* its block would hide the mark */
	}
}

static void draw_list(const struct model *m, struct canvas *c, const struct dialog_layout *l)
{
	const struct dialog *d = &m->dialog;
	size_t first = dialog_first_item(d, l);
	const char *none = d->none[0] ? d->none : "no matches";

	if (d->list_rows)
		canvas_fill(c, l->list, " ", style_of(ROLE_MENU));
	if (d->list_rows && !d->n_items)
		canvas_put(c, l->list, l->list.row, l->list.col + DIALOG_ITEM_COL, none, strlen(none),
				(struct style){.role = ROLE_DIALOG_DIM, .ground = ROLE_MENU});
	for (int i = 0; i < l->list.rows && first + (size_t)i < d->n_items; i++)
		draw_list_row(m, c, (struct rect){l->list.row + i, l->list.col, 1, l->list.cols},
				first + (size_t)i);
}

/* The explanation of the current item, in at most two rows. */
static void draw_hint(const struct dialog *d, struct canvas *c, struct rect area)
{
	size_t at = 0, n = strlen(d->hint);

	for (int row = 0; row < area.rows && at < n; row++) {
		size_t len = cluster_wrap(d->hint + at, n - at, (size_t)area.cols);
		canvas_put(c, area, area.row + row, area.col, d->hint + at, len, style_of(ROLE_DIALOG_DIM));
		at += len;
	}
}

static void draw_dialog_field(const struct dialog *d, struct canvas *c, struct rect area)
{
	int col = draw_format(c, area, area.row, area.col, ROLE_DIALOG_TITLE, "%s ", d->field_label);
	struct rect field = {area.row, col, 1, area.col + area.cols - col};

	c->cursor_row = area.row;
	c->cursor_col = draw_field(c, field, &d->field);
}

/* Underline the letter that presses the button. */
static void underline_letter(
		struct canvas *c, struct rect area, int col, uint16_t role, const char *label, char letter)
{
	for (int i = 0; letter && label[i]; i++) {
		if (tolower((unsigned char)label[i]) != letter)
			continue;
		canvas_put(c, area, area.row, col + i, label + i, 1, style_with(role, ATTR_UNDERLINE));
		return;
	}
}

static void draw_buttons(const struct dialog *d, struct canvas *c, const struct dialog_layout *l)
{
	for (int k = 0; k < d->n_buttons; k++) {
		struct dialog_place p = dialog_button_place(d, l, k);
		struct rect area = {l->buttons_row, p.col, 1, p.cols};
		bool is_focus = k == d->focus;
		uint16_t role = is_focus ? ROLE_BUTTON_FOCUS : ROLE_BUTTON;
		int start = p.col + (p.has_air ? 2 : 1);
		canvas_fill(c, area, " ", style_of(role));
		draw_text(c, area, area.row, start, role, p.label);
		underline_letter(c, area, start, role, p.label, d->buttons[k].letter);
		if (!is_focus)
			continue;
		draw_text(c, area, area.row, p.col, role, "[");
		draw_text(c, area, area.row, p.col + p.cols - 1, role, "]");
		c->cursor_row = area.row;
		c->cursor_col = start;
		c->hides_cursor = true;
	}
}

/* A title that is too long loses the part in parentheses first. If it is still too long, it ends in an
 * ellipsis. */
static void draw_title(const struct model *m, struct canvas *c, struct rect box, const char *title)
{
	struct rect room = {box.row, box.col + 2, 1, box.cols - 4};
	int cols = (int)cluster_columns(title, strlen(title)) + 2;
	size_t n = strlen(title);

	if (cols > room.cols && strstr(title, " ("))
		n = (size_t)(strstr(title, " (") - title);
	int col = draw_format(c, room, room.row, room.col, ROLE_DIALOG_TITLE, " %.*s ", (int)n, title);
	if (col > room.col + room.cols)
		draw_text(c, room, room.row, room.col + room.cols - (m->has_utf8 ? 1 : 3), ROLE_DIALOG_TITLE,
				sign(m->has_utf8, SIGN_ELLIPSIS));
}

void draw_dialog(const struct model *m, struct canvas *c)
{
	const struct dialog *d = &m->dialog;
	struct dialog_layout l = dialog_layout(d, m->rows, m->cols);

	canvas_fill(c, l.box, " ", style_of(ROLE_DIALOG));
	draw_box(c, m->has_utf8, l.box, ROLE_DIALOG_DIM);
	draw_title(m, c, l.box, d->title);
	draw_text_rows(m, c, &l);
	draw_list(m, c, &l);
	draw_hint(d, c, l.hint);
	if (l.field.rows)
		draw_dialog_field(d, c, l.field);
	if (l.buttons_row >= 0)
		draw_buttons(d, c, &l);
	draw_mark(m, c, &l);
}
