/* SPDX-License-Identifier: MIT */
#ifndef TUI_IMAGE_PICTURE_H
#define TUI_IMAGE_PICTURE_H

/* An image made ready for a terminal: as characters, as pixels of few colors for sixel, or as pixels for
 * kitty's graphics protocol. It covers rows by cols cells.
 *
 * Sources: "All about sixels" and DEC's VT330/VT340 manual, chapter 14; kitty's "Terminal graphics protocol".
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pixels;
struct trm_error;

enum picture_kind { PICTURE_SYMBOLS, PICTURE_SIXEL, PICTURE_KITTY };
enum picture_colors { PICTURE_MONO, PICTURE_16, PICTURE_256, PICTURE_RGB };
enum picture_glyphs {
	PICTURE_ASCII,
	PICTURE_HALVES,
	PICTURE_UNICODE
}; /* halves: what the Linux console has */

#define PICTURE_COLORS 256 /* of a sixel picture */

/* How an image is wanted. */
struct picture_style {
	enum picture_kind kind;
	int cols, rows;
	int cell_w, cell_h;         /* pixels of a cell; for sixel and kitty */
	enum picture_colors colors; /* symbols */
	enum picture_glyphs glyphs;
};

struct picture_cell {
	uint32_t glyph;  /* a character of width 1 */
	uint32_t fg, bg; /* as COLOR_… in cells/canvas.h */
};

struct picture {
	uint32_t id; /* given by whoever asked for it; of one picture only, in this process */
	struct picture_style look;
	int width, height;          /* pixels: those that lie in the cells, all of them */
	struct picture_cell *cells; /* symbols: rows * cols */
	uint8_t *bytes; /* sixel: a color for each pixel; kitty: red, green, blue, or these deflated */
	size_t n;
	bool is_deflated;
	size_t n_colors;
	uint8_t palette[PICTURE_COLORS][3];
};

void picture_destroy(struct picture *p); /* takes NULL */

/* ---- in the child ---- */

/* The size in pixels that an image of info's size is needed in for this look. */
void picture_pixels(const struct picture_style *look, int width, int height, int *ret_width, int *ret_height);
/* Make one of pixels of any size. NULL: out of memory. */
struct picture *picture_create(const struct pixels *pixels, const struct picture_style *look);

/* As bytes, and back. The reader believes nothing: TRM_EPROTO if they are not what was asked for. */
uint8_t *picture_pack(const struct picture *p, size_t *ret_len); /* malloc'd, or NULL */
int picture_unpack(const uint8_t *bytes, size_t n, const struct picture_style *asked, struct picture **ret,
		struct trm_error *reterr);

/* ---- escape sequences ---- */

typedef void picture_write_fn(void *user, const char *bytes, size_t n);

/* The rows of cells [first, first + rows) and the leftmost `cols` as a sixel image, at the cursor. */
void picture_sixel(
		const struct picture *p, int first, int rows, int cols, picture_write_fn *write, void *user);
/* Hand the pixels to the terminal (kitty), which then knows them by the picture's id. */
void picture_kitty_send(const struct picture *p, picture_write_fn *write, void *user);
/* Show these rows and columns of it at the cursor, as placement `place` (1 or more). */
void picture_kitty_place(const struct picture *p, uint32_t place, int first, int rows, int cols,
		picture_write_fn *write, void *user);
/* Take a placement away; 0: all of them, and the pixels. */
void picture_kitty_remove(uint32_t id, uint32_t place, picture_write_fn *write, void *user);

#endif
