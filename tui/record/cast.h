/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_CAST_H
#define TUI_RECORD_CAST_H

/* A recording as an asciicast, version 2 (https://docs.asciinema.org/manual/asciicast/v2/): the workbench's
 * screen as it was while it was recorded, drawn at a size and in a theme of one's choice. What the code
 * printed is in it as cells of that screen, never as bytes of its own. */

struct recording;
struct theme;
struct writer;

struct cast_opts {
	int rows, cols;            /* 0: as it was recorded, or 36x120 */
	const struct theme *theme; /* borrowed */
};

void cast_write(const struct recording *recording, const struct cast_opts *opts, struct writer *w);

#endif
