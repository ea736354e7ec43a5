/* SPDX-License-Identifier: MIT */
/* Menus and the messages. */
#include <stdio.h>
#include <string.h>

#include "model/answers.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"

/* ---- menus ---- */

void ask_language(struct model *m)
{
	dialog_begin(&m->dialog, DIALOG_LANGUAGE, "Language");
	for (unsigned i = 0; i < TRM_LANG_COUNT; i++)
		dialog_add_item(&m->dialog, trm_lang_get(i)->name);
	m->dialog.current = m->lang->id;
	m->needs_draw = true;
}

void answer_language(struct model *m, int answer, struct effects *out)
{
	const struct trm_lang *lang = trm_lang_get((unsigned)m->dialog.current);

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
	dialog_begin(&m->dialog, DIALOG_THEME, "Theme");
	for (size_t i = 0; i < msg->n_names; i++) {
		dialog_add_item(&m->dialog, msg->names[i]);
		if (strcmp(msg->names[i], m->theme) == 0)
			m->dialog.current = i;
	}
	m->needs_draw = true;
}

void answer_theme(struct model *m, int answer, struct effects *out)
{
	const struct dialog *d = &m->dialog;
	const char *name = d->n_items ? d->items[d->current] : m->theme;

	if (answer == ANSWER_CANCEL)
		name = m->theme;
	effect_text(out, EFFECT_THEME, NULL, name);
	if (answer == ANSWER_ENTER)
		snprintf(m->theme, sizeof m->theme, "%s", name);
	if (answer != ANSWER_MOVED)
		dialog_close(m);
}

/* ---- texts ---- */

<<<<<<< HEAD
static void help_section(struct dialog *d, const char *title)
{
	if (d->n_lines)
		dialog_add(d, ROLE_DIALOG, "%s", "");
	dialog_add(d, ROLE_DIALOG_TITLE, "%s", title);
}

/* " (also Alt-Enter, Ctrl-Enter)": the keys of a command in its place, but for the first. */
static void other_keys(const struct model *m, const struct command *c, char *out, size_t cap)
{
	const struct keys *first = keymap_keys(&m->keymap, c);
	char name[KEYMAP_NAME_BYTES];
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < m->keymap.n; i++) {
		const struct binding *b = &m->keymap.bindings[i];
		if (b->command != c || b->place != c->place || &b->keys == first)
			continue;
		keys_name(&b->keys, name);
		int n = snprintf(out + used, cap - used, "%s%s", used ? ", " : " (also ", name);
		if (n < 0 || used + (size_t)n + 1 >= cap)
			break;
		used += (size_t)n;
	}
	if (used)
		snprintf(out + used, cap - used, ")");
}

static void help_commands(const struct model *m, struct dialog *d, enum place place)
{
	const struct command *c;
	char key[KEYMAP_NAME_BYTES], others[128];

	for (size_t i = 0; (c = command_at(i)) != NULL; i++) {
		const struct keys *keys = keymap_keys(&m->keymap, c);
		if (c->place != place || !c->help || !keys)
			continue;
		keys_name(keys, key);
		other_keys(m, c, others, sizeof others);
		dialog_add_labelled(d, key, ROLE_DIALOG, "%s%s", c->help, others);
	}
}

void show_help(struct model *m)
{
	struct dialog *d = &m->dialog;

	dialog_begin(d, DIALOG_HELP, "Help (arrows scroll, Esc closes)");
	d->is_large = true;
	help_section(d, "Everywhere");
	help_commands(m, d, PLACE_ANY);
	help_commands(m, d, PLACE_ALWAYS);
	dialog_add_labelled(d, "Alt-1..0", ROLE_DIALOG,
			"stand for F1 to F10 where a terminal keeps those for itself");
	help_section(d, "In the output");
	help_commands(m, d, PLACE_OUTPUT);
	dialog_add_labelled(d, "typing", ROLE_DIALOG,
			"while something runs: opens a line for its standard input");
	dialog_add_labelled(d, "Enter", ROLE_DIALOG, "sends that line; ^D is its end of file");
	help_section(d, "In the editor");
	help_commands(m, d, PLACE_EDITOR);
	help_section(d, "In the metrics");
	help_commands(m, d, PLACE_METRICS);
	help_section(d, "In the variables");
	help_commands(m, d, PLACE_VARIABLES);
	help_section(d, "While a run is being stopped");
	help_commands(m, d, PLACE_CLOCK);
	help_section(d, "In dialogs");
	dialog_add_labelled(d, "Tab", ROLE_DIALOG,
			"next button, also arrows; Enter presses it, so does its letter");
	dialog_add_labelled(d, "Esc", ROLE_DIALOG, "cancel");
	m->needs_draw = true;
}

=======
>>>>>>> 07fbbe2 (model: help that can be searched, that of the focused pane first)
void show_messages(struct model *m)
{
	struct dialog *d = &m->dialog;
	const struct notice *n;

	dialog_begin(d, DIALOG_MESSAGES, "Messages, newest first (Esc closes)");
	d->is_large = true;
	for (size_t k = 0; (n = notices_at(&m->notices, k)) != NULL; k++) {
		char ago[24];
		format_duration(ago, (m->now_ns - n->time_ns) / 1000000000u * 1000000u);
		dialog_add_labelled(d, ago, n->is_error ? ROLE_STATUS_ERROR : ROLE_DIALOG, "%s", n->text);
	}
	if (!d->n_lines)
		dialog_add(d, ROLE_DIALOG_DIM, "none so far");
	m->needs_draw = true;
}
