/* SPDX-License-Identifier: MIT */
#ifndef TUI_DIRECT_H
#define TUI_DIRECT_H

#include <stdbool.h>

/* Terminals with 24-bit color whose terminfo entry lacks it. */

#define DIRECT_NAME "terrarium-direct"

/* Does the environment say that the terminal has 24-bit color, and is TERM of a kind that direct.ti fits? */
bool direct_is_wanted(void);

/* direct.ti, compiled, as a value for TERMINFO that contains the entry itself ("hex:…", see terminfo(5));
 * malloc'd. NULL: no memory. */
char *direct_terminfo(void);

#endif
