/* SPDX-License-Identifier: MIT */
#ifndef TUI_STATE_DIR_H
#define TUI_STATE_DIR_H

/* State that outlives the workbench is in $XDG_STATE_HOME/terrarium (default ~/.local/state/terrarium).
 * Only the owner can read the folder. */

#include <stdbool.h>
#include <stddef.h>

#define STATE_PATH 4096

/* The path of an entry in the state folder: "sessions", or "" for the folder itself. False: there is no
 * home directory, or the path is too long. */
bool state_path(const char *name, char out[STATE_PATH]);

/* Make a folder and its parents, mode 0700. 0 or a negative errno. */
int state_make_dir(const char *path);

/* Take a lock and make its file if needed. The lock lasts until the descriptor is closed or the process
 * ends in any way. Returns the descriptor, or a negative errno: -EWOULDBLOCK when another process has the
 * lock. */
int state_lock(const char *path);

/* Write a whole file, mode 0600, atomically: a reader finds the old file or the new one, never a part. 0
 * or a negative errno. */
int state_write(const char *path, const char *bytes, size_t n);

/* Read a whole file of at most `most` bytes into malloc'd memory with a NUL behind. NULL: there is no
 * such file, or it cannot be read. */
char *state_read(const char *path, size_t most, size_t *ret_len);

/* Remove a folder and its files. Folders inside it stay. */
void state_remove_dir(const char *path);

#endif
