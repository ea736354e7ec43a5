/* SPDX-License-Identifier: MIT */
#ifndef TUI_PICTURES_H
#define TUI_PICTURES_H

/* Images on the terminal's screen. Curses does not know about them: it paints blanks where they are, and
 * they are drawn afterwards, without curses. A part of an image that is covered is not shown.
 *
 * With kitty's protocol the terminal stores pixels and placements, and a placement can be moved or
 * removed. With sixel the pixels are painted. To remove them, curses must write their cells again; an
 * image that moved is painted again. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells/canvas.h"
#include "image/picture.h"

#define PICTURES_SHOWN 32
#define PICTURES_SENT 32 /* images whose pixels the terminal is asked to store */

struct picture_part {
	enum picture_kind kind;
	uint32_t id;
	int row, col, first, rows, cols;
	const struct picture *picture; /* only during the current frame */
};

struct pictures {
	struct picture_part shown[PICTURES_SHOWN], next[PICTURES_SHOWN];
	size_t n_shown, n_next;
	uint32_t sent[PICTURES_SENT]; /* ids; the oldest first */
	size_t n_sent;
};

/* Collect the pictures of a canvas. True: they differ from those on the screen. */
bool pictures_compare(struct pictures *p, const struct canvas *c);
/* Before curses paints: call `redraw` for the rows whose cells must be written again. */
void pictures_before(struct pictures *p, void (*redraw)(int row, int rows));
/* After curses has painted: update the screen to what pictures_compare() has found. `move` moves the cursor.
 */
void pictures_after(struct pictures *p, void (*move)(int row, int col), picture_write_fn *write, void *user);
/* The screen was cleared, so no picture is left. */
void pictures_cleared(struct pictures *p);
/* Make the terminal forget everything. */
void pictures_end(struct pictures *p, picture_write_fn *write, void *user);

#endif
