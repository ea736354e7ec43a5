/* SPDX-License-Identifier: MIT */
/* The commands of the workbench as a whole. The commands of a pane are in the files of that pane. */
#include <string.h>

#include "command/command.h"
#include "editor/editor_internal.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/output.h"
#include "model/page.h"
#include "model/palette.h"
#include "model/update.h"
#include "text/text.h"

/* ---- copy ---- */

static void keep_clipboard(struct model *m, struct effects *out, const char *what)
{
	effect_text(out, EFFECT_COPY, m->clipboard.text, m->clipboard.len);
	model_say_copied(m, m->clipboard.text, m->clipboard.len, what);
}

static void copy_output(struct model *m, struct effects *out)
{
	size_t len;
	char *text = outpane_copy(&m->out, &len);

	if (!text) {
		notices_add(&m->notices, m->now_ns, true, "the selection is too big to copy");
		return;
	}
	clipboard_take(&m->clipboard, text, len);
	keep_clipboard(m, out, "output");
}

static void copy_selection(struct model *m, struct effects *out)
{
	char key[KEYMAP_NAME_BYTES];

	if (m->out.has_selection && m->focus != PANE_EDITOR)
		copy_output(m, out);
	else if (m->focus == PANE_EDITOR && editor_copy(model_editor(m)) & EDITOR_CLIPBOARD)
		keep_clipboard(m, out, "the buffer");
	else
		notices_add(&m->notices, m->now_ns, false, "nothing to interrupt or copy (%s quits)",
				key_hint(m, "quit", key));
}

static void paste_older(struct model *m, struct effects *out)
{
	unsigned bits = editor_paste_older(model_editor(m));

	editor_done(m, bits, out);
	if (!(bits & EDITOR_CHANGED))
		notices_add(&m->notices, m->now_ns, false,
				"paste first: this brings what was cut before, in its place");
}

/* ---- panes ---- */

static void go_to_pane(struct model *m, int by)
{
	int pane = m->focus;

	do
		pane = (pane + by + PANE_COUNT) % PANE_COUNT;
	while (m->layout.kind != LAYOUT_SINGLE && m->layout.panes[pane].rows == 0 && pane != (int)m->focus);
	m->owes_focus = false;
	model_focus(m, (enum pane)pane);
}

static void next_pane(struct model *m, struct effects *out)
{
	(void)out;
	go_to_pane(m, 1);
}

static void previous_pane(struct model *m, struct effects *out)
{
	(void)out;
	go_to_pane(m, -1);
}

static void zoom(struct model *m, struct effects *out)
{
	(void)out;
	m->panes.is_zoomed = !m->panes.is_zoomed;
	/* A pane that is only a strip now cannot have the focus. */
	model_relayout(m);
	if (m->layout.panes[m->focus].rows == 0)
		model_focus(m, PANE_EDITOR);
}

static void move_border(struct model *m, enum border border, int rows, int cols)
{
	layout_move_border(&m->layout, m->cols, border, m->layout.divider_row + rows,
			m->layout.divider_col + cols, &m->panes);
	model_relayout(m);
}

static void border_up(struct model *m, struct effects *out)
{
	(void)out;
	move_border(m, BORDER_ROW, -1, 0);
}

static void border_down(struct model *m, struct effects *out)
{
	(void)out;
	move_border(m, BORDER_ROW, 1, 0);
}

static void border_left(struct model *m, struct effects *out)
{
	(void)out;
	move_border(m, BORDER_COL, 0, -2);
}

static void border_right(struct model *m, struct effects *out)
{
	(void)out;
	move_border(m, BORDER_COL, 0, 2);
}

static void reset_panes(struct model *m, struct effects *out)
{
	(void)out;
	m->panes = (struct layout_request){0};
	model_relayout(m);
}

/* ---- the rest ---- */

static void open_help(struct model *m, struct effects *out)
{
	(void)out;
	show_help(m);
}

static void choose_language_menu(struct model *m, struct effects *out)
{
	(void)out;
	ask_language(m);
}

static void insert_template(struct model *m, struct effects *out)
{
	struct editor *e = model_editor(m);
	const char *text = m->lang->skeleton;
	char key[KEYMAP_NAME_BYTES];

	if (!*text)
		notices_add(&m->notices, m->now_ns, true, "%s has no template", m->lang->name);
	else if (text_len(e->text))
		notices_add(&m->notices, m->now_ns, true, "a template is for an empty buffer: %s opens one",
				key_hint(m, "new-buffer", key));
	else
		editor_done(m, editor_replace(e, 0, 0, text, strlen(text), BURST_NONE), out);
}

static void theme(struct model *m, struct effects *out)
{
	(void)m;
	effect_plain(out, EFFECT_LIST_THEMES);
}

static void messages(struct model *m, struct effects *out)
{
	(void)out;
	show_messages(m);
}

static void stop_or_copy(struct model *m, struct effects *out)
{
	if (model_is_running(m))
		run_stop(m, out);
	else if (peer_runs_may_be_stopped(m))
		peer_runs_ask_stop(m, out);
	else
		copy_selection(m, out);
}

static void open_file(struct model *m, struct effects *out)
{
	(void)out;
	ask_open(m);
}

static void save_buffer(struct model *m, struct effects *out)
{
	ask_save(m, false, out);
}

static void save_as(struct model *m, struct effects *out)
{
	(void)out;
	ask_save_as(m, false);
}

static void suspend(struct model *m, struct effects *out)
{
	(void)m;
	effect_plain(out, EFFECT_SUSPEND);
}

static void repaint(struct model *m, struct effects *out)
{
	(void)m;
	effect_plain(out, EFFECT_REPAINT);
}

/* Close or deselect things as Escape does, even if this command has another key. A search in the editor goes
 * back to where it began. */
static void cancel(struct model *m, struct effects *out)
{
	const struct event escape = {.type = EVENT_KEY, .key = K_ESCAPE};
	const struct msg msg = {.type = MSG_EVENT, .now_ns = m->now_ns, .event = &escape};
	const struct command *c = command_find(page_is_shown(m)          ? page_leave_command(m)
					       : m->focus == PANE_EDITOR ? "deselect"
									 : "output-deselect");

	if (dialog_is_open(&m->dialog))
		update_dialog(m, &msg, out);
	else if (!page_is_shown(m)
			&& (finder_give_up(m) || finder_event(m, &msg, out) || output_search_event(m, &msg)))
		return;
	else if (c)
		command_run(m, c, out);
}

static void quit(struct model *m, struct effects *out)
{
	if (!loss_is_leaving(m)) {
		ask_quit(m, out);
		return;
	}
	/* The person asked for it twice. */
	dialog_close(m);
	m->loss_question.what = LOSS_NOTHING;
	effect_plain(out, EFFECT_QUIT);
}

static const struct command commands[] = {
		{"help", "Help", "show this help", CONTEXT_ANY, .run = open_help},
		{"palette", "Command palette…", "find any command by a few letters of its name", CONTEXT_ANY,
				.run = palette_ask},
		{"language", "Language…",
				"choose the language: each has its own buffer and state, all share the sandbox's files",
				CONTEXT_ANY, .run = choose_language_menu},
		{"theme", "Theme…", "choose the colors", CONTEXT_ANY, .run = theme},
		{"messages", "Messages", "show earlier messages", CONTEXT_ANY, .run = messages},
		{"next-pane", "Next pane", "go to the next pane", CONTEXT_ANY, .run = next_pane},
		{"previous-pane", "Previous pane", "go to the previous pane", CONTEXT_ANY,
				.run = previous_pane},
		{"zoom", "Zoom the pane", "show the pane on the whole screen, or all panes", CONTEXT_ANY,
				.run = zoom},
		{"border-up", "Move the border up", "shrink the editor", CONTEXT_ANY, .run = border_up},
		{"border-down", "Move the border down", "grow the editor", CONTEXT_ANY, .run = border_down},
		{"border-left", "Move the border left", "widen the metrics", CONTEXT_ANY, .run = border_left},
		{"border-right", "Move the border right", "narrow the metrics", CONTEXT_ANY,
				.run = border_right},
		{"reset-panes", "Reset the layout", "reset the borders of the panes", CONTEXT_ANY,
				.run = reset_panes},
		{"stop", "Interrupt or copy",
				"interrupt the run, then terminate it, then kill it; if nothing "
				"runs: copy",
				CONTEXT_ALWAYS, .run = stop_or_copy},
		{"open", "Open a file…", "open a file", CONTEXT_ANY, .run = open_file},
		{"save", "Save", "save the buffer", CONTEXT_ANY, .run = save_buffer},
		{"save-as", "Save as…", "save the buffer under another name", CONTEXT_ANY, .run = save_as},
		{"suspend", "Suspend the workbench",
				"go back to the shell; fg comes back, and runs go on meanwhile", CONTEXT_ANY,
				.run = suspend, .words = "stop background job Ctrl-Z shell"},
		{"repaint", "Repaint the screen", "draw the screen again", CONTEXT_ALWAYS, .run = repaint},
		{"cancel", NULL, "close or deselect", CONTEXT_ALWAYS, .run = cancel},
		{"quit", "Quit", "quit the workbench", CONTEXT_ALWAYS, .run = quit},
		{"insert-template", "Insert template", "put the frame of a program into the empty buffer",
				CONTEXT_EDITOR, .run = insert_template},
		{"paste-older", "Paste what was cut before",
				"after a paste: what was cut or copied before, in its place", CONTEXT_EDITOR,
				.run = paste_older},
};
const struct command_table workbench_commands = COMMAND_TABLE(commands);
