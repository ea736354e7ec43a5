/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text/cluster.h"
#include "view/parts.h"
#include "widget/field.h"

struct style style_of(uint16_t role)
{
	return (struct style){.role = role};
}

struct style style_with(uint16_t role, uint16_t attrs)
{
	return (struct style){.role = role, .attrs = (uint8_t)attrs};
}

int draw_text(struct canvas *c, struct rect clip, int row, int col, uint16_t role, const char *text)
{
	return canvas_put(c, clip, row, col, text, strlen(text), style_of(role));
}

int draw_format(struct canvas *c, struct rect clip, int row, int col, uint16_t role, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return draw_text(c, clip, row, col, role, text);
}

static const char *const signs[SIGN_COUNT][2] = {
		[SIGN_HORIZONTAL] = {"-", "─"},
		[SIGN_VERTICAL] = {"|", "│"},
		[SIGN_TOP_LEFT] = {"+", "┌"},
		[SIGN_TOP_RIGHT] = {"+", "┐"},
		[SIGN_BOTTOM_LEFT] = {"+", "└"},
		[SIGN_BOTTOM_RIGHT] = {"+", "┘"},
		[SIGN_TEE_DOWN] = {"+", "┬"},
		[SIGN_TEE_UP] = {"+", "┴"},
		[SIGN_TEE_RIGHT] = {"+", "├"},
		[SIGN_TEE_LEFT] = {"+", "┤"},
		[SIGN_CROSS] = {"+", "┼"},
		[SIGN_MENU] = {"v", "▾"},
		[SIGN_DOT] = {"*", "●"},
		[SIGN_MORE] = {"v", "▼"},
		[SIGN_PROMPT] = {">", "›"},
		[SIGN_CURRENT] = {">", "▸"},
		[SIGN_ELLIPSIS] = {"...", "…"},
		[SIGN_RISING] = {"^", "▴"},
		[SIGN_FALLING] = {"v", "▾"},
		[SIGN_SPAN] = {"=", "━"},
};

const char *sign(bool has_utf8, enum sign s)
{
	return signs[s][has_utf8];
}

int draw_cut_text(struct canvas *c, bool has_utf8, struct rect clip, int row, int col, uint16_t role,
		const char *text)
{
	const char *dots = sign(has_utf8, SIGN_ELLIPSIS);
	int end = clip.col + clip.cols, cols = has_utf8 ? 1 : 3;

	int to = draw_text(c, clip, row, col, role, text);
	if (to > end && end - cols > col)
		draw_text(c, clip, row, end - cols, role, dots);
	return to;
}

void draw_horizontal(struct canvas *c, bool has_utf8, int row, int col, int cols, uint16_t role)
{
	canvas_fill(c, (struct rect){row, col, 1, cols}, sign(has_utf8, SIGN_HORIZONTAL), style_of(role));
}

void draw_vertical(struct canvas *c, bool has_utf8, int row, int col, int rows, uint16_t role)
{
	canvas_fill(c, (struct rect){row, col, rows, 1}, sign(has_utf8, SIGN_VERTICAL), style_of(role));
}

void draw_sign(struct canvas *c, bool has_utf8, int row, int col, enum sign s, uint16_t role)
{
	draw_text(c, (struct rect){row, col, 1, 1}, row, col, role, sign(has_utf8, s));
}

void draw_box(struct canvas *c, bool has_utf8, struct rect box, uint16_t role)
{
	int bottom = box.row + box.rows - 1, right = box.col + box.cols - 1;

	draw_horizontal(c, has_utf8, box.row, box.col, box.cols, role);
	draw_horizontal(c, has_utf8, bottom, box.col, box.cols, role);
	draw_vertical(c, has_utf8, box.row, box.col, box.rows, role);
	draw_vertical(c, has_utf8, box.row, right, box.rows, role);
	draw_sign(c, has_utf8, box.row, box.col, SIGN_TOP_LEFT, role);
	draw_sign(c, has_utf8, box.row, right, SIGN_TOP_RIGHT, role);
	draw_sign(c, has_utf8, bottom, box.col, SIGN_BOTTOM_LEFT, role);
	draw_sign(c, has_utf8, bottom, right, SIGN_BOTTOM_RIGHT, role);
}

int draw_field(struct canvas *c, struct rect area, const struct field *f)
{
	int before = (int)cluster_columns(field_text(f), f->cursor);
	int shift = before >= area.cols ? before - area.cols + 1 : 0;

	canvas_fill(c, area, " ", style_of(ROLE_DIALOG_FIELD));
	canvas_put(c, area, area.row, area.col - shift, field_text(f), f->len,
			style_of(f->is_selected ? ROLE_SELECTION : ROLE_DIALOG_FIELD));
	return area.col + before - shift;
}
