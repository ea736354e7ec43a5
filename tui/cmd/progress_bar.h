/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_PROGRESS_BAR_H
#define TUI_CMD_PROGRESS_BAR_H

/* One line on a terminal that tells how far a copy is: share, bytes, rate, time left, files. Drawn from half
 * a second on, so that what is quick leaves no trace; elsewhere than on a terminal nothing is ever drawn. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/copy.h>

struct progress_bar {
	int fd; /* -1: there is no terminal */
	uint64_t start_ns;
	bool is_drawn;
};

void progress_bar_init(struct progress_bar *progress_bar, int fd, uint64_t now_ns);
void progress_bar_draw(
		struct progress_bar *progress_bar, const struct trm_copy_progress *progress, uint64_t now_ns);
/* Take the line away: something else is to be printed, or it is over. */
void progress_bar_clear(struct progress_bar *progress_bar);

/* The line itself, of at most `columns` columns. */
void progress_bar_text(char *out, size_t cap, unsigned columns, const struct trm_copy_progress *progress,
		double seconds);
/* "1.5 GiB", "12 KiB", "7 bytes". */
void progress_bar_bytes(char *out, size_t cap, uint64_t bytes);

#endif
