/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTROW_H
#define TUI_OUTROW_H

/* Converts rows of libvterm's cells to text with colors. Private to live_screen.c.
 *
 * libvterm cannot store the attribute "dim" or the stream of a character. It has ten fonts, which programs
 * cannot select here, so the bits of the font store both. */

#include <stddef.h>
#include <stdint.h>

#include <vterm.h>

#include "output/scrollback.h"

/* Bits of the font; it is set by SGR 10 + bits. */
enum { OUTROW_DIM = 1, OUTROW_STDERR = 2, OUTROW_INPUT = 4 };
enum { OUTROW_TEXT_BYTES = 4 * VTERM_MAX_CHARS_PER_CELL };

struct outrow_pen {
	uint16_t attrs;  /* ATTR_… */
	uint32_t fg, bg; /* COLOR_… */
	enum out_kind kind;
};
struct outrow_pen outrow_pen(const VTermScreenCell *c);

/* Write the characters of a cell to out[OUTROW_TEXT_BYTES]. Returns the number of bytes: 0 for the right
 * half of a wide character. */
size_t outrow_text(const VTermScreenCell *c, char *out);
/* The number of cells without the blanks at the end. */
int outrow_length(const VTermScreenCell *cells, int n);
/* Append a row to the store. No color applies after it. `stale_pens` has a bit for each stream whose stored
 * colors must be reset first; these bits are cleared. */
void outrow_keep(struct scrollback *s, uint32_t run, const VTermScreenCell *cells, int n,
		unsigned *stale_pens);

#endif
