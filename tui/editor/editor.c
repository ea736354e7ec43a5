/* SPDX-License-Identifier: MIT */
#include "editor/editor.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "cells/event.h"
#include "command/command.h"
#include "editor/editor_internal.h"
#include "syntax/syntax.h"
#include "text/text.h"
#include "text/walk.h"

#define TAB_WIDTH 4
#define BURST_NS 1500000000u /* a longer pause ends a burst of typing */
#define PASTED_NS 5000000u   /* keys that follow each other faster than this were pasted */
#define NARROW 24            /* a pane with fewer columns has no line numbers */

/* ---- the buffer ---- */

static void on_edit(void *user, const struct text *after, const struct text_edit *edit)
{
	struct editor *e = user;

	syntax_edited(e->syntax, after, edit);
	if (e->drag) {
		e->drag_from.anchor = text_edit_moved(edit, e->drag_from.anchor);
		e->drag_from.cursor = text_edit_moved(edit, e->drag_from.cursor);
	}
	if (e->n_closers)
		editor_pairs_edited(e, edit);
	if (e->marks.n)
		cell_marks_edited(&e->marks, after, edit);
}

/* Make `t` the whole buffer. 0, or TRM_ENOMEM (the buffer does not own `t` then). */
static int take_text(struct editor *e, struct text *t)
{
	struct history *h = history_create(t);
	if (!h)
		return TRM_ENOMEM;
	history_destroy(e->history);
	e->history = h;
	e->text = t;
	e->generation++;
	syntax_reset(e->syntax);
	e->n_closers = 0;
	cell_marks_finish(&e->marks);
	history_listen(h, on_edit, e);
	e->sel = (struct selection){0};
	e->top_line = e->left_col = 0;
	e->goal_col = NO_GOAL;
	e->drag = 0;
	e->burst = BURST_NONE;
	return 0;
}

int editor_init(struct editor *e, const struct trm_lang *lang, struct clipboard *clipboard)
{
	*e = (struct editor){
			.lang = lang, .clipboard = clipboard, .tab_width = TAB_WIDTH, .rows = 1, .cols = 80};
	struct text *t = text_create();
	e->syntax = syntax_create();
	if (!t || !e->syntax || take_text(e, t) < 0) {
		text_destroy(t);
		syntax_destroy(e->syntax);
		e->syntax = NULL;
		return TRM_ENOMEM;
	}
	return 0;
}

void editor_finish(struct editor *e)
{
	history_destroy(e->history);
	syntax_destroy(e->syntax);
	cell_marks_finish(&e->marks);
	notebook_destroy(e->notebook);
	notebook_destroy(e->next_notebook);
	free(e->path);
	free(e->next_path);
	*e = (struct editor){0};
}

static int set_path(struct editor *e, const char *path)
{
	char *copy = strdup(path);
	if (!copy)
		return TRM_ENOMEM;
	free(e->path);
	e->path = copy;
	return 0;
}

int editor_open(struct editor *e, const char *path, struct trm_error *reterr)
{
	struct text *t;
	struct file_format format;
	struct file_stamp stamp;
	struct notebook *nb = NULL;
	int r = file_load(path, &t, &format, &stamp, reterr);
	if (r < 0)
		return r;
	if (notebook_is_named(path) && (r = editor_read_notebook(e, path, &t, &nb, reterr)) < 0) {
		text_destroy(t);
		return r;
	}
	char *copy = strdup(path);
	if (!copy || take_text(e, t) < 0) {
		free(copy);
		text_destroy(t);
		notebook_destroy(nb);
		return trm_error_set(reterr, TRM_ENOMEM, "not enough memory to open %s", path);
	}
	free(e->path);
	e->path = copy;
	e->format = format;
	e->stamp = stamp;
	editor_take_notebook(e, nb);
	editor_show_saved(e);
	return 0;
}

int editor_begin(struct editor *e, const char *path)
{
	struct text *t = text_create();
	if (!t || set_path(e, path) < 0 || take_text(e, t) < 0) {
		text_destroy(t);
		return TRM_ENOMEM;
	}
	e->format = (struct file_format){0};
	e->stamp = (struct file_stamp){0};
	editor_take_notebook(e, NULL);
	return 0;
}

/* Begin to save the notebook that the text is the script of. */
static int begin_notebook(struct editor *e, const char *target, struct notebook **ret_notebook,
		struct file_saving **ret, struct trm_error *reterr)
{
	struct text *printed;
	int r = editor_print_notebook(e, &printed, ret_notebook);

	if (r < 0)
		return trm_error_set(reterr, r, "cannot save %s: %s", target, trm_strerror(r));
	r = file_save_begin(target, printed, e->format, ret, reterr);
	text_destroy(printed);
	if (r < 0) {
		notebook_destroy(*ret_notebook);
		*ret_notebook = NULL;
	}
	return r;
}

int editor_save_begin(struct editor *e, const char *path, struct file_saving **ret, struct trm_error *reterr)
{
	const char *target = path ? path : e->path;
	if (!target)
		return trm_error_set(
				reterr, TRM_EINVAL, "the buffer has no file name yet; save it under one");
	char *copy = path ? strdup(path) : NULL;
	if (path && !copy)
		return trm_error_set(reterr, TRM_ENOMEM, "not enough memory to save %s", path);
	struct notebook *nb = NULL;
	int r = notebook_is_named(target) ? begin_notebook(e, target, &nb, ret, reterr)
					  : file_save_begin(target, e->text, e->format, ret, reterr);
	if (r < 0) {
		free(copy);
		return r;
	}
	notebook_destroy(e->next_notebook);
	e->next_notebook = nb;
	if (nb)
		editor_note_results(e);
	free(e->next_path);
	e->next_path = copy;
	e->is_saving = true;
	history_mark_saving(e->history);
	e->burst = BURST_NONE;
	return 0;
}

void editor_saved(struct editor *e, const struct file_stamp *stamp)
{
	struct notebook *nb = e->next_notebook;
	char *path = e->next_path;

	e->is_saving = false;
	e->next_notebook = NULL;
	e->next_path = NULL;
	if (!stamp) {
		editor_forget_noted(e);
		notebook_destroy(nb);
		free(path);
		return;
	}
	if (path) {
		free(e->path);
		e->path = path;
	}
	editor_take_notebook(e, nb);
	e->stamp = *stamp;
	history_mark_saved_then(e->history);
}

const char *editor_target(const struct editor *e)
{
	return e->next_path ? e->next_path : e->path;
}

int editor_copy_begin(struct editor *e, const char *path, struct file_saving **ret, struct trm_error *reterr)
{
	struct notebook *nb = NULL;
	int r = notebook_is_named(path) ? begin_notebook(e, path, &nb, ret, reterr)
					: file_save_begin(path, e->text, e->format, ret, reterr);

	notebook_destroy(nb);
	return r;
}

bool editor_is_stale(const struct editor *e)
{
	if (!e->path || !e->stamp.exists || e->is_saving)
		return false;
	struct file_stamp now = file_stamp(e->path);
	return now.exists && (now.mtime_ns != e->stamp.mtime_ns || now.bytes != e->stamp.bytes);
}

uint64_t editor_version(const struct editor *e)
{
	return ((uint64_t)e->generation << 40) + text_version(e->text);
}

void editor_put_back(struct editor *e, size_t anchor, size_t cursor, size_t top_line, size_t left_col)
{
	size_t lines = text_lines(e->text);

	e->top_line = top_line < lines ? top_line : lines - 1;
	e->left_col = left_col;
	editor_select(e, anchor, cursor);
}

int editor_set_text(struct editor *e, const char *text, size_t n)
{
	e->burst = BURST_NONE;
	unsigned bits = editor_replace(e, 0, text_len(e->text), text, n, BURST_NONE);
	editor_show_cursor(e);
	return bits & EDITOR_NOMEM ? TRM_ENOMEM : 0;
}

/* The number of bytes that both texts have in common at the start, or at the end. */
static size_t same_start(const struct text *a, const struct text *b)
{
	size_t pos = 0, n, m;

	for (;;) {
		const char *x = text_peek(a, pos, &n), *y = text_peek(b, pos, &m);
		size_t both = n < m ? n : m, i = 0;
		if (both > 0 && memcmp(x, y, both) == 0) {
			pos += both;
			continue;
		}
		while (i < both && x[i] == y[i])
			i++;
		return pos + i;
	}
}

static size_t same_end(const struct text *a, const struct text *b, size_t most)
{
	size_t n = text_len(a), m = text_len(b), same = 0;
	char x[4096], y[4096];

	while (same < most) {
		size_t step = most - same < sizeof x ? most - same : sizeof x;
		text_copy(a, n - same - step, x, step);
		text_copy(b, m - same - step, y, step);
		size_t i = 0;
		while (i < step && x[step - 1 - i] == y[step - 1 - i])
			i++;
		same += i;
		if (i < step)
			break;
	}
	return same;
}

/* Does the byte at `pos` go on with a character? A change begins and ends between characters, as positions
 * that move with it must. */
static bool is_in_character(const struct text *t, size_t pos)
{
	return (text_byte(t, pos) & 0xC0) == 0x80;
}

/* Change the text so that it equals the other text. */
static int become(struct editor *e, const struct text *other)
{
	size_t line = editor_line(e), column = editor_column(e), old = text_len(e->text),
	       new = text_len(other);
	size_t start = same_start(e->text, other), shorter = old < new ? old : new;

	if (start == old && start == new)
		return 0;
	while (start && is_in_character(other, start))
		start--;
	size_t end = same_end(e->text, other, shorter - start);
	while (end && is_in_character(other, new - end))
		end--;
	char *middle = text_slice(other, start, new - start - end);
	if (!middle)
		return TRM_ENOMEM;
	e->burst = BURST_NONE;
	unsigned bits = editor_replace(e, start, old - start - end, middle, new - start - end, BURST_NONE);
	free(middle);
	size_t at = text_line_start(e->text, line < text_lines(e->text) ? line : text_lines(e->text) - 1);
	at = walk_position(e->text, at, column, e->tab_width);
	editor_select(e, at, at);
	return bits & EDITOR_NOMEM ? TRM_ENOMEM : 0;
}

static int take_file(struct editor *e, const char *path, struct file_format *ret_format, bool is_own,
		struct trm_error *reterr)
{
	struct notebook *nb = NULL;
	struct text *t;
	struct file_stamp stamp;
	int r = file_load(path, &t, ret_format, &stamp, reterr);

	if (r < 0)
		return r;
	if (is_own && notebook_is_named(path) && (r = editor_read_notebook(e, path, &t, &nb, reterr)) < 0) {
		text_destroy(t);
		return r;
	}
	r = become(e, t);
	text_destroy(t);
	if (r == 0 && is_own) {
		editor_take_notebook(e, nb);
		editor_show_saved(e);
	} else {
		notebook_destroy(nb);
	}
	return r < 0 ? trm_error_set(reterr, r, "not enough memory to read %s", path) : 0;
}

int editor_take_file(struct editor *e, const char *path, struct trm_error *reterr)
{
	struct file_format ignored;

	return take_file(e, path, &ignored, false, reterr);
}

int editor_reload(struct editor *e, struct trm_error *reterr)
{
	struct file_stamp stamp = file_stamp(e->path);
	int r = take_file(e, e->path, &e->format, true, reterr);

	if (r < 0)
		return r;
	e->stamp = stamp; /* taken before the file was read, so that a change in between is noticed */
	history_mark_saved(e->history);
	return 0;
}

bool editor_is_modified(const struct editor *e)
{
	return history_is_modified(e->history) || editor_has_results(e);
}

size_t editor_bytes(const struct editor *e, size_t pos, size_t n, char *out, size_t cap)
{
	return text_copy(e->text, pos, out, n < cap ? n : cap);
}

bool editor_has_selection(const struct editor *e)
{
	return e->sel.anchor != e->sel.cursor;
}

/* ---- the pane ---- */

int editor_gutter(const struct editor *e)
{
	int digits = 3;
	for (size_t lines = text_lines(e->text) / 1000; lines > 0; lines /= 10)
		digits++;
	return e->cols < NARROW ? 0 : digits + 1 + (e->marks.n > 0);
}

void editor_resize(struct editor *e, int rows, int cols)
{
	if (rows == e->rows && cols == e->cols)
		return;
	e->rows = rows > 0 ? rows : 1;
	e->cols = cols > 0 ? cols : 1;
	editor_show_cursor(e);
}

unsigned editor_select(struct editor *e, size_t anchor, size_t cursor)
{
	size_t len = text_len(e->text);
	e->sel = (struct selection){
			.anchor = anchor < len ? anchor : len, .cursor = cursor < len ? cursor : len};
	e->goal_col = NO_GOAL;
	e->burst = BURST_NONE;
	editor_show_cursor(e);
	return DONE;
}

unsigned editor_select_all(struct editor *e)
{
	e->sel = (struct selection){.anchor = 0, .cursor = text_len(e->text)};
	e->goal_col = NO_GOAL;
	e->burst = BURST_NONE;
	return DONE;
}

unsigned editor_goto_line(struct editor *e, size_t line)
{
	size_t pos = text_line_start(e->text, line);
	return editor_select(e, pos, pos);
}

/* ---- events ---- */

/* A terminal without bracketed paste sends a paste as keys, and the pasted text has its own indentation.
 * Blanks that follow an Enter faster than a person types repeat the indentation that Enter inserted, so the
 * editor ignores them. */
static bool is_indented_already(struct editor *e, const struct event *ev)
{
	bool is_blank = ev->key == ' ' && ev->mods == 0 && ev->time_ns - e->enter_ns < PASTED_NS;
	e->indent_ahead = is_blank && e->indent_ahead ? e->indent_ahead : 0;
	if (e->indent_ahead == 0)
		return false;
	e->indent_ahead--;
	return true;
}

static void note_key(struct editor *e, uint64_t time_ns)
{
	if (time_ns - e->burst_ns > BURST_NS && e->burst < (int)BURST_CUT)
		e->burst = BURST_NONE;
	e->burst_ns = time_ns;
}

unsigned editor_command(struct editor *e, const struct command *c, bool extends, uint64_t time_ns)
{
	unsigned bits;

	note_key(e, time_ns);
	e->indent_ahead = 0;
	e->mark = e->mark == MARK_NEW ? MARK_SET : e->mark;
	extends = extends || (c->is_motion && e->mark);
	bits = extends ? editor_move(e, (enum move)c->arg, true) : c->edit(e, c->arg);
	if (!c->is_motion && e->mark == MARK_SET && !(bits & EDITOR_SCROLLED))
		e->mark = MARK_NONE;
	if (bits & EDITOR_REDRAW && !(bits & EDITOR_SCROLLED))
		editor_show_cursor(e);
	return bits;
}

static unsigned handle_key(struct editor *e, const struct event *ev)
{
	bool is_text = ev->key >= ' ' && ev->key < KEYS_BASE && ev->key != 0x7F
		       && !(ev->mods & (MOD_CTRL | MOD_ALT));

	bool is_typed = ev->time_ns - e->burst_ns >= PASTED_NS;
	note_key(e, ev->time_ns);
	if (is_indented_already(e, ev))
		return EDITOR_HANDLED;
	unsigned bits = is_text ? editor_type_pair(e, ev->key, is_typed) : 0;
	return bits ? bits : is_text ? editor_type(e, ev->key) : 0;
}

unsigned editor_handle(struct editor *e, const struct event *ev)
{
	unsigned bits;
	e->mark = MARK_NONE;
	switch (ev->type) {
	case EVENT_KEY:
		bits = handle_key(e, ev);
		if (bits & EDITOR_REDRAW)
			editor_show_cursor(e);
		return bits;
	case EVENT_PASTE:
		bits = editor_insert(e, ev->text, ev->text_len);
		editor_show_cursor(e);
		return bits;
	case EVENT_MOUSE: return editor_mouse(e, ev);
	case EVENT_RESIZE:
	case EVENT_FOCUS: return 0;
	}
	return 0;
}
