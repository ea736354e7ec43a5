/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_CURSES_CELL_H
#define TUI_TERM_CURSES_CELL_H

/* Cells of a canvas as curses cells.
 *
 * Curses believes in libc's idea of how wide a character is, so only what libc and our own table
 * (text/cluster.h) agree on is handed to it; of a cluster, that is its first code point and the marks on it.
 * What a terminal might widen (variation selectors, what follows a joiner, skin tones) is left out, and a
 * flag goes as its two letters; but where the terminal has told that it shows one emoji (terminal_query.h),
 * skin tones and joined emoji stay. So no terminal's columns drift from ours.
 *
 * Colors are pairs in curses, and a terminal has a limited number; alloc_pair(3) keeps those in use and
 * drops the oldest. */

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

#include <stdbool.h>
#include <stddef.h>

#include "cells/canvas.h"

struct term;

enum { CURSES_MENDED = 64 };

/* The last style that was looked up, and what it was found to be. Zeroed, there was none. */
struct curses_look {
	struct style style;
	attr_t attrs;
	int pair;
	bool has_style;
	struct curses_mended {
		uint32_t fg, bg, is;
	} mended[CURSES_MENDED]; /* colors of programs on a ground, and what is shown */
};

/* Write one or two cells (a flag is two) to `out`. Returns their number. */
size_t curses_cell(struct curses_look *look, const struct term *t, const struct cell *cell, cchar_t *out);

#endif
