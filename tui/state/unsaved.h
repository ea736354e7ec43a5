/* SPDX-License-Identifier: MIT */
#ifndef TUI_STATE_UNSAVED_H
#define TUI_STATE_UNSAVED_H

/* Texts that are in no file yet, kept so that not even kill -9 takes them.
 *
 * Theory of operation. Each workbench that has something unsaved has a folder of its own below
 * $XDG_STATE_HOME/terrarium/unsaved, with a file `lock` that it holds a lock on for as long as it lives, and
 * a file per buffer: its place, then its text. A folder whose lock can be taken belongs to nobody any more:
 * what is in it is offered by the workbench that has taken the lock; two that start at a time cannot both get
 * it.
 *
 * A text is written in slices, so that a key never waits for a big one, into a new file that takes the place
 * of the last one when it is complete. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "state/buffer_state.h"
#include "state/dir.h"

struct text;

/* A folder that is ours, by its lock. Zeroed: there is none. */
struct unsaved_dir {
	char path[STATE_PATH];
	int lock; /* descriptor */
	bool is_open;
};

/* Make one. 0 or a negative errno. */
int unsaved_create(struct unsaved_dir *d);
/* Give it up. The files stay for the next workbench, unless there are none: then it is removed. Takes zeroed.
 */
void unsaved_close(struct unsaved_dir *d);
/* … with everything in it. */
void unsaved_remove(struct unsaved_dir *d);

/* The names of all folders; returns how many. */
size_t unsaved_names(char names[][64], size_t cap);
/* Take the one of this name, if nobody holds it. An empty one is removed instead. */
bool unsaved_take(struct unsaved_dir *d, const char *name);
const char *unsaved_name(const struct unsaved_dir *d);

/* A folder that was left on purpose is marked with the working directory where it is to be taken up again. It
 * is no longer for that one when the directory is gone. */
void unsaved_mark(const struct unsaved_dir *d, const char *working_dir);
bool unsaved_is_marked(const struct unsaved_dir *d);

/* ---- writing ---- */

struct unsaved_writer {
	const struct unsaved_dir *dir;
	unsigned number;
	const struct text *text; /* borrowed; it must not change until the end */
	size_t pos;
	int fd;
	bool is_open;
};

/* Begin to write text number `number` (from 1). 0 or a negative errno. */
int unsaved_begin(struct unsaved_writer *w, const struct unsaved_dir *d, unsigned number,
		const struct buffer_state *p, const struct text *t);
/* Write on, at most `most` bytes. 1: there is more; 0: it is complete; a negative errno: it is given up. */
int unsaved_step(struct unsaved_writer *w, size_t most);
void unsaved_abort(struct unsaved_writer *w);                      /* takes one that has ended */
void unsaved_forget(const struct unsaved_dir *d, unsigned number); /* it is saved now */

/* ---- reading ---- */

#define UNSAVED_MAX 64 /* texts of a folder that are looked at */

struct unsaved_item {
	unsigned number;
	struct buffer_state place;
	int64_t written_ns; /* when, by the clock of the system */
	char *text;         /* malloc'd */
	size_t len;
};

/* Read what is in a folder; returns how many. The caller frees each text. */
size_t unsaved_read(const struct unsaved_dir *d, struct unsaved_item *items, size_t cap);

#endif
