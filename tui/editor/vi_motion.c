/* SPDX-License-Identifier: MIT */
/* vi's motions. */
#include "editor/vi_internal.h"

#include <string.h>

#include "cells/event.h"
#include "syntax/syntax.h"
#include "text/text.h"
#include "text/walk.h"

#define MATCH_REACH ((size_t)1 << 20)

/* ---- positions ---- */

size_t vi_line_start(const struct editor *e, size_t pos)
{
	return text_line_start(e->text, text_line_of(e->text, pos));
}

size_t vi_line_end(const struct editor *e, size_t pos)
{
	return text_line_end(e->text, text_line_of(e->text, pos));
}

size_t vi_last_end(const struct editor *e)
{
	size_t len = text_len(e->text);

	return len && text_byte(e->text, len - 1) == '\n' ? len - 1 : len;
}

size_t vi_first_ink(const struct editor *e, size_t pos)
{
	pos = vi_line_start(e, pos);
	while (text_byte(e->text, pos) == ' ' || text_byte(e->text, pos) == '\t')
		pos++;
	return pos;
}

size_t vi_ink_or_last(const struct editor *e, size_t pos)
{
	size_t ink = vi_first_ink(e, pos), start = vi_line_start(e, pos);

	return ink > start && ink == vi_line_end(e, pos) ? text_previous(e->text, ink) : ink;
}

int vi_class_of(const struct editor *e, size_t pos, bool is_big)
{
	unsigned char c = text_byte(e->text, pos);

	if (c == ' ' || c == '\t' || c == '\n' || pos >= text_len(e->text))
		return 0;
	bool is_word = c >= 0x80 || c == '_' || (c >= '0' && c <= '9')
		       || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
	return is_word || is_big ? 1 : 2;
}

static bool is_empty_line(const struct editor *e, size_t pos)
{
	return text_byte(e->text, pos) == '\n' && vi_line_start(e, pos) == pos;
}

static size_t word_forward(const struct editor *e, size_t pos, bool is_big)
{
	size_t len = text_len(e->text);
	int class = vi_class_of(e, pos, is_big);

	while (pos < len && class && vi_class_of(e, pos, is_big) == class)
		pos = text_next(e->text, pos);
	while (pos < len && vi_class_of(e, pos, is_big) == 0) {
		pos = text_next(e->text, pos);
		if (is_empty_line(e, pos))
			break;
	}
	return pos;
}

static size_t word_end(const struct editor *e, size_t pos, bool is_big)
{
	size_t len = text_len(e->text);

	pos = text_next(e->text, pos);
	while (pos < len && vi_class_of(e, pos, is_big) == 0)
		pos = text_next(e->text, pos);
	int class = vi_class_of(e, pos, is_big);
	for (size_t next = text_next(e->text, pos); next < len && vi_class_of(e, next, is_big) == class;
			next = text_next(e->text, pos))
		pos = next;
	return pos;
}

bool vi_is_word_end(const struct editor *e, size_t pos, bool is_big)
{
	return vi_class_of(e, text_next(e->text, pos), is_big) != vi_class_of(e, pos, is_big);
}

static size_t word_back(const struct editor *e, size_t pos, bool is_big)
{
	while (pos > 0 && vi_class_of(e, text_previous(e->text, pos), is_big) == 0) {
		pos = text_previous(e->text, pos);
		if (is_empty_line(e, pos))
			return pos;
	}
	if (pos == 0)
		return 0;
	int class = vi_class_of(e, text_previous(e->text, pos), is_big);
	while (pos > 0 && vi_class_of(e, text_previous(e->text, pos), is_big) == class)
		pos = text_previous(e->text, pos);
	return pos;
}

/* The next or previous empty line. */
static size_t paragraph(const struct editor *e, size_t pos, int by)
{
	size_t line = text_line_of(e->text, pos), lines = text_line_of(e->text, vi_last_end(e)) + 1;
	bool has_ink = false;

	for (;;) {
		bool is_empty = text_line_start(e->text, line) == text_line_end(e->text, line);
		if (is_empty && has_ink)
			return text_line_start(e->text, line);
		has_ink |= !is_empty;
		if (by < 0 ? line == 0 : line + 1 >= lines)
			return by < 0 ? 0 : vi_last_end(e);
		line = by < 0 ? line - 1 : line + 1;
	}
}

bool vi_find_in_line(const struct editor *e, uint32_t kind, uint32_t wanted, unsigned count, size_t *pos,
		bool is_again)
{
	size_t start = vi_line_start(e, *pos), end = vi_line_end(e, *pos), at = *pos;
	bool is_back = kind == 'F' || kind == 'T', is_till = kind == 't' || kind == 'T';
	struct walk w;

	/* Repeating t from the position before a match would find the same match again, so the search starts
	 * one character later. */
	if (is_again && is_till)
		at = is_back ? (at > start ? text_previous(e->text, at) : at) : text_next(e->text, at);
	for (unsigned k = 0; k < count;) {
		if (is_back ? at <= start : at >= end)
			return false;
		at = is_back ? text_previous(e->text, at) : text_next(e->text, at);
		if (at >= end)
			return false;
		walk_init(&w, e->text, at, e->tab_width);
		k += walk_next(&w) && w.cluster.cp == wanted;
	}
	*pos = !is_till ? at : is_back ? text_next(e->text, at) : text_previous(e->text, at);
	return true;
}

size_t vi_down_by(const struct editor *e, size_t pos, long by)
{
	long line = (long)text_line_of(e->text, pos) + by, last = (long)text_line_of(e->text, vi_last_end(e));

	line = line < 0 ? 0 : line > last ? last : line;
	return text_line_start(e->text, (size_t)line);
}

static bool find_partner(const struct editor *e, size_t *pos)
{
	for (size_t at = *pos, end = vi_line_end(e, *pos); at < end; at = text_next(e->text, at))
		if (text_byte(e->text, at) && strchr("([{)]}", text_byte(e->text, at)))
			return syntax_match(e->syntax, e->text, at, MATCH_REACH, pos);
	return false;
}

/* Blank and Backspace also go into other lines. */
static enum span by_characters(
		const struct vi *v, const struct editor *e, bool is_forward, unsigned n, size_t *pos)
{
	size_t from = *pos, last = vi_last_end(e);

	for (; n && (is_forward ? *pos < last : *pos > 0); n--) {
		*pos = is_forward ? text_next(e->text, *pos) : text_previous(e->text, *pos);
		bool is_break = vi_line_end(e, *pos) == *pos && vi_line_start(e, *pos) < *pos;
		if (is_break && !vi_is_visual(v) && (is_forward ? *pos < last : *pos > 0))
			*pos = is_forward ? text_next(e->text, *pos) : text_previous(e->text, *pos);
	}
	return *pos == from ? SPAN_NONE : SPAN_EXCLUSIVE;
}

enum span vi_motion(struct vi *v, struct editor *e, uint32_t key, unsigned count, size_t *pos)
{
	size_t from = *pos, start = vi_line_start(e, from), end = vi_line_end(e, from), to;
	unsigned n = count ? count : 1;

	switch (key) {
	case ' ':
	case K_BACKSPACE:
		if (!v->operator)
			return by_characters(v, e, key == ' ', n, pos);
		return vi_motion(v, e, key == ' ' ? 'l' : 'h', count, pos);
	case 'h':
		for (; n && *pos > start; n--)
			*pos = text_previous(e->text, *pos);
		return *pos == from && !v->operator? SPAN_NONE : SPAN_EXCLUSIVE;
	case 'l':
		for (; n && *pos < end; n--)
			*pos = text_next(e->text, *pos);
		return *pos == from ? SPAN_NONE : SPAN_EXCLUSIVE;
	case '0':
	case K_HOME: *pos = start; return SPAN_EXCLUSIVE;
	case '^': *pos = vi_ink_or_last(e, from); return SPAN_EXCLUSIVE;
	case '$':
		if (n > 1 && vi_down_by(e, from, 1) <= from)
			return SPAN_NONE; /* it is the last line */
		*pos = vi_line_end(e, vi_down_by(e, from, (long)n - 1));
		return SPAN_LINE_END;
	case 'w':
	case 'W':
		for (; n; n--) {
			end = vi_line_end(e, *pos);
			*pos = word_forward(e, *pos, key == 'W');
		}
		/* An operator with the last word of a line takes neither the end of the line nor the
		 * indentation of the next line. Of an empty line it takes the end. */
		if (v->operator&& * pos> end)
			*pos = end + (vi_line_start(e, end) == end);
		return SPAN_EXCLUSIVE;
	case 'e':
	case 'E':
		for (; n; n--)
			*pos = word_end(e, *pos, key == 'E');
		return SPAN_INCLUSIVE;
	case 'b':
	case 'B':
		for (; n; n--)
			*pos = word_back(e, *pos, key == 'B');
		return *pos == from ? SPAN_NONE : SPAN_EXCLUSIVE;
	case '{':
	case '}':
		for (; n; n--)
			if ((to = paragraph(e, *pos, key == '{' ? -1 : 1)) == *pos)
				return SPAN_NONE;
			else
				*pos = to;
		return SPAN_EXCLUSIVE;
	case 'G':
		*pos = vi_ink_or_last(e, count ? vi_down_by(e, 0, (long)count - 1) : vi_last_end(e));
		return SPAN_LINES;
	case 'j':
	case 'k':
		to = vi_down_by(e, from, key == 'j' ? (long)n : -(long)n);
		*pos = walk_position(
				e->text, to, walk_column(e->text, start, from, e->tab_width), e->tab_width);
		return text_line_of(e->text, *pos) == text_line_of(e->text, from) ? SPAN_NONE : SPAN_LINES;
	case '+':
	case K_ENTER:
	case '-':
		*pos = vi_ink_or_last(e, vi_down_by(e, from, key == '-' ? -(long)n : (long)n));
		return text_line_of(e->text, *pos) == text_line_of(e->text, from) ? SPAN_NONE : SPAN_LINES;
	case '%':
		if (count) { /* so many percent of the text */
			size_t lines = text_line_of(e->text, vi_last_end(e)) + 1,
			       line = (lines * (n < 100 ? n : 100) + 99) / 100;
			*pos = vi_ink_or_last(e, text_line_start(e->text, line - 1));
			return SPAN_LINES;
		}
		return find_partner(e, pos) ? SPAN_INCLUSIVE : SPAN_NONE;
	case ';':
	case ',': {
		uint32_t kind = v->find, other = kind ^ 0x20; /* f F, t T */
		bool is_found = kind
				&& vi_find_in_line(e, key == ';' ? kind : other, v->find_char, n, pos, true);
		bool is_forward = (key == ';' ? kind : other) & 0x20;
		return !is_found ? SPAN_NONE : is_forward ? SPAN_INCLUSIVE : SPAN_EXCLUSIVE;
	}
	default: return SPAN_NONE;
	}
}
