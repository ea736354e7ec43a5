/* SPDX-License-Identifier: MIT */
#include "image/picture.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "image/decode.h"
#include "image/image.h"
#include "image/library.h"
#include "image/make.h"

void picture_destroy(struct picture *p)
{
	if (!p)
		return;
	free(p->cells);
	free(p->bytes);
	free(p);
}

/* ---- making one ---- */

/* The size in pixels that this look needs for an image of the given size. */
static void picture_pixels(
		const struct picture_style *look, int width, int height, int *ret_width, int *ret_height)
{
	*ret_width = width;
	*ret_height = height;
	bool is_exact = look->kind == PICTURE_SIXEL && look->cell_w > 0 && look->cell_h > 0;
	bool is_less = look->kind == PICTURE_KITTY && look->cell_w > 0
		       && (width > look->cols * look->cell_w || height > look->rows * look->cell_h);
	if (is_exact || is_less) { /* kitty itself enlarges a smaller image, and smoothly */
		*ret_width = look->cols * look->cell_w;
		*ret_height = look->rows * look->cell_h;
	}
}

/* Level 1: plots become small at any level. Without zlib the bytes stay uncompressed. */
static void deflate_bytes(struct picture *p)
{
	struct library_zlib zlib;

	if (library_load(LIBRARY_ZLIB, &zlib, NULL) < 0)
		return;
	unsigned long len = zlib.bound(p->n);
	uint8_t *out = malloc(len);
	if (out && zlib.compress(out, &len, p->bytes, p->n, 1) == 0) {
		free(p->bytes);
		p->bytes = out;
		p->n = len;
		p->is_deflated = true;
	} else {
		free(out);
	}
}

static bool make_pixels(struct picture *p, const struct pixels *pixels)
{
	p->width = pixels->width;
	p->height = pixels->height;
	p->n = (size_t)p->width * (size_t)p->height;
	if (p->look.kind == PICTURE_SIXEL) {
		p->bytes = malloc(p->n);
		return p->bytes && make_palette(p, pixels->rgb);
	}
	p->n *= 3;
	p->bytes = malloc(p->n);
	if (!p->bytes)
		return false;
	memcpy(p->bytes, pixels->rgb, p->n);
	deflate_bytes(p);
	return true;
}

struct picture *picture_create(const struct pixels *pixels, const struct picture_style *look)
{
	struct picture *p = calloc(1, sizeof *p);
	struct pixels scaled = {0};
	int width, height;
	bool ok = p;

	if (!p)
		return NULL;
	p->look = *look;
	if (look->kind == PICTURE_SYMBOLS) {
		p->cells = calloc((size_t)look->rows * (size_t)look->cols, sizeof *p->cells);
		ok = p->cells && make_symbols(p, pixels);
	} else {
		picture_pixels(look, pixels->width, pixels->height, &width, &height);
		bool fits = width == pixels->width && height == pixels->height;
		ok = fits || pixels_scale(pixels, width, height, &scaled) == 0;
		ok = ok && make_pixels(p, fits ? pixels : &scaled);
	}
	pixels_finish(&scaled);
	if (ok)
		return p;
	picture_destroy(p);
	return NULL;
}

/* ---- transfer from the child ---- */

/* Precedes the cells or bytes. Both ends are the same program, so the machine's byte order is fine. */
struct header {
	uint32_t magic;
	int32_t kind, cols, rows, width, height;
	uint32_t is_deflated, n_colors;
	uint64_t n; /* bytes that follow */
	uint8_t palette[PICTURE_COLORS][3];
};
#define MAGIC 0x50696331u

uint8_t *picture_pack(const struct picture *p, size_t *ret_len)
{
	bool has_cells = p->look.kind == PICTURE_SYMBOLS;
	size_t n = has_cells ? (size_t)p->look.rows * (size_t)p->look.cols * sizeof *p->cells : p->n;
	struct header h = {.magic = MAGIC,
			.kind = p->look.kind,
			.cols = p->look.cols,
			.rows = p->look.rows,
			.width = p->width,
			.height = p->height,
			.is_deflated = p->is_deflated,
			.n_colors = (uint32_t)p->n_colors,
			.n = n};
	uint8_t *out = malloc(sizeof h + n);

	if (!out)
		return NULL;
	memcpy(h.palette, p->palette, sizeof h.palette);
	memcpy(out, &h, sizeof h);
	memcpy(out + sizeof h, has_cells ? (const void *)p->cells : p->bytes, n);
	*ret_len = sizeof h + n;
	return out;
}

/* Does the header match the request, and is it consistent? */
static bool is_sound(const struct header *h, const struct picture_style *asked)
{
	uint64_t pixels = (uint64_t)h->width * (uint64_t)h->height;
	bool has_size = h->width > 0 && h->height > 0 && h->width <= IMAGE_SIDE_MAX
			&& h->height <= IMAGE_SIDE_MAX;

	if (h->magic != MAGIC || h->kind != (int)asked->kind || h->cols != asked->cols
			|| h->rows != asked->rows)
		return false;
	switch (asked->kind) {
	case PICTURE_SYMBOLS:
		return h->n == (uint64_t)h->cols * (uint64_t)h->rows * sizeof(struct picture_cell);
	case PICTURE_SIXEL:
		return has_size && h->width == asked->cols * asked->cell_w
		       && h->height == asked->rows * asked->cell_h && h->n == pixels
		       && h->n_colors <= PICTURE_COLORS;
	case PICTURE_KITTY:
		return has_size && pixels <= IMAGE_PIXELS_MAX && (h->is_deflated || h->n == pixels * 3);
	}
	return false;
}

/* Correct colors that are not in the palette, and invalid characters, which would mislead the drawing
 * code. */
static void mend(struct picture *p)
{
	for (size_t i = 0; p->look.kind == PICTURE_SIXEL && i < p->n; i++)
		if (p->bytes[i] >= p->n_colors)
			p->bytes[i] = 0;
	for (size_t i = 0; p->cells && i < (size_t)p->look.rows * (size_t)p->look.cols; i++) {
		uint32_t c = p->cells[i].glyph;
		if (c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0xD800 && c < 0xE000) || c > 0x10FFFF)
			p->cells[i].glyph = ' ';
	}
}

int picture_unpack(const uint8_t *bytes, size_t n, const struct picture_style *asked, struct picture **ret,
		struct trm_error *reterr)
{
	struct header h = {0};

	if (n >= sizeof h)
		memcpy(&h, bytes, sizeof h);
	if (n < sizeof h || !is_sound(&h, asked) || h.n != n - sizeof h)
		return trm_error_set(
				reterr, TRM_EPROTO, "the image was decoded to something that it cannot be");
	struct picture *p = calloc(1, sizeof *p);
	void *data = malloc(h.n ? (size_t)h.n : 1);
	if (!p || !data) {
		free(p);
		free(data);
		return trm_error_set(reterr, TRM_ENOMEM, "the image needs too much memory");
	}
	memcpy(data, bytes + sizeof h, (size_t)h.n);
	*p = (struct picture){.look = *asked,
			.width = h.width,
			.height = h.height,
			.n = (size_t)h.n,
			.is_deflated = h.is_deflated != 0,
			.n_colors = h.n_colors};
	memcpy(p->palette, h.palette, sizeof h.palette);
	if (asked->kind == PICTURE_SYMBOLS)
		p->cells = data;
	else
		p->bytes = data;
	mend(p);
	*ret = p;
	return 0;
}
