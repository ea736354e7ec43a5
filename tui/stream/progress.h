/* SPDX-License-Identifier: MIT */
#ifndef TUI_PROGRESS_H
#define TUI_PROGRESS_H

/* What takes its time before a sandbox is there, said on stderr: on a terminal in one line that is written
 * over and goes away, elsewhere in a line for each thing that is begun. What is over at once is not said. */

#include <stdbool.h>
#include <stdint.h>

enum { PROGRESS_PHASE = 96, PROGRESS_SILENT_MS = 700, PROGRESS_LINES_MS = 3000 };

struct progress {
	bool is_shown;
	uint64_t since_ns;
	char phase[PROGRESS_PHASE]; /* the last that was said */
};

void progress_init(struct progress *p, uint64_t now_ns);
/* `words` are fit to be shown, as "pulling the image x (3 s): layer 2". */
void progress_say(struct progress *p, const char *words, uint64_t now_ns);
/* A line that stays. */
void progress_tell(struct progress *p, const char *words);
/* Take the line away, before anything else is written. */
void progress_clear(struct progress *p);

#endif
