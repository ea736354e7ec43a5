/* SPDX-License-Identifier: MIT */
/* Results of opening and saving files. */
#include <stdio.h>
#include <string.h>

#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/run_source.h"
#include "model/update.h"
#include "text/text.h"

/* Say what failed: in the dialog that asked for the path, so that the path can be corrected, else as a
 * notice. */
static void report_failure(struct model *m, bool is_asked, const char *why)
{
	if (is_asked)
		ask_path_again(m, why);
	else
		notices_add(&m->notices, m->now_ns, true, "%s", why);
}

enum { BROKEN_TEXT = 160 };

/* "; 4 bytes are not UTF-8 (the first one, 0xe9, in line 1)", or "". */
static void broken_text(const struct editor *e, char out[BROKEN_TEXT])
{
	size_t first = 0, n = e->notebook ? 0 : text_broken_bytes(e->text, &first);
	char byte = 0;

	out[0] = '\0';
	if (n == 0)
		return;
	text_copy(e->text, first, &byte, 1);
	if (n == 1)
		snprintf(out, BROKEN_TEXT, "; a byte is not UTF-8 (0x%02x in line %zu)", (unsigned char)byte,
				text_line_of(e->text, first) + 1);
	else
		snprintf(out, BROKEN_TEXT, "; %zu bytes are not UTF-8 (the first one, 0x%02x, in line %zu)",
				n, (unsigned char)byte, text_line_of(e->text, first) + 1);
}

static void report_opened(struct model *m, const struct msg *msg, const struct editor *e)
{
	size_t lines = run_source_lines(e);
	char broken[BROKEN_TEXT];

	broken_text(e, broken);
	if (msg->type == MSG_ALREADY_OPEN)
		notices_add(&m->notices, m->now_ns, false, "%s is already open", msg->file.path);
	else if (msg->file.is_new)
		notices_add(&m->notices, m->now_ns, false, "%s does not exist yet: saving creates it",
				msg->file.path);
	else if (e->notebook)
		notices_add(&m->notices, m->now_ns, false, "opened %s: %zu cell%s%s", msg->file.path,
				e->notebook->n_cells, e->notebook->n_cells == 1 ? "" : "s",
				e->notebook->n_foreign ? " (those in other languages are shown as comments)"
						       : "");
	else
		notices_add(&m->notices, m->now_ns, false, "opened %s, %zu line%s%s%s", msg->file.path, lines,
				lines == 1 ? "" : "s", broken,
				*broken ? ": saving keeps them, running refuses them" : "");
}

static void on_opened(struct model *m, const struct msg *msg, struct effects *out)
{
	struct buffer *b = buffers_find(&m->buffers, msg->file.buffer);

	if (msg->file.error || !b) {
		report_failure(m, m->dialog.answer == answer_open,
				msg->file.error ? msg->file.error : "the buffer is gone");
		return;
	}
	if (m->dialog.answer == answer_open)
		dialog_close(m);
	buffer_show(m, b, out);
	model_focus(m, PANE_EDITOR);
	report_opened(m, msg, &b->editor);
}

/* The path was accepted. */
static void on_saving(struct model *m, const struct msg *msg)
{
	if (m->dialog.answer == answer_save)
		dialog_close(m);
	notices_add(&m->notices, m->now_ns, false, "%s", msg->text);
}

static void on_saved(struct model *m, const struct msg *msg, struct effects *out)
{
	/* A dialog that is open when a save in the background ends is about another one. */
	bool is_asked = m->dialog.answer == answer_save && !msg->file.is_behind;

	if (msg->file.error) {
		report_failure(m, is_asked, msg->file.error);
		return;
	}
	if (is_asked)
		dialog_close(m);
	const struct buffer *b = buffers_find(&m->buffers, msg->file.buffer);
	char broken[BROKEN_TEXT] = "";
	if (b)
		broken_text(&b->editor, broken);
	bool stays = msg->file.closes && b && buffer_is_unsaved(b);
	notices_add(&m->notices, m->now_ns, false, "saved %s%s%s", msg->file.path, broken,
			stays ? "; the buffer was changed meanwhile, and stays open" : "");
	if (msg->file.closes && !stays)
		buffer_close_now(m, msg->file.buffer, out);
}

/* A file has changed on disk. An unedited buffer is reloaded; otherwise the person decides. */
static void on_changed(struct model *m, const struct msg *msg, struct effects *out)
{
	const struct buffer *b = buffers_find(&m->buffers, msg->file_changed.buffer);

	if (!b)
		return;
	if (msg->file_changed.is_deleted)
		notices_add(&m->notices, m->now_ns, false,
				"%s was deleted from the disk: saving creates it again",
				msg->file_changed.path);
	else if (buffer_is_unsaved(b))
		notices_add(&m->notices, m->now_ns, true,
				"%s changed on disk. Save asks first; to drop your changes: Reload in the palette",
				msg->file_changed.path);
	else
		effect_buffer(out, EFFECT_RELOAD, b->id);
}

static void on_reloaded(struct model *m, const struct msg *msg)
{
	const struct buffer *b = buffers_find(&m->buffers, msg->file.buffer);
	char name[96];

	if (b == buffers_current(&m->buffers))
		vi_break(&m->vi, model_editor(m));
	if (msg->file.buffer == m->completion.buffer)
		complete_close(m);
	if (msg->file.error)
		notices_add(&m->notices, m->now_ns, true, "%s", msg->file.error);
	else if (b)
		notices_add(&m->notices, m->now_ns, false,
				"%s: reloaded from the disk (undo restores your version)",
				buffer_name(b, name, sizeof name));
	if (m->dialog.answer == answer_confirm)
		ask_confirm(m); /* closes if its code is not there any more */
}

void reload(struct model *m, struct effects *out)
{
	if (model_editor(m)->path)
		effect_buffer(out, EFFECT_RELOAD, buffers_current(&m->buffers)->id);
	else
		notices_add(&m->notices, m->now_ns, false, "the buffer has no file yet");
}

void edit_outside(struct model *m, struct effects *out)
{
	effect_buffer(out, EFFECT_EDIT_OUTSIDE, buffers_current(&m->buffers)->id);
}

void update_file(struct model *m, const struct msg *msg, struct effects *out)
{
	m->needs_draw = true;
	switch (msg->type) {
	case MSG_OPENED:
	case MSG_ALREADY_OPEN: on_opened(m, msg, out); break;
	case MSG_SAVING: on_saving(m, msg); break;
	case MSG_SAVED: on_saved(m, msg, out); break;
	case MSG_FILE_CHANGED: on_changed(m, msg, out); break;
	case MSG_RELOADED: on_reloaded(m, msg); break;
	default: break;
	}
}
