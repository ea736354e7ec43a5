/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_SGR_DEDUP_H
#define TUI_TERM_SGR_DEDUP_H

/* Removes sequences from a frame that do not change the screen: a color that is set already, a color that the
 * next sequence resets, and the return to a character set that was never left. Curses sets both colors
 * whenever one of them changes. Without this an idle workbench sends about 200 bytes per second instead of
 * 120, and a key in 100 000 colored lines more bytes than micro sends (./dev bench tui typing). */

#include <stddef.h>

/* Shorten the bytes of a whole frame, which sets all its attributes itself, in place. Returns the new
 * length. */
size_t sgr_dedup(char *bytes, size_t n);

#endif
