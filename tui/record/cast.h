/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_CAST_H
#define TUI_RECORD_CAST_H

/* A recording as an asciicast, version 2 (https://docs.asciinema.org/manual/asciicast/v2/). The cast
 * shows the screen of the workbench during the recording, drawn in the size and theme of the caller's
 * choice. Output of the code appears only as cells of that screen, never as raw bytes. */

struct recording;
struct theme;
struct writer;

struct cast_opts {
	int rows, cols;            /* 0: size of the recording, or 36x120 */
	const struct theme *theme; /* borrowed */
};

void cast_write(const struct recording *recording, const struct cast_opts *opts, struct writer *w);

#endif
