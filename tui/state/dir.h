/* SPDX-License-Identifier: MIT */
#ifndef TUI_STATE_DIR_H
#define TUI_STATE_DIR_H

/* What outlives the workbench lies in $XDG_STATE_HOME/terrarium (~/.local/state/terrarium where that is not
 * set), which only its owner may look into. */

#include <stdbool.h>
#include <stddef.h>

#define STATE_PATH 4096

/* The path of something in there: "sessions", "" for the folder itself. False: there is no home, or the path
 * is too long. */
bool state_path(const char *name, char out[STATE_PATH]);

/* Make a folder and those above it, mode 0700. 0 or a negative errno. */
int state_make_dir(const char *path);

/* Take a lock, making its file; it lasts until the descriptor is closed or the process ends, however that
 * happens. The descriptor, or a negative errno: -EWOULDBLOCK when another process has it. */
int state_lock(const char *path);

/* Write a whole file, mode 0600, so that there is the old one or the new one, never a part. 0 or a negative
 * errno. */
int state_write(const char *path, const char *bytes, size_t n);

/* Read a whole file of at most `most` bytes; malloc'd, with a NUL behind. NULL: there is none, or it is not
 * to be read. */
char *state_read(const char *path, size_t most, size_t *ret_len);

/* Remove a folder with the files in it, but not folders in it. */
void state_remove_dir(const char *path);

#endif
