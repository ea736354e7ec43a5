/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_CURSES_CELL_H
#define TUI_TERM_CURSES_CELL_H

/* Cells of a canvas as curses cells.
 *
 * Curses believes in libc's idea of how wide a character is, so only what libc and our own table
 * (text/cluster.h) agree on is handed to it; of a cluster, that is its first code point and the marks on it.
 * What a terminal might widen (variation selectors, what follows a joiner) is left out, and a flag goes as
 * its two letters. So no terminal's columns drift from ours.
 *
 * Colors are pairs in curses, of which there are as many as the terminal has; alloc_pair(3) keeps those in
 * use and drops the oldest. */

#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

#include <stdbool.h>
#include <stddef.h>

#include "cells/canvas.h"

struct term;

/* The last style that was looked up, and what it was found to be. Zeroed, there was none. */
struct curses_look {
	struct style style;
	attr_t attrs;
	int pair;
	bool has_style;
};

/* Makes one or two of them (a flag is two) at `out`, and returns how many. */
size_t curses_cell(struct curses_look *look, const struct term *t, const struct cell *cell, cchar_t *out);

#endif
