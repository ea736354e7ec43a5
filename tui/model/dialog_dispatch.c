/* SPDX-License-Identifier: MIT */
#include "model/dialog_dispatch.h"

#include "command/command.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"

void dialog_close(struct model *m)
{
	dialog_finish(&m->dialog);
	m->needs_draw = true;
}

void dialog_dismiss(struct model *m, int answer, struct effects *out)
{
	(void)answer;
	(void)out;
	dialog_close(m);
}

bool dialog_takes_path(struct model *m, int answer, struct effects *out)
{
	const char *path = field_text(&m->dialog.field);

	if (answer == ANSWER_ENTER && *path)
		return true;
	if (answer == ANSWER_TAB)
		effect_path(out, EFFECT_COMPLETE_PATH, path);
	else if (answer != ANSWER_MOVED)
		dialog_close(m);
	return false;
}

void dialog_ask_over(struct model *m, const char *title, const char *path, const char *question,
		void (*answer)(struct model *m, int answer, struct effects *out))
{
	static const struct dialog_button buttons[] = {
			{"Cancel", NULL, 'c', ANSWER_CANCEL}, {"Replace", NULL, 'r', BUTTON_REPLACE}};

	dialog_begin(&m->dialog, title, answer);
	dialog_add(&m->dialog, ROLE_DIALOG, "%s %s", path, question);
	dialog_set_buttons(&m->dialog, buttons, COUNT(buttons));
}

/* A key that opened an overlay also closes it. */
static bool closes_itself(const struct model *m, const struct event *ev)
{
	const struct keys keys = {.n = 1, .chords = {{ev->key, ev->mods}}};
	const struct command *c = NULL;

	if (ev->type != EVENT_KEY)
		return false;
	if (keymap_resolve(&m->keymap, CONTEXT_ANY, &keys, &c) == KEYMAP_NONE)
		keymap_resolve(&m->keymap, CONTEXT_ALWAYS, &keys, &c);
	if (command_is(c, "stop") || (m->dialog.command && command_is(c, m->dialog.command)))
		return true;
	return m->dialog.answer == dialog_dismiss && ev->key == 'q';
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
			field_set(&m->dialog.field, msg->path.text);
		ask_path_names(m, msg->path.names);
		return;
	default: break;
	}
	int answer = closes_itself(m, msg->event) ? ANSWER_CANCEL
						  : dialog_handle(&m->dialog, msg->event, m->rows, m->cols);
	if (answer != ANSWER_NONE)
		m->dialog.answer(m, answer, out);
}
