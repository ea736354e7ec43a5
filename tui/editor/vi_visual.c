/* SPDX-License-Identifier: MIT */
/* Keys of vi's visual modes. */
#include "editor/vi_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cells/event.h"
#include "text/text.h"
#include "text/walk.h"

#define LEVELS_MAX 100u /* of indentation, by one key */

static unsigned join_visual(struct editor *e, size_t low, size_t high)
{
	e->sel.anchor = e->sel.cursor = low;
	return vi_join_lines(e, (unsigned)(text_line_of(e->text, high) - text_line_of(e->text, low) + 1));
}

/* Put other bytes in place of [from, to). Takes them. */
static unsigned take_place(struct editor *e, size_t from, size_t to, char *made, size_t n)
{
	if (!made)
		return EDITOR_HANDLED | EDITOR_NOMEM;
	unsigned bits = editor_replace(e, from, to - from, made, n, BURST_NONE);
	free(made);
	vi_go_to(e, from);
	return bits;
}

unsigned vi_change_case(struct editor *e, uint32_t op, size_t from, size_t to)
{
	char *text = text_slice(e->text, from, to - from);

	for (size_t i = 0; text && i < to - from; i++) {
		char lower = text[i] | 0x20;
		bool is_letter = lower >= 'a' && lower <= 'z';
		bool is_swapped = op == '~' || (op == 'u' ? text[i] != lower : text[i] == lower);
		text[i] ^= is_letter && is_swapped ? 0x20 : 0;
	}
	return take_place(e, from, to, text, to - from);
}

unsigned vi_replace_each(struct editor *e, uint32_t cp, size_t from, size_t to, bool goes_on)
{
	char bytes[4], *made = malloc((to - from) * sizeof bytes + 1);
	size_t n = trm_utf8_encode(cp, bytes), len = 0;

	for (size_t pos = from; made && pos < to; pos = text_next(e->text, pos)) {
		bool is_break = text_byte(e->text, pos) == '\n';
		memcpy(made + len, is_break ? "\n" : bytes, is_break ? 1 : n);
		len += is_break ? 1 : n;
	}
	unsigned bits = take_place(e, from, to, made, len);
	if (goes_on && bits & EDITOR_CHANGED)
		vi_go_to(e, from + len - n);
	return bits;
}

/* n times `text`, between `before` and `after`; malloc'd. NULL: out of memory. */
static char *repeat(const struct clipboard_text *text, unsigned n, const char *before, const char *after,
		size_t *ret_len)
{
	size_t n_before = strlen(before), n_after = strlen(after), more = n_before + n_after + 1;
	char *made = text->len <= (SIZE_MAX - more) / n ? malloc(more + text->len * n) : NULL, *at = made;

	if (!made)
		return NULL;
	at = mempcpy(at, before, n_before);
	for (; n; n--)
		at = mempcpy(at, text->text, text->len);
	at = mempcpy(at, after, n_after);
	*ret_len = (size_t)(at - made);
	return made;
}

/* The clipboard comes in place of the text, which comes into the clipboard, unless that `stays` as it is. */
static unsigned put_over(struct vi *v, struct editor *e, size_t from, size_t to, unsigned count, bool stays)
{
	struct clipboard_text put = {e->clipboard->text, e->clipboard->len};
	bool is_lines = v->mode == VI_VISUAL_LINES, has_lines = v->has_lines && v->lines_len == put.len;
	const char *before = has_lines && !is_lines ? "\n" : "", *after = is_lines && !has_lines ? "\n" : "";
	size_t len, n = count ? count : 1;

	if (!put.len)
		return EDITOR_HANDLED;
	if (is_lines) {
		from = vi_line_start(e, from);
		size_t end = vi_line_end(e, to > from ? to - 1 : to);
		to = end < text_len(e->text) ? end + 1 : end;
		after = end < text_len(e->text) ? after : "";
	}
	char *made = repeat(&put, (unsigned)n, before, after, &len);
	if (!made)
		return EDITOR_HANDLED | EDITOR_NOMEM;
	bool is_long = memchr(put.text, '\n', put.len) != NULL;
	unsigned bits = stays ? EDITOR_HANDLED : vi_operate(v, e, 'y', from, to, is_lines);
	bits |= editor_replace(e, from, to - from, made, len, BURST_NONE);
	free(made);
	size_t first = from + strlen(before);
	vi_go_to(e, has_lines || is_lines ? vi_first_ink(e, first)
			: is_long         ? first
					  : text_previous(e->text, first + put.len * n));
	return bits | DONE;
}

/* ---- keys ---- */

void vi_note_visual(struct vi *v, const struct editor *e)
{
	v->of = e;
	v->version = editor_version(e);
}

static void take_selection(struct vi *v, const struct editor *e)
{
	if (!editor_has_selection(e))
		return;
	bool is_back = e->sel.cursor < e->sel.anchor;
	size_t first = selection_start(e->sel), last = text_previous(e->text, selection_end(e->sel));
	vi_forget_keys(v);
	v->mode = VI_VISUAL;
	v->n_typed = VI_KEYS; /* keys alone do not repeat what is done with it */
	v->anchor = is_back ? last : first;
	v->cursor = is_back ? first : last;
	vi_note_visual(v, e);
}

/* Has only vi changed the text, the buffer and the selection since visual mode began? */
static bool is_undisturbed(struct vi *v, struct editor *e)
{
	struct selection now = e->sel;

	if (v->of != e || v->version != editor_version(e))
		return false;
	vi_show_visual(v, e);
	bool is_same = e->sel.anchor == now.anchor && e->sel.cursor == now.cursor;
	e->sel = now;
	return is_same;
}

void vi_follow(struct vi *v, struct editor *e, bool takes)
{
	if (vi_is_visual(v) && !is_undisturbed(v, e)) {
		v->mode = VI_NORMAL;
		vi_forget_keys(v);
	}
	if (v->mode == VI_NORMAL && takes)
		take_selection(v, e);
}

/* "." takes as many lines, or as many characters of a line, with the same key. */
static void record_size(struct vi *v, const struct editor *e, unsigned count, uint32_t prefix, uint32_t key)
{
	struct vi_ends ends = vi_visual_ends(v, e);
	size_t line = text_line_of(e->text, ends.high), lines = line - text_line_of(e->text, ends.low), n = 0;
	size_t start = lines ? text_line_start(e->text, line) : ends.low;
	char keys[64];
	int len = snprintf(keys, sizeof keys, v->mode == VI_VISUAL_LINES ? "V" : "v");

	if (v->n_typed >= VI_KEYS)
		return; /* what the mouse has selected */
	for (size_t pos = start; pos < ends.high; pos = text_next(e->text, pos))
		n++;
	if (lines)
		len += snprintf(keys + len, sizeof keys - (size_t)len, "%zu+0", lines);
	if (v->mode == VI_VISUAL && ends.high == vi_line_end(e, ends.high))
		len += snprintf(keys + len, sizeof keys - (size_t)len, "$");
	else if (v->mode == VI_VISUAL && n)
		len += snprintf(keys + len, sizeof keys - (size_t)len, "%zul", n);
	if (count)
		len += snprintf(keys + len, sizeof keys - (size_t)len, "%u", count);
	v->n_typed = 0;
	for (int i = 0; i < len; i++)
		vi_record_key(v, (unsigned char)keys[i]);
	if (prefix)
		vi_record_key(v, prefix);
	vi_record_key(v, key);
}

/* > and < with a count: so many levels. */
static unsigned indent_visual(
		struct vi *v, struct editor *e, uint32_t op, struct vi_ends ends, unsigned count)
{
	size_t first = text_line_of(e->text, ends.low), last = text_line_of(e->text, ends.high);
	unsigned bits = DONE;

	for (unsigned n = count ? count : 1; n; n--)
		bits |= vi_operate_lines(
				v, e, op, text_line_start(e->text, first), text_line_start(e->text, last));
	return bits;
}

unsigned vi_visual_key(struct vi *v, struct editor *e, uint32_t key, bool *ret_done)
{
	struct vi_ends ends = vi_visual_ends(v, e);
	size_t low = ends.low, high = ends.high;
	static const char keys[] = "xsXDCSRY", means[] = "dcddcccy";
	const char *found = key < 0x80 && key ? strchr(keys, (int)key) : NULL;
	uint32_t op = found ? (uint32_t)means[found - keys] : key;
	bool is_upper = found && key < 'a'; /* whole lines, whatever the mode */
	bool is_lines = v->mode == VI_VISUAL_LINES;

	*ret_done = true;
	if (key == K_ESCAPE || (key == 'v' && !is_lines) || (key == 'V' && is_lines)) {
		v->mode = VI_NORMAL;
		vi_forget_keys(v);
		vi_go_to(e, v->cursor);
		return DONE;
	}
	if (key == 'v' || key == 'V') {
		v->mode = key == 'v' ? VI_VISUAL : VI_VISUAL_LINES;
		vi_show_visual(v, e);
		return DONE;
	}
	if (key == 'o') {
		size_t other = v->anchor;
		v->anchor = v->cursor;
		v->cursor = other;
		vi_show_visual(v, e);
		e->goal_col = NO_GOAL;
		return DONE;
	}
	*ret_done = op < 0x80 && op && strchr("dcy<>=!~uUJpP", (int)op) != NULL;
	if (!*ret_done)
		return 0;
	unsigned count = v->count;
	record_size(v, e, count, 0, key);
	size_t to = high < text_len(e->text) ? text_next(e->text, high) : high;
	unsigned bits = op == 'p' || op == 'P' ? put_over(v, e, low, to, count, op == 'P') : 0;
	v->mode = VI_NORMAL;
	v->is_change = op != 'y';
	vi_forget_keys(v);
	if (op == 'J')
		return join_visual(e, low, high);
	if (bits)
		return bits;
	if (strchr("~uU", (int)op))
		return vi_change_case(e, op, is_lines ? vi_line_start(e, low) : low,
				is_lines ? vi_line_end(e, high) : to);
	if (op == '>' || op == '<')
		return indent_visual(v, e, op, ends, count < LEVELS_MAX ? count : LEVELS_MAX);
	if (is_lines || is_upper)
		return vi_operate_lines(v, e, op, vi_line_start(e, low), high);
	return vi_operate(v, e, op, low, to, false);
}

unsigned vi_replace_visual(struct vi *v, struct editor *e, uint32_t cp)
{
	struct vi_ends ends = vi_visual_ends(v, e);
	size_t low = ends.low, high = ends.high;
	bool is_lines = v->mode == VI_VISUAL_LINES;

	record_size(v, e, 0, 'r', cp == '\n' ? K_ENTER : cp);
	v->mode = VI_NORMAL;
	v->is_change = true;
	vi_forget_keys(v);
	size_t to = high < text_len(e->text) ? text_next(e->text, high) : high;
	return vi_replace_each(e, cp, is_lines ? vi_line_start(e, low) : low,
			is_lines ? vi_line_end(e, high) : to, false);
}
