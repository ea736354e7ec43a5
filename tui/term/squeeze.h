/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_SQUEEZE_H
#define TUI_TERM_SQUEEZE_H

/* Fewer bytes for the same looks. Curses sets both colours whenever one of them changes, which is a third of
 * what an idle workbench sends. Left out are colours that are set already, those that are reset in the next
 * breath, and the return to a character set that was never left. */

#include <stddef.h>

/* The bytes of a whole frame, which sets its looks itself, changed in place. Returns how many are left. */
size_t squeeze(char *bytes, size_t n);

#endif
