/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPUT_CURSOR_SEQUENCES_H
#define TUI_OUTPUT_CURSOR_SEQUENCES_H

/* Finds, in what a program prints, the first control sequence that does more than write on at the
 * end: one that moves the cursor to another line, clears a part of the screen or shifts what is on it.
 * Colors, carriage returns and what stays in its line (see model/ansi.h) are none. Text without such
 * sequences costs a memchr. Sans I/O: bytes may be cut anywhere. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor_sequences {
	uint8_t state;   /* 0: between sequences */
	bool is_private; /* a mark or an intermediate byte that none of ours has */
};

/* The offset of the byte that completes such a sequence; n if there is none. */
size_t cursor_sequences_find(struct cursor_sequences *m, const char *bytes, size_t n);

#endif
