/* SPDX-License-Identifier: MIT */
#ifndef TUI_EDITOR_CELL_MARKS_H
#define TUI_EDITOR_CELL_MARKS_H

/* The results of the runs of a buffer, shown next to the code. A mark covers the bytes of one run. It moves
 * with the text, and knows whether the bytes are still the ones that ran. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;
struct text_edit;

#define CELL_MARKS_MAX 2048 /* more marks than this: the oldest is dropped */
/* bytes that are compared with the code that ran; an edit of a longer mark always makes it stale */
#define CELL_CODE_MAX 65536u
#define CELL_TEXT_BYTES 160 /* room for a value or an error, including its NUL */

enum cell_state {
	CELL_PLANNED, /* runs if the cells before it succeed */
	CELL_WAITING, /* waits for the current run */
	CELL_RUNNING,
	CELL_OK,
	CELL_FAILED,
};

struct cell_mark {
	uint32_t serial; /* the workbench's number for the run; 0: the run was not requested yet */
	enum cell_state state;
	size_t pos, len;     /* the bytes that ran */
	bool ends_with_line; /* text inserted after a newline at its end does not belong to it */
	bool is_stale;       /* it was edited since it ran, or its result is lost */
	bool is_lost;
	bool is_saved;    /* the notebook's file holds this result: it did not run here */
	bool is_noted;    /* the file of the notebook holds what it made */
	uint64_t code;    /* hash of the bytes that ran */
	uint64_t number;  /* number of the run in its session; 0: unknown */
	uint64_t wall_us; /* duration of the run, up to now if it still runs */
	char value[CELL_TEXT_BYTES], error[CELL_TEXT_BYTES]; /* one line each; "": none */
	bool is_cut;                                         /* the value or the error is longer */
	bool has_error_pos;
	size_t error_pos; /* a position in the line that the error names */
};

struct cell_marks {
	struct cell_mark *items; /* in the order of their requests */
	size_t n, cap;
	uint64_t version; /* changes when the marks must be drawn again */
};

void cell_marks_finish(struct cell_marks *c); /* accepts a zeroed object */

/* Add a mark in place of the marks inside of its bytes. All fields but pos, len and code are zero. NULL when
 * out of memory. Borrowed until a mark is added or the text is edited. */
struct cell_mark *cell_marks_add(struct cell_marks *c, const struct text *t, size_t pos, size_t len);
struct cell_mark *cell_marks_find(const struct cell_marks *c, uint32_t serial); /* NULL: there is none */
/* the next planned one; NULL: there is none */
struct cell_mark *cell_marks_planned(const struct cell_marks *c);
size_t cell_marks_unplan(struct cell_marks *c);   /* remove the planned marks; returns their number */
void cell_marks_drop_saved(struct cell_marks *c); /* remove the results of the file */
/* The interpreter of the marks has ended: mark their results as lost. */
void cell_marks_kernel_gone(struct cell_marks *c);

/* Move the marks after an edit of the text. */
void cell_marks_edited(struct cell_marks *c, const struct text *after, const struct text_edit *edit);

/* Copy the first line of `text` that is not blank, without control characters. True: there is more text. */
bool cell_mark_take_text(char out[CELL_TEXT_BYTES], const char *text);

#endif
