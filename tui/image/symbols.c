/* SPDX-License-Identifier: MIT */
/* Pixels as characters: with libchafa, which finds the best character and two colors for each cell, or
 * with half blocks if it is missing. ink.c does it in one color. */
#include <stdlib.h>
#include <string.h>

#include "image/decode.h"
#include "image/library.h"
#include "image/make.h"
#include "image/picture.h"

/* As in cells/canvas.h. */
#define NO_COLOR 0u
#define INDEX(i) (0x01000000u | (uint32_t)(i))
#define RGB(v) (0x02000000u | (uint32_t)(v))

#define UPPER_HALF 0x2580u

/* ---- libchafa; numbers of its enumerations, from chafa-canvas-config.h, -symbol-map.h and -common.h ---- */

enum { MODE_TRUECOLOR = 0, MODE_240 = 2, MODE_16 = 3 };
enum {
	TAG_SPACE = 1 << 0,
	TAG_SOLID = 1 << 1,
	TAG_BLOCK = 1 << 3,
	TAG_BORDER = 1 << 4,
	TAG_VHALF = 1 << 9,
	TAG_HHALF = 1 << 8,
	TAG_ASCII = 1 << 14,
	TAG_WIDE = 1 << 18,
};
enum { PIXEL_RGB8 = 8 };

static const int modes[] = {[PICTURE_16] = MODE_16, [PICTURE_256] = MODE_240, [PICTURE_RGB] = MODE_TRUECOLOR};

static int tags_of(const struct picture_style *look)
{
	if (look->glyphs == PICTURE_ASCII)
		return TAG_SPACE | TAG_ASCII;
	if (look->glyphs == PICTURE_HALVES)
		return TAG_SPACE | TAG_SOLID | TAG_VHALF | TAG_HHALF;
	return TAG_SPACE | TAG_SOLID | TAG_BLOCK | TAG_BORDER;
}

static uint32_t color_of(enum picture_colors colors, int raw)
{
	if (raw < 0)
		return NO_COLOR;
	return colors == PICTURE_RGB ? RGB((uint32_t)raw & 0xFFFFFFu) : INDEX((uint32_t)raw & 0xFFu);
}

static bool draw_chafa(struct picture *p, const struct pixels *pixels)
{
	struct library_chafa chafa;
	const struct picture_style *look = &p->look;

	if (library_load(LIBRARY_CHAFA, &chafa, NULL) < 0)
		return false;
	chafa.set_n_threads(1);
	void *map = chafa.symbol_map_new(), *config = chafa.config_new();
	chafa.symbol_map_add_by_tags(map, tags_of(look));
	chafa.symbol_map_remove_by_tags(map, TAG_WIDE);
	chafa.config_set_geometry(config, look->cols, look->rows);
	chafa.config_set_canvas_mode(config, modes[look->colors]);
	chafa.config_set_symbol_map(config, map);
	chafa.config_set_work_factor(config, 0.9f);
	chafa.config_set_preprocessing_enabled(config, look->colors <= PICTURE_16);
	void *canvas = chafa.canvas_new(config);
	chafa.canvas_draw(canvas, PIXEL_RGB8, pixels->rgb, pixels->width, pixels->height, pixels->width * 3);
	for (int y = 0; y < look->rows; y++)
		for (int x = 0; x < look->cols; x++) {
			int fg = -1, bg = -1;
			struct picture_cell *cell = &p->cells[(size_t)y * (size_t)look->cols + (size_t)x];
			cell->glyph = chafa.canvas_char_at(canvas, x, y);
			chafa.canvas_raw_colors_at(canvas, x, y, &fg, &bg);
			cell->fg = color_of(look->colors, fg);
			cell->bg = color_of(look->colors, bg);
		}
	return true; /* the process ends soon, so nothing is freed */
}

/* ---- our own ---- */

static void put_half(struct picture_cell *cell, const uint8_t *upper, const uint8_t *lower)
{
	cell->glyph = UPPER_HALF;
	cell->fg = RGB((uint32_t)upper[0] << 16 | (uint32_t)upper[1] << 8 | upper[2]);
	cell->bg = RGB((uint32_t)lower[0] << 16 | (uint32_t)lower[1] << 8 | lower[2]);
}

static bool draw_halves(struct picture *p, const struct pixels *pixels)
{
	struct pixels small;
	int cols = p->look.cols, rows = p->look.rows;

	if (pixels_scale(pixels, cols, rows * 2, &small) < 0)
		return false;
	for (int y = 0; y < rows; y++)
		for (int x = 0; x < cols; x++) {
			const uint8_t *upper = small.rgb + ((size_t)y * 2 * (size_t)cols + (size_t)x) * 3;
			const uint8_t *lower = upper + (size_t)cols * 3;
			struct picture_cell *cell = &p->cells[(size_t)y * (size_t)cols + (size_t)x];
			put_half(cell, upper, lower);
		}
	pixels_finish(&small);
	return true;
}

/* ---- */

bool make_symbols(struct picture *p, const struct pixels *pixels)
{
	if (p->look.colors != PICTURE_MONO && draw_chafa(p, pixels))
		return true;
	if (p->look.colors != PICTURE_MONO && p->look.glyphs != PICTURE_ASCII)
		return draw_halves(p, pixels);
	make_ink(p, pixels);
	return true;
}
