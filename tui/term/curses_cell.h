/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_CURSES_CELL_H
#define TUI_TERM_CURSES_CELL_H

/* Converts cells of a canvas to curses cells.
 *
 * Curses takes the width of a character from libc. So curses gets only characters on whose width libc and
 * terrarium's own table (text/cluster.h) agree: the first code point of a cluster and its marks. Code
 * points that a terminal might widen (variation selectors, code points after a joiner, skin tones) are
 * left out, and a flag is written as its two letters. Skin tones and joined emoji stay if the terminal
 * has reported that it shows them as one emoji (terminal_query.h). So the columns of every terminal agree
 * with the canvas.
 *
 * Colors are pairs in curses, and a terminal has a limited number of them. alloc_pair(3) keeps the pairs
 * in use and drops the oldest. */

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

#include <stdbool.h>
#include <stddef.h>

#include "cells/canvas.h"

struct term;
struct curses_look;

struct curses_look *term_look(struct term *t); /* the painter's (curses.c) */

enum { CURSES_MENDED = 64 };

/* The last style that was looked up, and the result. Zeroed: none. */
struct curses_look {
	struct style style;
	attr_t attrs;
	int pair;
	bool has_style;
	struct curses_mended {
		uint32_t fg, bg, is;
	} mended[CURSES_MENDED]; /* cache of color_mend(): text color, background, result */
};

/* Write one or two cells (a flag is two) to `out`. Returns their number. */
size_t curses_cell(struct curses_look *look, const struct term *t, const struct cell *cell, cchar_t *out);

#endif
