/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_TAIL_H
#define TUI_STREAM_TAIL_H

/* The end of what code has printed, for hints. */

#include <stddef.h>

enum { TAIL_BYTES = 4096 };

struct tail { /* zeroed at first; to empty it, set n to 0 */
	char bytes[TAIL_BYTES + 1];
	size_t n;
};

void tail_note(struct tail *tail, const char *bytes, size_t n);
/* As a text: blanks stand for NULs. Valid until the next call. */
const char *tail_text(struct tail *tail);

#endif
