/* SPDX-License-Identifier: MIT */
#ifndef TUI_CMD_PROGRESS_BAR_H
#define TUI_CMD_PROGRESS_BAR_H

/* One line on a terminal that shows the progress of a copy: share, bytes, rate, remaining time, files. It
 * appears after half a second, so that short copies leave no trace. It is only drawn on a terminal. */

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
/* Erase the line before other output, or at the end. */
void progress_bar_clear(struct progress_bar *progress_bar);

/* Format the line with at most `columns` columns. */
void progress_bar_text(char *out, size_t cap, unsigned columns, const struct trm_copy_progress *progress,
		double seconds);
/* "1.5 GiB", "12 KiB", "7 bytes". */
void progress_bar_bytes(char *out, size_t cap, uint64_t bytes);

#endif
