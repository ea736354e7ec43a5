/* SPDX-License-Identifier: MIT */
#include "model/update.h"

#include <stdio.h>
#include <string.h>

#include "command/command.h"
#include "command/keymap.h"
#include "model/cell_runs.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/inspect.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/order.h"
#include "model/output.h"
#include "model/page.h"
#include "model/pane.h"
#include "model/stopping.h"
#include "model/vi_keys.h"
#include "model/which_key.h"

/* ---- keys ---- */

/* Resolve the keys typed so far, first in the pane, then in the common context. */
static enum keymap_match resolve_keys(
		const struct model *m, const struct keys *keys, const struct command **ret)
{
	const enum key_context places[] = {
			m->replay.is_on ? CONTEXT_REPLAY : CONTEXT_COUNT,
			demo_has_keys(m) ? CONTEXT_DEMO : CONTEXT_COUNT,
			stopping_has_clock(m) ? CONTEXT_STOPPING : CONTEXT_COUNT,
			complete_is_shown(m) ? CONTEXT_POPUP : CONTEXT_COUNT,
			m->run.paused_ns ? CONTEXT_PAUSED : CONTEXT_COUNT,
			context_of_keys(m),
			CONTEXT_ANY,
			CONTEXT_ALWAYS,
	};
	enum keymap_match match = KEYMAP_NONE;

	for (size_t i = 0; i < sizeof places / sizeof *places && match == KEYMAP_NONE; i++)
		match = keymap_resolve(&m->keymap, places[i], keys, ret);
	return match;
}

/* A command whose keys mean the same while a dialog is open. NULL: the event is no such key. */
static const struct command *command_over_dialogs(const struct model *m, const struct event *ev)
{
	const struct keys keys = {.n = 1, .chords = {{ev->key, ev->mods}}};
	const struct command *c;

	if (ev->type != EVENT_KEY || keymap_resolve(&m->keymap, CONTEXT_ALWAYS, &keys, &c) != KEYMAP_COMMAND)
		return NULL;
	/* A dialog closes with ^C, unless there is something to stop. */
	if (command_is(c, "stop") && (!model_is_running(m) || loss_is_leaving(m)))
		return NULL;
	return c;
}

static void say_unbound(struct model *m, const struct keys *keys)
{
	char name[KEYMAP_NAME_BYTES], help[KEYMAP_NAME_BYTES];

	keys_name(keys, name);
	notices_add(&m->notices, m->now_ns, false, "%s has no function here (%s shows the keys)", name,
			key_hint(m, "help", help));
	m->needs_draw = true;
}

/* There is no place for text while a recording is shown. */
static void on_replay_key(struct model *m, const struct keys *keys, enum keymap_match match,
		const struct command *c, struct effects *out)
{
	if (match == KEYMAP_PREFIX)
		m->typed = *keys;
	else if (match == KEYMAP_COMMAND)
		command_run(m, c, out);
	else
		replay_refuse(m);
}

/* A key that inserts its character if there is a place for text. */
static bool is_sign(const struct event *ev)
{
	return ev->key >= 0x20 && ev->key < KEYS_BASE && !(ev->mods & (MOD_CTRL | MOD_ALT));
}

/* A command for the panes below closes the page first. */
static void on_page_key(struct model *m, const struct keys *keys, enum keymap_match match,
		const struct command *c, struct effects *out)
{
	static const char *const stays[] = {"help", "palette", "messages", "theme"};
	bool leaves = match == KEYMAP_COMMAND && c && c->key_context == CONTEXT_ANY;

	if (match == KEYMAP_PREFIX)
		m->typed = *keys;
	for (size_t i = 0; i < sizeof stays / sizeof *stays; i++)
		leaves = leaves && !command_is(c, stays[i]);
	if (leaves && !page_is_opened_by(m, c))
		page_leave_all(m, out);
	if (match == KEYMAP_COMMAND && !c->edit)
		command_run(m, c, out);
}

/* `c` is a command that edits; NULL: the key is the pane's. */
static void edit_by_key(struct model *m, const struct command *c, const struct event *ev, struct effects *out)
{
	if (c)
		editor_done(m, editor_command(model_editor(m), c, false, ev->time_ns), out);
	else if (pane_has_keys(m) && pane_ops[m->focus].key)
		pane_ops[m->focus].key(m, ev, out);
}

/* All repetitions of a count are one step of undo. */
static void edit_times(struct model *m, const struct command *c, unsigned count, const struct event *ev,
		struct effects *out)
{
	struct history *h = model_editor(m)->history;

	if (count > 1)
		history_gather(h, true);
	for (unsigned n = count; n; n--)
		edit_by_key(m, c, ev, out);
	if (count > 1)
		history_gather(h, false);
}

static void on_model_key(struct model *m, const struct msg *msg, struct effects *out)
{
	const struct event *ev = msg->event;
	const struct command *c = NULL;
	struct keys keys = m->typed;

	if (table_page_key(m, ev) || (!page_is_shown(m) && variables_key(m, ev)))
		return;
	m->typed.n = 0;
	if (keys.n == 0 && pane_has_keys(m) && (finder_event(m, msg, out) || output_search_event(m, msg)))
		return;
	if (keys.n == 0 && pane_has_keys(m) && vi_keys_take(m, msg, out, on_model_key))
		return;
	keys.chords[keys.n++] = (struct chord){ev->key, ev->mods};
	enum keymap_match match = resolve_keys(m, &keys, &c);

	if (keys.n == 1 && match == KEYMAP_NONE && pane_has_keys(m) && key_count_take(m, ev))
		return;
	unsigned count = match == KEYMAP_PREFIX ? 1 : key_count_end(m);
	if (page_is_shown(m))
		on_page_key(m, &keys, match, c, out);
	else if (m->replay.is_on)
		on_replay_key(m, &keys, match, c, out);
	else if (match == KEYMAP_PREFIX)
		m->typed = keys;
	else if (keys.n > 1 && match == KEYMAP_NONE)
		say_unbound(m, &keys);
	else if (pane_has_keys(m) && output_takes_input(m, ev)
			&& (match == KEYMAP_NONE || c->key_context == CONTEXT_OUTPUT || is_sign(ev)))
		input_event(m, msg, out);
	else if (match == KEYMAP_COMMAND && !c->edit)
		command_run(m, c, out);
	else
		edit_times(m, c, count, ev, out);
}

static void on_paste(struct model *m, const struct msg *msg, struct effects *out)
{
	if (table_page_key(m, msg->event) || (!page_is_shown(m) && variables_key(m, msg->event))
			|| !pane_has_keys(m) || finder_event(m, msg, out) || output_search_event(m, msg))
		return;
	if (!m->replay.is_on && output_takes_input(m, msg->event))
		input_event(m, msg, out);
	else if (m->replay.is_on)
		replay_refuse(m);
	else if (pane_ops[m->focus].paste)
		pane_ops[m->focus].paste(m, msg->event, out);
}

/* ---- messages ---- */

static void on_model_resize(struct model *m, const struct event *ev)
{
	m->rows = ev->row;
	m->cols = ev->col;
	model_relayout(m);
	if (m->dialog.answer == answer_confirm)
		ask_confirm(m); /* a low screen shows some of the code first */
	find_all_resized(m);
}

/* Terminals send Alt as an Escape before the key. So Escape with a key shortly after it looks like Alt.
 * Where Alt has no meaning, it was an Escape. */
static bool is_escape_first(const struct model *m, const struct event *ev)
{
	bool is_command = (ev->key >= K_F1 && ev->key <= K_F12) || ev->mods & MOD_CTRL;
	bool is_in_dialog = dialog_is_open(&m->dialog) && !m->dialog.has_field;
	bool is_vi = m->vi.mode != VI_OFF && m->focus == PANE_EDITOR && pane_has_keys(m) && !m->tells_keys
		     && m->finder.state == FINDER_CLOSED && !m->replay.is_on;
	const struct keys keys = {.n = 1, .chords = {{ev->key, ev->mods}}};
	const struct command *c;

	return ev->type == EVENT_KEY && ev->mods & MOD_ALT && (is_command || is_in_dialog || is_vi)
	       && resolve_keys(m, &keys, &c) == KEYMAP_NONE;
}

static void on_model_input(struct model *m, const struct msg *msg, struct effects *out);

static void on_escape_first(struct model *m, const struct msg *msg, struct effects *out)
{
	struct event escape = {.type = EVENT_KEY, .key = K_ESCAPE, .time_ns = msg->event->time_ns};
	struct event then = *msg->event;
	struct msg part = *msg;

	then.mods &= (uint8_t)~MOD_ALT;
	part.event = &escape;
	on_model_input(m, &part, out);
	part.event = &then;
	on_model_input(m, &part, out);
}

/* Text that was typed when a dialog opened by itself. Each letter lengthens the time, any key that moves in
 * the dialog ends it. */
static bool is_typed_ahead(struct model *m, const struct event *ev)
{
	struct dialog *d = &m->dialog;
	bool is_text = ev->type == EVENT_KEY
		       && (is_sign(ev) || ev->key == K_BACKSPACE || (ev->key == K_ENTER && d->has_typed));

	if (m->now_ns >= d->lets_type_until_ns)
		return false;
	d->has_typed = is_text;
	d->lets_type_until_ns = is_text ? m->now_ns + 1000000000u : 0;
	return is_text;
}

/* Text that is typed now would not be in the file, and the person has said what becomes of the text. */
static void on_leaving_input(struct model *m, const struct event *ev, struct effects *out)
{
	bool stays = ev->type == EVENT_KEY
		     && (ev->key == K_ESCAPE || (ev->key == 'c' && ev->mods == MOD_CTRL));

	if (!stays)
		return;
	m->leaving[0] = '\0';
	m->needs_draw = true;
	effect_plain(out, EFFECT_STAY);
}

static void on_model_input(struct model *m, const struct msg *msg, struct effects *out)
{
	const struct event *ev = msg->event;
	const struct command *over = command_over_dialogs(m, ev);
	bool is_in_dialog = dialog_is_open(&m->dialog) && !is_typed_ahead(m, ev);

	if (m->is_quitting)
		return;
	if (m->leaving[0]) {
		on_leaving_input(m, ev, out);
		return;
	}
	if (is_escape_first(m, ev)) {
		on_escape_first(m, msg, out);
		return;
	}
	if (ev->type == EVENT_KEY && notices_expire(&m->notices, m->now_ns, true))
		m->needs_draw = true;
	if (over && (is_in_dialog || m->layout.kind == LAYOUT_TOO_SMALL))
		command_run(m, over, out);
	else if (m->layout.kind == LAYOUT_TOO_SMALL)
		return;
	else if (is_in_dialog)
		update_dialog(m, msg, out);
	else if (figures_zoom_event(m, ev, out))
		return;
	else if (ev->type == EVENT_MOUSE)
		update_mouse(m, ev, out);
	else if (ev->type == EVENT_PASTE)
		on_paste(m, msg, out);
	else if (ev->type == EVENT_KEY)
		on_model_key(m, msg, out);
}

static void on_focus(struct model *m, const struct event *ev)
{
	m->is_away = ev->key == 0;
	m->needs_draw |= !m->is_away; /* what was left out meanwhile */
}

/* The mouse has moved with no button down: only the graphs care. */
static void on_pointer(struct model *m, const struct event *ev)
{
	bool is_covered = dialog_is_open(&m->dialog) || m->layout.kind == LAYOUT_TOO_SMALL
			  || m->sandboxes.is_shown;

	if (!is_covered)
		metrics_hover(m, ev);
}

static void on_model_tick(struct model *m, const struct msg *msg, struct effects *out)
{
	time_limit_tick(m, msg->left_ms);
	variables_tick(m, out);
	memory_tick(m, out);
	output_tick(m);
	find_all_tick(m);
	demo_tick(m, out);
	cell_runs_tick(m);
	notices_expire(&m->notices, m->now_ns, false);
	m->needs_draw = true;
}

static void on_run(struct model *m, const struct msg *msg, struct effects *out)
{
	if (msg->type == MSG_RUN_DONE || msg->type == MSG_RUN_REFUSED)
		run_history_end(m, msg->run.serial, msg->type == MSG_RUN_DONE ? msg->run.result : NULL, out);
	if (msg->type == MSG_RUN_DONE)
		alerts_run_done(m, msg, out);
	update_run(m, msg);
	cell_runs_update(m, msg, out);
}

void update(struct model *m, const struct msg *msg, struct effects *out)
{
	m->now_ns = m->out.now_ns = msg->now_ns;
	switch (msg->type) {
	case MSG_ORDER:
		order_update(m, msg, out);
		if (!m->buffers.n)
			return; /* out of memory while the model was made again */
		break;
	case MSG_EVENT:
		if (msg->event->type == EVENT_MOUSE && msg->event->action == MOUSE_MOVE) {
			on_pointer(m, msg->event);
			break;
		}
		if (msg->event->type == EVENT_RESIZE)
			on_model_resize(m, msg->event);
		else if (msg->event->type == EVENT_FOCUS)
			on_focus(m, msg->event);
		else
			on_model_input(m, msg, out);
		vi_keys_follow(m);
		signature_follow(m, msg->event);
		which_key_follow(m);
		break;
	case MSG_TICK: on_model_tick(m, msg, out); break;
	case MSG_SANDBOX_STARTING:
	case MSG_SANDBOX_PROGRESS:
	case MSG_SANDBOX_WARNING:
	case MSG_SANDBOX_READY:
	case MSG_SANDBOX_KEPT:
	case MSG_SANDBOX_CLOSED:
	case MSG_NO_ISOLATION:
	case MSG_CLIENTS:
	case MSG_CLIENT:
	case MSG_METRICS: update_sandbox(m, msg, out); break;
	case MSG_SANDBOXES:
	case MSG_CONTAINER:
	case MSG_CONTAINERS_END:
	case MSG_INSIDE_PROGRESS:
	case MSG_INSIDE_METRICS:
	case MSG_INSIDE_CAUGHT_UP:
	case MSG_INSIDE_JOINED:
	case MSG_INSIDE_OUTPUT:
	case MSG_INSIDE_DONE:
	case MSG_INSIDE_CLOSED: sandboxes_update(m, msg); break;
	case MSG_CAUGHT_UP: peer_runs_sort(m); break;
	case MSG_SCANNED: run_scanned(m, msg->findings, out); break;
	case MSG_RUN_MEMORY: memory_reported(m, msg, out); break;
	case MSG_RUN_ACCEPTED:
	case MSG_RUN_JOINED:
	case MSG_RUN_STARTED:
	case MSG_RUN_OUTPUT:
	case MSG_RUN_INPUT:
	case MSG_RUN_STOPPING:
	case MSG_RUN_DONE:
	case MSG_RUN_REFUSED:
	case MSG_SPILL:
	case MSG_LATE: on_run(m, msg, out); break;
	case MSG_RUN_DISPLAY:
	case MSG_IMAGES:
	case MSG_FIGURE_DRAWN:
	case MSG_FIGURE_SAVED: update_figures(m, msg); break;
	case MSG_OPENED:
	case MSG_ALREADY_OPEN:
	case MSG_FILE_CHANGED:
	case MSG_RELOADED:
	case MSG_SAVING:
	case MSG_SAVED: update_file(m, msg, out); break;
	case MSG_FOUND:
	case MSG_SAVE_EXISTS:
	case MSG_COPY_EXISTS:
	case MSG_THEMES:
	case MSG_PATH: update_dialog(m, msg, out); break;
	case MSG_PICK_FILES: file_picker_show(m, msg); break;
	case MSG_SETTINGS: settings_page_show(m, msg); break;
	case MSG_SETTING_STORED: settings_page_stored(m, msg, out); break;
	case MSG_HISTORY: run_history_show(m, msg); break;
	case MSG_FILES: loss_take_files(m, msg); break;
	case MSG_TABLE_FILE: table_page_file(m, msg); break;
	case MSG_ANSWER: update_answer(m, msg, out); break;
	case MSG_REPLAY_END:
		m->replay.is_playing = false;
		m->needs_draw = true;
		break;
	case MSG_RECORDING:
	case MSG_EXPORTED: update_record(m, msg); break;
	case MSG_TEXT_UNSAFE:
		m->text_is_unsafe = true;
		notices_add(&m->notices, m->now_ns, true, "%s", msg->text_unsafe.why);
		if (msg->text_unsafe.is_quitting)
			loss_ask(m, LOSS_WORKBENCH, out);
		break;
	case MSG_ERROR:
	case MSG_NOTICE:
		notices_add(&m->notices, m->now_ns, msg->type != MSG_NOTICE, "%s", msg->text);
		m->needs_draw = true;
		break;
	case MSG_KEYS_DISTINCT:
		m->tells_keys = true;
		m->needs_draw = true;
		break;
	case MSG_LEAVING:
		snprintf(m->leaving, sizeof m->leaving, "%s", msg->text ? msg->text : "");
		m->needs_draw = true;
		break;
	case MSG_STOPPING:
		m->is_slow_to_quit = true;
		m->needs_draw = true;
		break;
	}
	tutor_update(m, msg);
	install_with(m, out);
	figures_want(m, out);
	table_page_want(m, out);
	variable_tree_want(m, out);
}
