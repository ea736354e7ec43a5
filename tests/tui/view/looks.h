/* SPDX-License-Identifier: MIT */
#ifndef TESTS_LOOKS_H
#define TESTS_LOOKS_H

/* How a screen looks with the colors of a theme at some depth, as text: cells that look alike have the same
 * letter. */

#include <stdlib.h>

#include "cells/canvas.h"
#include "cmocka_all.h"
#include "theme/theme.h"

enum { LOOKS_MAX = 52 };

static inline struct theme_style looks_of(
		const struct theme *t, const struct style *style, enum color_depth depth)
{
	if (COLOR_IS_HEAT(style->fg))
		return theme_heat(t, style->role, style->fg & 0xff, depth);
	struct theme_style look = style->ground ? theme_style_on(t, style->role, style->ground, depth)
						: theme_style(t, style->role, depth);

	if (style->fg != COLOR_NONE)
		look.fg = color_degrade(style->fg, depth);
	if (style->bg != COLOR_NONE)
		look.bg = color_degrade(style->bg, depth);
	look.attrs |= style->attrs;
	return look;
}

static const char looks_letters[LOOKS_MAX + 1] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* The letter of a look: the first new one is 'a', and so on. */
static inline char looks_letter(struct theme_style *known, size_t *n, struct theme_style look)
{
	for (size_t i = 0; i < *n; i++)
		if (known[i].fg == look.fg && known[i].bg == look.bg && known[i].attrs == look.attrs)
			return looks_letters[i];
	assert_true(*n < LOOKS_MAX);
	known[*n] = look;
	return looks_letters[(*n)++];
}

/* `out` has room for a byte for each cell and each row of the area, and one more. */
static inline void looks_dump(const struct canvas *c, struct rect area, const struct theme *theme,
		enum color_depth depth, char *out)
{
	struct theme_style known[LOOKS_MAX];
	size_t n = 0;

	for (int row = area.row; row < area.row + area.rows; row++) {
		for (int col = area.col; col < area.col + area.cols; col++) {
			const struct cell *cell = &c->cells[row * c->cols + col];
			*out++ = looks_letter(known, &n, looks_of(theme, &cell->style, depth));
		}
		*out++ = '\n';
	}
	*out = '\0';
}

#endif
