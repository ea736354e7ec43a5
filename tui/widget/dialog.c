/* SPDX-License-Identifier: MIT */
#include "widget/dialog.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cells/event.h"
#include "text/cluster.h"

void dialog_clear_lines(struct dialog *d)
{
	for (size_t i = 0; i < d->n_lines; i++) {
		free(d->lines[i].text);
		free(d->lines[i].kinds);
	}
	d->n_lines = 0;
	d->scroll = 0;
}

void dialog_finish(struct dialog *d)
{
	dialog_clear_lines(d);
	free(d->lines);
	free(d->items);
	free(d->choices);
	field_finish(&d->field);
	memset(d, 0, sizeof *d);
}

void dialog_begin(struct dialog *d, const char *title,
		void (*answer)(struct model *m, int answer, struct effects *out))
{
	dialog_finish(d);
	d->answer = answer;
	snprintf(d->title, sizeof d->title, "%s", title);
}

void dialog_begin_filtered(struct dialog *d, const char *title,
		void (*answer)(struct model *m, int answer, struct effects *out), const char *command,
		bool has_utf8, int rows)
{
	dialog_begin(d, title, answer);
	d->command = command;
	d->has_field = d->is_live = true;
	d->field_label = has_utf8 ? "›" : ">";
	d->list_rows = rows;
}

void dialog_set_field(struct dialog *d, const char *label, const char *text, bool is_mended)
{
	d->has_field = true;
	d->field_label = label;
	if (text)
		field_set(&d->field, text);
	if (!is_mended)
		field_select(&d->field);
}

void dialog_set_buttons(struct dialog *d, const struct dialog_button *buttons, int n)
{
	d->buttons = buttons;
	d->n_buttons = n;
	d->focus = 0;
}

/* ---- text ---- */

static struct dialog_line *line_push(struct dialog *d, char *text)
{
	if (!text)
		return NULL;
	if (d->n_lines == d->cap_lines) {
		size_t cap = d->cap_lines ? d->cap_lines * 2 : 16;
		struct dialog_line *lines = realloc(d->lines, cap * sizeof *lines);
		if (!lines) {
			free(text);
			return NULL;
		}
		d->lines = lines;
		d->cap_lines = cap;
	}
	d->lines[d->n_lines] = (struct dialog_line){.text = text};
	return &d->lines[d->n_lines++];
}

void dialog_add(struct dialog *d, uint16_t role, const char *fmt, ...)
{
	va_list args;
	char *text = NULL;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	struct dialog_line *line = line_push(d, text);
	if (line)
		line->role = role;
}

#define LABEL_COLS 10

void dialog_add_labeled(struct dialog *d, const char *label, uint16_t role, const char *fmt, ...)
{
	va_list args;
	char *text = NULL, *whole = NULL;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	int cols = (int)strlen(label) + 1 > LABEL_COLS ? (int)strlen(label) + 1 : LABEL_COLS;
	if (text && asprintf(&whole, "%-*s%s", cols, label, text) < 0)
		whole = NULL;
	free(text);
	struct dialog_line *line = line_push(d, whole);
	if (line) {
		line->role = role;
		line->label_len = (uint8_t)cols;
	}
}

#define TAB_COLS 4 /* as in the editor */

/* A copy with blanks instead of tabs, NUL-terminated. NULL: out of memory. */
static char *expand_tabs(const char *text, size_t n)
{
	char *out = malloc(n * TAB_COLS + 1), *end = out;
	size_t cols = 0;

	for (size_t at = 0; out && at < n;) {
		struct cluster c = cluster_at(text + at, n - at);
		size_t blanks = c.cp == '\t' ? TAB_COLS - cols % TAB_COLS : 0;
		memset(end, ' ', blanks);
		if (!blanks)
			memcpy(end, text + at, c.len);
		end += blanks ? blanks : c.len;
		cols += blanks ? blanks : c.width;
		at += c.len;
	}
	if (out)
		*end = '\0';
	return out;
}

void dialog_add_code(struct dialog *d, const char *text, size_t n)
{
	struct dialog_line *line = line_push(d, expand_tabs(text, n));

	if (line) {
		line->role = ROLE_TEXT;
		line->is_code = true;
	}
}

void dialog_add_item(struct dialog *d, const char *text)
{
	char(*items)[DIALOG_ITEM] = realloc(d->items, (d->n_items + 1) * sizeof *items);

	if (!items)
		return;
	d->items = items;
	snprintf(items[d->n_items++], sizeof *items, "%s", text);
}

void dialog_add_choice(struct dialog *d, const char *text, const char *right, uint64_t marks, const void *of)
{
	struct dialog_choice *choices = realloc(d->choices, (d->n_items + 1) * sizeof *choices);
	size_t before = d->n_items;

	if (!choices)
		return;
	d->choices = choices;
	dialog_add_item(d, text);
	if (d->n_items == before)
		return;
	choices[before] = (struct dialog_choice){.marks = marks, .of = of};
	snprintf(choices[before].right, sizeof choices->right, "%s", right);
}

void dialog_add_match(struct dialog *d, const char *text, size_t label_len, size_t mark, size_t mark_end)
{
	size_t before = d->n_items;

	dialog_add_choice(d, text, "", 0, NULL);
	if (d->n_items == before)
		return;
	d->choices[before].label_len = (uint16_t)label_len;
	d->choices[before].mark_from = (uint16_t)mark;
	d->choices[before].mark_to = (uint16_t)mark_end;
}

void dialog_clear_items(struct dialog *d)
{
	d->n_items = d->current = 0;
	d->hint[0] = '\0';
}

const void *dialog_choice(const struct dialog *d)
{
	return d->choices && d->current < d->n_items ? d->choices[d->current].of : NULL;
}

/* ---- wrapping ---- */

bool dialog_next_row(const struct dialog *d, size_t width, size_t *line, size_t *at, struct dialog_row *ret)
{
	if (*line >= d->n_lines)
		return false;
	const struct dialog_line *l = &d->lines[*line];
	size_t left = strlen(l->text + *at);
	size_t indent = *at && l->label_len < width / 2 ? l->label_len : 0;
	size_t n = l->is_code ? left : cluster_wrap(l->text + *at, left, width - indent);

	*ret = (struct dialog_row){l, l->text + *at, n, (int)indent, *at == 0};
	*at += n;
	if (n >= left) {
		++*line;
		*at = 0;
	}
	return true;
}

static size_t count_rows(const struct dialog *d, size_t width)
{
	size_t line = 0, at = 0, n = 0;
	struct dialog_row row;

	while (dialog_next_row(d, width, &line, &at, &row))
		n++;
	return n;
}

static size_t widest_line(const struct dialog *d)
{
	size_t most = cluster_columns(d->title, strlen(d->title)) + 4, buttons = 0;

	for (size_t i = 0; i < d->n_lines; i++) {
		size_t cols = cluster_columns(d->lines[i].text, strlen(d->lines[i].text));
		most = cols > most ? cols : most;
	}
	for (size_t i = 0; i < d->n_items; i++) {
		size_t cols = cluster_columns(d->items[i], strlen(d->items[i])) + 4;
		if (d->choices)
			cols += strlen(d->choices[i].right) + 2;
		most = cols > most ? cols : most;
	}
	for (int i = 0; i < d->n_buttons; i++)
		buttons += strlen(d->buttons[i].label) + 6;
	return buttons > most ? buttons : most;
}

/* ---- layout ---- */

static int least(int a, int b)
{
	return a < b ? a : b;
}

struct dialog_layout dialog_layout(const struct dialog *d, int rows, int cols)
{
	int most_cols = cols < 64 ? cols : cols - 8, most_rows = rows < 20 ? rows : rows - 4;
	int want = d->list_rows ? 0 : least((int)widest_line(d), 1000) + 4;
	int width = d->is_large ? least(most_cols, 100) : least(least(want, most_cols), 92);

	int low = least(d->n_lines || d->has_field ? 50 : 28, most_cols);
	width = width < low ? low : width;
	if (d->list_rows)
		/* Fixed, so that the width does not depend on the matches. */
		width = least(most_cols, d->list_cols ? d->list_cols : 76);
	struct dialog_layout l = {.buttons_row = -1, .n_rows = count_rows(d, (size_t)(width - 4))};
	int hint = d->list_rows && rows >= 16 ? 2 : 0, field = d->has_field ? (d->list_rows ? 1 : 2) : 0;
	int list = least(d->list_rows ? d->list_rows : (int)d->n_items,
			most_rows - 4 - (d->list_rows ? hint : 0));
	int below = field + list + hint + (d->n_buttons ? (rows < 16 ? 1 : 2) : 0);
	int text = least(l.n_rows > 100000 ? 100000 : (int)l.n_rows, most_rows - 2 - below);
	text = text < 0 ? 0 : text;
	if (d->is_large && d->is_live)
		text = most_rows - 2 - below;
	int height = text + below + 2;

	l.box = (struct rect){(rows - height) / 2, (cols - width) / 2, height, width};
	if (d->below_col) {
		l.box.row = least(1, rows - height);
		l.box.col = least(d->below_col, cols - width);
	}
	if (d->list_rows && !d->n_items) { /* the upper edge stays where it is */
		int unused = list - 1 + (d->hint[0] ? 0 : hint);
		unused = unused < 0 ? 0 : unused;
		l.box.rows -= unused;
		height -= unused;
		hint = d->hint[0] ? hint : 0;
		list = least(list, 1);
	}
	int row = l.box.row + 1, col = l.box.col + 2;
	bool is_field_first = d->is_large && d->is_live;
	l.text = (struct rect){row + (is_field_first ? field : 0), col, text, width - 4};
	row += text + field;
	l.field = (struct rect){
			is_field_first ? l.box.row + 1 : row - 1, col, d->has_field ? 1 : 0, width - 4};
	l.list = (struct rect){row, col, list, width - 4};
	row += list;
	l.hint = (struct rect){row, col, hint, width - 4};
	if (d->n_buttons)
		l.buttons_row = l.box.row + height - 2;
	return l;
}

int dialog_item_cols(const struct dialog *d, int rows, int cols)
{
	return dialog_layout(d, rows, cols).list.cols - DIALOG_ITEM_COL;
}

size_t dialog_first_item(const struct dialog *d, const struct dialog_layout *l)
{
	return d->current >= (size_t)l->list.rows ? d->current - (size_t)l->list.rows + 1 : 0;
}

static const char *button_label(const struct dialog_button *b, bool is_brief)
{
	return is_brief && b->brief ? b->brief : b->label;
}

static int buttons_width(const struct dialog *d, int n, bool is_brief, int padding, int gap)
{
	int cols = 0;

	for (int i = 0; i < n; i++)
		cols += (int)strlen(button_label(&d->buttons[i], is_brief)) + padding + gap;
	return cols;
}

struct dialog_place dialog_button_place(const struct dialog *d, const struct dialog_layout *l, int k)
{
	bool is_brief = buttons_width(d, d->n_buttons, false, 4, 1) > l->text.cols;
	bool has_air = buttons_width(d, d->n_buttons, is_brief, 4, 1) <= l->text.cols + 1;
	int padding = has_air ? 4 : 2, gap = has_air ? 1 : 0;
	int free_cols = l->text.cols - (buttons_width(d, d->n_buttons, is_brief, padding, gap) - gap);
	struct dialog_place p = {.label = button_label(&d->buttons[k], is_brief), .has_air = has_air};

	p.col = l->text.col + (free_cols > 0 ? free_cols / 2 : 0)
		+ buttons_width(d, k, is_brief, padding, gap);
	p.cols = (int)strlen(p.label) + padding;
	return p;
}

/* ---- keys and mouse ---- */

static void scroll_by(struct dialog *d, const struct dialog_layout *l, long by)
{
	long most = (long)l->n_rows - l->text.rows, to = (long)d->scroll + by;

	d->scroll = to < 0 || most < 0 ? 0 : (size_t)(to > most ? most : to);
}

/* Move up or down in the list, or without a list in the text. */
static int move_dialog_by(struct dialog *d, const struct dialog_layout *l, long by)
{
	if (!d->n_items) {
		scroll_by(d, l, by);
		return ANSWER_NONE;
	}
	long to = (long)d->current + by, last = (long)d->n_items - 1;
	d->current = (size_t)(to < 0 ? 0 : to > last ? last : to);
	return ANSWER_MOVED;
}

static int press_button(const struct dialog *d)
{
	return d->n_buttons ? d->buttons[d->focus].answer : ANSWER_ENTER;
}

static void turn_focus(struct dialog *d, int by)
{
	if (d->n_buttons)
		d->focus = (d->focus + by + d->n_buttons) % d->n_buttons;
}

/* The item with this name, else the next one that begins so: with one letter after the current item. */
static bool find_item(struct dialog *d)
{
	size_t n = strlen(d->typed), found = d->n_items;

	for (size_t i = n > 1 ? 0 : 1; i < d->n_items + (n <= 1); i++) {
		size_t item = (d->current + i) % d->n_items;
		if (strncasecmp(d->items[item], d->typed, n) != 0)
			continue;
		bool is_whole = !d->items[item][n];
		if (found == d->n_items || is_whole)
			found = item;
		if (n <= 1 || is_whole)
			break;
	}
	if (found < d->n_items)
		d->current = found;
	return found < d->n_items;
}

static int letter(struct dialog *d, uint32_t key)
{
	size_t n = strlen(d->typed);

	for (int i = 0; i < d->n_buttons; i++)
		if (d->buttons[i].letter && key < 128 && tolower((int)key) == d->buttons[i].letter)
			return d->buttons[i].answer;
	if (key <= ' ' || key >= 127 || d->n_items == 0)
		return ANSWER_NONE;
	if (n + 1 < sizeof d->typed) {
		d->typed[n] = (char)key;
		d->typed[n + 1] = '\0';
		if (find_item(d))
			return ANSWER_MOVED;
	}
	/* A letter that does not go on with a name begins another one. */
	snprintf(d->typed, sizeof d->typed, "%c", (char)key);
	return find_item(d) ? ANSWER_MOVED : ANSWER_NONE;
}

static int key(struct dialog *d, const struct dialog_layout *l, const struct event *ev)
{
	int shown = d->n_items ? l->list.rows : l->text.rows, page = shown > 1 ? shown - 1 : 1;

	if (ev->key >= KEYS_BASE)
		d->typed[0] = '\0';
	switch (ev->key) {
	case K_ESCAPE: return ANSWER_CANCEL;
	case K_ENTER: return press_button(d);
	case K_TAB:
		if (d->has_field && !(ev->mods & MOD_SHIFT))
			return ANSWER_TAB;
		turn_focus(d, ev->mods & MOD_SHIFT ? -1 : 1);
		return ANSWER_NONE;
	case K_UP: return move_dialog_by(d, l, -1);
	case K_DOWN: return move_dialog_by(d, l, 1);
	case K_PAGE_UP: return move_dialog_by(d, l, -page);
	case K_PAGE_DOWN: return move_dialog_by(d, l, page);
	}
	if (d->alt_keys && ev->mods == MOD_ALT && ev->key > 0 && ev->key < 0x80
			&& strchr(d->alt_keys, (int)ev->key))
		return (int)ev->key;
	if (d->has_field)
		return field_handle(&d->field, ev) && d->is_live ? ANSWER_TYPED : ANSWER_NONE;
	switch (ev->key) {
	case K_LEFT: turn_focus(d, -1); return ANSWER_NONE;
	case K_RIGHT: turn_focus(d, 1); return ANSWER_NONE;
	case K_HOME: return move_dialog_by(d, l, -1000000000);
	case K_END: return move_dialog_by(d, l, 1000000000);
	case ' ':
		if (d->n_buttons)
			return press_button(d);
	}
	return ev->mods & (MOD_CTRL | MOD_ALT) ? ANSWER_NONE : letter(d, ev->key);
}

static int click_dialog(struct dialog *d, const struct dialog_layout *l, const struct event *ev)
{
	for (int k = 0; k < d->n_buttons && ev->row == l->buttons_row; k++) {
		struct dialog_place p = dialog_button_place(d, l, k);
		if (ev->col >= p.col && ev->col < p.col + p.cols)
			return d->buttons[k].answer;
	}
	if (rect_contains(l->list, ev->row, ev->col)) {
		size_t item = dialog_first_item(d, l) + (size_t)(ev->row - l->list.row);
		if (item >= d->n_items)
			return ANSWER_NONE;
		bool again = item == d->current;
		d->current = item;
		return again ? ANSWER_ENTER : ANSWER_MOVED;
	}
	return rect_contains(l->box, ev->row, ev->col) ? ANSWER_NONE : ANSWER_CANCEL;
}

int dialog_handle(struct dialog *d, const struct event *ev, int rows, int cols)
{
	struct dialog_layout l = dialog_layout(d, rows, cols);

	switch (ev->type) {
	case EVENT_KEY: return key(d, &l, ev);
	case EVENT_PASTE:
		return d->has_field && field_handle(&d->field, ev) && d->is_live ? ANSWER_TYPED : ANSWER_NONE;
	case EVENT_MOUSE:
		d->typed[0] = '\0';
		if (ev->action == MOUSE_WHEEL_UP || ev->action == MOUSE_WHEEL_DOWN)
			return move_dialog_by(d, &l, ev->action == MOUSE_WHEEL_UP ? -3 : 3);
		return ev->action == MOUSE_PRESS && ev->button == 1 ? click_dialog(d, &l, ev) : ANSWER_NONE;
	default: return ANSWER_NONE;
	}
}
