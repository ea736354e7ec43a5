/* SPDX-License-Identifier: MIT */
/* Switching between buffers, opening new ones, closing buffers. */
#include <stdio.h>

#include "command/command.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/update.h"

static void answer_close(struct model *m, int answer, struct effects *out);

enum { BUTTON_SAVE = 1, BUTTON_DISCARD };

static const struct dialog_button close_buttons[] = {
		{"Save", NULL, 's', BUTTON_SAVE},
		{"Discard", NULL, 'd', BUTTON_DISCARD},
		{"Cancel", NULL, 'c', ANSWER_CANCEL},
};

void buffer_show(struct model *m, struct buffer *b, struct effects *out)
{
	const struct trm_lang *lang = b->editor.lang;

	history_gather(model_editor(m)->history, false);
	buffers_show(&m->buffers, b->id);
	vi_break(&m->vi, model_editor(m));
	if (m->lang != lang && m->sandbox.state != SANDBOX_DEAD)
		effect_lang(out, EFFECT_WARM, lang);
	m->lang = lang;
	if (m->tutor.is_on)
		model_relayout(m); /* the instruction is for the language, and may be longer */
	m->needs_draw = true;
}

/* Add a buffer and make it current. NULL: out of memory, which is reported. */
static struct buffer *add_shown_buffer(struct model *m, const struct trm_lang *lang, struct effects *out)
{
	struct buffer *b = buffers_add(&m->buffers, lang);

	if (b)
		buffer_show(m, b, out);
	else
		notices_add(&m->notices, m->now_ns, true, "cannot open a new buffer: out of memory");
	return b;
}

void language_set(struct model *m, const struct trm_lang *lang, struct effects *out)
{
	struct buffer *b = buffers_of_lang(&m->buffers, lang);

	if (m->lang == lang)
		return;
	if (b)
		buffer_show(m, b, out);
	else
		add_shown_buffer(m, lang, out);
}

void buffer_new(struct model *m, struct effects *out)
{
	if (add_shown_buffer(m, m->lang, out))
		model_focus(m, PANE_EDITOR);
}

static void buffer_next(struct model *m, struct effects *out)
{
	buffer_show(m, buffers_beside(&m->buffers, 1), out);
}

static void buffer_previous(struct model *m, struct effects *out)
{
	buffer_show(m, buffers_beside(&m->buffers, -1), out);
}

void buffer_tab_click(struct model *m, int col, struct effects *out)
{
	struct tab tabs[TABS_MAX];
	size_t n = buffers_tabs(&m->buffers, m->layout.tabs.cols, tabs);

	col -= m->layout.tabs.col;
	for (size_t i = 0; i < n; i++) {
		if (col < tabs[i].col || col >= tabs[i].col + tabs[i].cols)
			continue;
		buffer_show(m,
				tabs[i].buffer ? buffers_find(&m->buffers, tabs[i].buffer->id)
					       : buffers_beside(&m->buffers, tabs[i].by),
				out);
		return;
	}
}

/* ---- closing ---- */

/* If it was the last buffer, an empty one replaces it. */
void buffer_close_now(struct model *m, uint32_t id, struct effects *out)
{
	struct buffer *b = buffers_find(&m->buffers, id);

	if (!b || (m->buffers.n == 1 && !buffers_add(&m->buffers, b->editor.lang)))
		return;
	buffers_remove(&m->buffers, id);
	buffer_show(m, buffers_current(&m->buffers), out);
}

void buffer_close(struct model *m, struct effects *out)
{
	struct buffer *b = buffers_current(&m->buffers);
	char name[4200];

	if (!buffer_is_unsaved(b)) {
		buffer_close_now(m, b->id, out);
		return;
	}
	m->pending_buffer = b->id;
	dialog_begin(&m->dialog, "Unsaved changes", answer_close);
	dialog_add(&m->dialog, ROLE_DIALOG, "%s has unsaved changes. Save before closing?",
			buffer_name(b, name, sizeof name));
	dialog_set_buttons(&m->dialog, close_buttons, COUNT(close_buttons));
	m->needs_draw = true;
}

static void answer_close(struct model *m, int answer, struct effects *out)
{
	uint32_t id = m->pending_buffer;

	dialog_close(m);
	if (buffers_current(&m->buffers)->id != id)
		return; /* it has been saved and closed meanwhile */
	if (answer == BUTTON_DISCARD)
		buffer_close_now(m, id, out);
	else if (answer == BUTTON_SAVE)
		ask_save(m, true, out);
}

/* As vi's ":q!": another buffer whose text would be lost is shown instead. */
void buffer_abandon(struct model *m, struct effects *out)
{
	const struct buffer *b = buffers_current(&m->buffers);
	struct buffer *other = NULL;
	char name[4200];

	for (size_t i = m->buffers.n; i-- > 0;)
		if (m->buffers.items[i] != b && buffer_is_unsaved(m->buffers.items[i]))
			other = m->buffers.items[i];
	if (!other) {
		effect_plain(out, EFFECT_QUIT_DISCARDING);
	} else if (b->editor.is_saving) {
		notices_add(&m->notices, m->now_ns, true, "%s is still being written",
				editor_target(&b->editor));
	} else {
		buffer_close_now(m, b->id, out);
		buffer_show(m, other, out);
		notices_add(&m->notices, m->now_ns, true,
				"%s has unsaved changes, too: :q! drops them, :qa! those of all buffers, :q keeps them",
				buffer_name(other, name, sizeof name));
	}
}

static void toggle_wrap(struct model *m, struct effects *out)
{
	(void)out;
	buffers_set_style(&m->buffers, m->buffers.closes_pairs, !m->buffers.wraps);
	m->needs_draw = true;
}

static const struct command commands[] = {
		{"wrap", "Wrap long lines", "wrap long lines, or cut them at the edge", CONTEXT_EDITOR,
				.run = toggle_wrap},
		{"new-buffer", "New buffer", "open a new buffer of the same language", CONTEXT_ANY,
				.run = buffer_new},
		{"close-buffer", "Close the buffer", "close the buffer; asks about unsaved changes",
				CONTEXT_EDITOR, .run = buffer_close},
		{"reload", "Reload from the disk",
				"read the buffer's file again (undo restores your version)", CONTEXT_ANY,
				.run = reload},
		{"external-editor", "Edit in $EDITOR", "edit the buffer in $VISUAL or $EDITOR",
				CONTEXT_EDITOR, .run = edit_outside},
		{"next-buffer", "Next buffer", "go to the next buffer", CONTEXT_ANY, .run = buffer_next},
		{"previous-buffer", "Previous buffer", "go to the previous buffer", CONTEXT_ANY,
				.run = buffer_previous},
};
const struct command_table buffer_commands = COMMAND_TABLE(commands);
