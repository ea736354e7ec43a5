/* SPDX-License-Identifier: MIT */
#include "editor/vi.h"

#include <string.h>

#include "cells/event.h"
#include "editor/vi_internal.h"
#include "text/text.h"
#include "text/walk.h"

#define COUNT_MAX 100000u

const char *vi_mode_name(const struct vi *v)
{
	static const char *const names[] = {[VI_OFF] = "",
			[VI_NORMAL] = "NORMAL",
			[VI_INSERT] = "INSERT",
			[VI_VISUAL] = "VISUAL",
			[VI_VISUAL_LINES] = "VISUAL LINE"};

	return names[v->mode];
}

static bool is_idle(const struct vi *v)
{
	return !v->operator&& !v->prefix && !v->count && !v->before;
}

bool vi_wants(const struct vi *v, const struct event *ev)
{
	bool is_sign = ev->key >= ' ' && ev->key < KEYS_BASE && !(ev->mods & (MOD_CTRL | MOD_ALT));
	bool is_edit = ev->key == K_BACKSPACE || ev->key == K_DELETE || ev->key == K_TAB;

	if (v->mode == VI_OFF)
		return false;
	if (ev->key == K_ESCAPE)
		return v->mode == VI_INSERT || vi_is_visual(v) || !is_idle(v);
	if (v->mode == VI_INSERT)
		return ev->mods == MOD_CTRL && vi_wants_ctrl_typed(ev->key);
	if (ev->mods == MOD_CTRL)
		return vi_wants_ctrl(ev->key);
	return is_sign || is_edit || (!ev->mods && ev->key >= K_ENTER && ev->key <= K_DELETE);
}

/* The sign of vi that a named key stands for. */
static uint32_t sign_of(const struct event *ev)
{
	static const struct {
		uint32_t key, sign;
		uint8_t mods;
	} signs[] = {{K_LEFT, 'h', 0}, {K_RIGHT, 'l', 0}, {K_UP, 'k', 0}, {K_DOWN, 'j', 0}, {K_END, '$', 0},
			{K_DELETE, 'x', 0}, {K_INSERT, 'i', 0}, {'h', 'h', MOD_CTRL}, {'j', 'j', MOD_CTRL},
			{K_LEFT, 'b', MOD_CTRL}, {K_RIGHT, 'w', MOD_CTRL}};

	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (signs[i].key == ev->key && signs[i].mods == ev->mods)
			return signs[i].sign;
	return ev->key;
}

/* ---- keys ---- */

void vi_forget_keys(struct vi *v)
{
	v->count = v->before = 0;
	v->operator= v->prefix = 0;
}

static void fail(struct vi *v)
{
	v->is_change = false;
	v->has_failed = true;
}

static unsigned count_of(const struct vi *v)
{
	unsigned a = v->before ? v->before : 1, b = v->count ? v->count : 1;

	return v->before || v->count ? (a * b < COUNT_MAX ? a * b : COUNT_MAX) : 0;
}

/* Do the bytes span lines, with nothing but blanks around them? d then takes the lines. */
static bool is_whole_lines(const struct editor *e, size_t low, size_t high)
{
	size_t end = vi_line_end(e, high);

	if (vi_line_end(e, low) >= high || vi_first_ink(e, low) < low)
		return false;
	while (high < end && vi_class_of(e, high, false) == 0)
		high++;
	return high == end;
}

/* A motion, with or without a pending operator. */
static unsigned move_or_operate(struct vi *v, struct editor *e, enum span span, size_t to)
{
	size_t from = vi_is_visual(v) ? v->cursor : e->sel.cursor;
	uint32_t op = v->operator;

	vi_forget_keys(v);
	if (span == SPAN_NONE) {
		fail(v);
		return EDITOR_HANDLED;
	}
	if (!op && to > vi_last_end(e))
		to = vi_last_end(e);
	if (!op) {
		if (vi_is_visual(v)) {
			v->cursor = to;
			vi_show_visual(v, e);
		} else {
			vi_go_to(e, to);
		}
		e->goal_col = span == SPAN_LINE_END ? GOAL_END : NO_GOAL;
		return DONE;
	}
	v->is_change = op != 'y';
	if (span == SPAN_LINES)
		return vi_operate_lines(v, e, op, from, to);
	size_t low = from < to ? from : to, high = from < to ? to : from;
	if (low == high && span != SPAN_INCLUSIVE && strchr("dyuU~", (int)op))
		return DONE; /* of no text, and the clipboard stays */
	if (span == SPAN_INCLUSIVE)
		high = text_next(e->text, high);
	if (low <= vi_last_end(e) && high > vi_last_end(e))
		high = vi_last_end(e); /* the last break belongs to the file */
	/* What ends before the first character of a line ends with the line above. */
	bool ends_above = span == SPAN_EXCLUSIVE && vi_line_start(e, high) == high
			  && vi_line_end(e, low) < high;
	high -= ends_above;
	if (ends_above ? vi_first_ink(e, low) >= low : op == 'd' && is_whole_lines(e, low, high))
		return vi_operate_lines(v, e, op, low, high);
	return vi_operate(v, e, op, low, high, false);
}

/* The row of a wrapped line in which the cursor of normal mode stands. */
static size_t row_at(const struct editor *e, size_t pos)
{
	size_t line = text_line_of(e->text, pos), start = text_line_start(e->text, line);

	if (!e->wraps)
		return 0;
	if (pos > start && pos == text_line_end(e->text, line))
		pos = text_previous(e->text, pos);
	return editor_row_of(e, line, walk_column(e->text, start, pos, e->tab_width)).row;
}

/* Move by a line, or by a row of a wrapped one. False: there is none. */
static bool move_by_row(struct editor *e, uint32_t key)
{
	struct selection was = e->sel;
	size_t line = editor_line(e), row = row_at(e, was.cursor);

	/* The second time is for the row behind a full one, which has no character. */
	for (int n = 0; n < 2; n++) {
		editor_move(e, key == 'j' ? MOVE_DOWN : MOVE_UP, false);
		if (e->sel.cursor > vi_last_end(e))
			break;
		if (editor_line(e) != line || row_at(e, e->sel.cursor) != row)
			return true;
	}
	e->sel = was;
	return false;
}

/* j and k keep the column. The motion of the editor does that. */
static unsigned move_vertically(struct vi *v, struct editor *e, uint32_t key)
{
	unsigned n = count_of(v) ? count_of(v) : 1;

	if (vi_is_visual(v))
		e->sel.anchor = e->sel.cursor = v->cursor;
	while (n && move_by_row(e, key))
		n--;
	size_t goal = e->goal_col;
	vi_forget_keys(v);
	if (vi_is_visual(v)) {
		v->cursor = e->sel.cursor;
		vi_show_visual(v, e);
	} else {
		vi_put_cursor(e, e->sel.cursor);
	}
	e->goal_col = goal;
	return DONE;
}

/* An operator or visual mode with a text object: diw, va(. */
static unsigned take_object(struct vi *v, struct editor *e, bool is_around, uint32_t key)
{
	size_t pos = vi_is_visual(v) ? v->cursor : e->sel.cursor;
	uint32_t op = v->operator;
	struct vi_object o;

	bool is_found = vi_find_object(e, is_around, key, count_of(v), pos, &o);
	vi_forget_keys(v);
	if (!is_found && op == 'c' && (key == 'w' || key == 'W')) /* in an empty line */
		vi_begin_insert(v, e, pos);
	if (!is_found)
		return EDITOR_HANDLED;
	if (vi_is_visual(v)) {
		if (o.to <= o.from)
			return EDITOR_HANDLED;
		v->anchor = v->anchor == v->cursor ? o.from : v->anchor;
		v->cursor = text_previous(e->text, o.to);
		if (key == 'p')
			v->cursor = vi_line_start(e, v->cursor);
		v->mode = o.is_lines && key == 'p' ? VI_VISUAL_LINES : VI_VISUAL;
		vi_show_visual(v, e);
		e->goal_col = NO_GOAL;
		return DONE;
	}
	v->is_change = op != 'y';
	if (o.is_lines && (op == '>' || op == '<'))
		return vi_operate_lines(v, e, op, o.from, text_previous(e->text, o.to));
	if (o.is_lines && key == 'p')
		return vi_operate_lines(v, e, op, o.from,
				o.to > o.from && text_byte(e->text, o.to - 1) == '\n' ? o.to - 1 : o.to);
	return vi_operate(v, e, op, o.from, o.to, o.is_lines);
}

/* Macros, marks, registers, windows and sections, which are not here. Their keys take a character, which must
 * not become a command. */
static bool is_missing_prefix(uint32_t key)
{
	return key == VI_WINDOW || (key < 0x80 && key && strchr("q@m'`\"[]", (int)key));
}

/* So many lines from the cursor on, which stays where it is if they are only copied. */
static unsigned operate_down(struct vi *v, struct editor *e, uint32_t op, unsigned count)
{
	size_t pos = e->sel.cursor, ink = vi_first_ink(e, pos);
	bool is_case = op == 'u' || op == 'U' || op == '~';

	if (count > 1 && vi_line_end(e, pos) >= vi_last_end(e)) {
		fail(v);
		return EDITOR_HANDLED; /* there is no other line */
	}
	if (is_case && count < 2 && ink < pos)
		vi_go_to(e, pos = ink);
	unsigned bits = vi_operate_lines(v, e, op, pos, vi_down_by(e, pos, count ? (long)count - 1 : 0));
	if (op == 'y' || is_case)
		vi_go_to(e, pos);
	return bits;
}

static void begin_operator(struct vi *v, uint32_t op)
{
	v->operator= op;
	v->before = v->count;
	v->count = 0;
}

/* An operator with its own key instead of a motion: dd, yy, >>, gUU; or in visual mode. */
static unsigned take_operator(struct vi *v, struct editor *e, uint32_t op)
{
	unsigned count = count_of(v);
	bool is_done;

	if (vi_is_visual(v))
		return vi_visual_key(v, e, op, &is_done);
	v->is_change = op != 'y';
	vi_forget_keys(v);
	return operate_down(v, e, op, count);
}

/* Scroll so that the line of the cursor is the first one, the middle one or the last one. */
static void place_line(struct editor *e, uint32_t key)
{
	size_t line = editor_line(e), rows = e->rows > 0 ? (size_t)e->rows : 1,
	       above = key == 't' ? 0 : rows - 1;

	if (key == 'z')
		above = rows / 2;
	e->top_line = line > above ? line - above : 0;
	e->top_row = 0;
}

/* The key after g, z or Z. An unknown one does nothing. */
static unsigned two_keys(struct vi *v, struct editor *e, uint32_t prefix, uint32_t key, bool is_known)
{
	if (prefix == 'g' && (key == 'j' || key == 'k') && !v->operator)
		return move_vertically(v, e, key);
	if (prefix == 'g' && key < 0x80 && key && strchr("uU~", (int)key)) {
		if (v->operator== key || vi_is_visual(v))
			return take_operator(v, e, key);
		if (!v->operator) {
			begin_operator(v, key);
			return EDITOR_HANDLED;
		}
	}
	vi_forget_keys(v);
	if (prefix == 'z' && (key == 'z' || key == 't' || key == 'b')) {
		place_line(e, key);
	} else if (!is_known) {
		v->unknown_prefix = prefix;
		v->unknown = key;
	}
	return DONE;
}

static unsigned with_prefix(struct vi *v, struct editor *e, uint32_t key, enum vi_request *request)
{
	size_t pos = vi_is_visual(v) ? v->cursor : e->sel.cursor;
	uint32_t prefix = v->prefix;
	unsigned count = count_of(v), n = count ? count : 1;

	v->prefix = 0;
	if (prefix == VI_WINDOW && key < 0x80 && key && strchr("wWhjkl", (int)key)) {
		vi_forget_keys(v);
		*request = VI_NEXT_PANE;
		return EDITOR_HANDLED;
	}
	if (is_missing_prefix(prefix)) {
		vi_forget_keys(v);
		v->unknown = prefix;
		return EDITOR_HANDLED;
	}
	if (prefix == 'i' || prefix == 'a')
		return take_object(v, e, prefix == 'a', key);
	if (key == K_ENTER)
		key = '\n';
	if (prefix == 'r' && vi_is_visual(v))
		return vi_replace_visual(v, e, key);
	if (prefix == 'r') {
		vi_forget_keys(v);
		unsigned bits = vi_replace_characters(e, key, n);
		if (!(bits & EDITOR_CHANGED))
			fail(v);
		return bits;
	}
	if (prefix == 'g' && key == 'g') {
		pos = vi_ink_or_last(e, vi_down_by(e, 0, count ? (long)count - 1 : 0));
		return move_or_operate(v, e, SPAN_LINES, pos);
	}
	if (prefix == 'Z' && (key == 'Z' || key == 'Q') && !v->operator)
		*request = key == 'Z' ? VI_CLOSE : VI_DISCARD;
	if (prefix == 'g' || prefix == 'z' || prefix == 'Z')
		return two_keys(v, e, prefix, key, *request != VI_NOTHING);
	v->find = prefix;
	v->find_char = key;
	bool is_found = vi_find_in_line(e, prefix, key, n, &pos, false);
	return move_or_operate(v, e,
			!is_found       ? SPAN_NONE
			: prefix & 0x20 ? SPAN_INCLUSIVE
					: SPAN_EXCLUSIVE,
			pos);
}

/* A command that is short for an operator and a motion: x is dl. */
static unsigned shorthand(struct vi *v, struct editor *e, uint32_t op, uint32_t key)
{
	unsigned count = count_of(v);
	size_t to = e->sel.cursor;

	v->operator= op;
	enum span span = vi_motion(v, e, key, count, &to);
	if (op == 'c' && span == SPAN_NONE && vi_line_end(e, to) == vi_line_start(e, to) && key != '$')
		span = SPAN_EXCLUSIVE; /* of an empty line */
	return move_or_operate(v, e, span, to);
}

static unsigned normal_command(struct vi *v, struct editor *e, uint32_t key, enum vi_request *request)
{
	size_t pos = e->sel.cursor, end = vi_line_end(e, pos);
	unsigned count = count_of(v), bits = EDITOR_HANDLED;

	v->is_change = key < 0x80 && strchr("iaIAoOxXDCsSpPJ~", (int)key) != NULL;
	switch (key) {
	case 'x': return shorthand(v, e, 'd', 'l');
	case 'X': return shorthand(v, e, 'd', 'h');
	case 'D': return shorthand(v, e, 'd', '$');
	case 'C': return shorthand(v, e, 'c', '$');
	case 's': return shorthand(v, e, 'c', 'l');
	case 'Y':
	case 'S': vi_forget_keys(v); return operate_down(v, e, key == 'Y' ? 'y' : 'c', count);
	case 'i': vi_begin_insert(v, e, pos); break;
	case 'a': vi_begin_insert(v, e, pos < end ? text_next(e->text, pos) : pos); break;
	case 'I': vi_begin_insert(v, e, vi_first_ink(e, pos)); break;
	case 'A': vi_begin_insert(v, e, end); break;
	case 'o':
	case 'O': bits = vi_open_line(v, e, key == 'O'); break;
	case 'p':
	case 'P': bits = vi_put_clipboard(v, e, key == 'p', count); break;
	case 'J':
		bits = vi_join_lines(e, count);
		if (!(bits & EDITOR_CHANGED))
			fail(v);
		break;
	case '~': bits = vi_swap_case(e, count); break;
	case 'u':
		for (unsigned n = count ? count : 1; n; n--)
			bits |= editor_undo(e);
		vi_put_cursor(e, selection_start(e->sel));
		break;
	case 'v':
	case 'V':
		v->mode = key == 'v' ? VI_VISUAL : VI_VISUAL_LINES;
		v->anchor = v->cursor = pos;
		vi_show_visual(v, e);
		break;
	case '/': *request = VI_SEARCH; break;
	case '?': *request = VI_SEARCH_BACK; break;
	case '*': *request = VI_WORD; break;
	case '#': *request = VI_WORD_BACK; break;
	case 'n': *request = VI_NEXT; break;
	case 'N': *request = VI_PREVIOUS; break;
	case ':': *request = VI_COMMAND; break;
	case '.':
		if (count)
			vi_count_last(v, count);
		*request = v->is_repeating ? VI_NOTHING : VI_REPEAT;
		break;
	default: v->unknown = key;
	}
	vi_forget_keys(v);
	if (v->mode == VI_INSERT && count > 1) {
		v->repeats = count - 1;
		v->opens_lines = key == 'o' || key == 'O';
	}
	return bits | DONE;
}

/* An operator or visual mode with a key that is no motion here. A search or a command takes the keys that
 * follow, but moves only the cursor. */
static unsigned unknown_span(struct vi *v, struct editor *e, uint32_t key, enum vi_request *request)
{
	bool is_colon = key == ':' && vi_is_visual(v) && !v->operator;

	v->unknown = is_colon ? 0 : key;
	v->unknown_prefix = v->operator? v->operator: v->mode == VI_VISUAL ? 'v' : 'V';
	vi_forget_keys(v);
	if (key == ':')
		*request = VI_COMMAND;
	if (key != '/' && key != '?')
		return EDITOR_HANDLED;
	*request = key == '/' ? VI_SEARCH : VI_SEARCH_BACK;
	if (vi_is_visual(v))
		vi_go_to(e, v->cursor);
	v->mode = VI_NORMAL;
	return DONE;
}

static unsigned take_key(struct vi *v, struct editor *e, const struct event *ev, enum vi_request *request)
{
	uint32_t key = sign_of(ev);
	size_t to = vi_is_visual(v) ? v->cursor : e->sel.cursor;
	bool is_done = false, is_page = key == K_PAGE_UP || key == K_PAGE_DOWN;

	if (is_missing_prefix(v->prefix) && key != K_ESCAPE)
		return with_prefix(v, e, key, request);
	if (is_page || (key == ev->key && ev->mods & (MOD_CTRL | MOD_ALT))) {
		unsigned count = count_of(v);
		vi_forget_keys(v);
		return vi_ctrl_key(v, e, key, count);
	}
	if (v->prefix && key != K_ESCAPE && ev->key > KEYS_BASE && ev->key != K_ENTER) {
		vi_forget_keys(v);
		return EDITOR_HANDLED;
	}
	if (v->prefix && key != K_ESCAPE)
		return with_prefix(v, e, key, request);
	if ((key >= '1' && key <= '9') || (key == '0' && v->count)) {
		v->count = v->count < COUNT_MAX ? v->count * 10 + (key - '0') : v->count;
		return EDITOR_HANDLED;
	}
	if (vi_is_visual(v)) {
		unsigned bits = vi_visual_key(v, e, key, &is_done);
		if (is_done)
			return bits;
	}
	if (key == K_ESCAPE) {
		vi_forget_keys(v);
		return DONE;
	}
	if (is_missing_prefix(key)) {
		v->prefix = key;
		return EDITOR_HANDLED;
	}
	bool is_object = (key == 'i' || key == 'a') && (v->operator|| vi_is_visual(v));
	if (is_object || (key < 0x80 && strchr("fFtTgzZr", (int)key) && !(key == 'r' && v->operator))) {
		v->prefix = key;
		return EDITOR_HANDLED;
	}
	if (v->operator== key)
		return take_operator(v, e, key);
	if (!v->operator&&(key == 'j' || key == 'k'))
		return move_vertically(v, e, key);
	bool is_change_word = v->operator== 'c' &&(key == 'w' || key == 'W') && vi_class_of(e, to, false);
	uint32_t meant = is_change_word ? key ^ ('w' ^ 'e') : key; /* cw means ce, as in vi … */
	unsigned count = count_of(v), stays = is_change_word && vi_is_word_end(e, to, key == 'W');
	/* … except on the last character of a word, which is already an end. */
	enum span span = stays && count < 2 ? SPAN_INCLUSIVE
					    : vi_motion(v, e, meant, stays ? count - 1 : count, &to);
	bool is_motion = meant == K_ENTER || meant == K_BACKSPACE || meant == K_HOME
			 || (meant < 0x80 && strchr("hl 0^$wWeEbB{}GjkG+-%;,", (int)meant));
	if (is_motion)
		return move_or_operate(v, e, span, to);
	if (v->operator|| vi_is_visual(v))
		return unknown_span(v, e, key, request);
	if (key < 0x80 && strchr("dcy<>=!", (int)key)) {
		begin_operator(v, key);
		return EDITOR_HANDLED;
	}
	return normal_command(v, e, key, request);
}

unsigned vi_key(struct vi *v, struct editor *e, const struct event *ev, enum vi_request *ret_request)
{
	bool is_erasing = v->mode == VI_INSERT && ev->key != K_ESCAPE;
	unsigned bits;

	*ret_request = VI_NOTHING;
	v->unknown = v->unknown_prefix = 0;
	v->has_failed = false;
	if (vi_is_visual(v))
		vi_follow(v, e, false);
	v->unknown_mods = ev->key > KEYS_BASE || ev->mods & (MOD_CTRL | MOD_ALT) ? ev->mods : 0;
	if (v->mode == VI_NORMAL && editor_has_selection(e)) /* a selection by a search */
		vi_go_to(e, selection_start(e->sel));
	vi_record_key(v, is_erasing ? ev->key & 0x1F : ev->key);
	/* One change is one step of undo, with all that is typed until Escape. */
	if (v->mode != VI_INSERT)
		history_gather(e->history, true);
	if (is_erasing)
		vi_follow_erasing(v, e, K_BACKSPACE);
	bits = is_erasing             ? vi_erase_typed(v, e, ev->key)
	       : v->mode == VI_INSERT ? vi_end_insert(v, e)
				      : take_key(v, e, ev, ret_request);
	if (is_erasing)
		vi_follow_erasing(v, e, 0);
	if (v->mode != VI_INSERT)
		history_gather(e->history, false);
	if (v->mode == VI_NORMAL && is_idle(v))
		vi_end_change(v);
	if (vi_is_visual(v))
		vi_note_visual(v, e);
	if (!(bits & EDITOR_SCROLLED))
		editor_show_cursor(e);
	return bits | DONE;
}
