/* SPDX-License-Identifier: MIT */
#include "model/key_hint.h"

#include <stdio.h>

#include "cells/event.h"
#include "editor/vi.h"
#include "model/model.h"

/* Vi's own keys for commands of the editor. */
static const struct {
	const char *command;
	struct keys keys;
} vi_own[] = {
		{"find", {.n = 1, .chords = {{'/', 0}}}},
		{"find-next", {.n = 1, .chords = {{'n', 0}}}},
		{"find-previous", {.n = 1, .chords = {{'N', 0}}}},
		{"undo", {.n = 1, .chords = {{'u', 0}}}},
		{"redo", {.n = 1, .chords = {{'r', MOD_CTRL}}}},
};

bool key_is_hidden(const struct model *m, const struct binding *b)
{
	const struct event ev = {
			.type = EVENT_KEY, .key = b->keys.chords[0].key, .mods = b->keys.chords[0].mods};
	bool is_typed_there = b->key_context == CONTEXT_EDITOR || b->key_context == CONTEXT_ANY
			      || b->key_context == CONTEXT_ALWAYS;

	return is_typed_there && (keymap_is_hidden(&m->keymap, b) || vi_wants(&m->vi, &ev));
}

const struct keys *key_of_command(const struct model *m, const struct command *c)
{
	const struct keys *elsewhere = NULL;

	for (size_t i = 0; i < sizeof vi_own / sizeof *vi_own; i++)
		if (m->vi.mode != VI_OFF && m->vi.mode != VI_INSERT && command_is(c, vi_own[i].command))
			return &vi_own[i].keys;
	for (size_t i = 0; c && i < m->keymap.n; i++) {
		const struct binding *b = &m->keymap.bindings[i];
		if (b->command != c || key_is_hidden(m, b))
			continue;
		if (keymap_is_at_home(b))
			return &b->keys;
		if (!elsewhere)
			elsewhere = &b->keys;
	}
	return elsewhere;
}

const char *key_hint(const struct model *m, const char *command, char out[KEYMAP_NAME_BYTES])
{
	const struct command *c = command_find(command);
	const struct keys *keys = key_of_command(m, c);

	if (keys)
		keys_name(keys, out);
	else
		snprintf(out, KEYMAP_NAME_BYTES, "\"%.40s\"", c && c->title ? c->title : command);
	return out;
}
