/* SPDX-License-Identifier: MIT */
/* Running parts of a buffer: cell, line, selection, everything. */
#include "command/command.h"
#include "editor/editor_internal.h"
#include "model/model.h"
#include "model/run_source.h"
#include "model/update.h"

static void run(struct model *m, struct effects *out)
{
	run_ask(m, editor_run_range(model_editor(m)), RUN_THEN_STAY, out);
}

static void run_cell(struct model *m, struct effects *out)
{
	run_ask(m, editor_run_of(model_editor(m), EDITOR_RUN_CELL), RUN_THEN_STAY, out);
}

static void run_cell_advance(struct model *m, struct effects *out)
{
	run_ask(m, editor_run_of(model_editor(m), EDITOR_RUN_CELL), RUN_THEN_NEXT_CELL, out);
}

static void run_all(struct model *m, struct effects *out)
{
	run_ask(m, editor_run_of(model_editor(m), EDITOR_RUN_ALL), RUN_THEN_STAY, out);
}

static void run_line(struct model *m, struct effects *out)
{
	struct editor_run line = editor_run_of(model_editor(m), EDITOR_RUN_LINE);

	if (run_source_is_blank(model_editor(m), line))
		editor_move(model_editor(m), MOVE_DOWN, false);
	else
		run_ask(m, line, RUN_THEN_NEXT_LINE, out);
}

static void run_selection(struct model *m, struct effects *out)
{
	if (editor_has_selection(model_editor(m)))
		run(m, out);
	else
		notices_add(&m->notices, m->now_ns, false,
				"nothing is selected: Shift with the arrow keys selects");
}

void run_moved_on(struct model *m)
{
	struct editor *e = model_editor(m);

	if (m->run_then == RUN_THEN_NEXT_CELL)
		edit_next_cell(e, 0);
	else if (m->run_then == RUN_THEN_NEXT_LINE)
		editor_goto_line(e, editor_line(e) + 1);
	editor_show_cursor(e);
	m->run_then = RUN_THEN_STAY;
}

static const struct command commands[] = {
		{"run", "Run", "run the selection, else the cell between \"# %%\" lines, else the buffer",
				CONTEXT_ANY, run, NULL, 0, false},
		{"run-cell-and-advance", "Run the cell and go to the next",
				"run the cell between \"# %%\" lines and go to the next", CONTEXT_ANY,
				run_cell_advance, NULL, 0, false},
		{"run-cell", "Run the cell", "run the cell and ignore the selection", CONTEXT_ANY, run_cell,
				NULL, 0, false},
		{"run-all", "Run the buffer", "run the whole buffer", CONTEXT_ANY, run_all, NULL, 0, false},
		{"run-line", "Run the line", "run the line and go to the next", CONTEXT_EDITOR, run_line,
				NULL, 0, false},
		{"run-selection", "Run the selection", "run the selection", CONTEXT_EDITOR, run_selection,
				NULL, 0, false},
		{"next-cell", "Next cell", "go to the next cell", CONTEXT_EDITOR, NULL, edit_next_cell, 0,
				false},
		{"previous-cell", "Previous cell", "go to the start of the cell, or to the previous cell",
				CONTEXT_EDITOR, NULL, edit_previous_cell, 0, false},
};
const struct command_table cell_commands = COMMAND_TABLE(commands);
