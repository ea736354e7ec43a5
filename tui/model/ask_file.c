/* SPDX-License-Identifier: MIT */
/* Questions about files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"

enum { BUTTON_THEIRS = BUTTON_REPLACE + 1 };

/* Enter loses nothing: after a reload, undo brings back the text. */
static const struct dialog_button stale_buttons[] = {
		{"Cancel", NULL, 'c', ANSWER_CANCEL},
		{"Reload from disk", "Reload", 'l', BUTTON_THEIRS},
		{"Replace", NULL, 'r', BUTTON_REPLACE},
};

static void add_path_keys(struct dialog *d)
{
	dialog_add(d, ROLE_DIALOG_DIM, "Enter: %s   Tab: complete   Esc: cancel",
			d->answer == answer_open ? "open" : "save");
}

static void ask_path(struct model *m, bool is_open, const char *title, const char *path, const char *why)
{
	struct dialog *d = &m->dialog;

	dialog_begin(d, title, is_open ? answer_open : answer_save);
	add_path_keys(d);
	if (why)
		dialog_add(d, ROLE_DIALOG_WARN, "%s", why);
	dialog_set_field(d, "Path", path, why != NULL);
	m->needs_draw = true;
}

void ask_path_names(struct model *m, const char *names)
{
	struct dialog *d = &m->dialog;

	if (d->answer != answer_open && d->answer != answer_save)
		return;
	dialog_clear_lines(d);
	add_path_keys(d);
	if (names)
		dialog_add(d, ROLE_DIALOG, "%s", names);
}

void ask_open(struct model *m)
{
	ask_path(m, true, "Open a file", NULL, NULL);
}

void ask_path_again(struct model *m, const char *why)
{
	struct dialog *d = &m->dialog;
	char title[sizeof d->title], *path = strdup(field_text(&d->field));

	memcpy(title, d->title, sizeof title);
	ask_path(m, d->answer == answer_open, title, path, why);
	free(path);
}

/* Save the subject of the question. */
static void save_pending(struct model *m, enum effect_type type, const char *path, struct effects *out)
{
	effect_add(out, (struct effect){.type = type,
					.save = {m->pending_buffer, effects_string(out, path),
							m->pending_closes}});
}

void ask_save_as(struct model *m, bool closes)
{
	const struct buffer *b = buffers_current(&m->buffers);
	char title[64];

	m->pending_buffer = b->id;
	m->pending_closes = closes;
	snprintf(title, sizeof title, "Save the %s buffer as", m->lang->name);
	ask_path(m, false, title, b->editor.path, NULL);
}

void ask_save(struct model *m, bool closes, struct effects *out)
{
	const struct buffer *b = buffers_current(&m->buffers);

	if (!b->editor.path) {
		ask_save_as(m, closes);
		return;
	}
	m->pending_buffer = b->id;
	m->pending_closes = closes;
	save_pending(m, EFFECT_SAVE, NULL, out);
}

/* The buffer in which a file is opened: that of the file's language, else the current one. */
const struct trm_lang *path_lang(const struct model *m, const char *path)
{
	const struct trm_lang *lang;

	return trm_lang_guess(path, &lang, NULL) == 0 ? lang : m->lang;
}

/* The dialog stays open until the result is known, so that the person can correct the path. */
void answer_open(struct model *m, int answer, struct effects *out)
{
	const char *path = field_text(&m->dialog.field);

	if (dialog_takes_path(m, answer, out))
		effect_open(out, path, path_lang(m, path));
}

void answer_save(struct model *m, int answer, struct effects *out)
{
	if (dialog_takes_path(m, answer, out))
		save_pending(m, EFFECT_SAVE_CHECKED, field_text(&m->dialog.field), out);
}

static void answer_overwrite(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	if (answer == BUTTON_REPLACE)
		save_pending(m, EFFECT_SAVE, m->pending_path, out);
	else if (answer == BUTTON_THEIRS)
		effect_buffer(out, EFFECT_RELOAD, m->pending_buffer);
}

void ask_replace(struct model *m, const struct msg *msg)
{
	bool is_changed = msg->save_exists.is_changed;

	snprintf(m->pending_path, sizeof m->pending_path, "%s", msg->save_exists.path);
	m->pending_buffer = msg->save_exists.buffer;
	m->pending_closes = msg->save_exists.closes;
	dialog_ask_over(m, is_changed ? "The file has changed" : "The file exists", m->pending_path,
			is_changed ? "has changed on disk since it was opened. Replace it?"
				   : "already exists. Replace it?",
			answer_overwrite);
	if (is_changed)
		dialog_set_buttons(&m->dialog, stale_buttons, COUNT(stale_buttons));
}

/* ---- recovery after a crash ---- */

enum { BUTTON_RESTORE = 1, BUTTON_DISCARD };
#define TYPED_AHEAD_NS 1000000000u

static const struct dialog_button recover_buttons[] = {
		/* No letters, because this question may come while the person is typing. */
		{"Open", NULL, 0, BUTTON_RESTORE},
		{"Later", NULL, 0, ANSWER_CANCEL},
		{"Discard", NULL, 0, BUTTON_DISCARD},
};

static void answer_recover(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	effect_add(out, (struct effect){.type = EFFECT_RECOVER,
					.recover = answer == BUTTON_RESTORE   ? RECOVER_RESTORE
						   : answer == BUTTON_DISCARD ? RECOVER_DISCARD
									      : RECOVER_LATER});
}

void ask_recover(struct model *m, const struct msg *msg)
{
	struct dialog *d = &m->dialog;

	dialog_begin(d, "Unsaved text found", answer_recover);
	d->lets_type_until_ns = m->now_ns + TYPED_AHEAD_NS;
	dialog_add(d, ROLE_DIALOG, "Unsaved text from a session that ended unexpectedly. Open it now?");
	dialog_add(d, ROLE_DIALOG, "%s", "");
	for (const char *p = msg->text; *p;) {
		size_t n = strcspn(p, "\n");
		dialog_add(d, ROLE_DIALOG, "- %.*s", (int)n, p);
		p += n + (p[n] == '\n');
	}
	dialog_set_buttons(d, recover_buttons, COUNT(recover_buttons));
	m->needs_draw = true;
}
