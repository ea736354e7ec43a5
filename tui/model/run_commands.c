/* SPDX-License-Identifier: MIT */
/* Commands that run parts of a buffer: cell, line, selection, everything. */
#include "command/command.h"
#include "editor/editor_internal.h"
#include "model/model.h"
#include "model/run_source.h"
#include "model/update.h"
#include "text/text.h"

/* A cell of text is not run; who goes on from cell to cell goes past it. */
static void run_unless_text(struct model *m, struct editor_run what, enum run_then then, struct effects *out)
{
	if (!editor_is_text_cell(model_editor(m), what))
		run_ask(m, what, then, out);
	else if (then == RUN_THEN_NEXT_CELL)
		edit_next_cell(model_editor(m), 0);
	else
		notices_add(&m->notices, m->now_ns, false, "this is a text cell: nothing to run");
	m->needs_draw = true;
}

/* A match of a search is selected, too, but nobody has chosen it to be run. */
static void run_selection_or_cell(struct model *m, struct effects *out)
{
	const struct editor *e = model_editor(m);
	struct editor_run what =
			finder_has_selected(m) ? editor_run_of(e, EDITOR_RUN_CELL) : editor_run_range(e);

	run_unless_text(m, what, RUN_THEN_STAY, out);
}

static void run_cell(struct model *m, struct effects *out)
{
	run_unless_text(m, editor_run_of(model_editor(m), EDITOR_RUN_CELL), RUN_THEN_STAY, out);
}

static void run_cell_advance(struct model *m, struct effects *out)
{
	run_unless_text(m, editor_run_of(model_editor(m), EDITOR_RUN_CELL), RUN_THEN_NEXT_CELL, out);
}

static void run_all(struct model *m, struct effects *out)
{
	run_ask(m, editor_run_of(model_editor(m), EDITOR_RUN_ALL), RUN_THEN_STAY, out);
}

static void run_lines_of_cells(struct model *m, size_t first, size_t last, struct effects *out)
{
	run_ask(m, editor_run_cells(model_editor(m), first, last), RUN_THEN_STAY, out);
}

static void run_all_cells(struct model *m, struct effects *out)
{
	if (editor_cell_at(model_editor(m), 0).kind == EDITOR_RUN_ALL)
		run_all(m, out);
	else
		run_lines_of_cells(m, 0, text_lines(model_editor(m)->text) - 1, out);
}

static void run_cells_below(struct model *m, struct effects *out)
{
	run_lines_of_cells(m, editor_line(model_editor(m)), text_lines(model_editor(m)->text) - 1, out);
}

static void run_cells_above(struct model *m, struct effects *out)
{
	const struct editor *e = model_editor(m);
	size_t first = editor_cell_at(e, editor_line(e)).first_line;

	/* The line above the code is the cell's mark, and above the mark is the previous cell. */
	if (first > 1)
		run_lines_of_cells(m, 0, first - 2, out);
	else
		notices_add(&m->notices, m->now_ns, false, "there is no cell above this one");
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
		run_unless_text(m, editor_run_range(model_editor(m)), RUN_THEN_STAY, out);
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
				CONTEXT_ANY, .run = run_selection_or_cell},
		{"run-cell-and-advance", "Run the cell and go to the next",
				"run the cell between \"# %%\" lines and go to the next", CONTEXT_ANY,
				.run = run_cell_advance},
		{"run-cell", "Run the cell", "run the cell and ignore the selection", CONTEXT_ANY,
				.run = run_cell},
		{"run-all-cells", "Run all cells",
				"run cell after cell, each a run of its own, until one fails", CONTEXT_ANY,
				.run = run_all_cells},
		{"run-cells-above", "Run the cells above", "run the cells above this one", CONTEXT_EDITOR,
				.run = run_cells_above},
		{"run-cells-below", "Run this cell and those below", "run this cell and those below",
				CONTEXT_EDITOR, .run = run_cells_below},
		{"run-all", "Run the buffer", "run the whole buffer as one run", CONTEXT_ANY, .run = run_all},
		{"run-line", "Run the line", "run the line and go to the next", CONTEXT_EDITOR,
				.run = run_line},
		{"run-selection", "Run the selection", "run the selection", CONTEXT_EDITOR,
				.run = run_selection},
		{"next-cell", "Next cell", "go to the next cell", CONTEXT_EDITOR, .edit = edit_next_cell},
		{"previous-cell", "Previous cell", "go to the start of the cell, or to the previous cell",
				CONTEXT_EDITOR, .edit = edit_previous_cell},
};
const struct command_table cell_commands = COMMAND_TABLE(commands);
