/* SPDX-License-Identifier: MIT */
/* Blocks of the output: fold them, go to the next, copy or save one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/output.h"

static void nothing(struct model *m)
{
	notices_add(&m->notices, m->now_ns, false, "the output has no runs");
	m->needs_draw = true;
}

/* ---- folding ---- */

void output_fold(struct model *m)
{
	struct out_block *block = outpane_block(&m->out);

	if (!block) {
		nothing(m);
		return;
	}
	out_blocks_fold(&m->out.blocks, block, !block->is_folded);
	m->out.has_mark = true;
	m->out.mark = block->line > outpane_first(&m->out) ? block->line : outpane_first(&m->out);
	m->out.has_selection = false;
	m->needs_draw = true;
}

static void fold(struct model *m, struct effects *out)
{
	(void)out;
	output_fold(m);
}

/* Fold all blocks. If all are folded, unfold them. */
static void fold_all(struct model *m, struct effects *out)
{
	struct out_blocks *b = &m->out.blocks;
	const struct out_block *block = outpane_block(&m->out);

	(void)out;
	out_blocks_fold_all(b, b->n_folded < b->n);
	if (block && m->out.has_mark && block->is_folded)
		m->out.mark = out_blocks_head(b, block);
	m->out.has_selection = false;
	m->needs_draw = true;
}

static void go(struct model *m, int by)
{
	struct rect area = model_output_area(m);

	outpane_next_block(&m->out, area.rows, area.cols, by);
	m->needs_draw = true;
}

static void output_previous_run(struct model *m, struct effects *out)
{
	(void)out;
	go(m, -1);
}

static void output_next_run(struct model *m, struct effects *out)
{
	(void)out;
	go(m, 1);
}

/* ---- taking text out of the output ---- */

/* The text of the selection, else of the current block. NULL: there is none. */
static char *text_of(struct model *m, bool wants_block, size_t *ret_len)
{
	struct outpane *p = &m->out;
	struct out_block *block = outpane_block(p);
	struct out_pos anchor = p->anchor, cursor = p->cursor;
	bool had = p->has_selection, was_folded = block && block->is_folded;

	if (had && !wants_block)
		return outpane_copy(p, ret_len);
	if (!block)
		return NULL;
	out_blocks_fold(&p->blocks, block, false);
	outpane_select_block(p, block);
	char *text = outpane_copy(p, ret_len);
	out_blocks_fold(&p->blocks, block, was_folded);
	p->anchor = anchor;
	p->cursor = cursor;
	p->has_selection = had;
	return text;
}

static void copy_block(struct model *m, struct effects *out)
{
	size_t len;
	char *text = text_of(m, true, &len);

	m->needs_draw = true;
	if (!text) {
		notices_add(&m->notices, m->now_ns, false, "the block is empty or too big to copy");
		return;
	}
	clipboard_take(&m->clipboard, text, len);
	effect_text(out, EFFECT_COPY, text, len);
	model_say_copied(m, text, len, "the block");
}

static void save_block(struct model *m, struct effects *out)
{
	struct out_block *block = outpane_block(&m->out);
	const struct run_info *run = block ? runs_find(&m->out.runs, block->serial) : NULL;
	size_t len;
	char *text = text_of(m, false, &len);

	m->needs_draw = true;
	if (text)
		effect_add(out, (struct effect){.type = EFFECT_KEEP_OUTPUT,
						.keep_output = {run ? run->number : 0,
								effects_copy(out, text, len), len}});
	else
		notices_add(&m->notices, m->now_ns, false, "there is nothing to save");
	free(text);
}

/* Also write all output of the current run to a file, including its earlier output that is still available.
 */
static void spill(struct model *m, struct effects *out)
{
	struct run_info *run = runs_find(&m->out.runs, m->run.serial);

	m->needs_draw = true;
	if (!model_is_running(m) || !run) {
		notices_add(&m->notices, m->now_ns, false,
				"nothing is running (press f in the output to save a finished run)");
		return;
	}
	live_screen_commit(&m->out.screen, &m->out.store);
	effect_serial(out, run->is_spilling ? EFFECT_SPILL_END : EFFECT_SPILL, run->serial);
}

/* ---- display ---- */

static void wrap(struct model *m, struct effects *out)
{
	(void)out;
	m->out.is_cut = !m->out.is_cut;
	m->out.left = 0;
	notices_add(&m->notices, m->now_ns, false,
			m->out.is_cut ? "long lines are cut: Left and Right scroll"
				      : "long lines are wrapped");
	m->needs_draw = true;
}

enum { SIDEWAYS = 8 };

static void sideways(struct model *m, bool is_right)
{
	struct outpane *p = &m->out;

	p->is_cut = true;
	if (is_right && p->left + SIDEWAYS < OUT_LINE_COLS)
		p->left += SIDEWAYS;
	else if (!is_right)
		p->left -= p->left < SIDEWAYS ? p->left : SIDEWAYS;
	m->needs_draw = true;
}

static void output_left(struct model *m, struct effects *out)
{
	(void)out;
	sideways(m, false);
}

static void right(struct model *m, struct effects *out)
{
	(void)out;
	sideways(m, true);
}

/* ---- going to the source ---- */

static void open_line(struct model *m, struct effects *out)
{
	const struct out_block *block = outpane_block(&m->out);

	m->needs_draw = true;
	if (!m->out.has_mark)
		output_jump_to_error(m, out);
	else if (block && block->line == m->out.mark)
		output_fold(m);
	else if (!output_jump(m, out) && !output_jump_above(m, out))
		notices_add(&m->notices, m->now_ns, false, "this line names no file and line");
}

static const struct command commands[] = {
		{"output-open", "Go to the line of a traceback",
				"go to the source line of a traceback (default: the newest "
				"error); on a header: fold",
				CONTEXT_OUTPUT, .run = open_line, .words = "jump follow"},
		{"go-to-error", "Go to the newest error", "go to the line of the newest error", CONTEXT_ANY,
				.run = output_jump_to_error, .words = "jump"},
		{"output-previous-run", "Previous run in the output", "go to the previous run",
				CONTEXT_OUTPUT, .run = output_previous_run, .words = "jump"},
		{"output-next-run", "Next run in the output", "go to the next run", CONTEXT_OUTPUT,
				.run = output_next_run, .words = "jump"},
		{"output-fold", "Fold or unfold a run's output",
				"fold or unfold a run's output (also a click on its header)", CONTEXT_OUTPUT,
				.run = fold},
		{"output-fold-all", "Fold or unfold all output", "fold or unfold all", CONTEXT_OUTPUT,
				.run = fold_all},
		{"output-copy-run", "Copy a run's output", "copy a run's output", CONTEXT_OUTPUT,
				.run = copy_block},
		{"output-save", "Save output to a file", "save the selection, else a run's output, to a file",
				CONTEXT_OUTPUT, .run = save_block},
		{"spill", "Log this run's output to a file (toggle)",
				"log the current run's output to a file (toggle)", CONTEXT_ANY, .run = spill},
		{"output-wrap", "Wrap long lines of output (toggle)", "wrap or cut long lines",
				CONTEXT_OUTPUT, .run = wrap},
		{"output-left", NULL, "scroll cut lines to the left or right", CONTEXT_OUTPUT,
				.run = output_left},
		{"output-right", NULL, NULL, CONTEXT_OUTPUT, .run = right},
};
const struct command_table output_block_commands = COMMAND_TABLE(commands);
