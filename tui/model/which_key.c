/* SPDX-License-Identifier: MIT */
#include "model/which_key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "model/model.h"
#include "model/pane.h"

#define WAIT_NS 500000000u

/* The keys that may follow a prefix or an operator of vi. */
static const struct {
	const char *begun, *keys, *words;
} vi_rows[] = {
		{"g", "g", "first line, or the line of the count"},
		{"g", "U", "upper case, with a motion"},
		{"g", "u", "lower case, with a motion"},
		{"g", "~", "the other case, with a motion"},
		{"z", "z", "the line of the cursor into the middle"},
		{"z", "t", "the line of the cursor to the top"},
		{"z", "b", "the line of the cursor to the bottom"},
		{"Z", "Z", "save and close"},
		{"Z", "Q", "close without saving"},
		{"dcy<>uU~", "w", "to the next word"},
		{"dcy<>uU~", "e", "to the end of the word"},
		{"dcy<>uU~", "b", "back to the start of the word"},
		{"dcy<>uU~", "$", "to the end of the line"},
		{"dcy<>uU~", "^", "to the start of the line's text"},
		{"dcy<>uU~", "0", "to the start of the line"},
		{"dcy<>uU~", "j", "this line and the next"},
		{"dcy<>uU~", "k", "this line and the one above"},
		{"dcy<>uU~", "gg", "to the first line"},
		{"dcy<>uU~", "G", "to the last line"},
		{"dcy<>uU~", "{", "back to a blank line"},
		{"dcy<>uU~", "}", "to a blank line"},
		{"dcy<>uU~", "%", "to the partner of the bracket"},
		{"dcy<>uU~", "f", "to a character, with it"},
		{"dcy<>uU~", "t", "to a character, without it"},
};

/* The key of vi that waits for another one; 0: none. */
static uint32_t vi_begun(const struct model *m)
{
	const struct vi *v = &m->vi;

	if (v->mode == VI_OFF || v->mode == VI_INSERT || m->focus != PANE_EDITOR)
		return 0;
	return v->prefix ? v->prefix : v->operator;
}

static bool has_begun(const struct model *m)
{
	return m->typed.n > 0 || vi_begun(m);
}

void which_key_follow(struct model *m)
{
	bool was_due = m->has_which_key && m->now_ns - m->which_key_ns >= WAIT_NS;
	uint32_t begun = m->typed.n ? m->typed.n : vi_begun(m);

	if (begun == m->which_key_begun)
		return;
	m->which_key_begun = begun;
	m->which_key_ns = begun ? m->now_ns : 0;
	m->has_which_key = begun != 0;
	m->needs_draw |= was_due;
}

bool which_key_is_shown(const struct model *m)
{
	struct which_key_row rows[WHICH_KEY_ROWS];
	char begun[KEYMAP_NAME_BYTES];

	return m->has_which_key && has_begun(m) && m->now_ns - m->which_key_ns >= WAIT_NS
	       && !dialog_is_open(&m->dialog) && which_key_rows(m, rows, begun) > 0;
}

int which_key_wait_ms(const struct model *m)
{
	uint64_t since_ns = m->now_ns - m->which_key_ns;

	if (!m->has_which_key || since_ns >= WAIT_NS)
		return -1;
	return (int)((WAIT_NS - since_ns) / 1000000) + 1;
}

/* ---- the rows ---- */

static bool is_context_here(const struct model *m, enum key_context key_context)
{
	return key_context == pane_ops[m->focus].key_context || key_context == CONTEXT_ANY
	       || key_context == CONTEXT_ALWAYS;
}

/* Set *ret to the keys of a binding after the typed ones. False: the binding begins with other keys. */
static bool rest_of(const struct binding *b, const struct keys *typed, struct keys *ret)
{
	if (b->keys.n <= typed->n || !keys_begin(typed, &b->keys))
		return false;
	*ret = (struct keys){.n = b->keys.n - typed->n};
	memcpy(ret->chords, b->keys.chords + typed->n, ret->n * sizeof *ret->chords);
	return true;
}

static int compare_key_rows(const void *a, const void *b)
{
	return strcmp(((const struct which_key_row *)a)->keys, ((const struct which_key_row *)b)->keys);
}

static bool has_row(const struct which_key_row *rows, size_t n, const char *keys)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(rows[i].keys, keys) == 0)
			return true;
	return false;
}

static size_t keymap_rows(const struct model *m, struct which_key_row rows[WHICH_KEY_ROWS])
{
	size_t n = 0;

	for (size_t i = 0; i < m->keymap.n && n < WHICH_KEY_ROWS; i++) {
		const struct binding *b = &m->keymap.bindings[i];
		struct which_key_row *row = &rows[n];
		struct keys rest;
		if (!b->command || !is_context_here(m, b->key_context) || !rest_of(b, &m->typed, &rest))
			continue;
		keys_name(&rest, row->keys);
		row->words = b->command->title  ? b->command->title
			     : b->command->help ? b->command->help
						: b->command->name;
		n += !has_row(rows, n, row->keys);
	}
	qsort(rows, n, sizeof *rows, compare_key_rows);
	return n;
}

static size_t vi_keys_rows(uint32_t begun, struct which_key_row rows[WHICH_KEY_ROWS])
{
	size_t n = 0;

	if (begun >= 0x80)
		return 0;
	if (strchr("dcy<>uU~", (int)begun)) {
		snprintf(rows[n].keys, sizeof rows[n].keys, "%c", (char)begun);
		rows[n++].words = "the whole line";
	}
	for (size_t i = 0; i < sizeof vi_rows / sizeof *vi_rows; i++) {
		if (!strchr(vi_rows[i].begun, (int)begun))
			continue;
		snprintf(rows[n].keys, sizeof rows[n].keys, "%s", vi_rows[i].keys);
		rows[n++].words = vi_rows[i].words;
	}
	return n;
}

size_t which_key_rows(const struct model *m, struct which_key_row rows[WHICH_KEY_ROWS],
		char begun[KEYMAP_NAME_BYTES])
{
	uint32_t key = vi_begun(m);

	if (m->typed.n) {
		keys_name(&m->typed, begun);
		return keymap_rows(m, rows);
	}
	snprintf(begun, KEYMAP_NAME_BYTES, "%c", key < 0x80 ? (char)key : '?');
	return key ? vi_keys_rows(key, rows) : 0;
}
