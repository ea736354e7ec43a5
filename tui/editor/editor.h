/* SPDX-License-Identifier: MIT */
#ifndef TUI_EDITOR_H
#define TUI_EDITOR_H

/* The editor pane: one buffer with its cursor, selection and scrolling. Pure: events in, bits out. Only
 * the functions that read or save files do I/O; the app calls them as effects.
 *
 * Command tables (editor_commands.c) and the key map define the keys. Typing, pastes and the mouse go to
 * editor_handle(). Mouse: click, drag, double-click (word), triple-click (line), wheel, middle button
 * (paste). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "editor/cell_marks.h"
#include "notebook/notebook.h"
#include "text/file.h"
#include "text/history.h"

struct command;
struct event;
struct editor;
struct grammars;
struct syntax;
struct text;
struct trm_error;
struct trm_lang;

enum editor_bits {
	EDITOR_HANDLED = 1,   /* the editor has used the event */
	EDITOR_REDRAW = 2,    /* the screen must be drawn again */
	EDITOR_CHANGED = 4,   /* the text has changed */
	EDITOR_CLIPBOARD = 8, /* the clipboard has changed (the app may send it to the terminal) */
	EDITOR_SCROLLED = 32, /* the view was scrolled on purpose, so the cursor may be out of sight */
	EDITOR_NOMEM = 16,    /* out of memory: the text is unchanged; the caller reports this */
};

enum { CLIPBOARD_OLDER = 16 };

/* The result of copy and cut, shared by all editors. A zeroed object is empty. */
struct clipboard {
	char *text;
	size_t len;
	struct clipboard_text {
		char *text;
		size_t len;
	} older[CLIPBOARD_OLDER];       /* what was cut or copied before, the latest first; NULL: no more */
	const struct editor *collector; /* whose next cut may go behind this text, for comparison */
};
void clipboard_finish(struct clipboard *c); /* accepts a zeroed object */
/* Take a malloc'd text. The one that was there becomes the latest of the older ones. */
void clipboard_take(struct clipboard *c, char *text, size_t len);

/* Where a notebook gets the outputs of its cells: of a run by its serial, as JSON, malloc'd; NULL: nothing is
 * known of it. */
struct run_outputs {
	char *(*get)(void *user, uint32_t serial, size_t *ret_n, uint64_t *ret_number);
	void *user;
};

/* The view reads this state. Change it only through the functions below. */
struct editor {
	struct history *history;
	struct text *text; /* owned by the history */
	struct selection sel;
	struct syntax *syntax;       /* syntax kinds of the bytes; NULL: unknown */
	struct cell_marks marks;     /* results of runs */
	const struct trm_lang *lang; /* NULL: plain text */
	struct clipboard *clipboard; /* borrowed */
	char *path;                  /* NULL: never saved */
	char *next_path; /* of a save in progress that gives it another; NULL: it keeps its path */
	struct file_format format;
	struct notebook *notebook;         /* that the file is; NULL: the text is the file */
	struct notebook *next_notebook;    /* that is being saved */
	struct grammars *grammars;         /* for the strings of a notebook; NULL: none. Borrowed */
	const struct run_outputs *outputs; /* for saving a notebook; NULL: none. Borrowed */
	bool is_saving;                    /* a save is in progress */
	struct file_stamp stamp;           /* of the file when it was last read or written */
	uint32_t generation;               /* number of texts it has had */
	int tab_width;                     /* columns of a tab stop and of one level of indentation */
	int rows, cols;                    /* size of the pane, gutter included */
	size_t top_line, left_col;         /* first visible line and text column */
	size_t top_row;  /* with wrapped lines: rows of the first visible line that are above the pane */
	size_t goal_col; /* column that up and down try to keep */
	uint8_t drag;    /* unit of the mouse drag: 0 none, 1 character, 2 word, 3 line */
	struct selection drag_from;    /* where the drag began */
	bool closes_pairs;             /* a typed bracket or quote is closed automatically */
	size_t closers[16], n_closers; /* positions of automatic closers that may be typed over */
	bool wraps;                    /* long lines continue in the next row */
	/* SET: motions select; NEW: they do from the next command on */
	enum { MARK_NONE, MARK_NEW, MARK_SET } mark;
	int burst;           /* the current kind of typing, for grouping undo */
	size_t pasted;       /* bytes before the cursor that the last command has pasted */
	uint64_t burst_ns;   /* time of its last key */
	size_t indent_ahead; /* remaining blanks of Enter's indentation that a paste may repeat */
	uint64_t enter_ns;   /* time of that Enter */
	/* The last key removed `moved_by` blanks from its line, and left the cursor at `moved_to`. */
	size_t moved_by, moved_to;
};

/* The object must keep its address until editor_finish(). 0 or TRM_ENOMEM. */
int editor_init(struct editor *e, const struct trm_lang *lang, struct clipboard *clipboard);
void editor_finish(struct editor *e); /* accepts a zeroed object */

/* Handle one event. Mouse positions are relative to the top left cell of the pane, and may lie outside of it
 * during a drag. Returns enum editor_bits. */
unsigned editor_handle(struct editor *e, const struct event *ev);

/* Carry out an editor command as if a key had been pressed at `time_ns`. With `extends` a motion selects. */
unsigned editor_command(struct editor *e, const struct command *c, bool extends, uint64_t time_ns);

/* Set the size of the pane. The cursor stays visible. */
void editor_resize(struct editor *e, int rows, int cols);

/* Read a file into the buffer, with an empty history. On error the buffer does not change. A missing file is
 * an error (TRM_ENOENT); the caller may then use editor_begin(). The caller sets the language (e->lang). */
int editor_open(struct editor *e, const char *path, struct trm_error *reterr);
/* Empty the buffer for a file that does not exist yet. 0, or TRM_ENOMEM: the text is unchanged. */
int editor_begin(struct editor *e, const char *path);
/* Begin to write the text to `path`. NULL: write to e->path. Pass the stamp of file_save_end() to
 * editor_saved(), which makes `path` e->path. NULL: the save failed, and e->path stays. */
int editor_save_begin(struct editor *e, const char *path, struct file_saving **ret, struct trm_error *reterr);
void editor_saved(struct editor *e, const struct file_stamp *stamp);
const char *editor_target(const struct editor *e); /* the path that the save in progress writes to */
/* Begin to write the text to another file; file_save_end() ends it. The buffer keeps its name and stays as
 * unsaved as it was. */
int editor_copy_begin(struct editor *e, const char *path, struct file_saving **ret, struct trm_error *reterr);
/* Has another program changed the file? If so, ask before it is overwritten. */
bool editor_is_stale(const struct editor *e);

/* This number changes with each change of the text. */
uint64_t editor_version(const struct editor *e);
/* Restore the cursor and scrolling, as far as these positions still exist. */
void editor_put_back(struct editor *e, size_t anchor, size_t cursor, size_t top_line, size_t left_col);

/* Replace the whole text, as one step of undo. 0 or TRM_ENOMEM. */
int editor_set_text(struct editor *e, const char *text, size_t n);

/* Read e->path again, as one step of undo. The cursor stays in its line. Only the part that differs is
 * replaced. */
int editor_reload(struct editor *e, struct trm_error *reterr);
/* Replace the text with the content of another file, as one step of undo. */
int editor_take_file(struct editor *e, const char *path, struct trm_error *reterr);

bool editor_is_modified(const struct editor *e); /* its file is not what saving would make of it */
bool editor_has_results(const struct editor *e); /* a notebook's cells ran since it was saved */
bool editor_has_selection(const struct editor *e);
size_t editor_line(const struct editor *e);   /* line of the cursor, from 0 */
size_t editor_column(const struct editor *e); /* column of the cursor, in cells from 0 */

/* Single actions for menus and palettes. Each returns enum editor_bits. */
unsigned editor_copy(struct editor *e);
unsigned editor_cut(struct editor *e);
unsigned editor_paste(struct editor *e);
/* After a paste: the text that was cut or copied before comes in its place. Unless the last command was a
 * paste, nothing changes. */
unsigned editor_paste_older(struct editor *e);
unsigned editor_undo(struct editor *e);
unsigned editor_redo(struct editor *e);
unsigned editor_select_all(struct editor *e);
/* Select [anchor, cursor) and scroll to it. */
unsigned editor_select(struct editor *e, size_t anchor, size_t cursor);
/* Go to a line (from 0) and scroll to it. */
unsigned editor_goto_line(struct editor *e, size_t line);
/* Go to the place that a person has typed: "12", "12:5" (from 1), "+10", "-10". 0: not a valid place. */
unsigned editor_goto(struct editor *e, const char *where);
/* Scroll so that the line of the cursor is in the middle. */
void editor_center(struct editor *e);
/* Copy at most `cap` bytes of the text. Returns the number of bytes. */
size_t editor_bytes(const struct editor *e, size_t pos, size_t n, char *out, size_t cap);

/* The code that F5 runs: the selection; without a selection, the cell around the cursor, between lines such
 * as "# %%" (with the language's comment sign); without cells, everything. */
enum editor_run_kind {
	EDITOR_RUN_SELECTION,
	EDITOR_RUN_CELL,
	EDITOR_RUN_LINE,
	EDITOR_RUN_ALL,
	EDITOR_RUN_CELLS /* one cell after the other, each in its own run */
};
struct editor_run {
	enum editor_run_kind kind;
	size_t pos, len;   /* bytes of the text */
	size_t first_line; /* from 0; added to line numbers in messages */
};
struct editor_run editor_run_range(const struct editor *e);
/* One kind of range. If the buffer has no cells, the cell is the whole buffer. */
struct editor_run editor_run_of(const struct editor *e, enum editor_run_kind kind);
/* The cells from the one with the first line to the one with the last line. Lines count from 0. */
struct editor_run editor_run_cells(const struct editor *e, size_t first_line, size_t last_line);
/* The cell of a line, without the line that marks it. */
struct editor_run editor_cell_at(const struct editor *e, size_t line);
/* The next cell of `cells` that begins at `*pos` or later. `*pos` moves to the end of the cell. False: there
 * is none. */
bool editor_take_cell(const struct editor *e, struct editor_run cells, size_t *pos, struct editor_run *ret);
/* Its mark says that it is no code: "# %% [markdown]". */
bool editor_is_text_cell(const struct editor *e, struct editor_run cell);
/* The other language that its mark names: "# %% [bash]". Its lines are comments. NULL: the buffer's. */
const struct trm_lang *editor_cell_foreign(const struct editor *e, struct editor_run cell);
/* Turn its text into code, in place: a cell in another language loses its comment signs. Returns the new
 * length. */
size_t editor_cell_code(const struct editor *e, struct editor_run cell, char *text, size_t n);
bool editor_begins_cell(const struct editor *e, size_t pos); /* does the line at `pos` begin a cell? */

/* The line that shows a mark: the line that begins the cell, else the first line that is not blank. */
size_t editor_mark_line(const struct editor *e, const struct cell_mark *mark);

/* Where lines wrap: a row of a line. */
struct line_row {
	size_t row;         /* from 0 */
	size_t first, next; /* columns that it and the row below it begin with; next SIZE_MAX: it is the last
			     */
};
struct line_row editor_row_of(const struct editor *e, size_t line, size_t column); /* that shows a column */
struct line_row editor_row_numbered(const struct editor *e, size_t line, size_t number);
/* How many rows a line has. */
size_t editor_line_rows(const struct editor *e, size_t line);
/* The row of the pane that shows a column of a line, and the first column of that row. A row that is
 * negative or beyond the pane is not visible. */
long editor_row_at(const struct editor *e, size_t line, size_t column, size_t *ret_first);
/* The line that a row of the pane shows, and the first column in that row. Rows below the text belong to the
 * last line. */
size_t editor_line_at(const struct editor *e, long row, size_t *ret_first);

/* The columns of marks (if there are any) and line numbers, plus a blank. 0 in a narrow pane. */
int editor_gutter(const struct editor *e);

#endif
