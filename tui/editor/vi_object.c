/* SPDX-License-Identifier: MIT */
/* vi's text objects: iw aw iW aW, quotes, brackets, paragraphs. */
#include "editor/vi_internal.h"

#include <string.h>

#include "text/text.h"
#include "text/walk.h"

#define BRACKET_REACH ((size_t)1 << 20)

/* ---- words ---- */

/* The end of the characters of one class from `pos` on, within the line. */
static size_t word_run_end(const struct editor *e, size_t pos, bool is_big)
{
	size_t end = vi_line_end(e, pos);
	int class = vi_class_of(e, pos, is_big);

	while (pos < end && vi_class_of(e, pos, is_big) == class)
		pos = text_next(e->text, pos);
	return pos;
}

static size_t word_run_start(const struct editor *e, size_t pos, bool is_big)
{
	size_t start = vi_line_start(e, pos);
	int class = vi_class_of(e, pos, is_big);

	while (pos > start && vi_class_of(e, text_previous(e->text, pos), is_big) == class)
		pos = text_previous(e->text, pos);
	return pos;
}

/* The end of the next word, which may be in another line; an empty line before it ends the search. */
static size_t next_word_end(const struct editor *e, size_t pos, bool is_big)
{
	size_t last = vi_last_end(e);

	while (pos < last && vi_class_of(e, pos, is_big) == 0) {
		pos = text_next(e->text, pos);
		if (pos < last && vi_line_start(e, pos) == pos && vi_line_end(e, pos) == pos)
			return pos;
	}
	return word_run_end(e, pos, is_big);
}

static bool word_object(const struct editor *e, bool is_around, bool is_big, unsigned n, size_t pos,
		struct vi_object *ret)
{
	size_t end = vi_line_end(e, pos), start = vi_line_start(e, pos), to;
	bool begins_blank = vi_class_of(e, pos, is_big) == 0, has_blank = begins_blank;

	ret->from = word_run_start(e, pos, is_big);
	to = word_run_end(e, pos, is_big);
	for (unsigned k = is_around ? 2 * n : n; k > 1 && to < end; k--) {
		has_blank |= vi_class_of(e, to, is_big) == 0;
		/* Two words without a blank between them: the second one is not part of "a word". */
		if (is_around && !begins_blank && k % 2 == 0 && vi_class_of(e, to, is_big) != 0)
			continue;
		to = word_run_end(e, to, is_big);
	}
	if (is_around && begins_blank && to == end && n == 1)
		to = next_word_end(e, to, is_big);
	ret->to = to;
	/* No blank after the word: the one before it, unless that is the indentation. */
	if (is_around && !has_blank) {
		size_t at = ret->from;
		while (at > start && vi_class_of(e, text_previous(e->text, at), is_big) == 0)
			at = text_previous(e->text, at);
		ret->from = at > start ? at : ret->from;
	}
	return ret->to > ret->from;
}

/* ---- quotes ---- */

/* The next quote of the line that no backslash precedes; the end of the line: there is none. */
static size_t next_quote(const struct editor *e, size_t pos, unsigned char quote)
{
	size_t end = vi_line_end(e, pos);

	for (; pos < end && text_byte(e->text, pos) != quote; pos++)
		pos += text_byte(e->text, pos) == '\\' && pos + 1 < end;
	return pos < end ? pos : end;
}

static bool is_blank_at(const struct editor *e, size_t pos)
{
	return text_byte(e->text, pos) == ' ' || text_byte(e->text, pos) == '\t';
}

static bool quote_object(const struct editor *e, bool is_around, unsigned char quote, size_t pos,
		struct vi_object *ret)
{
	size_t start = vi_line_start(e, pos), end = vi_line_end(e, pos), open, close = start;

	do {
		open = next_quote(e, close, quote);
		if (open >= end)
			return false;
		close = next_quote(e, open + 1, quote);
		if (close >= end)
			return false;
		close++;
	} while (close <= pos);
	*ret = (struct vi_object){.from = open + 1, .to = close - 1};
	if (!is_around)
		return true;
	*ret = (struct vi_object){.from = open, .to = close};
	while (ret->to < end && is_blank_at(e, ret->to))
		ret->to++;
	while (ret->to == close && ret->from > start && is_blank_at(e, ret->from - 1))
		ret->from--;
	return true;
}

/* ---- brackets ---- */

/* The bracket before or at `pos` that opens a pair around it. */
static bool find_open(const struct editor *e, char open, char close, size_t pos, size_t *ret)
{
	unsigned depth = 0;

	for (size_t n = 0; n < BRACKET_REACH; n++, pos--) {
		char c = (char)text_byte(e->text, pos);
		if (c == open && depth == 0) {
			*ret = pos;
			return true;
		}
		if (c == open)
			depth--;
		else if (c == close && n > 0)
			depth++;
		if (pos == 0)
			break;
	}
	return false;
}

static bool find_close(const struct editor *e, char open, char close, size_t pos, size_t *ret)
{
	size_t len = text_len(e->text);
	unsigned depth = 0;

	for (size_t n = 0; pos < len && n < BRACKET_REACH; n++, pos++) {
		char c = (char)text_byte(e->text, pos);
		if (c == close && depth-- == 0) {
			*ret = pos;
			return true;
		}
		depth += c == open;
	}
	return false;
}

/* Inside of a block whose brackets have lines of their own, are the lines between them. */
static void shrink_to_lines(const struct editor *e, struct vi_object *o)
{
	size_t start = vi_line_start(e, o->to);

	if (text_byte(e->text, o->from) != '\n' || start <= o->from || vi_first_ink(e, o->to) != o->to)
		return;
	o->from++;
	o->to = start;
	o->is_lines = o->from < o->to;
}

static bool bracket_object(const struct editor *e, bool is_around, uint32_t key, unsigned n, size_t pos,
		struct vi_object *ret)
{
	static const char pairs[] = "()[]{}<>";
	const char *found = strchr(pairs, key == 'b' ? '(' : key == 'B' ? '{' : (int)key);
	char open = pairs[(found - pairs) & ~1], close = pairs[(found - pairs) | 1];
	size_t from = pos, to;

	/* Outside of all pairs it is the next one. */
	if (!find_open(e, open, close, from, &to))
		while (from < text_len(e->text) && (char)text_byte(e->text, from) != open)
			from++;
	for (; n; n--) {
		if (!find_open(e, open, close, from, &from) || (n > 1 && from == 0))
			return false;
		from -= n > 1;
	}
	if (!find_close(e, open, close, from + 1, &to))
		return false;
	*ret = (struct vi_object){.from = from + !is_around, .to = to + is_around};
	if (!is_around)
		shrink_to_lines(e, ret);
	return true;
}

/* ---- paragraphs ---- */

static bool is_blank_line(const struct editor *e, size_t line)
{
	size_t end = text_line_end(e->text, line);

	return vi_first_ink(e, end) == end;
}

static size_t paragraph_end(const struct editor *e, size_t line, size_t lines)
{
	bool is_blank = is_blank_line(e, line);

	while (line < lines && is_blank_line(e, line) == is_blank)
		line++;
	return line;
}

static bool paragraph_object(
		const struct editor *e, bool is_around, unsigned n, size_t pos, struct vi_object *ret)
{
	size_t first = text_line_of(e->text, pos), lines = text_lines(e->text), len = text_len(e->text);
	bool is_blank = is_blank_line(e, first);

	/* The empty text after the last newline is no line of vi. */
	if (lines > 1 && text_line_start(e->text, lines - 1) == len)
		lines--;
	first = first < lines ? first : lines - 1;
	size_t last = paragraph_end(e, first, lines);
	while (first > 0 && is_blank_line(e, first - 1) == is_blank)
		first--;
	for (unsigned k = is_around ? 2 * n : n; k > 1 && last < lines; k--)
		last = paragraph_end(e, last, lines);
	/* No empty line after the paragraph: those before it. */
	if (is_around && !is_blank && !is_blank_line(e, last - 1))
		while (first > 0 && is_blank_line(e, first - 1))
			first--;
	*ret = (struct vi_object){.from = text_line_start(e->text, first),
			.to = last < text_lines(e->text) ? text_line_start(e->text, last) : len,
			.is_lines = true};
	return true;
}

bool vi_find_object(const struct editor *e, bool is_around, uint32_t key, unsigned count, size_t pos,
		struct vi_object *ret)
{
	unsigned n = count ? count : 1;

	*ret = (struct vi_object){0};
	if (key >= 0x80 || key == 0)
		return false;
	if (key == 'w' || key == 'W')
		return word_object(e, is_around, key == 'W', n, pos, ret);
	if (key == 'p')
		return paragraph_object(e, is_around, n, pos, ret);
	if (strchr("\"'`", (int)key))
		return quote_object(e, is_around, (unsigned char)key, pos, ret);
	if (strchr("()[]{}<>bB", (int)key))
		return bracket_object(e, is_around, key, n, pos, ret);
	return false;
}
