/* SPDX-License-Identifier: MIT */
#ifndef TUI_EDITOR_CELL_MARKS_H
#define TUI_EDITOR_CELL_MARKS_H

/* What has become of the parts of a text that were run. A mark is the bytes of one run; it moves with the
 * text when that is edited, and knows whether they are still what was run. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;
struct text_edit;

#define CELL_MARKS_MAX 2048  /* kept; then the oldest is forgotten */
#define CELL_CODE_MAX 65536u /* bytes that are compared with what was run; an edit of more makes it stale */
#define CELL_WORDS 160       /* room for a value or an error, its NUL included */

enum cell_state {
	CELL_PLANNED, /* runs when those before it have ended well */
	CELL_WAITING, /* for the run in hand */
	CELL_RUNNING,
	CELL_OK,
	CELL_FAILED,
};

struct cell_mark {
	uint32_t serial; /* of the run, by the workbench's numbering; 0: it has not been asked for */
	enum cell_state state;
	size_t pos, len;     /* the bytes that were run */
	bool ends_with_line; /* what is put behind a line break at its end is not part of it */
	bool is_stale;       /* it was edited since it ran, or what it made is lost */
	bool is_lost;
	uint64_t code;                             /* stands for the bytes as they were run */
	uint64_t number;                           /* of the run in its session; 0: not known */
	uint64_t wall_us;                          /* how long it took, or has taken so far */
	char value[CELL_WORDS], error[CELL_WORDS]; /* a line each; "": none */
	bool has_error_pos;
	size_t error_pos; /* in the line that the error names */
};

struct cell_marks {
	struct cell_mark *items; /* in the order in which they were asked for */
	size_t n, cap;
	uint64_t version; /* another one when they have to be drawn again */
};

void cell_marks_finish(struct cell_marks *c); /* takes a zeroed object */

/* A new one, in place of those inside its bytes; zeroed but for its place. NULL when out of memory. Borrowed
 * until marks are added or the text is edited. */
struct cell_mark *cell_marks_add(struct cell_marks *c, const struct text *t, size_t pos, size_t len);
struct cell_mark *cell_marks_find(const struct cell_marks *c, uint32_t serial); /* NULL: there is none */
struct cell_mark *cell_marks_planned(const struct cell_marks *c); /* that is next; NULL: there is none */
size_t cell_marks_unplan(struct cell_marks *c); /* remove those that are planned; returns how many */
/* The interpreter that has run them is gone. */
void cell_marks_kernel_gone(struct cell_marks *c);

/* The text has been edited. */
void cell_marks_edited(struct cell_marks *c, const struct text *after, const struct text_edit *edit);

/* Take the first line of a text that says something, without what a terminal would obey. */
void cell_mark_take_words(char out[CELL_WORDS], const char *text);

#endif
