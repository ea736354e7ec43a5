/* SPDX-License-Identifier: MIT */
#ifndef TUI_EDITOR_H
#define TUI_EDITOR_H

/* The editor pane: one buffer, its cursor, selection and scrolling. Pure: events in, bits
 * out; no I/O but editor_open() and editor_save(), which the app calls as effects.
 *
 * What keys do is said by command tables (editor_commands.c) and the key map; typing, pastes and the mouse
 * come to editor_handle(). Mouse:
 * click, drag, double (word), triple (line), wheel, middle pastes. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "editor/cell_marks.h"
#include "text/file.h"
#include "text/history.h"

struct command;
struct event;
struct editor;
struct syntax;
struct text;
struct trm_error;
struct trm_lang;

enum editor_bits {
	EDITOR_HANDLED = 1,   /* the event was for the editor */
	EDITOR_REDRAW = 2,    /* something to be seen has changed */
	EDITOR_CHANGED = 4,   /* the text has changed */
	EDITOR_CLIPBOARD = 8, /* the clipboard is new (the app may hand it to the terminal) */
	EDITOR_SCROLLED = 32, /* the view was moved on purpose: it need not show the cursor */
	EDITOR_NOMEM = 16,    /* out of memory: the text is unchanged; say so */
};

/* What copy and cut keep; shared by editors (one per language). Zeroed is empty. */
struct clipboard {
	char *text;
	size_t len;
};
void clipboard_finish(struct clipboard *c); /* takes a zeroed object */

/* State that the view reads; change it only through the functions below. */
struct editor {
	struct history *history;
	struct text *text; /* the history's */
	struct selection sel;
	struct syntax *syntax;       /* what its bytes are; NULL: not known */
	struct cell_marks marks;     /* of what was run */
	const struct trm_lang *lang; /* may be NULL: plain text */
	struct clipboard *clipboard; /* borrowed */
	char *path;                  /* NULL: never saved */
	struct file_format format;
	bool is_saving;            /* the disk is being waited for */
	struct file_stamp stamp;   /* of the file when it was read or written */
	uint32_t generation;       /* how many texts it has had */
	int tab_width;             /* columns of a tab stop, and of one level of indentation */
	int rows, cols;            /* size of the pane, gutter included */
	size_t top_line, left_col; /* first line and text column shown */
	size_t top_row;            /* of the first line shown, where lines wrap: rows of it above the first */
	size_t goal_col;           /* column that up and down try to keep */
	uint8_t drag;              /* what a mouse drag selects by: 0 no drag, 1 char, 2 word, 3 line */
	struct selection drag_from;    /* where the drag began */
	bool closes_pairs;             /* brackets and quotes that are typed get their partner */
	size_t closers[16], n_closers; /* partners that were put in, and that may be typed over */
	bool wraps;                    /* lines go on in the next row */
	enum { MARK_NONE, MARK_NEW, MARK_SET } mark; /* SET: motions select; NEW: from the next command on */
	int burst;                                   /* what kind of typing goes on, for grouping undo */
	uint64_t burst_ns;                           /* time of its last key */
	size_t indent_ahead;       /* blanks that Enter has put in and that may be typed once more */
	uint64_t enter_ns;         /* time of that Enter */
	size_t moved_by, moved_to; /* the last key took so many blanks off its line, and left the cursor there
				    */
};

/* It stays where it is in memory until editor_finish(). 0 or TRM_ENOMEM. */
int editor_init(struct editor *e, const struct trm_lang *lang, struct clipboard *clipboard);
void editor_finish(struct editor *e); /* takes a zeroed object */

/* Handle one event. Mouse positions are relative to the pane's top left cell (and may
 * lie outside while dragging). Returns enum editor_bits. */
unsigned editor_handle(struct editor *e, const struct event *ev);

/* Carry out one of the editor's commands as by a key at this time; `extends`: a motion that selects. */
unsigned editor_command(struct editor *e, const struct command *c, bool extends, uint64_t time_ns);

/* The pane's size has changed; keeps the cursor in sight. */
void editor_resize(struct editor *e, int rows, int cols);

/* Read a file into the buffer, with an empty history. On error the buffer is as it was. A file that
 * does not exist is an error (TRM_ENOENT); the caller may then editor_begin() a new
 * one. The language is the caller's business (e->lang). */
int editor_open(struct editor *e, const char *path, struct trm_error *reterr);
/* Empty the buffer for a file that is not there yet. 0, or TRM_ENOMEM and the text is as it was. */
int editor_begin(struct editor *e, const char *path);
/* Write to e->path, or, if `path` is not NULL, there (it becomes e->path). */
int editor_save(struct editor *e, const char *path, struct trm_error *reterr);
/* The same in two goes, as file_save_begin() and file_save_end(): editor_saved() takes what became of the
 * second one; NULL: it failed. */
int editor_save_begin(struct editor *e, const char *path, struct file_saving **ret, struct trm_error *reterr);
void editor_saved(struct editor *e, const struct file_stamp *stamp);
/* Somebody else has changed the file since: ask before editor_save() writes over it. */
bool editor_is_stale(const struct editor *e);

/* Another number after every change of the text. */
uint64_t editor_version(const struct editor *e);
/* Put cursor and scrolling back where they were, as far as there still is such a place. */
void editor_put_back(struct editor *e, size_t anchor, size_t cursor, size_t top_line, size_t left_col);

/* Replace the whole text, as one step of undo. 0 or TRM_ENOMEM. */
int editor_set_text(struct editor *e, const char *text, size_t n);

/* Read e->path again, as one step of undo; the cursor stays in its line. What is the same stays. */
int editor_reload(struct editor *e, struct trm_error *reterr);
/* Take what is in another file as the text, as one step of undo. */
int editor_take_file(struct editor *e, const char *path, struct trm_error *reterr);

bool editor_is_modified(const struct editor *e);
bool editor_has_selection(const struct editor *e);
size_t editor_line(const struct editor *e);   /* of the cursor, from 0 */
size_t editor_column(const struct editor *e); /* of the cursor, in cells from 0 */

/* Actions by themselves, for menus and palettes; each returns enum editor_bits. */
unsigned editor_copy(struct editor *e);
unsigned editor_cut(struct editor *e);
unsigned editor_paste(struct editor *e);
unsigned editor_undo(struct editor *e);
unsigned editor_redo(struct editor *e);
unsigned editor_select_all(struct editor *e);
/* Select [anchor, cursor) and show it. */
unsigned editor_select(struct editor *e, size_t anchor, size_t cursor);
/* Go to a line (from 0) and show it. */
unsigned editor_goto_line(struct editor *e, size_t line);
/* Go where a person says: "12", "12:5" (from 1), "+10", "-10". 0: that is no place. */
unsigned editor_goto(struct editor *e, const char *where);
/* Scroll so that the cursor's line stands in the middle. */
void editor_center(struct editor *e);
/* Copy at most `cap` bytes of the text; returns how many. */
size_t editor_bytes(const struct editor *e, size_t pos, size_t n, char *out, size_t cap);

/* What F5 runs: the selection; else the cell between lines like "# %%" (with the language's comment
 * sign) around the cursor; else everything. */
enum editor_run_kind {
	EDITOR_RUN_SELECTION,
	EDITOR_RUN_CELL,
	EDITOR_RUN_LINE,
	EDITOR_RUN_ALL,
	EDITOR_RUN_CELLS /* cell after cell, each a run of its own */
};
struct editor_run {
	enum editor_run_kind kind;
	size_t pos, len;   /* bytes of the text */
	size_t first_line; /* from 0: added to line numbers in messages */
};
struct editor_run editor_run_range(const struct editor *e);
/* One of them by itself. The cell is everything where there are no cells. */
struct editor_run editor_run_of(const struct editor *e, enum editor_run_kind kind);
/* The cells from the first line of one to the last line of another, both from 0. */
struct editor_run editor_run_cells(const struct editor *e, size_t first_line, size_t last_line);
/* The cell of a line, without its mark. */
struct editor_run editor_cell_at(const struct editor *e, size_t line);
/* The first cell of `cells` that begins at or behind `*pos`, which goes behind it. False: there is none. */
bool editor_take_cell(const struct editor *e, struct editor_run cells, size_t *pos, struct editor_run *ret);
bool editor_begins_cell(const struct editor *e, size_t pos); /* the line that begins at `pos` */

/* The line that shows a mark: the one that begins its cell, else the first one that says something. */
size_t editor_mark_line(const struct editor *e, const struct cell_mark *mark);

/* Where lines wrap: rows of a line. */
size_t editor_line_rows(const struct editor *e, size_t line);
/* The row of the pane that a column of a line is in, and the first column of that row; negative or beyond the
 * pane: it is not to be seen. */
long editor_row_at(const struct editor *e, size_t line, size_t column, size_t *ret_first);
/* The line, and the first of its columns, that a row of the pane shows; the last one for rows below it. */
size_t editor_line_at(const struct editor *e, long row, size_t *ret_first);

/* Columns of marks, if there are any, and of line numbers, with a blank behind; 0 in narrow panes. */
int editor_gutter(const struct editor *e);

#endif
