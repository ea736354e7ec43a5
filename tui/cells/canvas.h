/* SPDX-License-Identifier: MIT */
#ifndef TUI_CELLS_CANVAS_H
#define TUI_CELLS_CANVAS_H

/* The screen as an array of cells. Views draw into it, and the painter (tui/term/curses.c) brings changes
 * to the terminal; canvas_dump() is the test double. Only cells reach the terminal: text is split into
 * grapheme clusters here, and control characters are shown as U+FFFD. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells/role.h"

/* A color: COLOR_NONE (the role's own), a palette index (0 to 255), or 24 bits. */
#define COLOR_NONE 0u
#define COLOR_INDEX(i) (0x01000000u | (uint8_t)(i))
#define COLOR_RGB(rgb) (0x02000000u | ((rgb)&0xFFFFFFu))

/* The role's own color, in so many steps on its way over ROLE_GRAPH_MID to ROLE_GRAPH_HIGH: 0 to COLOR_HEATS.
 * Only as `fg` of a style. */
#define COLOR_HEAT(step) (0x03000000u | (uint8_t)(step))
#define COLOR_IS_HEAT(color) (((color)&0xFF000000u) == 0x03000000u)
#define COLOR_HEATS 8

enum {
	ATTR_BOLD = 1,
	ATTR_DIM = 2,
	ATTR_ITALIC = 4,
	ATTR_UNDERLINE = 8,
	ATTR_REVERSE = 16,
	ATTR_STRIKE = 32
};

struct style {
	uint16_t role;   /* enum role: what the cell is; the theme decides how it looks */
	uint8_t attrs;   /* ATTR_…, added to the role's */
	uint8_t ground;  /* enum role: the role whose background the cell has (a keyword in the current line),
			    and whose attributes are added; 0: its own */
	uint32_t fg, bg; /* override the role's unless COLOR_NONE (a program's own colors) */
};

struct cell {
	char text[20];   /* one grapheme cluster, UTF-8, NUL-terminated; "" in the right half of a wide one */
	uint8_t width;   /* 1 or 2; 0 in the right half of a wide one */
	uint8_t picture; /* 0, or 1 + the index of the picture that is visible here */
	uint16_t link;   /* 0, or the number of the link that this cell is a part of: canvas_link() */
	struct style style;
};

struct picture;

/* Part of an image over blank cells, for terminals that can draw images (image/picture.h). Drawing into
 * these cells later hides the image there. */
struct canvas_picture {
	const struct picture *picture; /* borrowed until the canvas is drawn into again */
	int row, col, cols;            /* position of its first column */
	int first, rows;               /* rows of the picture */
};

#define CANVAS_PICTURES 32

/* Links to places on the web, for terminals that show them. A number belongs to a URL in all frames, as far
 * as possible: two URLs may have the same number in different frames. */
enum { CANVAS_LINKS = 100, LINK_BYTES = 1024, LINK_NUMBERS = 65534 }; /* numbers: from 1 */

struct canvas_links {
	size_t n;
	uint16_t numbers[CANVAS_LINKS];
	char urls[CANVAS_LINKS][LINK_BYTES];
};

struct rect {
	int row, col, rows, cols;
};

struct canvas {
	int rows, cols;
	struct cell *cells;         /* rows * cols, row by row */
	struct rect touched;        /* everything drawn into since the last painting */
	int cursor_row, cursor_col; /* -1: hidden, and anywhere */
	bool hides_cursor;          /* it stands there, for screen readers, but is not seen */
	struct canvas_picture pictures[CANVAS_PICTURES];
	size_t n_pictures;
	struct canvas_links *links; /* NULL: there never were any */
};

static inline bool rect_contains(struct rect r, int row, int col)
{
	return row >= r.row && row < r.row + r.rows && col >= r.col && col < r.col + r.cols;
}

int canvas_init(struct canvas *c, int rows, int cols);
void canvas_finish(struct canvas *c);                    /* accepts a zeroed object */
int canvas_resize(struct canvas *c, int rows, int cols); /* the contents become blank */
void canvas_fill(struct canvas *c, struct rect area, const char *cluster, struct style style);

/* Draw one line of text inside `clip`, starting at (row, col), which may lie left of the clip. Returns
 * the column after the text. A wide character that does not fit at an edge becomes a space. */
int canvas_put(struct canvas *c, struct rect clip, int row, int col, const char *text, size_t n,
		struct style style);

/* Put one row of a picture into the cells of `area`, which is one row high. Consecutive rows below each
 * other become one part. */
void canvas_picture(struct canvas *c, const struct picture *picture, int picture_row, struct rect area);

/* The number of a link to `url`, which is printable ASCII; 0: there are too many, or it is too long. */
uint16_t canvas_link(struct canvas *c, const char *url);
const char *canvas_link_url(const struct canvas *c, uint16_t number); /* NULL: there is none */
void canvas_forget_links(struct canvas *c);
static inline bool canvas_has_links(const struct canvas *c)
{
	return c->links && c->links->n > 0;
}

/* The text of all cells, one line per row, without trailing blanks; malloc'd. */
char *canvas_dump(const struct canvas *c);

#endif
