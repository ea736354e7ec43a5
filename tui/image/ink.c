/* SPDX-License-Identifier: MIT */
/* Pixels as characters of one color, for terminals without colors. Most images are plots: something drawn
 * on a plain background, which is taken from the image's edges. Pixels that differ from it are ink,
 * whether the terminal is light on dark or the reverse. To keep thin lines, a dot depends on the
 * strongest of its pixels as well as on their mean. Intermediate values are dithered. */
#include <stdlib.h>
#include <string.h>

#include "image/decode.h"
#include "image/make.h"
#include "image/picture.h"

#define NEAR_GROUND 24 /* a difference from the background that nobody sees */
#define DRAWN_CONTRAST \
	110 /* in a drawing, this difference is full ink: colored lines count like black ones */

struct ground {
	int rgb[3];
	int full; /* the difference from the background that is full ink */
};

/* The largest difference of a channel: yellow differs from white as much as black does. */
static int ink_of(const uint8_t *rgb, const struct ground *g)
{
	int most = 0;

	for (int k = 0; k < 3; k++)
		most = abs(rgb[k] - g->rgb[k]) > most ? abs(rgb[k] - g->rgb[k]) : most;
	return most < g->full ? most : g->full;
}

/* Drawings consist mostly of background; photos do not. */
static bool is_drawing(const struct pixels *p, const struct ground *g)
{
	size_t n = (size_t)p->width * (size_t)p->height, near = 0;

	for (size_t i = 0; i < n; i++)
		near += ink_of(p->rgb + i * 3, g) < NEAR_GROUND;
	return near > n / 2;
}

static struct ground ground_of(const struct pixels *p)
{
	struct ground g = {.full = 1};
	long sum[3] = {0}, n = 2L * p->width;
	const uint8_t *last = p->rgb + (size_t)(p->height - 1) * (size_t)p->width * 3;

	for (int i = 0; i < p->width * 3; i++)
		sum[i % 3] += p->rgb[i] + last[i];
	for (int k = 0; k < 3; k++) {
		g.rgb[k] = n ? (int)(sum[k] / n) : 0;
		int reach = g.rgb[k] > 127 ? g.rgb[k] : 255 - g.rgb[k];
		g.full = reach > g.full ? reach : g.full;
	}
	if (is_drawing(p, &g))
		g.full = DRAWN_CONTRAST;
	return g;
}

/* How much ink there is at (col, row) of a grid of cols by rows, 0 to 255. */
static int ink_at(const struct pixels *p, const struct ground *g, int cols, int rows, int col, int row)
{
	int x0 = (int)((int64_t)col * p->width / cols), x1 = (int)((int64_t)(col + 1) * p->width / cols);
	int y0 = (int)((int64_t)row * p->height / rows), y1 = (int)((int64_t)(row + 1) * p->height / rows);
	int most = 0;
	long sum = 0, n = 0;

	for (int y = y0; y < y1 || y == y0; y++)
		for (int x = x0; x < x1 || x == x0; x++, n++) {
			int ink = ink_of(p->rgb + ((size_t)y * (size_t)p->width + (size_t)x) * 3, g);
			most = ink > most ? ink : most;
			sum += ink;
		}
	int ink = (int)(most + sum / n) * 255 / (2 * g->full);
	return ink < 255 ? ink : 255;
}

static void put_braille(
		struct picture *p, const struct pixels *pixels, const struct ground *g, int row, int col)
{
	/* The eight dots by row and column: the bit in the character (Unicode 15, 21.1). */
	static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
	static const uint8_t thresholds[4][2] = {{72, 104}, {136, 88}, {80, 112}, {128, 96}};
	uint32_t dots = 0;

	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 2; x++)
			if (ink_at(pixels, g, p->look.cols * 2, p->look.rows * 4, col * 2 + x, row * 4 + y)
					>= thresholds[y][x])
				dots |= bits[y][x];
	p->cells[(size_t)row * (size_t)p->look.cols + (size_t)col].glyph = dots ? 0x2800 + dots : ' ';
}

static void put_ascii(
		struct picture *p, const struct pixels *pixels, const struct ground *g, int row, int col)
{
	static const char by_ink[] = " .:-+=*%#@";
	int ink = ink_at(pixels, g, p->look.cols, p->look.rows, col, row);
	int step = ink < 40 ? 0 : 1 + (ink - 40) * 9 / 216;

	p->cells[(size_t)row * (size_t)p->look.cols + (size_t)col].glyph = (unsigned char)by_ink[step];
}

void make_ink(struct picture *p, const struct pixels *pixels)
{
	const struct ground ground = ground_of(pixels);

	for (int row = 0; row < p->look.rows; row++)
		for (int col = 0; col < p->look.cols; col++)
			(p->look.glyphs == PICTURE_UNICODE ? put_braille : put_ascii)(
					p, pixels, &ground, row, col);
}
