/* SPDX-License-Identifier: MIT */
#ifndef TUI_IMAGE_PICTURE_H
#define TUI_IMAGE_PICTURE_H

/* An image prepared for a terminal: as characters, as pixels of few colors for sixel, or as pixels for
 * kitty's graphics protocol. It covers rows by cols cells.
 *
 * Sources: "All about sixels" and DEC's VT330/VT340 manual, chapter 14; kitty's "Terminal graphics
 * protocol". */

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
}; /* halves: what the Linux console can show */

#define PICTURE_COLORS 256 /* of a sixel picture */

/* The requested form of an image. */
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
	uint32_t id; /* set by the caller; unique in this process */
	struct picture_style look;
	int width, height;          /* all pixels of the cells */
	struct picture_cell *cells; /* symbols: rows * cols */
	uint8_t *bytes; /* sixel: a color for each pixel; kitty: red, green, blue, perhaps deflated */
	size_t n;
	bool is_deflated;
	size_t n_colors;
	uint8_t palette[PICTURE_COLORS][3];
};

void picture_destroy(struct picture *p); /* accepts NULL */

/* ---- in the child ---- */

/* Make a picture from pixels of any size. NULL: out of memory. */
struct picture *picture_create(const struct pixels *pixels, const struct picture_style *look);

/* Convert to bytes, and back. The reader checks everything: TRM_EPROTO if the bytes are not what was
 * requested. */
uint8_t *picture_pack(const struct picture *p, size_t *ret_len); /* malloc'd, or NULL */
int picture_unpack(const uint8_t *bytes, size_t n, const struct picture_style *asked, struct picture **ret,
		struct trm_error *reterr);

/* ---- escape sequences ---- */

typedef void picture_write_fn(void *user, const char *bytes, size_t n);

/* The rows of cells [first, first + rows) and the leftmost `cols` as a sixel image at the cursor. */
void picture_sixel(
		const struct picture *p, int first, int rows, int cols, picture_write_fn *write, void *user);
/* Send the pixels to the terminal (kitty), which stores them under the picture's id. */
void picture_kitty_send(const struct picture *p, picture_write_fn *write, void *user);
/* Show these rows and columns at the cursor, as placement `place` (1 or more). */
void picture_kitty_place(const struct picture *p, uint32_t place, int first, int rows, int cols,
		picture_write_fn *write, void *user);
/* Remove a placement; 0: all of them, and the pixels. */
void picture_kitty_remove(uint32_t id, uint32_t place, picture_write_fn *write, void *user);

#endif
