/* SPDX-License-Identifier: MIT */
#include "model/vi_keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cells/event.h"
#include "command/command.h"
#include "command/keymap.h"
#include "editor/editor_internal.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"
#include "text/text.h"

static void answer_vi(struct model *m, int answer, struct effects *out);

#define KEY_NS 20000000u /* time between the keys of a repeated change, as if they were typed */

/* In visual mode for the lines that are selected. */
static void ask_vi_command(struct model *m)
{
	struct editor *e = model_editor(m);
	struct vi *v = &m->vi;
	bool is_visual = v->mode != VI_NORMAL;
	char lines[48] = "";

	if (is_visual) {
		size_t one = text_line_of(e->text, v->anchor) + 1,
		       other = text_line_of(e->text, v->cursor) + 1;
		snprintf(lines, sizeof lines, "%zu,%zu", one < other ? one : other,
				one < other ? other : one);
		editor_select(e, v->cursor, v->cursor);
		v->mode = VI_NORMAL;
	}
	dialog_begin(&m->dialog, "Command", answer_vi);
	dialog_add(&m->dialog, ROLE_DIALOG_DIM,
			"w, w FILE, w! FILE, q, q!, wq, x, e FILE, %%s/OLD/NEW/g, or the number of a line");
	dialog_set_field(&m->dialog, ":", is_visual ? lines : NULL, true);
	m->needs_draw = true;
}

static void repeat_keys(struct model *m, const struct msg *msg, struct effects *out,
		void (*again)(struct model *m, const struct msg *msg, struct effects *out))
{
	struct vi *v = &m->vi;
	uint32_t keys[VI_KEYS];
	size_t n = v->n_last;

	memcpy(keys, v->last, n * sizeof *keys);
	v->n_typed = 0;
	v->is_change = v->has_failed = false;
	v->is_repeating = true;
	for (size_t i = 0; i < n && !v->has_failed; i++) {
		struct event ev = {.type = EVENT_KEY,
				.key = keys[i] < ' ' ? keys[i] | 0x60 : keys[i],
				.mods = keys[i] < ' ' ? MOD_CTRL : 0,
				.time_ns = msg->event->time_ns + (i + 1) * KEY_NS};
		struct msg part = *msg;
		part.event = &ev;
		if (keys[i])
			again(m, &part, out);
	}
	v->is_repeating = false;
}

static void run_named(struct model *m, const char *name, struct effects *out)
{
	command_run(m, command_find(name), out);
}

/* "^V", "gx", "d/": the keys that do nothing, and what there is instead. */
static void say_missing(struct model *m)
{
	static const struct {
		const char *keys, *what;
	} missing[] =
			{
					{"q@", " (macros)"},
					{"\"", " (registers)"},
					{"m'`", " (marks)"},
					{"[]", " (sections)"},
					{"=!", ": > and < indent"},
			},
	  with_ctrl[] = {
			  {"v", " (a block): v and V select"},
			  {"w", " (windows): ^W w goes to the next pane"},
			  {"ax", " (numbers)"},
			  {"z", ": u takes a change back, :stop suspends the workbench"},
	  };
	const struct vi *v = &m->vi;
	bool is_window = v->unknown < ' ', has_ctrl = is_window || v->unknown_mods & MOD_CTRL;
	uint32_t key = is_window ? v->unknown | 0x60 : v->unknown;
	struct keys keys = {.n = 1, .chords = {{key, is_window ? MOD_CTRL : v->unknown_mods}}};
	char name[KEYMAP_NAME_BYTES], before[2] = {(char)v->unknown_prefix, '\0'};
	const char *what = "";

	for (size_t i = 0; i < (has_ctrl ? COUNT(with_ctrl) : COUNT(missing)); i++) {
		const char *in = has_ctrl ? with_ctrl[i].keys : missing[i].keys;
		if (!v->unknown_prefix && key < 0x80 && strchr(in, (int)key))
			what = has_ctrl ? with_ctrl[i].what : missing[i].what;
	}
	keys_name(&keys, name);
	notices_add(&m->notices, m->now_ns, false, "vi's key%s %s%s %s not known here%s", *before ? "s" : "",
			before, name, *before ? "are" : "is", what);
}

void vi_keys_follow(struct model *m)
{
	/* For vi the match of a search is not a selection. */
	vi_follow(&m->vi, model_editor(m), m->finder.state == FINDER_CLOSED && !finder_has_selected(m));
}

bool vi_keys_take(struct model *m, const struct msg *msg, struct effects *out,
		void (*again)(struct model *m, const struct msg *msg, struct effects *out))
{
	enum vi_request request;

	if (m->focus != PANE_EDITOR || m->vi.mode == VI_OFF || m->demo.is_on || m->replay.is_on)
		return false;
	if (!vi_wants(&m->vi, msg->event)) {
		vi_typed(&m->vi, model_editor(m), msg->event);
		return false;
	}
	vi_keys_follow(m);
	editor_done(m, vi_key(&m->vi, model_editor(m), msg->event, &request), out);
	m->needs_draw = true;
	if (m->vi.unknown)
		say_missing(m);
	switch (request) {
	case VI_SEARCH:
	case VI_SEARCH_BACK: finder_open_vi(m, request == VI_SEARCH_BACK); break;
	case VI_WORD:
	case VI_WORD_BACK: finder_seek_word(m, request == VI_WORD_BACK); break;
	case VI_NEXT:
	case VI_PREVIOUS:
		run_named(m, (request == VI_NEXT) == m->finder.is_back ? "find-previous" : "find-next", out);
		break;
	case VI_COMMAND: ask_vi_command(m); break;
	case VI_REPEAT: repeat_keys(m, msg, out, again); break;
	case VI_CLOSE: effect_plain(out, EFFECT_QUIT_SAVING); break;
	case VI_DISCARD: buffer_abandon(m, out); break;
	case VI_NEXT_PANE: run_named(m, "next-pane", out); break;
	case VI_NOTHING: break;
	}
	return true;
}

/* ---- ":" ---- */

/* As vi does: another file gets a copy, and the buffer keeps its name. Without a name it gets this one. */
static void write_as_vi(struct model *m, bool is_over, const char *path, struct effects *out)
{
	const struct buffer *b = buffers_current(&m->buffers);

	if (*path == '!' || *path == '>')
		notices_add(&m->notices, m->now_ns, false,
				"\":w\" writes only to a file here: w FILE, w! FILE");
	else if (*path)
		effect_save(out, is_over ? EFFECT_WRITE_OVER : EFFECT_WRITE, b->id, path);
	else if (is_over && b->editor.path)
		effect_save(out, EFFECT_SAVE, b->id, b->editor.path);
	else
		run_named(m, "save", out);
}

static void run_vi_command(struct model *m, const char *text, struct effects *out)
{
	const char *word = text + strspn(text, " :");
	size_t n = strcspn(word, " "), lines = text_lines(model_editor(m)->text);
	const char *rest = word + n + strspn(word + n, " ");
	char name[8] = "";

	snprintf(name, sizeof name, "%.*s", (int)(n < 7 ? n : 7), word);
	if (!name[0] || vi_substitute(m, word, out))
		return;
	if (name[strspn(name, "0123456789")] == '\0') {
		size_t line = strtoul(name, NULL, 10);
		editor_goto_line(model_editor(m), line > lines ? lines - 1 : line ? line - 1 : 0);
	} else if (strcmp(name, "$") == 0) {
		editor_goto_line(model_editor(m), lines - 1);
	} else if (strcmp(name, "w") == 0 || strcmp(name, "w!") == 0) {
		write_as_vi(m, name[1] == '!', rest, out);
	} else if (strcmp(name, "q") == 0 || strcmp(name, "qa") == 0) {
		run_named(m, "quit", out);
	} else if (strcmp(name, "q!") == 0) {
		buffer_abandon(m, out);
	} else if (strcmp(name, "qa!") == 0) {
		effect_plain(out, EFFECT_QUIT_DISCARDING);
	} else if (strcmp(name, "wq") == 0 || strcmp(name, "x") == 0 || strcmp(name, "wqa") == 0) {
		effect_plain(out, EFFECT_QUIT_SAVING);
	} else if (strcmp(name, "st") == 0 || strcmp(name, "stop") == 0 || strcmp(name, "suspend") == 0) {
		run_named(m, "suspend", out);
	} else if (strcmp(name, "e") == 0 && *rest) {
		effect_open(out, rest, path_lang(m, rest));
	} else if (strcmp(name, "e") == 0) {
		run_named(m, "open", out);
	} else {
		notices_add(&m->notices, m->now_ns, false,
				"\":%s\" is not known here: w, q, q!, wq, e FILE, s/OLD/NEW/, a number",
				name);
	}
}

static void answer_vi(struct model *m, int answer, struct effects *out)
{
	char *text = answer == ANSWER_ENTER ? strdup(field_text(&m->dialog.field)) : NULL;

	if (answer == ANSWER_MOVED || answer == ANSWER_TAB || answer == ANSWER_TYPED)
		return;
	dialog_close(m);
	if (text)
		run_vi_command(m, text, out);
	free(text);
}
