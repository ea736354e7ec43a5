/* SPDX-License-Identifier: MIT */
/* The keys of a change, which "." types again, and where an insertion begins. */
#include "editor/vi_internal.h"

#include <stdio.h>
#include <string.h>

#include "cells/event.h"

static size_t skip_count(const uint32_t *keys, size_t n, size_t at)
{
	bool is_count = at < n && keys[at] >= '1' && keys[at] <= '9';

	while (is_count && at < n && keys[at] >= '0' && keys[at] <= '9')
		at++;
	return at;
}

void vi_count_last(struct vi *v, unsigned count)
{
	uint32_t keys[VI_KEYS + 16];
	char digits[16];
	size_t n = 0, at = skip_count(v->last, v->n_last, 0);

	snprintf(digits, sizeof digits, "%u", count);
	while (digits[n]) {
		keys[n] = (unsigned char)digits[n];
		n++;
	}
	if (at < v->n_last && v->last[at] < 0x80 && v->last[at] && strchr("dc<>", (int)v->last[at])) {
		keys[n++] = v->last[at];
		at = skip_count(v->last, v->n_last, at + 1);
	}
	if (n + v->n_last - at > VI_KEYS)
		return;
	memcpy(keys + n, v->last + at, (v->n_last - at) * sizeof *keys);
	v->n_last = n + v->n_last - at;
	memcpy(v->last, keys, v->n_last * sizeof *keys);
}

void vi_record_key(struct vi *v, uint32_t key)
{
	if (v->n_typed < VI_KEYS)
		v->typed[v->n_typed++] = key;
}

void vi_follow_erasing(struct vi *v, const struct editor *e, uint32_t key)
{
	size_t pos = e->sel.cursor;

	if (pos < v->insert_at)
		v->insert_at = pos;
	if (key == K_BACKSPACE && v->opens_lines && pos == v->insert_at && pos == vi_line_start(e, pos))
		v->repeats = 0;
}

void vi_typed(struct vi *v, struct editor *e, const struct event *ev)
{
	bool is_other = ev->mods & (MOD_CTRL | MOD_ALT);

	vi_follow_erasing(v, e, ev->key);
	v->was_indented = ev->key == K_ENTER;
	if (v->mode == VI_INSERT)
		vi_record_key(v, is_other ? 0 : ev->key);
	if (is_other || (ev->key >= KEYS_BASE && ev->key != K_ENTER && ev->key != K_BACKSPACE))
		vi_break(v, e); /* the cursor may have moved */
}

void vi_break(struct vi *v, struct editor *e)
{
	vi_follow(v, e, false);
	v->repeats = 0;
	v->was_indented = false;
	v->insert_at = SIZE_MAX;
	if (v->mode == VI_INSERT)
		history_gather(e->history, true);
}

void vi_end_change(struct vi *v)
{
	if (v->is_change && v->n_typed < VI_KEYS) {
		memcpy(v->last, v->typed, v->n_typed * sizeof *v->typed);
		v->n_last = v->n_typed;
	}
	v->n_typed = 0;
	v->is_change = false;
}
