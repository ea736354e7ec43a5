/* SPDX-License-Identifier: MIT */
#ifndef TUI_STATE_BUFFER_STATE_H
#define TUI_STATE_BUFFER_STATE_H

/* The stored state of a buffer besides its text, and its format on disk: lines "key value", ended by an
 * empty line. In values a newline is \n and a backslash \\. Unknown keys are skipped. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/file.h"

struct buffer_state {
	char path[4096]; /* "": the buffer was never saved */
	char lang[24];
	size_t anchor, cursor, top_line, left_col;
	struct file_format format;
	struct file_stamp stamp;
	bool is_current; /* the buffer was the current one */
	char pane[16];   /* current buffer: the pane with the focus; "": the editor */
	unsigned text;   /* number of its unsaved text; 0: the text of its file */
};

#define BUFFER_STATE_BYTES 9216 /* room for one written state */

/* Returns the length. */
size_t buffer_state_write(const struct buffer_state *p, char out[BUFFER_STATE_BYTES]);

/* Read one state from bytes[0..n). Returns the number of bytes used, 0 if there is no state. Missing
 * fields are zeroed. */
size_t buffer_state_read(const char *bytes, size_t n, struct buffer_state *ret);

#endif
