/* SPDX-License-Identifier: MIT */
/* The editor's commands by name. */
#include "command/command.h"
#include "editor/editor_internal.h"

static unsigned act_move(struct editor *e, int arg)
{
	return editor_move(e, (enum move)arg, false);
}

static unsigned act_scroll(struct editor *e, int arg)
{
	editor_scroll(e, arg);
	return DONE | EDITOR_SCROLLED;
}

static unsigned act_deselect(struct editor *e, int arg)
{
	(void)arg;
	if (!editor_has_selection(e))
		return 0;
	e->sel.anchor = e->sel.cursor;
	return DONE;
}

/* Motions select from now on, until another command is used. */
static unsigned act_set_mark(struct editor *e, int arg)
{
	(void)arg;
	e->sel.anchor = e->sel.cursor;
	e->mark = MARK_NEW;
	return DONE;
}

/* Cut the rest of the line. At the end of a line, cut the newline. */
static unsigned act_cut_to_line_end(struct editor *e, int arg)
{
	(void)arg;
	e->sel.anchor = e->sel.cursor;
	editor_move(e, MOVE_END, true);
	if (e->sel.anchor == e->sel.cursor)
		editor_move(e, MOVE_RIGHT, true);
	return e->sel.anchor == e->sel.cursor ? 0 : editor_cut(e);
}

#define ACTION(name) \
	static unsigned act_##name(struct editor *e, int arg) \
	{ \
		(void)arg; \
		return editor_##name(e); \
	}
ACTION(copy)
ACTION(cut)
ACTION(paste)
ACTION(undo)
ACTION(redo)
ACTION(select_all)

static const struct command commands[] = {
		{"left", NULL, "move by character (with Shift: select)", CONTEXT_EDITOR, NULL, act_move,
				MOVE_LEFT, true},
		{"right", NULL, NULL, CONTEXT_EDITOR, NULL, act_move, MOVE_RIGHT, true},
		{"up", NULL, "move by line", CONTEXT_EDITOR, NULL, act_move, MOVE_UP, true},
		{"down", NULL, NULL, CONTEXT_EDITOR, NULL, act_move, MOVE_DOWN, true},
		{"word-left", NULL, "move by word", CONTEXT_EDITOR, NULL, act_move, MOVE_WORD_LEFT, true},
		{"word-right", NULL, NULL, CONTEXT_EDITOR, NULL, act_move, MOVE_WORD_RIGHT, true},
		{"line-start", NULL, "to the start of the line", CONTEXT_EDITOR, NULL, act_move, MOVE_HOME,
				true},
		{"line-end", NULL, "to the end of the line", CONTEXT_EDITOR, NULL, act_move, MOVE_END, true},
		{"page-up", NULL, "move by page", CONTEXT_EDITOR, NULL, act_move, MOVE_PAGE_UP, true},
		{"page-down", NULL, NULL, CONTEXT_EDITOR, NULL, act_move, MOVE_PAGE_DOWN, true},
		{"text-start", NULL, "to the start of the text", CONTEXT_EDITOR, NULL, act_move, MOVE_FIRST,
				true},
		{"text-end", NULL, "to the end of the text", CONTEXT_EDITOR, NULL, act_move, MOVE_LAST, true},
		{"to-bracket", "Go to the matching bracket", "to the matching bracket", CONTEXT_EDITOR, NULL,
				edit_to_bracket, 0, false},
		{"scroll-up", NULL, "scroll by a line", CONTEXT_EDITOR, NULL, act_scroll, -1, false},
		{"scroll-down", NULL, NULL, CONTEXT_EDITOR, NULL, act_scroll, 1, false},
		{"select-all", "Select all", "select all", CONTEXT_EDITOR, NULL, act_select_all, 0, false},
		{"deselect", NULL, "deselect", CONTEXT_EDITOR, NULL, act_deselect, 0, false},
		{"set-mark", "Set the mark", "set the mark: motions select from here", CONTEXT_EDITOR, NULL,
				act_set_mark, 0, false},
		{"cut-to-line-end", "Cut to the end of the line", "cut to the end of the line",
				CONTEXT_EDITOR, NULL, act_cut_to_line_end, 0, false},
		{"copy", "Copy", "copy (also ^C when nothing runs)", CONTEXT_EDITOR, NULL, act_copy, 0,
				false},
		{"cut", "Cut", "cut", CONTEXT_EDITOR, NULL, act_cut, 0, false},
		{"paste", "Paste", "paste", CONTEXT_EDITOR, NULL, act_paste, 0, false},
		{"cut-line", "Cut the line", "cut the line (again: collect lines)", CONTEXT_EDITOR, NULL,
				edit_cut_line, 0, false},
		{"duplicate", "Duplicate line or selection", "duplicate the line or selection",
				CONTEXT_EDITOR, NULL, edit_double, 0, false},
		{"undo", "Undo", "undo", CONTEXT_EDITOR, NULL, act_undo, 0, false},
		{"redo", "Redo", "redo", CONTEXT_EDITOR, NULL, act_redo, 0, false},
		{"new-line", NULL, "new line, indented", CONTEXT_EDITOR, NULL, edit_enter, 0, false},
		{"indent", "Indent", "indent", CONTEXT_EDITOR, NULL, edit_tab, 1, false},
		{"dedent", "Unindent", "unindent", CONTEXT_EDITOR, NULL, edit_tab, -1, false},
		{"comment", "Toggle comment", "toggle comment", CONTEXT_EDITOR, NULL, edit_comment, 0, false},
		{"move-line-up", "Move the line up", "move the line up", CONTEXT_EDITOR, NULL,
				edit_move_lines, -1, false},
		{"move-line-down", "Move the line down", "move the line down", CONTEXT_EDITOR, NULL,
				edit_move_lines, 1, false},
		{"delete-left", NULL, "delete to the left", CONTEXT_EDITOR, NULL, edit_erase, MOVE_LEFT,
				false},
		{"delete-right", NULL, "delete to the right", CONTEXT_EDITOR, NULL, edit_erase, MOVE_RIGHT,
				false},
		{"delete-word-left", "Delete a word to the left", "delete a word", CONTEXT_EDITOR, NULL,
				edit_erase, MOVE_WORD_LEFT, false},
		{"delete-word-right", "Delete a word to the right", "delete a word to the right",
				CONTEXT_EDITOR, NULL, edit_erase, MOVE_WORD_RIGHT, false},
};
const struct command_table editor_commands = COMMAND_TABLE(commands);
