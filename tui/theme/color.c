/* SPDX-License-Identifier: MIT */
#include "cells/canvas.h"
#include "theme/theme.h"

/* The first 16 colors are the terminal's own choice; these are xterm's. The rest of the 256 are fixed: a
 * cube of 6 levels each (16 to 231), and 24 grays (232 to 255). */
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

/* Weighted like the eye's perception ("redmean", Thiadmer Riemersma, compuphase.com/cmetric.htm). */
static int color_distance(uint32_t a, uint32_t b)
{
	int mean = (red(a) + red(b)) / 2;
	int r = red(a) - red(b), g = green(a) - green(b), b_ = blue(a) - blue(b);
	return ((512 + mean) * r * r >> 8) + 4 * g * g + ((767 - mean) * b_ * b_ >> 8);
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
	uint32_t gray = 232 + (uint32_t)(mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10);
	return color_distance(rgb, rgb_of(COLOR_INDEX(gray))) < color_distance(rgb, rgb_of(COLOR_INDEX(cube)))
			       ? gray
			       : cube;
}

static int chroma(uint32_t rgb)
{
	int r = red(rgb), g = green(rgb), b = blue(rgb);
	int low = r < g ? (r < b ? r : b) : (g < b ? g : b), high = r > g ? (r > b ? r : b) : (g > b ? g : b);
	return high - low;
}

static int scaled(int channel, int white, int most)
{
	return (channel - white) * most / 255;
}

/* Pale colors differ by their hue, which the nearest of a few strong colors would not preserve (a light
 * green is close to cyan). So most of the white is removed from them, and with only eight colors they
 * also get full strength. Grays and dark colors stay unchanged. */
static uint32_t strengthened(uint32_t rgb, bool is_eight)
{
	int r = red(rgb), g = green(rgb), b = blue(rgb);
	int low = r < g ? (r < b ? r : b) : (g < b ? g : b), high = r > g ? (r > b ? r : b) : (g > b ? g : b);
	int white = low * 8 / 10, most = is_eight && high >= 0x80 ? 0xCD * 255 / (high - white) : 255;
	if (chroma(rgb) < 40)
		return rgb;
	return (uint32_t)scaled(r, white, most) << 16 | (uint32_t)scaled(g, white, most) << 8
	       | (uint32_t)scaled(b, white, most);
}

static uint32_t nearest_of_first(uint32_t rgb, uint32_t n)
{
	uint32_t best = 0;
	rgb = strengthened(rgb, n == 8);
	for (uint32_t i = 1; i < n; i++)
		if (color_distance(rgb, first16[i]) < color_distance(rgb, first16[best]))
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

/* v to the power of 2.4 for 0 <= v <= 1, by Newton's method on y^5 = v^12. With libm each start would
 * load one more library. */
static double power_2_4(double v)
{
	double v4 = v * v * v * v, y = v * v;
	for (int i = 0; i < 12 && y > 0; i++) {
		double y4 = y * y * y * y;
		y -= (y4 * y - v4 * v4 * v4) / (5 * y4);
	}
	return y;
}

/* The light of an sRGB channel, 0 to 1 (IEC 61966-2-1, as quoted by WCAG 2). */
static double linear(int channel)
{
	double c = channel / 255.0;
	return c <= 0.03928 ? c / 12.92 : power_2_4((c + 0.055) / 1.055);
}

static double light(uint32_t rgb)
{
	return 0.2126 * linear(red(rgb)) + 0.7152 * linear(green(rgb)) + 0.0722 * linear(blue(rgb));
}

double color_contrast(uint32_t fg, uint32_t bg)
{
	double a = light(rgb_of(fg)) + 0.05, b = light(rgb_of(bg)) + 0.05;
	return a > b ? a / b : b / a;
}

/* A color that only means light or dark should not be given a hue. */
static bool is_gray(uint32_t rgb)
{
	return chroma(rgb) < 40;
}

uint32_t color_readable(uint32_t color, uint32_t bg, double least, enum color_depth depth)
{
	uint32_t n = depth == DEPTH_256  ? 256
		     : depth == DEPTH_16 ? 16
					 : 8,
		 from = depth == DEPTH_256 ? 16 : 0;
	uint32_t rgb = rgb_of(color), best = color_degrade(color, depth);
	bool is_found = false, wants_gray = n <= 16 && is_gray(rgb);
	if (n <= 16)
		rgb = strengthened(rgb, n == 8);
	for (uint32_t i = from; i < n; i++) {
		uint32_t other = COLOR_INDEX(i);
		if (color_contrast(other, bg) < least || (wants_gray && !is_gray(rgb_of(other))))
			continue;
		if (!is_found || color_distance(rgb, rgb_of(other)) < color_distance(rgb, rgb_of(best)))
			best = other;
		is_found = true;
	}
	return best;
}

/* Mix `rgb` with `part`/256 of the other color. */
static uint32_t mix(uint32_t rgb, uint32_t other, int part)
{
	int r = (red(rgb) * (256 - part) + red(other) * part) / 256;
	int g = (green(rgb) * (256 - part) + green(other) * part) / 256;
	int b = (blue(rgb) * (256 - part) + blue(other) * part) / 256;
	return (uint32_t)r << 16 | (uint32_t)g << 8 | (uint32_t)b;
}

/* On the terminal's own background, of which nothing is known: black or white text could be invisible. */
static bool is_risky(uint32_t fg)
{
	return fg == COLOR_INDEX(0) || fg == COLOR_INDEX(7) || fg == COLOR_INDEX(15);
}

uint32_t color_mend(uint32_t fg, uint32_t bg, enum color_depth depth)
{
	if (bg == COLOR_NONE)
		return is_risky(fg) ? COLOR_NONE : fg;
	if (fg == COLOR_NONE || bg == COLOR_NONE || depth == DEPTH_NONE)
		return fg;
	if (depth <= DEPTH_16) /* the terminal chooses these colors, so only the worst are mended */
		return color_contrast(fg, bg) >= 1.7 ? fg : color_readable(fg, bg, 3, depth);
	if (color_contrast(fg, bg) >= THEME_TEXT_CONTRAST)
		return fg;
	bool is_dark = color_contrast(COLOR_RGB(0xFFFFFF), bg) > color_contrast(COLOR_RGB(0), bg);
	uint32_t rgb = rgb_of(fg), far = is_dark ? 0xFFFFFF : 0, mended = rgb;
	for (int part = 8; part <= 256 && color_contrast(COLOR_RGB(mended), bg) < THEME_TEXT_CONTRAST;
			part += 8)
		mended = mix(rgb, far, part);
	return depth == DEPTH_RGB ? COLOR_RGB(mended)
				  : color_readable(COLOR_RGB(mended), bg, THEME_TEXT_CONTRAST, depth);
}
