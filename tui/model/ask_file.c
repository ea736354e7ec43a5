/* SPDX-License-Identifier: MIT */
/* Questions about files. */
#include <stdio.h>
#include <string.h>

#include "model/answers.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"

enum { BUTTON_YES = 1 };

static const struct dialog_button overwrite_buttons[] = {
		{"Replace", NULL, 'r', BUTTON_YES},
		{"Cancel", NULL, 'c', ANSWER_CANCEL},
};
static const struct dialog_button discard_buttons[] = {
		{"Open anyway", NULL, 'o', BUTTON_YES},
		{"Cancel", NULL, 'c', ANSWER_CANCEL},
};

static void ask_path(struct model *m, enum dialog_kind kind, const char *title, const char *path)
{
	struct dialog *d = &m->dialog;

	dialog_begin(d, kind, title);
	dialog_add(d, ROLE_DIM, "Enter: %s   Tab: complete   Esc: cancel",
			kind == DIALOG_OPEN ? "open" : "save");
	d->has_field = true;
	d->field_label = "Path";
	if (path)
		field_set(&d->field, path);
	m->needs_draw = true;
}

void ask_open(struct model *m)
{
	ask_path(m, DIALOG_OPEN, "Open a file", NULL);
}

void ask_save(struct model *m, bool under_new_name, struct effects *out)
{
	const struct editor *e = model_editor(m);
	char title[64];

	if (e->path && !under_new_name) {
		effect_add(out, EFFECT_SAVE, m->lang, NULL, 0, 0);
		return;
	}
	snprintf(title, sizeof title, "Save the %s buffer as", m->lang->name);
	ask_path(m, DIALOG_SAVE, title, e->path);
}

/* The buffer that a file belongs into: that of its language, else the one at hand. */
static const struct trm_lang *lang_of_file(const struct model *m, const char *path)
{
	const struct trm_lang *lang;

	return trm_lang_guess(path, &lang, NULL) == 0 ? lang : m->lang;
}

static void answer_open(struct model *m, const char *path, struct effects *out)
{
	const struct trm_lang *lang = lang_of_file(m, path);

	snprintf(m->pending_path, sizeof m->pending_path, "%s", path);
	m->pending_lang = lang;
	if (!answers_is_lost(&m->editors[lang->id])) {
		dialog_close(m);
		effect_text(out, EFFECT_OPEN, lang, m->pending_path);
		return;
	}
	dialog_begin(&m->dialog, DIALOG_DISCARD, "Unsaved changes");
	dialog_add(&m->dialog, ROLE_DIALOG,
			"The %s buffer has changes that are not saved. "
			"Opening %s replaces it.",
			lang->name, m->pending_path);
	dialog_set_buttons(&m->dialog, discard_buttons, COUNT(discard_buttons));
}

void answer_path(struct model *m, int answer, struct effects *out)
{
	const char *path = field_text(&m->dialog.field);

	if (answer == ANSWER_TAB) {
		effect_text(out, EFFECT_COMPLETE_PATH, NULL, path);
	} else if (answer == ANSWER_ENTER && *path) {
		if (m->dialog.kind == DIALOG_OPEN) {
			answer_open(m, path, out);
			return;
		}
		effect_text(out, EFFECT_SAVE_CHECKED, m->lang, path);
		dialog_close(m);
	} else {
		dialog_close(m);
	}
}

void ask_replace(struct model *m, const struct msg *msg)
{
	snprintf(m->pending_path, sizeof m->pending_path, "%s", msg->text);
	m->pending_lang = msg->lang;
	dialog_begin(&m->dialog, DIALOG_OVERWRITE, msg->flag ? "The file has changed" : "The file exists");
	dialog_add(&m->dialog, ROLE_DIALOG,
			msg->flag ? "%s has been changed by somebody else since it was opened. Replace it?"
				  : "%s exists already. Replace it?",
			msg->text);
	dialog_set_buttons(&m->dialog, overwrite_buttons, COUNT(overwrite_buttons));
}

void answer_pending(struct model *m, int answer, struct effects *out)
{
	enum effect_type effect = m->dialog.kind == DIALOG_OVERWRITE ? EFFECT_SAVE : EFFECT_OPEN;

	dialog_close(m);
	if (answer == BUTTON_YES)
		effect_text(out, effect, m->pending_lang, m->pending_path);
}
