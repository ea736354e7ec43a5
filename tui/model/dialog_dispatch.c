/* SPDX-License-Identifier: MIT */
#include "model/dialog_dispatch.h"

#include "command/command.h"
#include "model/confirm_loss.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"
#include "model/vi_keys.h"

void dialog_close(struct model *m)
{
	dialog_finish(&m->dialog);
	m->needs_draw = true;
}

static void on_answer(struct model *m, int answer, struct effects *out)
{
	switch (m->dialog.kind) {
	case DIALOG_CONFIRM: answer_confirm(m, answer, out); break;
	case DIALOG_CONFIRMATION: answer_confirmation(m, answer, out); break;
	case DIALOG_CLEAR: answer_clear(m, answer); break;
	case DIALOG_RESTART: answer_restart(m, answer, out); break;
	case DIALOG_HISTORY: answer_history(m, answer, out); break;
	case DIALOG_LOSS: loss_answer_dialog(m, answer, out); break;
	case DIALOG_OPEN:
	case DIALOG_SAVE: answer_path(m, answer, out); break;
	case DIALOG_RECOVER: answer_recover(m, answer, out); break;
	case DIALOG_GOTO: answer_goto(m, answer, out); break;
	case DIALOG_INSTALL: answer_install(m, answer, out); break;
	case DIALOG_COPY_IN_FROM:
	case DIALOG_COPY_IN_TO:
	case DIALOG_COPY_OUT_FROM:
	case DIALOG_COPY_OUT_TO: answer_copy_files(m, answer, out); break;
	case DIALOG_COPY_OVER: answer_copy_over(m, answer, out); break;
	case DIALOG_CLOSE: answer_close(m, answer, out); break;
	case DIALOG_OVERWRITE: answer_pending(m, answer, out); break;
	case DIALOG_LANGUAGE: answer_language(m, answer, out); break;
	case DIALOG_THEME: answer_theme(m, answer, out); break;
	case DIALOG_VI: answer_vi(m, answer, out); break;
	case DIALOG_FILES: answer_files(m, answer, out); break;
	case DIALOG_SETTINGS: answer_settings(m, answer, out); break;
	case DIALOG_SETTING: answer_setting(m, answer, out); break;
	case DIALOG_PALETTE: answer_palette(m, answer, out); break;
	case DIALOG_HELP: answer_help(m, answer); break;
	case DIALOG_DEMO: answer_demo(m, answer, out); break;
	case DIALOG_EXPORT:
	case DIALOG_RECORD: answer_record(m, answer, out); break;
	case DIALOG_EXPORT_OVER: answer_export(m, answer, out); break;
	case DIALOG_STOP_OTHER: answer_stop_other(m, answer, out); break;
	case DIALOG_STOP_SANDBOX: answer_stop_sandbox(m, answer, out); break;
	case DIALOG_CONTAINER: answer_container(m, answer, out); break;
	case DIALOG_SIGNAL: answer_signal(m, answer); break;
	case DIALOG_SIGNAL_SURE: answer_signal_sure(m, answer, out); break;
	case DIALOG_SAVE_FIGURE: answer_save_figure(m, answer, out); break;
	case DIALOG_FIGURE_OVER: answer_figure_over(m, answer, out); break;
	case DIALOG_ISOLATION: answer_isolation(m, answer, out); break;
	case DIALOG_SAVE_ALL: answer_save_all(m, answer, out); break;
	case DIALOG_TABLE: answer_table(m, answer, out); break;
	case DIALOG_INSPECT:
	case DIALOG_MESSAGES: dialog_close(m); break;
	case DIALOG_NONE: break;
	}
}

/* A key that opened an overlay also closes it. */
static bool closes_itself(const struct model *m, const struct event *ev)
{
	static const struct {
		enum dialog_kind kind;
		const char *command;
	} pairs[] = {
			{DIALOG_HELP, "help"},
			{DIALOG_MESSAGES, "messages"},
			{DIALOG_LANGUAGE, "language"},
			{DIALOG_THEME, "theme"},
			{DIALOG_INSPECT, "inspect"},
			{DIALOG_HISTORY, "history"},
			{DIALOG_PALETTE, "palette"},
			{DIALOG_SETTINGS, "settings"},
			{DIALOG_FILES, "go-to-file"},
	};
	const struct keys keys = {.n = 1, .chords = {{ev->key, ev->mods}}};
	const struct command *c = NULL;

	if (ev->type != EVENT_KEY)
		return false;
	if (keymap_resolve(&m->keymap, CONTEXT_ANY, &keys, &c) == KEYMAP_NONE)
		keymap_resolve(&m->keymap, CONTEXT_ALWAYS, &keys, &c);
	if (command_is(c, "stop"))
		return true;
	for (int i = 0; i < COUNT(pairs); i++)
		if (pairs[i].kind == m->dialog.kind && command_is(c, pairs[i].command))
			return true;
	return (m->dialog.kind == DIALOG_MESSAGES || m->dialog.kind == DIALOG_INSPECT) && ev->key == 'q';
}

void update_dialog(struct model *m, const struct msg *msg, struct effects *out)
{
	m->needs_draw = true;
	switch (msg->type) {
	case MSG_THEMES: ask_themes(m, msg); return;
	case MSG_FOUND: ask_recover(m, msg); return;
	case MSG_SAVE_EXISTS: ask_replace(m, msg); return;
	case MSG_COPY_EXISTS: ask_copy_over(m, msg); return;
	case MSG_PATH:
		if (m->dialog.has_field)
			field_set(&m->dialog.field, msg->text);
		return;
	default: break;
	}
	int answer = closes_itself(m, msg->event) ? ANSWER_CANCEL
						  : dialog_handle(&m->dialog, msg->event, m->rows, m->cols);
	if (answer != ANSWER_NONE)
		on_answer(m, answer, out);
}
