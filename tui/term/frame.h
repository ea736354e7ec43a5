/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_FRAME_H
#define TUI_TERM_FRAME_H

/* The bytes of a frame, in one write. Curses writes at every move of the cursor: dozens of times a frame, and
 * each time the terminal wakes up for a few bytes. So for as long as it paints, fd 1 is a file in memory. */

#include <stdbool.h>
#include <stddef.h>

struct frame {
	int tty_fd, caught_fd; /* fd 1 itself, and what stands in for it; -1: not there */
	char *bytes;           /* of a frame on their way */
	size_t cap;
};

void frame_init(struct frame *f);
void frame_finish(struct frame *f);

/* From now on what is written to fd 1 is caught. False: it is not. */
bool frame_catch(const struct frame *f);
/* Give fd 1 back and send what was caught. A terminal that can (`has_sync`) is told to show a big frame only
 * when it is whole; a small one comes whole anyway, and shall stay small. */
void frame_send(struct frame *f, bool has_sync);

#endif
