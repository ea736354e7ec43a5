/* SPDX-License-Identifier: MIT */
#ifndef TUI_EDITOR_INTERNAL_H
#define TUI_EDITOR_INTERNAL_H

/* Shared by the files of the editor's model: editor.c (buffer and events), editor_move.c
 * (cursor), editor_edit.c (changes), editor_mouse.c, editor_run.c. */

#include "editor/editor.h"

struct find;

#define NO_GOAL ((size_t)-1) /* goal_col: to be taken from the cursor */

#define DONE (EDITOR_HANDLED | EDITOR_REDRAW)

/* Kinds of typing that make one step of undo while they go on. */
enum burst { BURST_NONE, BURST_TYPE, BURST_ERASE, BURST_DELETE, BURST_CUT_LINE };

enum move {
	MOVE_LEFT,
	MOVE_RIGHT,
	MOVE_UP,
	MOVE_DOWN,
	MOVE_WORD_LEFT,
	MOVE_WORD_RIGHT,
	MOVE_HOME,
	MOVE_END,
	MOVE_PAGE_UP,
	MOVE_PAGE_DOWN,
	MOVE_FIRST,
	MOVE_LAST,
};

/* ---- editor_move.c ---- */

/* Move the cursor; with `extends` the anchor stays. */
unsigned editor_move(struct editor *e, enum move move, bool extends);
size_t editor_word_left(const struct editor *e, size_t pos);
size_t editor_word_right(const struct editor *e, size_t pos);
/* The run of characters of one kind around `pos`. */
struct selection editor_word_at(const struct editor *e, size_t pos);
void editor_show_cursor(struct editor *e);
void editor_scroll(struct editor *e, long lines); /* the cursor stays, maybe out of sight */

static inline size_t selection_start(struct selection s)
{
	return s.anchor < s.cursor ? s.anchor : s.cursor;
}

static inline size_t selection_end(struct selection s)
{
	return s.anchor < s.cursor ? s.cursor : s.anchor;
}

/* ---- editor_edit.c ---- */

/* Put text in place of bytes [pos, pos+n); the cursor goes behind it. One step of undo, or part of a burst.
 */
unsigned editor_replace(
		struct editor *e, size_t pos, size_t n, const char *text, size_t len, enum burst burst);
unsigned editor_type(struct editor *e, uint32_t cp);
unsigned editor_insert(struct editor *e, const char *text,
		size_t n); /* in place of the selection, a step of its own */

/* Replace all matches that begin in the ranges, given from the last one to the first, as one step of undo.
 * Out of memory: what was done so far stays, to be undone. */
struct editor_range {
	size_t from, to;
};
unsigned editor_replace_all(struct editor *e, struct find *f, const char *by,
		const struct editor_range *ranges, size_t n_ranges, size_t *ret_count);

/* Actions of the table in editor.c. */
unsigned edit_erase(struct editor *e, int arg); /* arg: enum move to what is erased */
unsigned edit_cut_line(struct editor *e, int arg);
unsigned edit_double(struct editor *e, int arg);

/* ---- editor_pairs.c ---- */

enum { EDITOR_CLOSERS = 16 };

/* Typing of a character that opens, closes or encloses. `is_typed`: by a person, not by a program that
 * pastes. 0: it is none of that. */
unsigned editor_type_pair(struct editor *e, uint32_t cp, bool is_typed);
bool editor_is_in_pair(
		const struct editor *e); /* the cursor is between two that belong together, untouched */
void editor_pairs_edited(struct editor *e, const struct text_edit *edit);

/* ---- editor_indent.c ---- */

unsigned edit_enter(struct editor *e, int arg);
/* `cp` has been typed: a line that begins with what closes a block takes its place. */
unsigned edit_place_line(struct editor *e, uint32_t cp);
unsigned edit_to_bracket(struct editor *e, int arg);

/* ---- editor_lines.c: what changes whole lines ---- */

unsigned edit_tab(struct editor *e, int arg); /* arg: 1 indent, -1 dedent */
unsigned edit_comment(struct editor *e, int arg);
unsigned edit_move_lines(struct editor *e, int arg); /* arg: 1 down, -1 up */

/* ---- editor_run.c ---- */

unsigned edit_next_cell(struct editor *e, int arg);
unsigned edit_previous_cell(struct editor *e, int arg);

/* ---- editor_mouse.c ---- */

unsigned editor_mouse(struct editor *e, const struct event *ev);

#endif
