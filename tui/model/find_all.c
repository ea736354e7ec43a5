/* SPDX-License-Identifier: MIT */
#include "model/find_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "cells/event.h"
#include "command/command.h"
#include "editor/editor_internal.h"
#include "model/dialog_dispatch.h"
#include "model/model.h"
#include "model/update.h"
#include "text/cluster.h"
#include "text/text.h"

static void answer_find_all(struct model *m, int answer, struct effects *out);

enum { LIST_ROWS = 18, LIST_COLS = 110 };

/* Bytes that are searched in one step, and what a match costs beside its bytes. */
#define STEP_PLAIN ((size_t)2 << 20)
#define STEP_REGEX ((size_t)256 << 10)
#define MATCH_COST 128
#define LONG_LINE ((size_t)128 << 10) /* more than find_take_lines() takes of shorter ones */

void find_all_finish(struct find_all *f)
{
	find_destroy(f->find);
	free(f->hits);
	free(f->ids);
	*f = (struct find_all){0};
}

/* The current buffer comes first. A buffer may be closed during the search, when a save in the background has
 * ended. */
static bool note_buffers(struct model *m)
{
	const struct buffers *b = &m->buffers;
	struct find_all *f = &m->find_all;
	uint32_t *ids = realloc(f->ids, b->n * sizeof *ids);

	if (!ids)
		return false;
	f->ids = ids;
	f->n_ids = b->n;
	for (size_t i = 0; i < b->n; i++)
		ids[i] = b->items[(b->current + i) % b->n]->id;
	return true;
}

/* ---- rows of the list ---- */

/* The part of a line that a row shows. Control characters would move the cursor. */
static size_t put_clean(char *out, size_t cap, const char *bytes, size_t n)
{
	size_t used = 0, len;

	for (size_t at = 0; at < n; at += len) {
		len = cluster_at(bytes + at, n - at).len;
		if (used + len >= cap)
			break;
		for (size_t i = 0; i < len; i++)
			out[used + i] = (unsigned char)bytes[at + i] < ' ' || bytes[at + i] == 0x7f
							? ' '
							: bytes[at + i];
		used += len;
	}
	out[used] = '\0';
	return used;
}

/* The bytes of the last clusters that fit into so many columns. */
static size_t tail_len(const char *bytes, size_t n, size_t cols)
{
	size_t at = n, used = 0;

	while (at > 0) {
		size_t len = cluster_before(bytes, at);
		used += cluster_columns(bytes + at - len, len);
		if (used > cols)
			break;
		at -= len;
	}
	return n - at;
}

/* Another open file has the same name in another folder. */
static bool has_namesake(const struct model *m, const struct buffer *b, const char *name)
{
	char other[DIALOG_ITEM];

	for (size_t i = 0; i < m->buffers.n; i++)
		if (m->buffers.items[i] != b
				&& strcmp(buffer_short_name(m->buffers.items[i], other, sizeof other), name)
						   == 0)
			return true;
	return false;
}

/* "notes.py:12", at the start of a row of so many columns. Of a long name only the end is shown. */
static size_t put_place(const struct model *m, const struct buffer *b, size_t line, size_t cols,
		char out[DIALOG_ITEM])
{
	const char *ellipsis = m->has_utf8 ? "…" : "...";
	char name[DIALOG_ITEM];
	size_t most = cols / 3 > 8 ? cols / 3 : 8;

	buffer_short_name(b, name, sizeof name);
	const char *shown = name;
	if (b->editor.path && has_namesake(m, b, name)) {
		const char *at = b->editor.path + strlen(b->editor.path) - strlen(name);
		shown = at > b->editor.path ? at - 1 : at;
		while (shown > b->editor.path && shown[-1] != '/')
			shown--;
	}
	size_t n = strlen(shown), tail = tail_len(shown, n, most);
	char place[DIALOG_ITEM];
	int len = snprintf(place, sizeof place, "%s%.*s:%zu", tail < n ? ellipsis : "",
			(int)(tail < 160 ? tail : 160), shown + n - tail, line + 1);
	return put_clean(out, DIALOG_ITEM, place, (size_t)len);
}

enum { AROUND = 512 }; /* bytes of the line on both sides of the start of a match that a row may show */

/* A row: the place, and the text of the line, cut so that the match is seen. */
static void add_row(struct model *m, const struct find_all_hit *hit)
{
	struct dialog *d = &m->dialog;
	const struct buffer *b = buffers_find(&m->buffers, hit->buffer);
	char item[DIALOG_ITEM], bytes[2 * AROUND];
	const char *ellipsis = m->has_utf8 ? "…" : "...";

	if (!b)
		return;
	const struct text *t = b->editor.text;
	size_t line = text_line_of(t, hit->pos), start = text_line_start(t, line), cols = m->find_all.cols;
	size_t label = put_place(m, b, line, cols, item), used = label;
	used += put_clean(item + used, sizeof item - used, "  ", 2);

	bool is_begun = hit->pos > start + AROUND; /* the row does not show the start of the line */
	size_t from = is_begun ? hit->pos - AROUND : start, at = hit->pos - from;
	size_t n = text_copy(t, from, bytes, sizeof bytes), ink = 0;
	const char *newline = n > at ? memchr(bytes + at, '\n', n - at) : NULL;
	n = newline ? (size_t)(newline - bytes) : n;
	at = at < n ? at : n;
	while (ink < at && !is_begun && (bytes[ink] == ' ' || bytes[ink] == '\t'))
		ink++;
	size_t room = cols > label + 2 ? cols - cluster_columns(item, used) : 1,
	       len = hit->len < n - at ? hit->len : n - at, match_cols = cluster_columns(bytes + at, len),
	       before = cluster_columns(bytes + ink, at - ink);
	/* An item has room for so many bytes, which may be fewer columns than the list has. A quarter is for
	 * what follows the match. */
	size_t most = (sizeof item - used - 2 * strlen(ellipsis) - 1) / 4 * 3;
	if (is_begun || at - ink + len > most
			|| before + (match_cols < room / 2 ? match_cols : room / 2) >= room) {
		size_t after = cluster_columns(bytes + at, n - at), some = room / 4;
		if (after + some + 1 < room)
			some = room - 1 - after;
		while (some > 0 && tail_len(bytes, at, some) + len > most)
			some--;
		ink = at - tail_len(bytes, at, some);
		used += put_clean(item + used, sizeof item - used, ellipsis, strlen(ellipsis));
	}
	used += put_clean(item + used, sizeof item - used, bytes + ink, at - ink);
	size_t mark = used;
	used += put_clean(item + used, sizeof item - used, bytes + at, len);
	size_t mark_end = used;
	size_t rest = put_clean(
			item + used, sizeof item - used - strlen(ellipsis), bytes + at + len, n - at - len);
	if (rest < n - at - len)
		snprintf(item + used + rest, sizeof item - used - rest, "%s", ellipsis);
	dialog_add_match(d, item, label, mark, mark_end);
}

/* ---- the search ---- */

bool find_all_is_busy(const struct model *m)
{
	const struct find_all *f = &m->find_all;

	return m->dialog.answer == answer_find_all && f->find && f->turn < f->n_ids
	       && f->n_matches < FIND_ALL_COUNTED;
}

static void take_match(struct model *m, const struct buffer *b, struct find_match match)
{
	struct find_all *f = &m->find_all;

	f->n_matches++;
	f->n_buffers += !f->has_match;
	f->has_match = true;
	if (f->n_hits == FIND_ALL_LISTED)
		return;
	f->hits[f->n_hits] = (struct find_all_hit){b->id, f->start + match.pos, match.len};
	add_row(m, &f->hits[f->n_hits++]);
}

static void next_buffer(struct find_all *f)
{
	f->turn++;
	f->start = 0;
	f->has_match = f->has_lines = false;
}

static void search_step(struct model *m)
{
	struct find_all *f = &m->find_all;
	size_t most = f->opts.is_regex ? STEP_REGEX : STEP_PLAIN, work = 0;
	struct find_match match;

	while (find_all_is_busy(m) && work < most) {
		const struct buffer *b = buffers_find(&m->buffers, f->ids[f->turn]);
		if (!b) {
			next_buffer(f);
			continue;
		}
		if (!f->has_lines) {
			if (f->start > text_len(b->editor.text)
					|| !find_take_lines(f->find, b->editor.text, f->start, &f->end)) {
				next_buffer(f);
				continue;
			}
			f->has_lines = true;
			f->from = 0;
			work += f->end - f->start + 1;
		}
		if (find_in_taken(f->find, f->from, &match)) {
			take_match(m, b, match);
			f->from = match.pos + (match.len ? match.len : 1);
			/* A regular expression looks at the whole line each time. */
			work += MATCH_COST;
			work += f->opts.is_regex && f->end - f->start > LONG_LINE ? f->end - f->start : 0;
		} else {
			f->has_lines = false;
			f->start = f->end + 1;
		}
	}
}

/* "12 matches in 3 buffers" in the title, where it is also seen on a small screen. */
static void say_result(struct model *m)
{
	const struct find_all *f = &m->find_all;
	struct dialog *d = &m->dialog;
	const char *name = "Find in all buffers", *more = "";
	char count[64];

	if (find_all_is_busy(m) || f->n_matches == FIND_ALL_COUNTED)
		more = "+";
	snprintf(count, sizeof count, "%zu%s match%s in %zu buffer%s", f->n_matches, more,
			f->n_matches == 1 ? "" : "es", f->n_buffers, f->n_buffers == 1 ? "" : "s");
	bool has_gap = find_gave_up(f->find);
	if (has_gap && !f->n_matches)
		snprintf(d->none, sizeof d->none, "no matches%s", finder_gap(f->find));
	if (!f->n_matches)
		snprintf(d->title, sizeof d->title, "%s", name);
	else if (m->cols < 60)
		snprintf(d->title, sizeof d->title, "%s", count);
	else
		snprintf(d->title, sizeof d->title, "%s: %.45s%.26s", name, count,
				has_gap ? "; some lines were too hard" : "");
	snprintf(d->hint, sizeof d->hint, "Alt-X [%s] regular expression  Alt-C [%s] case  Alt-W [%s] word",
			f->opts.is_regex ? "x" : " ", f->opts.is_exact ? "x" : " ",
			f->opts.is_word ? "x" : " ");
	size_t n = strlen(d->hint);
	if (f->n_matches > f->n_hits)
		snprintf(d->hint + n, sizeof d->hint - n, "  (the first %zu are listed)", f->n_hits);
	m->needs_draw = true;
}

/* The pattern has changed. */
static void search_all(struct model *m)
{
	struct find_all *f = &m->find_all;
	struct dialog *d = &m->dialog;
	struct trm_error err = {0};

	find_destroy(f->find);
	f->find = NULL;
	f->turn = f->n_hits = f->n_matches = f->n_buffers = f->start = 0;
	f->has_lines = f->has_match = false;
	f->n_ids = 0;
	dialog_clear_items(d);
	f->cols = (size_t)dialog_item_cols(d, m->rows, m->cols);
	d->none[0] = '\0';
	if (!d->field.len)
		snprintf(d->none, sizeof d->none, "type what to find");
	else if (find_create(field_text(&d->field), d->field.len, f->opts, &f->find, &err) < 0)
		snprintf(d->none, sizeof d->none, "%.*s", (int)sizeof d->none - 1, err.msg);
	else if (!note_buffers(m))
		snprintf(d->none, sizeof d->none, "not enough memory to search");
	search_step(m);
	say_result(m);
}

void find_all_tick(struct model *m)
{
	if (!find_all_is_busy(m))
		return;
	search_step(m);
	say_result(m);
}

void find_all_resized(struct model *m)
{
	struct dialog *d = &m->dialog;
	size_t current = d->current;

	if (d->answer != answer_find_all)
		return;
	dialog_clear_items(d);
	m->find_all.cols = (size_t)dialog_item_cols(d, m->rows, m->cols);
	for (size_t i = 0; i < m->find_all.n_hits; i++)
		add_row(m, &m->find_all.hits[i]);
	d->current = current < d->n_items ? current : 0;
	say_result(m);
}

/* ---- the dialog ---- */

/* The match at the cursor or after it is the current item. So who opens the list again goes on where the last
 * match was. */
static void begin_at_cursor(struct model *m)
{
	const struct find_all *f = &m->find_all;
	const struct buffer *b = buffers_current(&m->buffers);
	size_t at = selection_start(b->editor.sel), i = 0;

	while (i < f->n_hits && f->hits[i].buffer == b->id && f->hits[i].pos < at)
		i++;
	m->dialog.current = i < f->n_hits && f->hits[i].buffer == b->id ? i : 0;
}

static void ask_find_all(struct model *m, struct effects *out)
{
	struct find_all *f = &m->find_all;
	struct dialog *d = &m->dialog;
	char *selected = finder_has_selected(m) || m->finder.opts.is_regex ? NULL
									   : finder_selected(model_editor(m));

	(void)out;
	find_all_finish(f);
	f->hits = calloc(FIND_ALL_LISTED, sizeof *f->hits);
	if (f->hits) {
		f->opts = m->finder.opts;
		dialog_begin_filtered(d, "", answer_find_all, "find-in-buffers", m->has_utf8, LIST_ROWS);
		d->list_cols = LIST_COLS;
		d->alt_keys = "cxw";
		dialog_set_field(d, d->field_label, selected ? selected : field_text(&m->finder.what), false);
		search_all(m);
		begin_at_cursor(m);
	}
	free(selected);
}

/* The match is shown as in NORMAL mode, because typed text would replace what is selected. */
static void end_vi_mode(struct model *m, struct effects *out)
{
	const struct event escape = {.type = EVENT_KEY, .key = K_ESCAPE, .time_ns = m->now_ns};
	enum vi_request ignored;

	if (m->vi.mode != VI_OFF && m->vi.mode != VI_NORMAL)
		editor_done(m, vi_key(&m->vi, model_editor(m), &escape, &ignored), out);
}

/* The text may have changed since the search, as when its file was read again: then go to what now is the
 * next match. */
static void go_to_hit(struct model *m, struct find_all_hit hit, struct effects *out)
{
	struct buffer *b = buffers_find(&m->buffers, hit.buffer);
	struct find_match match;

	end_vi_mode(m, out);
	if (!b
			|| (!find_next(m->finder.find, b->editor.text, hit.pos, SIZE_MAX, &match)
					&& !find_previous(m->finder.find, b->editor.text, hit.pos, &match))) {
		notices_add(&m->notices, m->now_ns, false, "this match is no longer there");
		return;
	}
	if (b != buffers_current(&m->buffers))
		buffer_show(m, b, out);
	model_focus(m, PANE_EDITOR);
	finder_show(m, match);
	editor_center(&b->editor);
}

/* The pattern becomes that of the editor's own search, so that its keys go on from here. */
static void leave_to_hit(struct model *m, struct effects *out)
{
	struct finder *finder = &m->finder;
	struct find_all_hit hit = m->find_all.hits[m->dialog.current];

	if (finder->state != FINDER_CLOSED)
		finder_close(m);
	field_set(&finder->what, field_text(&m->dialog.field));
	finder->opts = m->find_all.opts;
	finder->is_back = false;
	dialog_close(m);
	if (finder_compile(finder))
		go_to_hit(m, hit, out);
	find_all_finish(&m->find_all);
}

static void answer_find_all(struct model *m, int answer, struct effects *out)
{
	struct find_opts *opts = &m->find_all.opts;

	switch (answer) {
	case 'c': opts->is_exact = !opts->is_exact; break;
	case 'x': opts->is_regex = !opts->is_regex; break;
	case 'w': opts->is_word = !opts->is_word; break;
	case ANSWER_TYPED: break;
	case ANSWER_MOVED:
	case ANSWER_TAB: return;
	case ANSWER_ENTER:
		if (m->dialog.current < m->find_all.n_hits)
			leave_to_hit(m, out);
		return;
	default:
		dialog_close(m);
		find_all_finish(&m->find_all);
		return;
	}
	search_all(m);
}

static const struct command commands[] = {
		{"find-in-buffers", "Find in all buffers…",
				"find in all open buffers: a list of the matches that follows as you type",
				CONTEXT_ANY, .run = ask_find_all, .words = "search grep occur"},
};
const struct command_table find_all_commands = COMMAND_TABLE(commands);
