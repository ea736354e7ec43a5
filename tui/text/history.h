/* SPDX-License-Identifier: MIT */
#ifndef TUI_HISTORY_H
#define TUI_HISTORY_H

/* A text with unlimited undo and redo. Every edit goes through this. Edits between two calls of
 * history_begin() are one step. Each step remembers the cursor and selection before and after it. */

#include <stdbool.h>
#include <stddef.h>

struct text;
struct history;

struct selection {
	size_t anchor, cursor; /* byte offsets; equal: nothing is selected */
};

/* Takes `t`. NULL: no memory (then `t` is not taken). */
struct history *history_create(struct text *t);
void history_destroy(struct history *h); /* accepts NULL */
struct text *history_text(const struct history *h);

/* Begin a new step, unless `joins` and the last edit ended where the next one begins (a burst of typing). */
void history_begin(struct history *h, struct selection before, bool joins);

/* The step that begins next remembers this cursor, wherever its first edit happens. */
void history_pin(struct history *h, struct selection before);

/* From now on all edits are one new step, until the next call. After an undo, and after the text was saved,
 * another step begins, as always. */
void history_gather(struct history *h, bool gathers);

/* Edit and record. 0, or TRM_ENOMEM; then nothing has changed. */
int history_insert(struct history *h, size_t pos, const char *bytes, size_t n);
int history_delete(struct history *h, size_t pos, size_t n);

/* A change of the text: `inserted` bytes replaced `removed` bytes at `pos`. Lines and columns (in bytes)
 * count from 0; old_end is an end in the text before the change, new_end in the text after it. */
struct text_edit {
	size_t pos, removed, inserted;
	struct text_place {
		size_t line, column;
	} start, old_end, new_end;
};

/* The new position after a change. One inside of removed bytes moves to the start of them. */
size_t text_edit_moved(const struct text_edit *edit, size_t pos);

/* Call `fn` right after every change, including undo and redo. There is one listener; NULL: none. */
typedef void history_listener(void *user, const struct text *after, const struct text_edit *edit);
void history_listen(struct history *h, history_listener *fn, void *user);

/* End the step with this cursor, which redo restores. */
void history_end(struct history *h, struct selection after);

/* Go one step back or forward. False: there is none. */
bool history_undo(struct history *h, struct selection *ret);
bool history_redo(struct history *h, struct selection *ret);
/* The cursor before the last step, which there must be. */
struct selection history_before(const struct history *h);

/* Does the text differ from what was last saved (or loaded)? Undo can make it unmodified again. */
bool history_is_modified(const struct history *h);
void history_mark_saved(struct history *h);
/* For saving that takes a while: the state at the first call counts as saved after the second one. */
void history_mark_saving(struct history *h);
void history_mark_saved_then(struct history *h);

#endif
