/* SPDX-License-Identifier: MIT */
#ifndef TUI_MOVERS_H
#define TUI_MOVERS_H

/* Finds, in what a program prints, the first control sequence that does more than write on at the
 * end: one that moves the cursor to another line, clears a part of the screen or shifts what is on it.
 * Colours, carriage returns and what stays in its line (see model/ansi.h) are none. Text without such
 * sequences costs a memchr. Sans I/O: bytes may be cut anywhere. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct movers {
	uint8_t state;   /* 0: between sequences */
	bool is_private; /* a mark or an intermediate byte that none of ours has */
};

/* The offset of the byte that completes such a sequence; n if there is none. */
size_t movers_find(struct movers *m, const char *bytes, size_t n);

#endif
