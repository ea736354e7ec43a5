/* SPDX-License-Identifier: MIT */
#ifndef TUI_DIRECT_H
#define TUI_DIRECT_H

#include <stdbool.h>

/* Terminals with 24-bit color whose terminfo entry does not know of it. */

#define DIRECT_NAME "terrarium-direct"

/* The environment says that the terminal has 24-bit color, and TERM is of a kind that direct.ti fits. */
bool direct_is_wanted(void);

/* direct.ti, compiled, as a value for TERMINFO that holds the entry itself ("hex:…", see terminfo(5));
 * malloc'd, NULL when out of memory. */
char *direct_terminfo(void);

#endif
