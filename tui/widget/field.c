/* SPDX-License-Identifier: MIT */
#include "widget/field.h"

#include <stdlib.h>
#include <string.h>

#include "cells/event.h"
#include "text/cluster.h"

void field_finish(struct field *f)
{
	free(f->text);
	memset(f, 0, sizeof *f);
}

void field_clear(struct field *f)
{
	f->len = f->cursor = 0;
	f->is_selected = false;
	if (f->text)
		f->text[0] = '\0';
}

void field_select(struct field *f)
{
	f->cursor = f->len;
	f->is_selected = f->len > 0;
}

static bool insert_field_text(struct field *f, const char *text, size_t n)
{
	if (n > FIELD_MAX - f->len)
		return false;
	if (f->len + n + 1 > f->cap) {
		size_t cap = (f->len + n + 1) * 2;
		char *mem = realloc(f->text, cap);
		if (!mem)
			return false;
		f->text = mem;
		f->cap = cap;
	}
	memmove(f->text + f->cursor + n, f->text + f->cursor, f->len - f->cursor);
	memcpy(f->text + f->cursor, text, n);
	f->len += n;
	f->cursor += n;
	f->text[f->len] = '\0';
	return true;
}

bool field_set(struct field *f, const char *text)
{
	field_clear(f);
	return insert_field_text(f, text, strlen(text));
}

static void delete_field_text(struct field *f, size_t from, size_t to)
{
	if (from >= to)
		return;
	memmove(f->text + from, f->text + to, f->len - to + 1);
	f->len -= to - from;
	f->cursor = from;
}

static size_t before(const struct field *f)
{
	return f->cursor ? f->cursor - cluster_before(f->text, f->cursor) : 0;
}

static size_t behind(const struct field *f)
{
	return f->cursor < f->len ? f->cursor + cluster_at(f->text + f->cursor, f->len - f->cursor).len
				  : f->len;
}

static size_t word_start(const struct field *f)
{
	size_t at = f->cursor;

	while (at > 0 && (f->text[at - 1] == ' ' || f->text[at - 1] == '/'))
		at--;
	while (at > 0 && f->text[at - 1] != ' ' && f->text[at - 1] != '/')
		at--;
	return at;
}

static void paste(struct field *f, const char *text, size_t n)
{
	size_t at = f->cursor;

	if (!insert_field_text(f, text, n))
		return;
	for (; at < f->cursor; at++)
		if (f->text[at] == '\n' || f->text[at] == '\r')
			f->text[at] = ' ';
}

static bool control(struct field *f, uint32_t key)
{
	switch (key) {
	case 'u': delete_field_text(f, 0, f->cursor); return true;
	case 'w': delete_field_text(f, word_start(f), f->cursor); return true;
	case 'a': f->cursor = 0; return true;
	case 'e': f->cursor = f->len; return true;
	case 'b': f->cursor = before(f); return true;
	case 'f': f->cursor = behind(f); return true;
	case 'h': delete_field_text(f, before(f), f->cursor); return true;
	case 'd': delete_field_text(f, f->cursor, behind(f)); return true;
	case 'k': delete_field_text(f, f->cursor, f->len); return true;
	case K_BACKSPACE: delete_field_text(f, word_start(f), f->cursor); return true;
	default: return false;
	}
}

static bool is_typed(const struct event *ev)
{
	return ev->type == EVENT_PASTE
	       || (!(ev->mods & MOD_CTRL)
			       && (ev->key == K_BACKSPACE || ev->key == K_DELETE
					       || (ev->key >= 0x20 && ev->key < KEYS_BASE)));
}

bool field_handle(struct field *f, const struct event *ev)
{
	char text[4];

	if ((ev->type != EVENT_KEY && ev->type != EVENT_PASTE) || ev->mods & MOD_ALT)
		return false;
	if (f->is_selected && is_typed(ev))
		field_clear(f);
	f->is_selected = false;
	if (ev->type == EVENT_PASTE) {
		paste(f, ev->text, ev->text_len);
		return true;
	}
	if (ev->mods & MOD_CTRL)
		return control(f, ev->key);
	switch (ev->key) {
	case K_LEFT: f->cursor = before(f); return true;
	case K_RIGHT: f->cursor = behind(f); return true;
	case K_HOME: f->cursor = 0; return true;
	case K_END: f->cursor = f->len; return true;
	case K_BACKSPACE: delete_field_text(f, before(f), f->cursor); return true;
	case K_DELETE: delete_field_text(f, f->cursor, behind(f)); return true;
	}
	if (ev->key < 0x20 || ev->key >= KEYS_BASE)
		return false;
	insert_field_text(f, text, trm_utf8_encode(ev->key, text));
	return true;
}
