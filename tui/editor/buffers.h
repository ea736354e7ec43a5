/* SPDX-License-Identifier: MIT */
#ifndef TUI_BUFFERS_H
#define TUI_BUFFERS_H

/* The texts that are open, in the order of their tabs. There is always at least one, and one is
 * the current one. Each has a language, and an id that no other one gets in this
 * workbench: messages, effects and runs name a buffer by it, as it may be gone when they arrive. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "editor/editor.h"

#define BUFFER_LABEL 96 /* room for a label, its NUL included */

struct trm_lang;

struct buffer {
	uint32_t id; /* from 1 */
	struct editor editor;
	unsigned number;            /* which of the unnamed ones of its language, from 1 */
	struct file_stamp reported; /* of its file when it was told that somebody else has changed it */
	uint64_t shown;             /* the higher, the later it was the current one; 0: never */
};

struct buffers {
	struct buffer **items; /* a buffer stays where it is in memory until it is removed */
	size_t n, cap, current;
	uint32_t last_id;
	uint64_t clock; /* counts what is shown */
	struct clipboard *clipboard;
	bool closes_pairs, wraps; /* of their editors */
};

/* One empty buffer for each language that has a tab from the start; the first is current. Borrows the
 * clipboard. 0 or TRM_ENOMEM. */
int buffers_init(struct buffers *b, struct clipboard *clipboard);
void buffers_finish(struct buffers *b); /* takes a zeroed object */

struct buffer *buffers_current(const struct buffers *b);
struct buffer *buffers_find(const struct buffers *b, uint32_t id); /* NULL: it is closed */
/* The one of a language that was current last; NULL: there is none. */
struct buffer *buffers_of_lang(const struct buffers *b, const struct trm_lang *lang);
/* One of a language that a file may be opened in: without a name and never written into. NULL: none. */
struct buffer *buffers_vacant(const struct buffers *b, const struct trm_lang *lang);

/* A new empty one, the last tab. NULL when out of memory. */
struct buffer *buffers_add(struct buffers *b, const struct trm_lang *lang);
/* Close one. If it is current, the one that was shown before it is. The last one may not be removed. */
void buffers_remove(struct buffers *b, uint32_t id);
void buffers_show(struct buffers *b, uint32_t id);
/* The one `by` tabs to the right of the current one, round the ends. */
struct buffer *buffers_beside(const struct buffers *b, int by);

/* How all editors, and those to come, take brackets and long lines. */
void buffers_set_style(struct buffers *b, bool closes_pairs, bool wraps);
void buffers_resize(struct buffers *b, int rows, int cols);

/* It holds changes that are nowhere else. */
bool buffer_is_unsaved(const struct buffer *b);
/* What a sentence calls it: its path, or "the python buffer". Returns out. */
char *buffer_name(const struct buffer *b, char *out, size_t cap);
/* What its tab says: " python: notes.py* ". Returns its length. */
int buffer_label(const struct buffer *b, char out[BUFFER_LABEL]);

/* The tabs that a row of this many columns shows, so that the current one is among them. Where some are
 * left out, a mark stands at that end. Returns how many; columns count from 0. */
struct tab {
	const struct buffer *buffer; /* NULL: a mark that there are more */
	int by;                      /* of a mark: -1 to the left, 1 to the right */
	int col, cols;
};
#define TABS_MAX 64 /* that are shown at a time */
size_t buffers_tabs(const struct buffers *b, int cols, struct tab tabs[TABS_MAX]);

#endif
