/* SPDX-License-Identifier: MIT */
#ifndef TUI_BUFFERS_H
#define TUI_BUFFERS_H

/* The open texts, in the order of their tabs. There is always at least one buffer, and one of them is
 * current. Each buffer has a language, and an id that no other buffer of this workbench gets. Messages,
 * effects and runs refer to a buffer by its id, because the buffer may be closed when they arrive. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "editor/editor.h"

#define BUFFER_LABEL 96 /* room for a label, including its NUL */

struct trm_lang;

struct buffer {
	uint32_t id; /* from 1 */
	struct editor editor;
	unsigned number; /* number among the unnamed buffers of its language, from 1 */
	/* The file's stamp when the person was last told that another program changed it. */
	struct file_stamp reported;
	uint64_t shown; /* the value of `clock` when the buffer was last made current; 0: never */
};

struct buffers {
	struct buffer **items; /* a buffer keeps its address until it is removed */
	size_t n, cap, current;
	uint32_t last_id;
	uint64_t clock; /* increases each time a buffer becomes current */
	struct clipboard *clipboard;
	struct grammars *grammars; /* borrowed; NULL: none */
	bool closes_pairs, wraps;  /* settings of all editors */
};

/* Create one empty buffer for each language that has a tab at the start. The first one is current.
 * `clipboard` is borrowed. 0 or TRM_ENOMEM. */
int buffers_init(struct buffers *b, struct clipboard *clipboard);
void buffers_finish(struct buffers *b); /* accepts a zeroed object */

struct buffer *buffers_current(const struct buffers *b);
struct buffer *buffers_find(const struct buffers *b, uint32_t id); /* NULL: it is closed */
/* The buffer of a language that was current last. NULL: there is none. */
struct buffer *buffers_of_lang(const struct buffers *b, const struct trm_lang *lang);
/* A buffer of a language in which a file may be opened: unnamed and never edited. NULL: there is none. */
struct buffer *buffers_vacant(const struct buffers *b, const struct trm_lang *lang);

/* Add an empty buffer as the last tab. NULL when out of memory. */
struct buffer *buffers_add(struct buffers *b, const struct trm_lang *lang);
/* Close a buffer. If it is current, the one that was current before becomes current again. The only buffer
 * cannot be removed. */
void buffers_remove(struct buffers *b, uint32_t id);
void buffers_show(struct buffers *b, uint32_t id);
/* The buffer `by` tabs to the right of the current one; wraps around at the ends. */
struct buffer *buffers_beside(const struct buffers *b, int by);

/* Set for all editors, present and future, whether brackets close themselves and whether long lines wrap. */
void buffers_set_style(struct buffers *b, bool closes_pairs, bool wraps);
void buffers_set_grammars(struct buffers *b, struct grammars *grammars);
void buffers_resize(struct buffers *b, int rows, int cols);

/* Does the buffer have changes that are stored nowhere else? */
bool buffer_is_unsaved(const struct buffer *b);
/* The name of a buffer within a sentence: its path, or "the python buffer". Returns out. */
char *buffer_name(const struct buffer *b, char *out, size_t cap);
/* A name for little room: "notes.py", "python 2". Returns out. */
char *buffer_short_name(const struct buffer *b, char *out, size_t cap);
/* The label of a tab: " python: notes.py* ". Returns its length. */
int buffer_label(const struct buffer *b, char out[BUFFER_LABEL]);

/* The tabs that fit into a row of this many columns. The current tab is among them. If tabs are left out at
 * one end, a mark takes their place. Returns the number of tabs and marks. Columns count from 0. */
struct tab {
	const struct buffer *buffer; /* NULL: a mark for more tabs */
	int by;                      /* for a mark: -1 to the left, 1 to the right */
	int col, cols;
};
#define TABS_MAX 64 /* tabs in one row */
size_t buffers_tabs(const struct buffers *b, int cols, struct tab tabs[TABS_MAX]);

#endif
