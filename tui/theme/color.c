/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "theme/theme.h"
#include "view/canvas.h"

/* The first 16 colours are the terminal's own choice; these are xterm's. The rest of the 256
 * is fixed: a cube of 6 levels each (16 to 231) and 24 greys (232 to 255). */
static const uint32_t first16[16] = {0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD,
		0xE5E5E5, 0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF};
static const int levels[6] = {0, 95, 135, 175, 215, 255};

static int red(uint32_t rgb)
{
	return (int)(rgb >> 16 & 0xFF);
}

static int green(uint32_t rgb)
{
	return (int)(rgb >> 8 & 0xFF);
}

static int blue(uint32_t rgb)
{
	return (int)(rgb & 0xFF);
}

/* Weighted as the eye does ("redmean", Thiadmer Riemersma, compuphase.com/cmetric.htm). */
static int distance(uint32_t a, uint32_t b)
{
	int mean = (red(a) + red(b)) / 2;
	int r = red(a) - red(b), g = green(a) - green(b), b_ = blue(a) - blue(b);
	return ((512 + mean) * r * r >> 8) + 4 * g * g + ((767 - mean) * b_ * b_ >> 8);
}

static int luminance(uint32_t rgb)
{
	return (red(rgb) * 299 + green(rgb) * 587 + blue(rgb) * 114) / 1000;
}

static uint32_t rgb_of(uint32_t color)
{
	uint32_t i = color & 0xFF;
	if ((color & 0xFF000000u) != COLOR_INDEX(0))
		return color & 0xFFFFFFu;
	if (i < 16)
		return first16[i];
	if (i >= 232)
		return (8 + (i - 232) * 10) * 0x010101u;
	i -= 16;
	return (uint32_t)levels[i / 36] << 16 | (uint32_t)levels[i / 6 % 6] << 8 | (uint32_t)levels[i % 6];
}

static uint32_t nearest_level(int value)
{
	return value < 48 ? 0 : value < 115 ? 1 : (uint32_t)(value - 35) / 40;
}

static uint32_t nearest_256(uint32_t rgb)
{
	uint32_t cube = 16 + 36 * nearest_level(red(rgb)) + 6 * nearest_level(green(rgb))
			+ nearest_level(blue(rgb));
	int mean = (red(rgb) + green(rgb) + blue(rgb)) / 3;
	uint32_t grey = 232 + (uint32_t)(mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10);
	return distance(rgb, rgb_of(COLOR_INDEX(grey))) < distance(rgb, rgb_of(COLOR_INDEX(cube))) ? grey
												   : cube;
}

static uint32_t nearest_of_first(uint32_t rgb, uint32_t n)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < n; i++)
		if (distance(rgb, first16[i]) < distance(rgb, first16[best]))
			best = i;
	return best;
}

uint32_t color_degrade(uint32_t color, enum color_depth depth)
{
	bool is_index = (color & 0xFF000000u) == COLOR_INDEX(0);
	if (color == COLOR_NONE || depth == DEPTH_RGB)
		return color;
	if (depth == DEPTH_NONE)
		return COLOR_NONE;
	if (depth == DEPTH_256)
		return is_index ? color : COLOR_INDEX(nearest_256(rgb_of(color)));
	uint32_t n = depth == DEPTH_16 ? 16 : 8;
	if (is_index && (color & 0xFF) < n)
		return color;
	return COLOR_INDEX(nearest_of_first(rgb_of(color), n));
}

uint32_t color_rgb(uint32_t color)
{
	return rgb_of(color);
}

/* Light that a colour gives, 0 to 1; the display's curve is close enough to a square. */
static double light(uint32_t rgb)
{
	double r = red(rgb) / 255.0, g = green(rgb) / 255.0, b = blue(rgb) / 255.0;
	return 0.2126 * r * r + 0.7152 * g * g + 0.0722 * b * b;
}

/* As WCAG 2 counts it: 1 (none) to 21. */
static double contrast(uint32_t fg, uint32_t bg)
{
	double a = light(rgb_of(fg)) + 0.05, b = light(rgb_of(bg)) + 0.05;
	return a > b ? a / b : b / a;
}

static struct theme_look degrade(struct theme_look wanted, enum color_depth depth)
{
	struct theme_look look = wanted;
	look.fg = color_degrade(wanted.fg, depth);
	look.bg = color_degrade(wanted.bg, depth);
	if (look.fg == COLOR_NONE || look.bg == COLOR_NONE)
		return look;
	bool is_same = look.fg == look.bg && wanted.fg != wanted.bg;
	/* Among few colours the nearest may be one that can't be read on this ground: cyan for a grey. */
	bool is_faint = depth <= DEPTH_16 && contrast(wanted.fg, wanted.bg) > 4
			&& contrast(look.fg, look.bg) < 2.1;
	if (is_same || is_faint)
		look.fg = COLOR_INDEX(luminance(rgb_of(look.bg)) > 127 ? 0 : 7);
	return look;
}

struct theme_look theme_look(const struct theme *t, enum role role, enum color_depth depth)
{
	return degrade(t->looks[role], depth);
}

struct theme_look theme_look_on(
		const struct theme *t, enum role role, enum role ground, enum color_depth depth)
{
	struct theme_look look = t->looks[role];
	look.bg = t->looks[ground].bg;
	look.attrs |= t->looks[ground].attrs;
	return degrade(look, depth);
}
