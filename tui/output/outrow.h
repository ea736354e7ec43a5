/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTROW_H
#define TUI_OUTROW_H

/* Rows of libvterm's cells as text with colors. Private to live_screen.c.
 *
 * libvterm knows neither dim nor who printed a character, but ten fonts, which no program gets to choose
 * here: the font's bits tell. */

#include <stddef.h>
#include <stdint.h>

#include <vterm.h>

#include "output/scrollback.h"

enum { OUTROW_DIM = 1, OUTROW_STDERR = 2, OUTROW_INPUT = 4 }; /* bits of the font: SGR 10 + these */
enum { OUTROW_TEXT_BYTES = 4 * VTERM_MAX_CHARS_PER_CELL };

struct outrow_pen {
	uint16_t attrs;  /* ATTR_… */
	uint32_t fg, bg; /* COLOR_… */
	enum out_kind kind;
};
struct outrow_pen outrow_pen(const VTermScreenCell *c);

/* The characters of a cell into out[OUTROW_TEXT_BYTES]; how many bytes: 0 for the right half of a wide one.
 */
size_t outrow_text(const VTermScreenCell *c, char *out);
/* Cells of a row up to the blanks at its end. */
int outrow_length(const VTermScreenCell *cells, int n);
/* Append a row to the store, no color in force behind it. `stale_pens`: bit k for each stream whose colors
 * in the store are to be reset first; those that were are taken out. */
void outrow_keep(struct scrollback *s, uint32_t run, const VTermScreenCell *cells, int n,
		unsigned *stale_pens);

#endif
