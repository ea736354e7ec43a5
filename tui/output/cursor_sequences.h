/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPUT_CURSOR_SEQUENCES_H
#define TUI_OUTPUT_CURSOR_SEQUENCES_H

/* Finds the first control sequence in a program's output that does more than write at the end: it moves the
 * cursor to another line, clears part of the screen, or shifts its content. Colors, carriage returns and
 * controls within a line (see output/ansi.h) do not count. Text without such sequences costs a memchr. No
 * I/O: input may be split anywhere. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor_sequences {
	uint8_t state;   /* 0: between sequences */
	bool is_private; /* it has a mark or intermediate byte that no supported sequence has */
};

/* The offset of the byte that completes such a sequence; n: there is none. */
size_t cursor_sequences_find(struct cursor_sequences *m, const char *bytes, size_t n);

#endif
