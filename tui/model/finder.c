/* SPDX-License-Identifier: MIT */
#include "model/finder.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "command/command.h"
#include "editor/editor_internal.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"
#include "text/text.h"
#include "text/walk.h"

/* bytes that are searched while the pattern is being typed */
#define TYPING_BYTES ((size_t)4 << 20)
#define COUNTED_BYTES ((size_t)2 << 20) /* in longer texts the matches are not counted */

void finder_finish(struct finder *f)
{
	field_finish(&f->what);
	field_finish(&f->by);
	find_destroy(f->find);
	free(f->preview);
	*f = (struct finder){0};
}

int finder_rows(const struct finder *f)
{
	return f->state == FINDER_CLOSED ? 0 : f->has_replace ? 2 : 1;
}

void finder_say(struct finder *f, bool is_wrong, const char *text)
{
	snprintf(f->said, sizeof f->said, "%.*s", (int)sizeof f->said - 1, text);
	f->is_wrong = is_wrong;
}

const char *finder_gap(const struct find *f)
{
	return find_gave_up(f) ? "; some lines were too hard for the pattern" : "";
}

void finder_say_none(struct finder *f)
{
	finder_say(f, true, find_gave_up(f->find) ? "no match (given up in some lines)" : "no match");
}

/* ---- the pattern ---- */

bool finder_compile(struct finder *f)
{
	struct trm_error err = {0};

	find_destroy(f->find);
	f->find = NULL;
	finder_say(f, false, "");
	if (f->what.len == 0)
		return false;
	if (find_create(field_text(&f->what), f->what.len, f->opts, &f->find, &err) < 0)
		finder_say(f, true, err.msg);
	return f->find != NULL;
}

/* "3 of 17", if that can be counted quickly. */
static void say_count(struct finder *f, const struct text *t, struct find_match at, bool has_wrapped)
{
	size_t n = 0, index = 0, from = 0;
	struct find_match match;
	const char *wrapped = has_wrapped ? ", wrapped" : "";

	if (text_len(t) > COUNTED_BYTES) {
		finder_say(f, false, has_wrapped ? "wrapped" : "");
		return;
	}
	for (; find_next(f->find, t, from, SIZE_MAX, &match);
			from = match.pos + (match.len ? match.len : 1)) {
		n++;
		if (match.pos <= at.pos)
			index = n;
	}
	snprintf(f->said, sizeof f->said, "%zu of %zu%s%s", index, n, find_gave_up(f->find) ? "+" : "",
			wrapped);
	f->is_wrong = false;
}

/* ---- moving between matches ---- */

void finder_show(struct model *m, struct find_match match)
{
	size_t start = match.pos, end = match.pos + match.len;
	bool is_vi = m->vi.mode == VI_NORMAL && m->finder.state != FINDER_ASKING;

	/* vi's cursor stands at the start of the match, where its commands begin. Nothing is selected unless
	 * the bar is open, because normal mode has no selection. */
	bool is_selected = !is_vi || m->finder.state != FINDER_CLOSED;
	editor_select(model_editor(m), is_vi && is_selected ? end : start, is_vi ? start : end);
	m->finder.shown = model_editor(m)->sel;
	m->finder.shown_in = buffers_current(&m->buffers)->id;
	m->finder.is_marking = true;
	m->needs_draw = true;
}

bool finder_has_selected(const struct model *m)
{
	struct selection shown = m->finder.shown, now = model_editor(m)->sel;

	return m->finder.shown_in == buffers_current(&m->buffers)->id && shown.anchor == now.anchor
	       && shown.cursor == now.cursor;
}

void finder_note_text(struct model *m)
{
	m->finder.version = editor_version(model_editor(m));
	m->finder.buffer = buffers_current(&m->buffers)->id;
}

bool finder_has_text(const struct model *m)
{
	return m->finder.buffer == buffers_current(&m->buffers)->id
	       && m->finder.version == editor_version(model_editor(m));
}

static void begin_here(struct model *m)
{
	struct selection s = model_editor(m)->sel;

	m->finder.origin = (struct selection){selection_start(s), selection_end(s)};
	finder_note_text(m);
}

/* Where the search began. In another text it begins again at the cursor. */
static struct selection origin_of(struct model *m)
{
	if (!finder_has_text(m))
		begin_here(m);
	return m->finder.origin;
}

/* The first match at `from` or later, else the first match of the text. */
static bool find_on(struct finder *f, const struct text *t, size_t from, size_t within,
		struct find_match *ret, bool *ret_wrapped)
{
	size_t to = within < SIZE_MAX - from ? from + within : SIZE_MAX;

	*ret_wrapped = false;
	if (find_next(f->find, t, from, to, ret))
		return true;
	*ret_wrapped = from > 0;
	return from > 0 && find_next(f->find, t, 0, from < within ? from : within, ret);
}

static bool find_back(struct finder *f, const struct text *t, size_t before, struct find_match *ret,
		bool *ret_wrapped)
{
	*ret_wrapped = false;
	if (find_previous(f->find, t, before, ret))
		return true;
	*ret_wrapped = true;
	return find_previous(f->find, t, SIZE_MAX, ret);
}

/* Show the result in the bar, or in the status line if the bar is closed. */
static void report_matches(struct model *m)
{
	struct finder *f = &m->finder;

	if (f->state == FINDER_CLOSED && f->said[0])
		notices_add(&m->notices, m->now_ns, f->is_wrong, "%s: %s", field_text(&f->what), f->said);
	m->needs_draw = true;
}

static void took_place(struct model *m, bool is_found, struct find_match match, bool has_wrapped)
{
	struct finder *f = &m->finder;

	if (is_found) {
		finder_show(m, match);
		say_count(f, model_editor(m)->text, match, has_wrapped);
	} else {
		finder_say_none(f);
	}
	report_matches(m);
}

static void go_next(struct model *m)
{
	struct editor *e = model_editor(m);
	struct selection s = e->sel;
	struct find_match match;
	bool has_wrapped, is_empty = s.anchor == s.cursor;
	size_t from = selection_end(s);

	/* vi's cursor stands on the match that it has found. */
	if (is_empty && (m->vi.mode == VI_NORMAL || (m->finder.is_marking && m->finder.opts.is_regex)))
		from = text_next(e->text, from);

	bool is_found = find_on(&m->finder, e->text, from, SIZE_MAX, &match, &has_wrapped);
	took_place(m, is_found, match, has_wrapped);
}

static void go_previous(struct model *m)
{
	struct editor *e = model_editor(m);
	struct find_match match;
	bool has_wrapped;

	bool is_found = find_back(&m->finder, e->text, selection_start(e->sel), &match, &has_wrapped);
	took_place(m, is_found, match, has_wrapped);
}

/* The pattern has changed: search again from where the search began. */
static void search_again(struct model *m)
{
	struct finder *f = &m->finder;
	struct editor *e = model_editor(m);
	struct find_match match;
	bool has_wrapped;

	m->needs_draw = true;
	struct selection origin = origin_of(m);
	if (!finder_compile(f)) {
		editor_select(e, origin.anchor, origin.cursor);
		return;
	}
	size_t from = selection_start(origin);
	if (f->is_back && text_len(e->text) <= TYPING_BYTES
			&& find_back(f, e->text, from, &match, &has_wrapped)) {
		took_place(m, true, match, has_wrapped);
		return;
	}
	if (!f->is_back
			&& find_on(f, e->text, f->is_vi ? text_next(e->text, from) : from, TYPING_BYTES,
					&match, &has_wrapped)) {
		took_place(m, true, match, has_wrapped);
		return;
	}
	editor_select(e, origin.anchor, origin.cursor);
	if (text_len(e->text) > TYPING_BYTES)
		finder_say(f, true, "no match nearby: Enter searches everywhere");
	else
		finder_say_none(f);
}

/* ---- the bar ---- */

static void relayout(struct model *m)
{
	model_relayout(m);
	editor_show_cursor(model_editor(m));
}

char *finder_selected(const struct editor *e)
{
	size_t start = selection_start(e->sel), n = selection_end(e->sel) - start;
	char *text = n > 0 && n <= 200 ? text_slice(e->text, start, n) : NULL;

	if (!text || !strchr(text, '\n'))
		return text;
	free(text);
	return NULL;
}

/* Use a short selection as the pattern. */
static void take_selection(struct finder *f, const struct editor *e)
{
	char *text = f->opts.is_regex ? NULL : finder_selected(e);

	if (text)
		field_set(&f->what, text);
	free(text);
}

static void finder_open(struct model *m, bool has_replace)
{
	struct finder *f = &m->finder;
	struct editor *e = model_editor(m);

	model_focus(m, PANE_EDITOR);
	take_selection(f, e);
	f->state = FINDER_WHAT;
	f->has_replace = has_replace;
	f->is_vi = f->is_back = false;
	begin_here(m);
	field_select(&f->what);
	field_select(&f->by);
	if (finder_compile(f))
		f->is_marking = true;
	relayout(m);
}

void finder_open_vi(struct model *m, bool is_back)
{
	finder_open(m, false);
	m->finder.is_vi = true;
	m->finder.is_back = is_back;
}

void finder_seek_word(struct model *m, bool is_back)
{
	struct finder *f = &m->finder;
	struct editor *e = model_editor(m);
	struct selection s = editor_word_at(e, e->sel.cursor);
	char *word = text_slice(e->text, selection_start(s), selection_end(s) - selection_start(s));
	struct find_opts opts = f->opts;

	if (!word || word[strspn(word, " \t\n")] == '\0') {
		free(word);
		return;
	}
	field_set(&f->what, word);
	f->opts.is_regex = false;
	f->opts.is_word = (unsigned char)*word >= 0x80 || *word == '_' || isalnum((unsigned char)*word);
	free(word);
	editor_select(e, selection_start(s), selection_start(s));
	f->is_back = is_back;
	if (finder_compile(f)) {
		if (is_back)
			go_previous(m);
		else
			go_next(m);
	}
	f->opts = opts;
}

void finder_close(struct model *m)
{
	struct finder *f = &m->finder;

	f->state = FINDER_CLOSED;
	f->has_replace = false;
	free(f->preview);
	f->preview = NULL;
	if (m->vi.mode == VI_NORMAL && finder_has_selected(m))
		editor_select(model_editor(m), model_editor(m)->sel.cursor, model_editor(m)->sel.cursor);
	relayout(m);
}

bool finder_give_up(struct model *m)
{
	struct finder *f = &m->finder;

	if (m->focus != PANE_EDITOR || (f->state != FINDER_WHAT && f->state != FINDER_BY))
		return false;
	f->is_marking = false;
	struct selection origin = origin_of(m);
	finder_close(m);
	editor_select(model_editor(m), origin.anchor, origin.cursor);
	return true;
}

/* ---- keys ---- */

static bool *option_of(struct finder *f, uint32_t key)
{
	switch (key) {
	case 'c': return &f->opts.is_exact;
	case 'x': return &f->opts.is_regex;
	case 'w': return &f->opts.is_word;
	default: return NULL;
	}
}

static bool alt_key(struct model *m, uint32_t key)
{
	bool *option = option_of(&m->finder, key);

	if (key == 'r') {
		m->finder.has_replace = true;
		relayout(m);
		return true;
	}
	if (!option)
		return false;
	*option = !*option;
	search_again(m);
	return true;
}

static void on_enter(struct model *m, bool is_back)
{
	struct finder *f = &m->finder;

	if (f->state == FINDER_BY) {
		origin_of(m);
		replacer_begin(m);
		return;
	}
	if (f->has_replace && !is_back) {
		f->state = FINDER_BY;
		return;
	}
	if (f->is_vi) {
		size_t from = origin_of(m).anchor;
		finder_close(m);
		editor_select(model_editor(m), from, from);
	}
	if (!f->find)
		return;
	if (is_back != f->is_back)
		go_previous(m);
	else
		go_next(m);
}

/* The key that opened the bar also goes to the next match. */
static bool is_find_key(const struct model *m, const struct event *ev)
{
	const struct keys keys = {.n = 1, .chords = {{ev->key, ev->mods}}};
	const struct command *c = NULL;

	return keymap_resolve(&m->keymap, CONTEXT_EDITOR, &keys, &c) == KEYMAP_COMMAND
	       && command_is(c, "find");
}

static bool bar_key(struct model *m, const struct event *ev)
{
	struct finder *f = &m->finder;
	bool is_shifted = ev->mods & MOD_SHIFT;

	if (ev->mods == MOD_ALT)
		return alt_key(m, ev->key);
	switch (is_find_key(m, ev) ? K_DOWN : ev->key) {
	case K_ESCAPE:
		if (!f->is_vi || !finder_give_up(m))
			finder_close(m);
		return true;
	case K_ENTER: on_enter(m, is_shifted); return true;
	case K_DOWN:
	case K_UP:
		if (f->find && ev->key == K_UP)
			go_previous(m);
		else if (f->find)
			go_next(m);
		return true;
	case K_TAB:
		if (f->has_replace)
			f->state = f->state == FINDER_WHAT ? FINDER_BY : FINDER_WHAT;
		return true;
	}
	return false;
}

/* Keys of the text field. */
static bool field_event(struct model *m, const struct event *ev)
{
	struct finder *f = &m->finder;

	if (f->state == FINDER_BY)
		return field_handle(&f->by, ev);
	char *before = strdup(field_text(&f->what));
	bool is_for_it = field_handle(&f->what, ev);
	if (is_for_it && !(before && strcmp(before, field_text(&f->what)) == 0))
		search_again(m);
	free(before);
	return is_for_it;
}

/* While the bar is open no key changes the text. What would paste into the text pastes into the field. */
static bool would_edit(struct model *m, const struct event *ev)
{
	const struct keys keys = {.n = 1, .chords = {{ev->key, ev->mods}}};
	const struct event paste = {
			.type = EVENT_PASTE, .text = m->clipboard.text, .text_len = m->clipboard.len};
	const struct command *c = NULL;

	if (ev->type != EVENT_KEY || keymap_resolve(&m->keymap, CONTEXT_EDITOR, &keys, &c) != KEYMAP_COMMAND
			|| !c->edit || c->is_motion || command_is(c, "scroll-up")
			|| command_is(c, "scroll-down"))
		return false;
	if (command_is(c, "paste") && m->clipboard.len)
		field_event(m, &paste);
	return true;
}

bool finder_event(struct model *m, const struct msg *msg, struct effects *out)
{
	struct finder *f = &m->finder;
	const struct event *ev = msg->event;

	if (m->focus != PANE_EDITOR)
		return false;
	if (f->state == FINDER_CLOSED) {
		if (ev->type == EVENT_KEY && ev->key == K_ESCAPE)
			f->is_marking = false;
		return false;
	}
	m->needs_draw = true;
	if (f->state == FINDER_ASKING) {
		bool is_answer = ev->type == EVENT_KEY && !(ev->mods & (MOD_CTRL | MOD_ALT))
				 && (ev->key < KEYS_BASE || ev->key <= K_DOWN);
		if (is_answer)
			replacer_answer(m, ev, out);
		else if (ev->type != EVENT_PASTE)
			replacer_end(m); /* the next key may change the text */
		return is_answer || ev->type == EVENT_PASTE;
	}
	return (ev->type == EVENT_KEY && bar_key(m, ev)) || field_event(m, ev) || would_edit(m, ev);
}

/* ---- commands ---- */

static void open_finder(struct model *m, struct effects *out)
{
	(void)out;
	finder_open(m, false);
}

static void finder_replace(struct model *m, struct effects *out)
{
	(void)out;
	finder_open(m, true);
}

static void find_next_match(struct model *m, struct effects *out)
{
	(void)out;
	if (m->finder.find)
		go_next(m);
	else
		finder_open(m, false);
}

static void find_previous_match(struct model *m, struct effects *out)
{
	(void)out;
	if (m->finder.find)
		go_previous(m);
	else
		finder_open(m, false);
}

static const struct command commands[] = {
		{"find", "Find…",
				"find: Enter next, Shift-Enter or Up previous, Alt-X regular expression, Alt-C case, Alt-W word",
				CONTEXT_EDITOR, .run = open_finder},
		{"find-next", "Find next", "find the next match", CONTEXT_EDITOR, .run = find_next_match},
		{"find-previous", "Find previous", "find the previous match", CONTEXT_EDITOR,
				.run = find_previous_match},
		{"replace", "Replace…", "replace, with a preview of each match", CONTEXT_EDITOR,
				.run = finder_replace},
};
const struct command_table finder_commands = COMMAND_TABLE(commands);
