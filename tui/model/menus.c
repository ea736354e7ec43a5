/* SPDX-License-Identifier: MIT */
/* Menus and the list of messages. */
#include <stdio.h>
#include <string.h>

#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"
#include "text/format.h"

static void answer_theme(struct model *m, int answer, struct effects *out);

static void answer_language(struct model *m, int answer, struct effects *out);

/* ---- menus ---- */

/* Add a language with the extension of its files, or with the way to install it. */
static void add_language(struct model *m, const struct trm_lang *lang)
{
	char right[40];
	bool is_missing = m->sandbox.missing_langs >> lang->index & 1;

	if (is_missing && *lang->package)
		snprintf(right, sizeof right, "apt install %s", lang->package);
	else
		snprintf(right, sizeof right, "%s",
				is_missing        ? "not installed"
				: *lang->suffixes ? *lang->suffixes
						  : "");
	dialog_add_choice(&m->dialog, lang->name, right, 0, lang);
}

void ask_language(struct model *m)
{
	dialog_begin(&m->dialog, "Language", answer_language);
	m->dialog.command = "language";
	for (unsigned i = 0; i < trm_lang_count(); i++)
		add_language(m, trm_lang_at(i));
	m->dialog.current = m->lang->index;
	m->dialog.below_col = m->cols < 60 ? 1 : 14; /* below the title's name of the language */
	m->needs_draw = true;
}

static void answer_language(struct model *m, int answer, struct effects *out)
{
	const struct trm_lang *lang = trm_lang_at((unsigned)m->dialog.current);

	if (answer == ANSWER_MOVED)
		return;
	dialog_close(m);
	if (answer == ANSWER_ENTER) {
		language_set(m, lang, out);
		model_focus(m, PANE_EDITOR);
	}
}

void ask_themes(struct model *m, const struct msg *msg)
{
	dialog_begin(&m->dialog, "Theme", answer_theme);
	m->dialog.command = "theme";
	for (size_t i = 0; i < msg->themes.n; i++) {
		dialog_add_item(&m->dialog, msg->themes.names[i]);
		if (strcmp(msg->themes.names[i], m->theme) == 0)
			m->dialog.current = i;
	}
	m->needs_draw = true;
}

static void answer_theme(struct model *m, int answer, struct effects *out)
{
	const struct dialog *d = &m->dialog;
	const char *name = d->n_items ? d->items[d->current] : m->theme;

	if (answer == ANSWER_CANCEL)
		name = m->theme;
	effect_name(out, EFFECT_THEME, name);
	if (answer == ANSWER_ENTER)
		snprintf(m->theme, sizeof m->theme, "%s", name);
	if (answer != ANSWER_MOVED)
		dialog_close(m);
}

/* ---- texts ---- */

void show_messages(struct model *m)
{
	struct dialog *d = &m->dialog;
	const struct notice *n;

	dialog_begin(d, "Messages, newest first (Esc closes)", dialog_dismiss);
	d->command = "messages";
	d->is_large = true;
	for (size_t k = 0; (n = notices_at(&m->notices, k)) != NULL; k++) {
		char ago[24];
		uint64_t seconds = (m->now_ns - n->time_ns) / 1000000000u;
		if (seconds == 0)
			snprintf(ago, sizeof ago, "now");
		else
			format_duration(ago, seconds * 1000000u);
		dialog_add_labeled(d, ago, n->is_error ? ROLE_DIALOG_WARN : ROLE_DIALOG, "%s", n->text);
	}
	if (!d->n_lines)
		dialog_add(d, ROLE_DIALOG_DIM, "no messages");
	m->needs_draw = true;
}
