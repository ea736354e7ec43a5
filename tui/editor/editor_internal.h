/* SPDX-License-Identifier: MIT */
#ifndef TUI_EDITOR_INTERNAL_H
#define TUI_EDITOR_INTERNAL_H

/* Shared by the files of the editor's model: editor.c (buffer and events), editor_move.c (cursor),
 * editor_wrap.c (rows of long lines), editor_edit.c (changes), editor_lines.c (whole lines), editor_indent.c,
 * editor_pairs.c, editor_replace.c, editor_notebook.c, editor_strings.c, editor_mouse.c, editor_run.c. */

#include "editor/editor.h"

struct find;

#define NO_GOAL ((size_t)-1)  /* goal_col: use the column of the cursor */
#define GOAL_END ((size_t)-2) /* the ends of the lines */

#define DONE (EDITOR_HANDLED | EDITOR_REDRAW)

/* Kinds of typing. Successive keys of one kind are one step of undo. Pauses do not end the last two, which
 * are steps of their own: cuts that are collected, and a paste. */
enum burst { BURST_NONE, BURST_TYPE, BURST_ERASE, BURST_DELETE, BURST_CUT_LINE, BURST_CUT, BURST_PASTE };

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

/* Move the cursor. With `extends` the anchor does not move. */
unsigned editor_move(struct editor *e, enum move move, bool extends);
size_t editor_word_left(const struct editor *e, size_t pos);
size_t editor_word_right(const struct editor *e, size_t pos);
/* The sequence of characters of one class around `pos`. */
struct selection editor_word_at(const struct editor *e, size_t pos);
void editor_show_cursor(struct editor *e);
void editor_scroll(struct editor *e, long lines); /* the cursor does not move and may be out of sight */

static inline size_t selection_start(struct selection s)
{
	return s.anchor < s.cursor ? s.anchor : s.cursor;
}

static inline size_t selection_end(struct selection s)
{
	return s.anchor < s.cursor ? s.cursor : s.anchor;
}

/* ---- editor_wrap.c ---- */

/* `by` rows up or down from a row of a line; stays in the text. */
void editor_step_rows(const struct editor *e, size_t *line, size_t *row, long by);

/* ---- editor_notebook.c ---- */

/* The text of a file becomes the script of the notebook that it is. On error the text is as it was. */
int editor_read_notebook(const struct editor *e, const char *path, struct text **t, struct notebook **ret,
		struct trm_error *reterr);
void editor_take_notebook(struct editor *e, struct notebook *nb); /* NULL: it is no notebook any more */
/* The file that the script becomes, as text and read again. 0, TRM_ENOMEM or TRM_ETOOBIG. */
int editor_print_notebook(struct editor *e, struct text **ret, struct notebook **ret_notebook);
void editor_show_saved(struct editor *e);   /* marks for the results that the file holds */
void editor_note_results(struct editor *e); /* the file that is being saved holds them */
void editor_forget_noted(struct editor *e); /* it was not saved after all */

/* ---- editor_strings.c ---- */

/* For struct notebook_strings. Zero but for the first two. */
struct string_finder {
	struct grammars *grammars;
	const struct trm_lang *lang;
	struct syntax *syntax;
	const char *bytes; /* that `text` is a copy of */
	struct text *text;
	bool is_asked, lacks_grammar;
};
bool string_finder_has(void *user, const char *bytes, size_t n, size_t pos);
void string_finder_finish(struct string_finder *f);
/* Make a text of a malloc'd block, which is taken. NULL: out of memory. */
struct text *editor_text_of(char *block, size_t n);

/* ---- editor_edit.c ---- */

/* Replace bytes [pos, pos+n) with a text. The cursor moves to the end of the text. One step of undo, or part
 * of a burst. */
unsigned editor_replace(
		struct editor *e, size_t pos, size_t n, const char *text, size_t len, enum burst burst);
unsigned editor_type(struct editor *e, uint32_t cp);
unsigned editor_insert(struct editor *e, const char *text,
		size_t n); /* replace the selection, as one step of undo */

/* Replace all matches that begin in the ranges, as one step of undo. The ranges are in order from last to
 * first. When out of memory, the replacements so far remain and can be undone. */
struct editor_range {
	size_t from, to;
};
unsigned editor_replace_all(struct editor *e, struct find *f, const char *by,
		const struct editor_range *ranges, size_t n_ranges, size_t *ret_count);

/* Actions of the table in editor_commands.c. */
unsigned edit_erase(struct editor *e, int arg); /* arg: enum move to the end of the erased text */
unsigned edit_cut_line(struct editor *e, int arg);
unsigned edit_cut_to_line_end(struct editor *e, int arg);
unsigned edit_cut_word(struct editor *e, int arg); /* arg: enum move to its end */
unsigned edit_transpose(struct editor *e, int arg);
unsigned edit_duplicate(struct editor *e, int arg);

/* ---- editor_pairs.c ---- */

enum { EDITOR_CLOSERS = 16 };

/* Type a character that opens, closes or encloses something. `is_typed`: a person typed it, in contrast to a
 * program that pastes. 0: it is no such character. */
unsigned editor_type_pair(struct editor *e, uint32_t cp, bool is_typed);
bool editor_is_in_pair(const struct editor *e); /* the cursor is between an automatic pair without content */
void editor_pairs_edited(struct editor *e, const struct text_edit *edit);

/* ---- editor_indent.c ---- */

unsigned edit_enter(struct editor *e, int arg);
/* Is the line indented with tabs, or are the nearest lines around it that are indented? */
bool editor_uses_tabs(const struct editor *e, size_t line);
/* After `cp` was typed: if the line now begins with a closing bracket or word, move the line to its level. */
unsigned edit_place_line(struct editor *e, uint32_t cp);
unsigned edit_to_bracket(struct editor *e, int arg);

/* ---- editor_lines.c: changes of whole lines ---- */

unsigned edit_tab(struct editor *e, int arg); /* arg: 1 indent, -1 dedent */
unsigned edit_comment(struct editor *e, int arg);
unsigned edit_move_lines(struct editor *e, int arg); /* arg: 1 down, -1 up */

/* ---- editor_run.c ---- */

unsigned edit_next_cell(struct editor *e, int arg);
unsigned edit_previous_cell(struct editor *e, int arg);

/* ---- editor_mouse.c ---- */

unsigned editor_mouse(struct editor *e, const struct event *ev);

#endif
