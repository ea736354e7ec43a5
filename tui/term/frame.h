/* SPDX-License-Identifier: MIT */
#ifndef TUI_TERM_FRAME_H
#define TUI_TERM_FRAME_H

/* Sends the bytes of a frame in one write. Curses writes at every move of the cursor, dozens of times a
 * frame, and each write wakes the terminal for a few bytes. So while curses paints, fd 1 is a file in
 * memory. */

#include <stdbool.h>
#include <stddef.h>

struct frame {
	int tty_fd, caught_fd; /* fd 1 itself, and its replacement; -1: none */
	char *bytes;           /* of the frame that is being sent */
	size_t cap;
};

void frame_init(struct frame *f);
void frame_finish(struct frame *f);

/* From now on, catch everything that is written to fd 1. False: this failed. */
bool frame_catch(const struct frame *f);
/* Give fd 1 back and send the caught bytes. If the terminal can (`has_sync`), it shows a big frame only
 * when it is complete. A small frame arrives in one piece anyway. */
void frame_send(struct frame *f, bool has_sync);

#endif
