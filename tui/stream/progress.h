/* SPDX-License-Identifier: MIT */
#ifndef TUI_PROGRESS_H
#define TUI_PROGRESS_H

/* Slow steps before a sandbox is ready, shown on stderr. On a terminal it is one line, which is
 * overwritten and finally removed. Elsewhere it is one line for each step. Quick steps are not shown. */

#include <stdbool.h>
#include <stdint.h>

enum { PROGRESS_PHASE = 96, PROGRESS_SILENT_MS = 700, PROGRESS_LINES_MS = 3000 };

struct progress {
	bool is_shown;
	uint64_t since_ns;
	char phase[PROGRESS_PHASE]; /* the last one shown */
};

void progress_init(struct progress *p, uint64_t now_ns);
/* `text` are fit for display, such as "pulling the image x (3 s): layer 2". */
void progress_say(struct progress *p, const char *text, uint64_t now_ns);
/* Write a line that stays. */
void progress_print(struct progress *p, const char *text);
/* Remove the line, before anything else is written. */
void progress_clear(struct progress *p);

#endif
