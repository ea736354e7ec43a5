/* SPDX-License-Identifier: MIT */
#include "model/order.h"

#include <string.h>

#include "command/command.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"
#include "text/text.h"

static void edit_bytes(struct model *m, const struct order *o, struct effects *out)
{
	struct editor *e = model_editor(m);
	struct event ev = {.type = EVENT_PASTE, .text = o->text, .text_len = o->len, .time_ns = m->now_ns};

	if (o->to < o->from || o->to > text_len(e->text))
		return;
	model_focus(m, PANE_EDITOR);
	editor_select(e, o->from, o->to);
	if (o->len)
		editor_done(m, editor_handle(e, &ev), out);
	else if (o->to > o->from)
		editor_done(m, editor_command(e, command_find("delete-right"), false, m->now_ns), out);
}

/* The dialog acts on Enter as if a key had been pressed. */
static void press_enter(struct model *m, struct effects *out)
{
	struct event ev = {.type = EVENT_KEY, .key = K_ENTER, .time_ns = m->now_ns};

	update_dialog(m, &(struct msg){.type = MSG_EVENT, .now_ns = m->now_ns, .event = &ev}, out);
}

static void answer_dialog(struct model *m, const struct order *o, struct effects *out)
{
	struct dialog *d = &m->dialog;

	if (!dialog_is_open(d))
		return;
	if (o->kind == ORDER_PICK && o->number < d->n_items)
		d->current = (size_t)o->number;
	else if (o->kind == ORDER_PRESS && o->number < (uint64_t)d->n_buttons)
		d->focus = (int)o->number;
	else if (o->kind == ORDER_FILL && o->text)
		field_set(&d->field, o->text);
	press_enter(m, out);
}

static void give_input(struct model *m, const struct order *o, struct effects *out)
{
	struct event ev = {.type = EVENT_KEY,
			.key = o->text ? K_ENTER : 'd',
			.mods = o->text ? 0 : MOD_CTRL,
			.time_ns = m->now_ns};

	if (o->text)
		field_set(&m->input, o->text);
	input_event(m, &(struct msg){.type = MSG_EVENT, .now_ns = m->now_ns, .event = &ev}, out);
}

static void select_sandbox(struct model *m, size_t k)
{
	struct sandboxes *s = &m->sandboxes;

	if (k >= s->n)
		return;
	s->selected_supervisor = s->entries[k].supervisor_pid;
	s->selected_start = s->entries[k].supervisor_start;
}

/* Put the code into the buffer of its language and run it as a selection of the whole buffer. */
static void run_bytes(struct model *m, const struct order *o, struct effects *out)
{
	language_set(m, o->lang, out);
	struct editor *editor = model_editor(m);
	if (m->n_waiting == MODEL_WAITING || editor_set_text(editor, o->text, o->len) < 0)
		return;
	editor_select(editor, 0, text_len(editor->text));
	run_note(m, editor_run_range(editor));
	run_start(m, out);
	editor_select(editor, 0, 0);
}

static void show_list(struct model *m, bool is_wanted, struct effects *out)
{
	if (!is_wanted)
		sandboxes_leave(m, out);
	else if (!m->sandboxes.is_shown)
		sandboxes_show(m, out);
}

void order_update(struct model *m, const struct msg *msg, struct effects *out)
{
	const struct order *o = msg->order;

	m->needs_draw = true;
	switch (o->kind) {
	case ORDER_COMMAND: command_run(m, o->command, out); break;
	case ORDER_EDIT: edit_bytes(m, o, out); break;
	case ORDER_GO_TO_LINE: editor_goto_line(model_editor(m), (size_t)o->number); break;
	case ORDER_BUFFER:
		if (o->number < m->buffers.n)
			buffer_show(m, m->buffers.items[o->number], out);
		break;
	case ORDER_LANGUAGE: language_set(m, o->lang, out); break;
	case ORDER_PICK:
	case ORDER_PRESS:
	case ORDER_FILL: answer_dialog(m, o, out); break;
	case ORDER_INPUT: give_input(m, o, out); break;
	case ORDER_SANDBOX: select_sandbox(m, (size_t)o->number); break;
	case ORDER_OPEN: effect_open(out, o->text, path_lang(m, o->text)); break;
	case ORDER_SAVE:
		effect_save(out, EFFECT_SAVE_CHECKED, buffers_current(&m->buffers)->id, o->text);
		break;
	case ORDER_EXPORT: effect_path(out, EFFECT_EXPORT, o->text); break;
	case ORDER_RECORD: effect_path(out, EFFECT_RECORD, o->text); break;
	case ORDER_FORGET_HELP: complete_close(m); break;
	case ORDER_REFUSE: replay_refuse(m); break;
	case ORDER_LEAVE: effect_plain(out, EFFECT_QUIT_DISCARDING); break;
	case ORDER_RUN: run_bytes(m, o, out); break;
	case ORDER_SHOW_LIST: show_list(m, o->number, out); break;
	case ORDER_REWIND: replay_rewind(m); break;
	case ORDER_POSITION: m->replay.at_us = o->number; break;
	}
}
