/* SPDX-License-Identifier: MIT */
#ifndef TUI_HISTORY_H
#define TUI_HISTORY_H

/* A text with undo and redo without limit. Every edit goes through here. Edits
 * between history_begin() and the next one are one step; each step remembers
 * the cursor and selection before and after it. */

#include <stdbool.h>
#include <stddef.h>

struct text;
struct history;

struct selection {
	size_t anchor, cursor; /* byte offsets; equal: nothing is selected */
};

/* Owns `t` from here on. NULL when out of memory (then `t` is not taken). */
struct history *history_create(struct text *t);
void history_destroy(struct history *h); /* takes NULL */
struct text *history_text(const struct history *h);

/* What comes next is a new step, unless `joins` and the last edit ended where this one
 * begins (a burst of typing). */
void history_begin(struct history *h, struct selection before, bool joins);

/* Edit and record. 0 or TRM_ENOMEM: then nothing has changed. */
int history_insert(struct history *h, size_t pos, const char *bytes, size_t n);
int history_delete(struct history *h, size_t pos, size_t n);

/* A change of the text: `removed` bytes at `pos` gave way to `inserted` ones. Lines and columns (in bytes)
 * count from 0; old_end is an end in the text before, new_end in the text after. */
struct text_edit {
	size_t pos, removed, inserted;
	struct text_place {
		size_t line, column;
	} start, old_end, new_end;
};

/* Tell `fn` of every change right after it, those of undo and redo too. One listener; NULL: none. */
typedef void history_listener(void *user, const struct text *after, const struct text_edit *edit);
void history_listen(struct history *h, history_listener *fn, void *user);

/* The step ends with this cursor (redo brings it back). */
void history_end(struct history *h, struct selection after);

/* Take a step back or forward. False: there is none. */
bool history_undo(struct history *h, struct selection *ret);
bool history_redo(struct history *h, struct selection *ret);

/* Differs from what was last saved (or loaded)? Going back by undo makes it unmodified again. */
bool history_is_modified(const struct history *h);
void history_mark_saved(struct history *h);
/* Where saving takes a while: what was there at the first call is saved with the second one. */
void history_mark_saving(struct history *h);
void history_mark_saved_then(struct history *h);

#endif
