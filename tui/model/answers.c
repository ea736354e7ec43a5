/* SPDX-License-Identifier: MIT */
/* Questions, menus and what is done when they are answered. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "model/code.h"
#include "model/command.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"
#include "text/text.h"

enum { BUTTON_RUN = 1, BUTTON_ALWAYS, BUTTON_EDIT, BUTTON_YES, BUTTON_SAVE };

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
#define CODE_LINES_SHOWN 500

static void dialog_close(struct model *m)
{
	dialog_finish(&m->dialog);
	m->needs_draw = true;
}

/* ---- may this run? ----------------------------------------------------------------------------- */

static const struct dialog_button confirm_buttons[] = {
	{ "Run once", "Run", 'r', BUTTON_RUN }, { "Always in this session", "Always", 'a', BUTTON_ALWAYS },
	{ "Edit", NULL, 'e', BUTTON_EDIT }, { "Cancel", NULL, 'c', ANSWER_CANCEL },
};

static void tell_where(const struct model *m, struct dialog *d)
{
	static const char *const states[] = { [SANDBOX_STARTING] = " (starting)", [SANDBOX_READY] = "",
		[SANDBOX_DEAD] = " (ended)" };

	dialog_add_labelled(d, "Where", ROLE_DIALOG, "sandbox %s, backend %s%s", m->sandbox.name,
			m->sandbox.backend, states[m->sandbox.state]);
}

static void tell_limits(const struct model *m, struct dialog *d)
{
	const struct trm_limits *l = &m->sandbox.limits;
	char mem[24], disk[24], timeout[48] = "no time-out", duration[24];

	if (m->timeout_ms)
		snprintf(timeout, sizeof timeout, "time-out %s",
				format_duration(duration, (uint64_t)m->timeout_ms * 1000));
	dialog_add_labelled(d, "Limits", ROLE_DIALOG, "memory %s, CPU %.3g core%s, %u processes, files %s, %s",
			format_bytes(mem, l->mem_bytes), l->cpus, l->cpus == 1.0 ? "" : "s", l->procs,
			format_bytes(disk, l->disk_bytes), timeout);
}

/* The network has a line of its own; of the other guards those that are not strong are named. */
static void tell_guards(const struct model *m, struct dialog *d)
{
	const char *network = "off";
	size_t weak = 0;

	for (size_t i = 0; i < m->sandbox.n_guards; i++) {
		const struct trm_guard *g = &m->sandbox.guards[i];
		if (strcmp(g->what, "network") == 0 && g->strength != TRM_ENFORCED)
			network = g->strength == TRM_WEAK ? "off, weakly" : "ON: not cut off";
	}
	dialog_add_labelled(d, "Network", ROLE_DIALOG, "%s", network);
	for (size_t i = 0; i < m->sandbox.n_guards; i++) {
		const struct trm_guard *g = &m->sandbox.guards[i];
		if (g->strength == TRM_ENFORCED)
			continue;
		dialog_add_labelled(d, weak++ ? "" : "Weak", g->strength == TRM_WEAK ? ROLE_WARN : ROLE_CRITICAL,
				"%s: %s (%s)", g->what, g->strength == TRM_WEAK ? "weak" : "NOT ENFORCED", g->how);
	}
	if (m->sandbox.n_guards && !weak)
		dialog_add_labelled(d, "Guards", ROLE_DIALOG, "all limits are enforced by the kernel");
	else if (!m->sandbox.n_guards)
		dialog_add_labelled(d, "Guards", ROLE_DIALOG, "known when the sandbox has started");
}

static void tell_code(const struct model *m, struct dialog *d)
{
	struct editor_run range = editor_run_range(model_editor(m));
	char *code = text_slice(model_editor(m)->text, range.pos, range.len);
	size_t n = 0;

	dialog_add(d, ROLE_DIALOG, "%s", "");
	for (const char *p = code; p && *p && n < CODE_LINES_SHOWN; n++) {
		size_t len = strcspn(p, "\n");
		dialog_add_code(d, p, len);
		p += len + (p[len] == '\n');
		if (n + 1 == CODE_LINES_SHOWN && *p)
			dialog_add(d, ROLE_DIM, "(and more: Edit shows all)");
	}
	free(code);
}

void ask_confirm(struct model *m, const struct msg *msg)
{
	struct dialog *d = &m->dialog;
	bool again = d->kind == DIALOG_CONFIRM; /* what is known has changed: keep the person's place */
	int focus = again ? d->focus : 0;
	size_t scroll = again ? d->scroll : 0;
	char what[64];

	(void)msg;
	dialog_begin(d, DIALOG_CONFIRM, "Run this code?");
	dialog_add_labelled(d, "What", ROLE_DIALOG, "%s, %s", m->lang->name, code_describe(model_editor(m), what));
	tell_where(m, d);
	tell_limits(m, d);
	tell_guards(m, d);
	tell_code(m, d);
	dialog_set_buttons(d, confirm_buttons, COUNT(confirm_buttons));
	d->focus = focus;
	d->scroll = scroll;
	m->needs_draw = true;
}

static void answer_confirm(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	if (answer == BUTTON_ALWAYS)
		m->confirm = false;
	if (answer == BUTTON_RUN || answer == BUTTON_ALWAYS)
		run_start(m, out);
	else if (answer == BUTTON_EDIT)
		model_focus(m, PANE_EDITOR);
}

/* ---- the sandbox is gone ------------------------------------------------------------------------ */

static const struct dialog_button restart_buttons[] = {
	{ "Start a new one", NULL, 's', BUTTON_YES }, { "Cancel", NULL, 'c', ANSWER_CANCEL },
};

void ask_restart(struct model *m)
{
	struct dialog *d = &m->dialog;

	dialog_begin(d, DIALOG_RESTART, "There is no sandbox");
	dialog_add(d, ROLE_DIALOG, "%s", m->sandbox.reason);
	dialog_add(d, ROLE_DIALOG, "%s", "");
	dialog_add(d, ROLE_DIALOG, "A new one starts with no variables and no files. Buffers and output stay.");
	dialog_set_buttons(d, restart_buttons, COUNT(restart_buttons));
	m->needs_draw = true;
}

static void answer_restart(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	if (answer == BUTTON_YES)
		effect_plain(out, EFFECT_START_SANDBOX);
}

/* ---- leaving -------------------------------------------------------------------------------------- */

static const struct dialog_button quit_buttons[] = {
	{ "Quit", NULL, 'q', BUTTON_YES }, { "Stay", NULL, 's', ANSWER_CANCEL },
};

static bool is_lost(const struct editor *e)
{
	return editor_is_modified(e) && (e->path || text_len(e->text) > 0);
}

void ask_quit(struct model *m, struct effects *out)
{
	struct dialog *d = &m->dialog;
	bool any = model_is_running(m);

	for (unsigned i = 0; i < TRM_LANG_COUNT; i++)
		any = any || is_lost(&m->editors[i]);
	if (!any) {
		effect_plain(out, EFFECT_QUIT);
		return;
	}
	dialog_begin(d, DIALOG_QUIT, "Leave? This will be lost:");
	if (model_is_running(m))
		dialog_add(d, ROLE_WARN, "- the %s run that is going on", m->run.lang->name);
	for (unsigned i = 0; i < TRM_LANG_COUNT; i++) {
		const struct editor *e = &m->editors[i];
		size_t lines = text_lines(e->text);
		if (is_lost(e) && e->path)
			dialog_add(d, ROLE_DIALOG, "- unsaved changes of %s", e->path);
		else if (is_lost(e))
			dialog_add(d, ROLE_DIALOG, "- the %s buffer, never saved (%zu line%s)", trm_lang_get(i)->name,
					lines, lines == 1 ? "" : "s");
	}
	dialog_add(d, ROLE_DIM, "- the sandbox with its variables and files");
	dialog_set_buttons(d, quit_buttons, COUNT(quit_buttons));
	m->needs_draw = true;
}

static void answer_quit(struct model *m, int answer, struct effects *out)
{
	dialog_close(m);
	if (answer == BUTTON_YES)
		effect_plain(out, EFFECT_QUIT);
}

/* ---- files ------------------------------------------------------------------------------------------ */

static const struct dialog_button overwrite_buttons[] = {
	{ "Replace", NULL, 'r', BUTTON_YES }, { "Cancel", NULL, 'c', ANSWER_CANCEL },
};
static const struct dialog_button discard_buttons[] = {
	{ "Open anyway", NULL, 'o', BUTTON_YES }, { "Cancel", NULL, 'c', ANSWER_CANCEL },
};

static void ask_path(struct model *m, enum dialog_kind kind, const char *title, const char *path)
{
	struct dialog *d = &m->dialog;

	dialog_begin(d, kind, title);
	dialog_add(d, ROLE_DIM, "Enter: %s   Tab: complete   Esc: cancel", kind == DIALOG_OPEN ? "open" : "save");
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
	if (!is_lost(&m->editors[lang->id])) {
		dialog_close(m);
		effect_text(out, EFFECT_OPEN, lang, m->pending_path);
		return;
	}
	dialog_begin(&m->dialog, DIALOG_DISCARD, "Unsaved changes");
	dialog_add(&m->dialog, ROLE_DIALOG, "The %s buffer has changes that are not saved. "
			"Opening %s replaces it.", lang->name, m->pending_path);
	dialog_set_buttons(&m->dialog, discard_buttons, COUNT(discard_buttons));
}

static void answer_path(struct model *m, int answer, struct effects *out)
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

static void on_exists(struct model *m, const struct msg *msg)
{
	snprintf(m->pending_path, sizeof m->pending_path, "%s", msg->text);
	m->pending_lang = msg->lang;
	dialog_begin(&m->dialog, DIALOG_OVERWRITE, "The file exists");
	dialog_add(&m->dialog, ROLE_DIALOG, "%s exists already. Replace it?", msg->text);
	dialog_set_buttons(&m->dialog, overwrite_buttons, COUNT(overwrite_buttons));
}

static void answer_pending(struct model *m, int answer, struct effects *out)
{
	enum effect_type effect = m->dialog.kind == DIALOG_OVERWRITE ? EFFECT_SAVE : EFFECT_OPEN;

	dialog_close(m);
	if (answer == BUTTON_YES)
		effect_text(out, effect, m->pending_lang, m->pending_path);
}

/* ---- menus --------------------------------------------------------------------------------------------- */

void ask_language(struct model *m)
{
	dialog_begin(&m->dialog, DIALOG_LANGUAGE, "Language");
	for (unsigned i = 0; i < TRM_LANG_COUNT; i++)
		dialog_add_item(&m->dialog, trm_lang_get(i)->name);
	m->dialog.current = m->lang->id;
	m->needs_draw = true;
}

static void answer_language(struct model *m, int answer, struct effects *out)
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

static void answer_theme(struct model *m, int answer, struct effects *out)
{
	const struct dialog *d = &m->dialog;
	const char *name = d->n_items ? d->items[d->current] : m->theme;

	if (answer == ANSWER_CANCEL)
		name = m->theme;
	effect_add(out, EFFECT_THEME, NULL, name, strlen(name), answer == ANSWER_ENTER);
	if (answer == ANSWER_ENTER)
		snprintf(m->theme, sizeof m->theme, "%s", name);
	if (answer != ANSWER_MOVED)
		dialog_close(m);
}

/* ---- texts ------------------------------------------------------------------------------------------------ */

static void key_name(char out[32], uint32_t key, uint8_t mods)
{
	static const char *const names[] = { [K_ENTER - KEYS_BASE] = "Enter", [K_TAB - KEYS_BASE] = "Tab",
		[K_BACKSPACE - KEYS_BASE] = "Backspace", [K_ESCAPE - KEYS_BASE] = "Esc", [K_UP - KEYS_BASE] = "Up",
		[K_DOWN - KEYS_BASE] = "Down", [K_LEFT - KEYS_BASE] = "Left", [K_RIGHT - KEYS_BASE] = "Right",
		[K_HOME - KEYS_BASE] = "Home", [K_END - KEYS_BASE] = "End", [K_PAGE_UP - KEYS_BASE] = "PgUp",
		[K_PAGE_DOWN - KEYS_BASE] = "PgDn", [K_INSERT - KEYS_BASE] = "Ins", [K_DELETE - KEYS_BASE] = "Del" };
	const char *ctrl = mods & MOD_CTRL ? "Ctrl-" : "", *alt = mods & MOD_ALT ? "Alt-" : "";
	const char *shift = mods & MOD_SHIFT ? "Shift-" : "";

	if (key > KEYS_BASE && key <= K_DELETE)
		snprintf(out, 32, "%s%s%s%s", ctrl, alt, shift, names[key - KEYS_BASE]);
	else if (key < 128 && mods == MOD_CTRL)
		snprintf(out, 32, "^%c", key >= 'a' && key <= 'z' ? (char)(key - 'a' + 'A') : (char)key);
	else
		snprintf(out, 32, "%s%s%s%c", ctrl, alt, shift, key < 128 ? (char)key : '?');
}

static const struct { const char *keys, *help; } output_help[] = {
	{ "Up Down", "scroll by a line" }, { "PgUp PgDn", "scroll by a page" },
	{ "Home End", "the oldest output; the newest, and follow it" },
	{ "Shift-Up", "select lines (also by mouse); ^A all; ^C copies" },
	{ "typing", "while something runs: opens a line for its standard input" },
	{ "Enter", "sends that line; ^D is its end of file" },
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
	dialog_add_labelled(d, "Alt-1..0", ROLE_DIALOG, "stand for F1 to F10 where a terminal keeps those for itself");
	help_section(d, "In the output");
	for (size_t i = 0; i < sizeof output_help / sizeof *output_help; i++)
		dialog_add_labelled(d, output_help[i].keys, ROLE_DIALOG, "%s", output_help[i].help);
	help_editor(d);
	help_section(d, "In dialogs");
	dialog_add_labelled(d, "Tab", ROLE_DIALOG, "next button, also arrows; Enter presses it, so does its letter");
	dialog_add_labelled(d, "Esc", ROLE_DIALOG, "cancel");
	m->needs_draw = true;
}

void show_messages(struct model *m)
{
	struct dialog *d = &m->dialog;
	const struct notice *n;

	dialog_begin(d, DIALOG_MESSAGES, "Messages, newest first");
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

/* ---- dispatch ---------------------------------------------------------------------------------------------- */

static void on_answer(struct model *m, int answer, struct effects *out)
{
	switch (m->dialog.kind) {
	case DIALOG_CONFIRM: answer_confirm(m, answer, out); break;
	case DIALOG_RESTART: answer_restart(m, answer, out); break;
	case DIALOG_QUIT: answer_quit(m, answer, out); break;
	case DIALOG_OPEN: case DIALOG_SAVE: answer_path(m, answer, out); break;
	case DIALOG_OVERWRITE: case DIALOG_DISCARD: answer_pending(m, answer, out); break;
	case DIALOG_LANGUAGE: answer_language(m, answer, out); break;
	case DIALOG_THEME: answer_theme(m, answer, out); break;
	case DIALOG_HELP: case DIALOG_MESSAGES: dialog_close(m); break;
	case DIALOG_NONE: break;
	}
}

/* Keys that close the overlay that they opened. */
static bool closes_itself(const struct model *m, const struct event *ev)
{
	static const struct { enum dialog_kind kind; enum command command; } pairs[] = {
		{ DIALOG_HELP, COMMAND_HELP }, { DIALOG_MESSAGES, COMMAND_MESSAGES },
		{ DIALOG_LANGUAGE, COMMAND_LANGUAGE }, { DIALOG_THEME, COMMAND_THEME },
	};
	enum command command = ev->type == EVENT_KEY ? command_of_key(ev) : COMMAND_NONE;

	if (command == COMMAND_STOP)
		return true;
	for (int i = 0; i < COUNT(pairs); i++)
		if (pairs[i].kind == m->dialog.kind && pairs[i].command == command)
			return true;
	return (m->dialog.kind == DIALOG_HELP || m->dialog.kind == DIALOG_MESSAGES) && ev->type == EVENT_KEY &&
			ev->key == 'q';
}

void update_dialog(struct model *m, const struct msg *msg, struct effects *out)
{
	m->needs_draw = true;
	switch (msg->type) {
	case MSG_THEMES: ask_themes(m, msg); return;
	case MSG_SAVE_EXISTS: on_exists(m, msg); return;
	case MSG_PATH:
		if (m->dialog.has_field)
			field_set(&m->dialog.field, msg->text);
		return;
	default: break;
	}
	int answer = closes_itself(m, msg->event) ? ANSWER_CANCEL :
			dialog_handle(&m->dialog, msg->event, m->rows, m->cols);
	if (answer != ANSWER_NONE)
		on_answer(m, answer, out);
}
