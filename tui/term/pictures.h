/* SPDX-License-Identifier: MIT */
#ifndef TUI_PICTURES_H
#define TUI_PICTURES_H

/* Images on the terminal's screen. Curses knows nothing of them: it paints blanks where they are, and they
 * are drawn after it, past it. A part of an image that is hidden by what is drawn over it is not shown.
 *
 * With kitty's protocol the terminal keeps the pixels and the places that they are shown at, and a place is
 * moved or taken away. With sixel the pixels are paint: what must go is painted over by having curses write
 * its cells anew, and what moved is painted again. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cells/canvas.h"
#include "image/picture.h"

#define PICTURES_SHOWN 32
#define PICTURES_SENT 32 /* images whose pixels the terminal is asked to keep */

struct picture_part {
	enum picture_kind kind;
	uint32_t id;
	int row, col, first, rows, cols;
	const struct picture *picture; /* of the frame in hand only */
};

struct pictures {
	struct picture_part shown[PICTURES_SHOWN], next[PICTURES_SHOWN];
	size_t n_shown, n_next;
	uint32_t sent[PICTURES_SENT]; /* ids; the oldest first */
	size_t n_sent;
};

/* Look through a canvas. True: what is shown differs from what stands on the screen. */
bool pictures_look(struct pictures *p, const struct canvas *c);
/* Before curses paints: call `redraw` for the rows whose cells must be written anew. */
void pictures_before(struct pictures *p, void (*redraw)(int row, int rows));
/* After it: bring the screen to what pictures_look() has found. `move` moves the cursor. */
void pictures_after(struct pictures *p, void (*move)(int row, int col), picture_write_fn *write, void *user);
/* The screen was cleared: nothing stands there any more. */
void pictures_cleared(struct pictures *p);
/* Have the terminal forget all. */
void pictures_end(struct pictures *p, picture_write_fn *write, void *user);

#endif
