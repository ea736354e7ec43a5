/* SPDX-License-Identifier: MIT */
#ifndef TUI_STATE_UNSAVED_H
#define TUI_STATE_UNSAVED_H

/* Unsaved texts, stored so that they survive even kill -9.
 *
 * Theory of operation. Each workbench with unsaved texts has a folder of its own below
 * $XDG_STATE_HOME/terrarium/unsaved. The workbench holds a lock on the file `lock` in the folder for its
 * whole life. Each unsaved buffer has a file with its state, followed by its text. When another workbench
 * can take the lock, the owner of the folder has ended. The workbench that has taken the lock offers the
 * texts to the user. Two workbenches that start at the same time cannot both get the lock.
 *
 * A text is written in slices, so that a large text never delays a key. The slices go to a new file,
 * which replaces the previous one when it is complete. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "state/buffer_state.h"
#include "state/dir.h"

struct text;

/* A folder that this process has locked. Zeroed: none. */
struct unsaved_dir {
	char path[STATE_PATH];
	int lock; /* descriptor */
	bool is_open;
};

/* Make a folder. 0 or a negative errno. */
int unsaved_create(struct unsaved_dir *d);
/* Release the folder. Its texts stay for the next workbench; a folder without texts is removed. Takes a
 * zeroed object. */
void unsaved_close(struct unsaved_dir *d);
/* Remove the folder with its contents. */
void unsaved_remove(struct unsaved_dir *d);

/* The names of all folders; returns their number. The caller frees *ret. */
size_t unsaved_names(char (**ret)[64]);
/* Take the folder of this name if no other process holds it. A folder without texts is removed instead. */
bool unsaved_take(struct unsaved_dir *d, const char *name);
const char *unsaved_name(const struct unsaved_dir *d);

/* Mark texts that were left on purpose. They come back with their file, or in the working directory in which
 * unsaved_create() was called. The mark no longer counts when that directory is gone. */
void unsaved_mark(const struct unsaved_dir *d);
bool unsaved_is_marked(const struct unsaved_dir *d);
/* Is the folder marked, and is this its working directory? */
bool unsaved_is_left_in(const struct unsaved_dir *d, const char *working_dir);

/* ---- writing ---- */

struct unsaved_writer {
	const struct unsaved_dir *dir;
	unsigned number;
	const struct text *text; /* borrowed; must not change until the end */
	size_t pos;
	int fd;
	bool is_open;
};

/* Begin to write text `number` (from 1). 0 or a negative errno. */
int unsaved_begin(struct unsaved_writer *w, const struct unsaved_dir *d, unsigned number,
		const struct buffer_state *p, const struct text *t);
/* Write at most `most` further bytes. 1: more remain; 0: the text is complete; a negative errno: writing
 * was given up. */
int unsaved_step(struct unsaved_writer *w, size_t most);
void unsaved_abort(struct unsaved_writer *w);                      /* takes a writer that has ended */
void unsaved_forget(const struct unsaved_dir *d, unsigned number); /* the text has been saved */

/* ---- reading ---- */

struct unsaved_item {
	const struct unsaved_dir *dir; /* borrowed */
	unsigned number;
	struct buffer_state place;
	int64_t written_ns; /* by the system clock */
	char *text;         /* malloc'd; NULL: not loaded */
	size_t len;
	bool is_taken; /* into a buffer */
};

/* Texts of any number of folders. Zeroed: none. */
struct unsaved_items {
	struct unsaved_item *all;
	size_t n;
};

/* Add the texts of a folder, by number, without loading them. Texts that cannot be read are left out. */
void unsaved_list(const struct unsaved_dir *d, struct unsaved_items *items);
/* Load the text of an item. False: it cannot be read, or there is not enough memory. */
bool unsaved_load(struct unsaved_item *item);
void unsaved_unload(struct unsaved_item *item);
void unsaved_items_finish(struct unsaved_items *items); /* takes a zeroed object */

#endif
