/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_BAR_H
#define TUI_CMD_BAR_H

/* One line on a terminal that tells how far a copy is: share, bytes, rate, time left, files. Drawn from half
 * a second on, so that what is quick leaves no trace; elsewhere than on a terminal nothing is ever drawn. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/copy.h>

struct bar {
	int fd; /* -1: there is no terminal */
	uint64_t start_ns;
	bool is_drawn;
};

void bar_init(struct bar *bar, int fd, uint64_t now_ns);
void bar_draw(struct bar *bar, const struct trm_copy_progress *progress, uint64_t now_ns);
/* Take the line away: something else is to be printed, or it is over. */
void bar_clear(struct bar *bar);

/* The line itself, of at most `columns` columns. */
void bar_text(char *out, size_t cap, unsigned columns, const struct trm_copy_progress *progress,
		double seconds);
/* "1.5 GiB", "12 KiB", "7 bytes". */
void bar_bytes(char *out, size_t cap, uint64_t bytes);

#endif
