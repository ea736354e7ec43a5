/* SPDX-License-Identifier: MIT */
#ifndef TUI_STATE_BUFFER_STATE_H
#define TUI_STATE_BUFFER_STATE_H

/* What is remembered of a buffer beside its text, and how it is written: lines "key value", ended by an empty
 * line. In values a newline is \n and a backslash \\. Keys that are not known are passed over. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/file.h"

struct buffer_state {
	char path[4096]; /* "": it was never saved */
	char lang[24];
	size_t anchor, cursor, top_line, left_col;
	struct file_format format;
	struct file_stamp stamp;
	bool is_current; /* it was the one shown */
	char pane[16];   /* of the current one: which pane had the focus; "": the editor */
	unsigned text;   /* which of the unsaved texts is its; 0: that of its file */
};

#define BUFFER_STATE_BYTES 9216 /* room for one, written */

/* Returns the length. */
size_t buffer_state_write(const struct buffer_state *p, char out[BUFFER_STATE_BYTES]);

/* Read one from bytes[0..n); returns how many bytes it took, 0 if there is none. What is missing is zeroed.
 */
size_t buffer_state_read(const char *bytes, size_t n, struct buffer_state *ret);

#endif
