/* SPDX-License-Identifier: MIT */
#include "model/update.h"

#include <stdlib.h>
#include <string.h>

#include "model/command.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"

/* ---- copy ---- */

static void keep_clipboard(struct model *m, struct effects *out, const char *what)
{
	effect_add(out, EFFECT_COPY, NULL, m->clipboard.text, m->clipboard.len, 0);
	notices_add(&m->notices, m->now_ns, false, "copied %zu bytes of %s", m->clipboard.len, what);
}

static void copy_output(struct model *m, struct effects *out)
{
	size_t len;
	char *text = outpane_copy(&m->out, &len);

	if (!text) {
		notices_add(&m->notices, m->now_ns, true, "the selection is too big to be copied");
		return;
	}
	clipboard_finish(&m->clipboard);
	m->clipboard = (struct clipboard){text, len};
	keep_clipboard(m, out, "output");
}

static void copy(struct model *m, struct effects *out)
{
	if (m->out.has_selection && m->focus != PANE_EDITOR)
		copy_output(m, out);
	else if (m->focus == PANE_EDITOR && editor_copy(model_editor(m)) & EDITOR_CLIPBOARD)
		keep_clipboard(m, out, "the buffer");
	else
		notices_add(&m->notices, m->now_ns, false,
				"nothing runs and nothing is selected (F10 leaves)");
}

/* ---- commands ---- */

static void next_pane(struct model *m, int by)
{
	int pane = m->focus;

	do
		pane = (pane + by + PANE_COUNT) % PANE_COUNT;
	while (m->layout.kind != LAYOUT_SINGLE && m->layout.panes[pane].rows == 0);
	m->owes_focus = false;
	model_focus(m, (enum pane)pane);
}

static void quit(struct model *m, struct effects *out)
{
	if (m->dialog.kind == DIALOG_QUIT)
		effect_plain(out, EFFECT_QUIT); /* asked for twice */
	else
		ask_quit(m, out);
}

static void perform(struct model *m, enum command command, struct effects *out)
{
	m->needs_draw = true;
	switch (command) {
	case COMMAND_HELP: show_help(m); break;
	case COMMAND_LANGUAGE: ask_language(m); break;
	case COMMAND_THEME: effect_plain(out, EFFECT_LIST_THEMES); break;
	case COMMAND_MESSAGES: show_messages(m); break;
	case COMMAND_RUN: run_ask(m, out); break;
	case COMMAND_STOP:
		if (model_is_running(m))
			run_stop(m, out);
		else
			copy(m, out);
		break;
	case COMMAND_NEXT_PANE: next_pane(m, 1); break;
	case COMMAND_PREVIOUS_PANE: next_pane(m, -1); break;
	case COMMAND_OPEN: ask_open(m); break;
	case COMMAND_SAVE: ask_save(m, false, out); break;
	case COMMAND_SAVE_AS: ask_save(m, true, out); break;
	case COMMAND_CLEAR: outpane_clear(&m->out); break;
	case COMMAND_REPAINT: effect_plain(out, EFFECT_REPAINT); break;
	case COMMAND_QUIT: quit(m, out); break;
	case COMMAND_NONE:
	case COMMAND_COUNT: break;
	}
}

/* ---- panes ---- */

static void editor_event(struct model *m, const struct event *ev, struct effects *out)
{
	unsigned bits = editor_handle(model_editor(m), ev);

	if (bits & EDITOR_CLIPBOARD)
		effect_add(out, EFFECT_COPY, NULL, m->clipboard.text, m->clipboard.len, 0);
	if (bits & EDITOR_NOMEM) {
		notices_add(&m->notices, m->now_ns, true, "out of memory: the text is as it was");
		m->needs_draw = true;
	}
	if (bits)
		m->needs_editor_draw = true;
}

static bool is_text(const struct event *ev)
{
	return ev->type == EVENT_PASTE
	       || (ev->key >= 0x20 && ev->key < KEYS_BASE && !(ev->mods & (MOD_CTRL | MOD_ALT)));
}

static void output_scroll(struct model *m, long by)
{
	struct rect area = model_output_area(m);

	outpane_scroll(&m->out, area.rows, area.cols, by);
	m->needs_draw = true;
}

static void output_key(struct model *m, const struct event *ev)
{
	struct rect area = model_output_area(m);
	long page = area.rows > 1 ? area.rows - 1 : 1;

	m->needs_draw = true;
	if (ev->mods & MOD_SHIFT && (ev->key == K_UP || ev->key == K_DOWN)) {
		outpane_select_lines(&m->out, area.rows, area.cols, ev->key == K_UP ? -1 : 1);
		return;
	}
	if (ev->key == 'a' && ev->mods == MOD_CTRL) {
		outpane_select_all(&m->out);
		return;
	}
	switch (ev->key) {
	case K_UP: output_scroll(m, -1); break;
	case K_DOWN: output_scroll(m, 1); break;
	case K_PAGE_UP: output_scroll(m, -page); break;
	case K_PAGE_DOWN:
	case ' ': output_scroll(m, page); break;
	case K_HOME: outpane_scroll_home(&m->out); break;
	case K_END: outpane_scroll_end(&m->out); break;
	case K_ESCAPE: m->out.has_selection = false; break;
	case '?': show_help(m); break;
	default:
		if (is_text(ev))
			notices_add(&m->notices, m->now_ns, false,
					"nothing runs that could read this: F6 goes to the editor");
	}
}

static void output_event(struct model *m, const struct msg *msg, struct effects *out)
{
	const struct event *ev = msg->event;
	bool scrolls = ev->key == K_UP || ev->key == K_DOWN || ev->key == K_PAGE_UP || ev->key == K_PAGE_DOWN;
	bool ends_input = ev->key == 'd' && ev->mods == MOD_CTRL;

	if (m->run.state == RUN_RUNNING && !scrolls && (m->has_input || is_text(ev) || ends_input))
		input_event(m, msg, out);
	else if (ev->type == EVENT_KEY)
		output_key(m, ev);
}

static void metrics_scroll(struct model *m, long by)
{
	long to = (long)m->process_scroll + by, last = (long)m->n_processes - 1;

	m->process_scroll = to < 0 || last < 0 ? 0 : (size_t)(to > last ? last : to);
	m->needs_draw = true;
}

static void metrics_key(struct model *m, const struct event *ev)
{
	switch (ev->key) {
	case K_UP: metrics_scroll(m, -1); break;
	case K_DOWN: metrics_scroll(m, 1); break;
	case K_PAGE_UP: metrics_scroll(m, -10); break;
	case K_PAGE_DOWN: metrics_scroll(m, 10); break;
	case K_HOME: metrics_scroll(m, -MODEL_PROCESSES); break;
	case '?': show_help(m); break;
	}
}

static void pane_event(struct model *m, const struct msg *msg, struct effects *out)
{
	switch (m->focus) {
	case PANE_EDITOR: editor_event(m, msg->event, out); break;
	case PANE_OUTPUT: output_event(m, msg, out); break;
	case PANE_METRICS:
		if (msg->event->type == EVENT_KEY)
			metrics_key(m, msg->event);
		break;
	case PANE_COUNT: break;
	}
}

/* ---- mouse ---- */

static void output_mouse(struct model *m, const struct event *ev)
{
	struct rect area = model_output_area(m);
	struct out_pos at =
			outpane_hit(&m->out, area.rows, area.cols, ev->row - area.row, ev->col - area.col);

	if (ev->action == MOUSE_PRESS && ev->button == 1) {
		m->out.anchor = m->out.cursor = at;
		m->out.has_selection = false;
		m->out.is_dragging = true;
	} else if (ev->action == MOUSE_DRAG && m->out.is_dragging) {
		if (ev->row < area.row)
			output_scroll(m, -1);
		else if (ev->row >= area.row + area.rows)
			output_scroll(m, 1);
		m->out.cursor = at;
		m->out.has_selection = at.line != m->out.anchor.line || at.cell != m->out.anchor.cell;
	} else if (ev->action == MOUSE_RELEASE) {
		m->out.is_dragging = false;
	}
	m->needs_draw = true;
}

static void pane_mouse(struct model *m, enum pane pane, const struct event *ev, struct effects *out)
{
	bool is_wheel = ev->action == MOUSE_WHEEL_UP || ev->action == MOUSE_WHEEL_DOWN;
	long by = ev->action == MOUSE_WHEEL_UP ? -3 : 3;
	struct event own = *ev;

	if (ev->action == MOUSE_PRESS && m->focus != pane) {
		m->owes_focus = false;
		model_focus(m, pane);
	}
	switch (pane) {
	case PANE_EDITOR:
		own.row -= m->layout.panes[pane].row;
		own.col -= m->layout.panes[pane].col;
		editor_event(m, &own, out);
		break;
	case PANE_OUTPUT:
		if (is_wheel)
			output_scroll(m, by);
		else
			output_mouse(m, ev);
		break;
	case PANE_METRICS:
		if (is_wheel)
			metrics_scroll(m, by);
		break;
	case PANE_COUNT: break;
	}
}

/* Clicks beside the panes: the key bar, the title, the tabs. */
static void chrome_click(struct model *m, const struct event *ev, struct effects *out)
{
	struct keybar_item items[KEYBAR_MAX];

	if (ev->row == m->layout.keys_row) {
		int n = keybar_make(m->cols, model_is_running(m), items);
		for (int i = 0; i < n; i++)
			if (ev->col >= items[i].col && ev->col < items[i].col + items[i].cols)
				perform(m, items[i].command, out);
	} else if (ev->row == m->layout.title_row) {
		perform(m, ev->col >= m->cols - 10 ? COMMAND_HELP : COMMAND_LANGUAGE, out);
	} else if (rect_contains(m->layout.tabs, ev->row, ev->col)) {
		buffer_tab_click(m, ev->col, out);
	}
}

static void on_mouse(struct model *m, const struct event *ev, struct effects *out)
{
	if (m->has_mouse_pane && (ev->action == MOUSE_DRAG || ev->action == MOUSE_RELEASE)) {
		m->has_mouse_pane = ev->action == MOUSE_DRAG;
		pane_mouse(m, m->mouse_pane, ev, out);
		return;
	}
	for (int pane = 0; pane < PANE_COUNT; pane++) {
		if (!rect_contains(m->layout.panes[pane], ev->row, ev->col))
			continue;
		m->has_mouse_pane = ev->action == MOUSE_PRESS;
		m->mouse_pane = (enum pane)pane;
		pane_mouse(m, (enum pane)pane, ev, out);
		return;
	}
	if (ev->action == MOUSE_PRESS && ev->button == 1)
		chrome_click(m, ev, out);
}

/* ---- messages ---- */

static void on_resize(struct model *m, const struct event *ev)
{
	m->rows = ev->row;
	m->cols = ev->col;
	model_relayout(m);
}

/* Keys that mean the same whether or not a dialog is open. */
static bool is_everywhere(const struct model *m, enum command command)
{
	return command == COMMAND_REPAINT || command == COMMAND_QUIT
	       || (command == COMMAND_STOP && model_is_running(m) && m->dialog.kind != DIALOG_QUIT);
}

/* Terminals send Alt as an Escape before the key, so an Escape with a key close behind looks like Alt.
 * Where Alt means nothing, it was an Escape. */
static bool is_escape_first(const struct model *m, const struct event *ev)
{
	bool is_command = (ev->key >= K_F1 && ev->key <= K_F12) || ev->mods & MOD_CTRL;
	bool is_in_dialog = m->dialog.kind != DIALOG_NONE && !m->dialog.has_field;

	return ev->type == EVENT_KEY && ev->mods & MOD_ALT && (is_command || is_in_dialog)
	       && command_of_key(ev) == COMMAND_NONE;
}

static void on_input(struct model *m, const struct msg *msg, struct effects *out);

static void on_escape_first(struct model *m, const struct msg *msg, struct effects *out)
{
	struct event escape = {.type = EVENT_KEY, .key = K_ESCAPE, .time_ns = msg->event->time_ns};
	struct event then = *msg->event;
	struct msg part = *msg;

	then.mods &= (uint8_t)~MOD_ALT;
	part.event = &escape;
	on_input(m, &part, out);
	part.event = &then;
	on_input(m, &part, out);
}

static void on_input(struct model *m, const struct msg *msg, struct effects *out)
{
	const struct event *ev = msg->event;
	enum command command = ev->type == EVENT_KEY ? command_of_key(ev) : COMMAND_NONE;
	bool too_small = m->layout.kind == LAYOUT_TOO_SMALL;

	if (m->is_quitting)
		return;
	if (is_escape_first(m, ev)) {
		on_escape_first(m, msg, out);
		return;
	}
	if (ev->type == EVENT_KEY && notices_expire(&m->notices, m->now_ns, true))
		m->needs_draw = true;
	if (is_everywhere(m, command))
		perform(m, command, out);
	else if (too_small)
		return;
	else if (m->dialog.kind != DIALOG_NONE)
		update_dialog(m, msg, out);
	else if (command != COMMAND_NONE)
		perform(m, command, out);
	else if (ev->type == EVENT_MOUSE)
		on_mouse(m, ev, out);
	else
		pane_event(m, msg, out);
}

static void on_tick(struct model *m)
{
	notices_expire(&m->notices, m->now_ns, false);
	m->needs_draw = true;
}

void update(struct model *m, const struct msg *msg, struct effects *out)
{
	m->now_ns = msg->now_ns;
	switch (msg->type) {
	case MSG_EVENT:
		if (msg->event->type == EVENT_RESIZE)
			on_resize(m, msg->event);
		else if (msg->event->type != EVENT_FOCUS)
			on_input(m, msg, out);
		break;
	case MSG_TICK: on_tick(m); break;
	case MSG_SANDBOX_STARTING:
	case MSG_SANDBOX_READY:
	case MSG_SANDBOX_CLOSED:
	case MSG_METRICS: update_sandbox(m, msg); break;
	case MSG_RUN_ACCEPTED:
	case MSG_RUN_STARTED:
	case MSG_RUN_OUTPUT:
	case MSG_RUN_DISPLAY:
	case MSG_RUN_INPUT:
	case MSG_RUN_KILLING:
	case MSG_RUN_DONE:
	case MSG_RUN_REFUSED:
	case MSG_LATE: update_run(m, msg); break;
	case MSG_OPENED:
	case MSG_ALREADY_OPEN:
	case MSG_SAVED: update_file(m, msg, out); break;
	case MSG_SAVE_EXISTS:
	case MSG_THEMES:
	case MSG_PATH: update_dialog(m, msg, out); break;
	case MSG_ERROR:
	case MSG_NOTICE:
		notices_add(&m->notices, m->now_ns, msg->type != MSG_NOTICE, "%s", msg->text);
		m->needs_draw = true;
		break;
	case MSG_STOPPING:
		m->is_slow_to_quit = true;
		m->needs_draw = true;
		break;
	}
}
