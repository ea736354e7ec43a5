/* SPDX-License-Identifier: MIT */
/* Menus, the help and the messages. */
#include <stdio.h>
#include <string.h>

#include "model/answers.h"
#include "model/command.h"
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

static void key_name(char out[32], uint32_t key, uint8_t mods)
{
	static const char *const names[] = {[K_ENTER - KEYS_BASE] = "Enter",
			[K_TAB - KEYS_BASE] = "Tab",
			[K_BACKSPACE - KEYS_BASE] = "Bksp",
			[K_ESCAPE - KEYS_BASE] = "Esc",
			[K_UP - KEYS_BASE] = "Up",
			[K_DOWN - KEYS_BASE] = "Down",
			[K_LEFT - KEYS_BASE] = "Left",
			[K_RIGHT - KEYS_BASE] = "Right",
			[K_HOME - KEYS_BASE] = "Home",
			[K_END - KEYS_BASE] = "End",
			[K_PAGE_UP - KEYS_BASE] = "PgUp",
			[K_PAGE_DOWN - KEYS_BASE] = "PgDn",
			[K_INSERT - KEYS_BASE] = "Ins",
			[K_DELETE - KEYS_BASE] = "Del"};
	const char *ctrl = mods & MOD_CTRL ? "Ctrl-" : "", *alt = mods & MOD_ALT ? "Alt-" : "";
	const char *shift = mods & MOD_SHIFT ? "Shift-" : "";

	if (key > KEYS_BASE && key <= K_DELETE)
		snprintf(out, 32, "%s%s%s%s", ctrl, alt, shift, names[key - KEYS_BASE]);
	else if (key < 128 && mods == MOD_CTRL)
		snprintf(out, 32, "^%c", key >= 'a' && key <= 'z' ? (char)(key - 'a' + 'A') : (char)key);
	else
		snprintf(out, 32, "%s%s%s%c", ctrl, alt, shift, key < 128 ? (char)key : '?');
}

static const struct {
	const char *keys, *help;
} output_help[] = {
		{"Up Down", "scroll by a line"},
		{"PgUp PgDn", "scroll by a page"},
		{"Home End", "the oldest output; the newest, and follow it"},
		{"Shift-Up", "select lines (also by mouse); ^A all; ^C copies"},
		{"typing", "while something runs: opens a line for its standard input"},
		{"Enter", "sends that line; ^D is its end of file"},
};

static void help_section(struct dialog *d, const char *title)
{
	if (d->n_lines)
		dialog_add(d, ROLE_DIALOG, "%s", "");
	dialog_add(d, ROLE_DIALOG_TITLE, "%s", title);
}

static void help_editor(struct dialog *d)
{
	const struct editor_binding *b;
	char key[32];

	help_section(d, "In the editor");
	for (size_t i = 0; (b = editor_binding(i)) != NULL; i++) {
		if (!b->help)
			continue;
		key_name(key, b->key, b->mods);
		dialog_add_labelled(d, key, ROLE_DIALOG, "%s", b->help);
	}
}

void show_help(struct model *m)
{
	struct dialog *d = &m->dialog;

	dialog_begin(d, DIALOG_HELP, "Help (arrows scroll, Esc closes)");
	d->is_large = true;
	help_section(d, "Everywhere");
	for (int c = 0; c < COMMAND_COUNT; c++)
		if (command_info((enum command)c)->help)
			dialog_add_labelled(d, command_info((enum command)c)->keys, ROLE_DIALOG, "%s",
					command_info((enum command)c)->help);
	dialog_add_labelled(d, "Alt-1..0", ROLE_DIALOG,
			"stand for F1 to F10 where a terminal keeps those for itself");
	help_section(d, "In the output");
	for (size_t i = 0; i < sizeof output_help / sizeof *output_help; i++)
		dialog_add_labelled(d, output_help[i].keys, ROLE_DIALOG, "%s", output_help[i].help);
	help_editor(d);
	help_section(d, "In dialogs");
	dialog_add_labelled(d, "Tab", ROLE_DIALOG,
			"next button, also arrows; Enter presses it, so does its letter");
	dialog_add_labelled(d, "Esc", ROLE_DIALOG, "cancel");
	m->needs_draw = true;
}

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
		dialog_add(d, ROLE_DIM, "none so far");
	m->needs_draw = true;
}
