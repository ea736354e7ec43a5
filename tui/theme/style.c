/* SPDX-License-Identifier: MIT */
/* The look of a role with the available colors. With few colors, the nearest one may be unreadable on
 * this background, or the background may be the same as that of the surrounding text. */
#include "cells/canvas.h"
#include "theme/theme.h"

/* Do these roles differ from their surroundings by their background? */
static bool stands_out(enum role role)
{
	switch (role) {
	case ROLE_SELECTION:
	case ROLE_SEARCH_MATCH:
	case ROLE_SEARCH_CURRENT:
	case ROLE_BRACKET_MATCH:
	case ROLE_MARK_CURRENT:
	case ROLE_TABLE_CURRENT:
	case ROLE_TAB_ACTIVE:
	case ROLE_MENU_CURRENT:
	case ROLE_POPUP_CURRENT:
	case ROLE_BUTTON_FOCUS: return true;
	default: return false;
	}
}

/* The contrast that text needs, if it was meant to be easy to read. Few colors cannot give as much: red
 * on black has 3.6. */
static double least_of(double wanted, enum color_depth depth)
{
	double most = depth == DEPTH_256 ? THEME_TEXT_CONTRAST : 3;
	return wanted >= most ? most : wanted >= 3 ? 3 : wanted >= 1.7 ? 1.7 : 1.05;
}

/* A terminal with eight colors draws bold text in the bright color, and bright black is a gray that is
 * unreadable on a background for black text. */
static struct theme_style unbold_black(struct theme_style look, enum color_depth depth)
{
	if (depth == DEPTH_8 && look.bg != COLOR_NONE && look.fg == COLOR_INDEX(0))
		look.attrs &= (uint16_t)~ATTR_BOLD;
	return look;
}

static struct theme_style degrade(struct theme_style wanted, enum color_depth depth)
{
	struct theme_style look = wanted;
	look.fg = color_degrade(wanted.fg, depth);
	look.bg = color_degrade(wanted.bg, depth);
	if (look.fg == COLOR_NONE || look.bg == COLOR_NONE || depth == DEPTH_RGB || wanted.fg == wanted.bg)
		return unbold_black(look, depth);
	double least = least_of(color_contrast(wanted.fg, wanted.bg), depth);
	bool is_text_of_few = depth <= DEPTH_16 && least >= 3;
	if (is_text_of_few || color_contrast(look.fg, look.bg) < least)
		look.fg = color_readable(wanted.fg, look.bg, least, depth);
	return unbold_black(look, depth);
}

struct theme_style theme_style(const struct theme *t, enum role role, enum color_depth depth)
{
	const struct theme_style *wanted = &t->looks[role], *text = &t->looks[ROLE_TEXT];
	struct theme_style look = degrade(*wanted, depth);
	bool is_lost = stands_out(role) && wanted->bg != text->bg && depth != DEPTH_NONE
		       && look.bg == color_degrade(text->bg, depth);
	if (is_lost && !(look.attrs & ATTR_REVERSE))
		look.attrs |= ATTR_REVERSE;
	return look;
}

struct theme_style theme_style_on(
		const struct theme *t, enum role role, enum role ground, enum color_depth depth)
{
	struct theme_style look = t->looks[role], under = theme_style(t, ground, depth);
	look.bg = t->looks[ground].bg;
	look = degrade(look, depth);
	look.attrs |= under.attrs;
	return look;
}

static uint32_t mix(uint32_t from, uint32_t to, unsigned part, unsigned whole)
{
	uint32_t a = color_rgb(from), b = color_rgb(to), rgb = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		uint32_t x = a >> shift & 0xFF, y = b >> shift & 0xFF;
		rgb |= ((x * (whole - part) + y * part) / whole & 0xFF) << shift;
	}
	return COLOR_RGB(rgb);
}

/* A palette color is what the terminal makes of it: it is not mixed. */
static bool is_mixable(const struct theme_style *look)
{
	return (look->fg & 0xFF000000u) == COLOR_RGB(0);
}

struct theme_style theme_heat(const struct theme *t, enum role role, unsigned step, enum color_depth depth)
{
	enum { HALF = COLOR_HEATS / 2 };
	struct theme_style look = t->looks[role];
	const struct theme_style *mid = &t->looks[ROLE_GRAPH_MID], *high = &t->looks[ROLE_GRAPH_HIGH];
	bool is_few = depth < DEPTH_256 || !is_mixable(&look) || !is_mixable(mid) || !is_mixable(high);

	step = step > COLOR_HEATS ? COLOR_HEATS : step;
	if (depth == DEPTH_NONE) {
		look = theme_style(t, role, depth);
		look.attrs |= step > HALF + 1 ? ATTR_BOLD : 0;
		return look;
	}
	if (is_few)
		return theme_style(t,
				step < HALF              ? role
				: step < COLOR_HEATS - 1 ? ROLE_GRAPH_MID
							 : ROLE_GRAPH_HIGH,
				depth);
	look.fg = step <= HALF ? mix(look.fg, mid->fg, step, HALF)
			       : mix(mid->fg, high->fg, step - HALF, HALF);
	return degrade(look, depth);
}
