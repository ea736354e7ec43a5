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
		{"left", NULL, "move by character (with Shift: select)", CONTEXT_EDITOR, .edit = act_move,
				.arg = MOVE_LEFT, .is_motion = true},
		{"right", NULL, NULL, CONTEXT_EDITOR, .edit = act_move, .arg = MOVE_RIGHT, .is_motion = true},
		{"up", NULL, "move by line", CONTEXT_EDITOR, .edit = act_move, .arg = MOVE_UP,
				.is_motion = true},
		{"down", NULL, NULL, CONTEXT_EDITOR, .edit = act_move, .arg = MOVE_DOWN, .is_motion = true},
		{"word-left", NULL, "move by word", CONTEXT_EDITOR, .edit = act_move, .arg = MOVE_WORD_LEFT,
				.is_motion = true},
		{"word-right", NULL, NULL, CONTEXT_EDITOR, .edit = act_move, .arg = MOVE_WORD_RIGHT,
				.is_motion = true},
		{"line-start", NULL, "to the start of the line", CONTEXT_EDITOR, .edit = act_move,
				.arg = MOVE_HOME, .is_motion = true},
		{"line-end", NULL, "to the end of the line", CONTEXT_EDITOR, .edit = act_move,
				.arg = MOVE_END, .is_motion = true},
		{"page-up", NULL, "move by page", CONTEXT_EDITOR, .edit = act_move, .arg = MOVE_PAGE_UP,
				.is_motion = true},
		{"page-down", NULL, NULL, CONTEXT_EDITOR, .edit = act_move, .arg = MOVE_PAGE_DOWN,
				.is_motion = true},
		{"text-start", NULL, "to the start of the text", CONTEXT_EDITOR, .edit = act_move,
				.arg = MOVE_FIRST, .is_motion = true},
		{"text-end", NULL, "to the end of the text", CONTEXT_EDITOR, .edit = act_move,
				.arg = MOVE_LAST, .is_motion = true},
		{"to-bracket", "Go to the matching bracket", "to the matching bracket", CONTEXT_EDITOR,
				.edit = edit_to_bracket},
		{"scroll-up", NULL, "scroll by a line", CONTEXT_EDITOR, .edit = act_scroll, .arg = -1},
		{"scroll-down", NULL, NULL, CONTEXT_EDITOR, .edit = act_scroll, .arg = 1},
		{"select-all", "Select all", "select all", CONTEXT_EDITOR, .edit = act_select_all},
		{"deselect", NULL, "deselect", CONTEXT_EDITOR, .edit = act_deselect},
		{"set-mark", "Set the mark", "set the mark: motions select from here", CONTEXT_EDITOR,
				.edit = act_set_mark},
		{"cut-to-line-end", "Cut to the end of the line",
				"cut to the end of the line (again: collect)", CONTEXT_EDITOR,
				.edit = edit_cut_to_line_end},
		{"cut-word-left", "Cut a word to the left", "cut a word to the left (again: collect)",
				CONTEXT_EDITOR, .edit = edit_cut_word, .arg = MOVE_WORD_LEFT},
		{"cut-word-right", "Cut a word to the right", "cut a word to the right (again: collect)",
				CONTEXT_EDITOR, .edit = edit_cut_word, .arg = MOVE_WORD_RIGHT},
		{"transpose", "Exchange two characters", "exchange the characters around the cursor",
				CONTEXT_EDITOR, .edit = edit_transpose},
		{"copy", "Copy", "copy (also ^C when nothing runs)", CONTEXT_EDITOR, .edit = act_copy},
		{"cut", "Cut", "cut", CONTEXT_EDITOR, .edit = act_cut},
		{"paste", "Paste", "paste", CONTEXT_EDITOR, .edit = act_paste},
		{"cut-line", "Cut the line", "cut the line (again: collect lines)", CONTEXT_EDITOR,
				.edit = edit_cut_line},
		{"duplicate", "Duplicate line or selection", "duplicate the line or selection",
				CONTEXT_EDITOR, .edit = edit_duplicate},
		{"undo", "Undo", "undo", CONTEXT_EDITOR, .edit = act_undo},
		{"redo", "Redo", "redo", CONTEXT_EDITOR, .edit = act_redo},
		{"new-line", NULL, "new line, indented", CONTEXT_EDITOR, .edit = edit_enter},
		{"indent", "Indent", "indent", CONTEXT_EDITOR, .edit = edit_tab, .arg = 1},
		{"dedent", "Unindent", "unindent", CONTEXT_EDITOR, .edit = edit_tab, .arg = -1},
		{"comment", "Toggle comment", "toggle comment", CONTEXT_EDITOR, .edit = edit_comment},
		{"move-line-up", "Move the line up", "move the line up", CONTEXT_EDITOR,
				.edit = edit_move_lines, .arg = -1},
		{"move-line-down", "Move the line down", "move the line down", CONTEXT_EDITOR,
				.edit = edit_move_lines, .arg = 1},
		{"delete-left", NULL, "delete to the left", CONTEXT_EDITOR, .edit = edit_erase,
				.arg = MOVE_LEFT},
		{"delete-right", NULL, "delete to the right", CONTEXT_EDITOR, .edit = edit_erase,
				.arg = MOVE_RIGHT},
		{"delete-word-left", "Delete a word to the left", "delete a word", CONTEXT_EDITOR,
				.edit = edit_erase, .arg = MOVE_WORD_LEFT},
		{"delete-word-right", "Delete a word to the right", "delete a word to the right",
				CONTEXT_EDITOR, .edit = edit_erase, .arg = MOVE_WORD_RIGHT},
};
const struct command_table editor_commands = COMMAND_TABLE(commands);
