/* SPDX-License-Identifier: MIT */
#ifndef TUI_STREAM_EXTERNAL_EDITOR_H
#define TUI_STREAM_EXTERNAL_EDITOR_H

/* The person's own editor, $VISUAL or $EDITOR, which has the terminal until it ends. */

#include <stddef.h>
#include <sys/types.h>

/* Start the editor on a file, at this line (from 1) if it accepts one. The caller waits for *ret. 0 or a
 * negative errno. */
int external_editor_start(const char *path, size_t line_number, pid_t *ret);

#endif
