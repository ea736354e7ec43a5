/* SPDX-License-Identifier: MIT */
/* The syntax of .env files: see dotenv.h. */
#include <stdint.h>
#include <string.h>

#include <terrarium/text.h>

#include "config/dotenv.h"

/* White space in Python's sense. */
static bool is_space(uint32_t cp)
{
	return (cp >= 9 && cp <= 13) || (cp >= 28 && cp <= 32) || cp == 0x85 || cp == 0xa0 || cp == 0x1680
	       || (cp >= 0x2000 && cp <= 0x200a) || cp == 0x2028 || cp == 0x2029 || cp == 0x202f
	       || cp == 0x205f || cp == 0x3000;
}

/* The length of the white space character at text[0..n); 0: there is none. */
static size_t space_at(const char *text, size_t n)
{
	uint32_t cp;
	bool is_valid;
	size_t len = n ? trm_utf8_decode(text, n, &cp, &is_valid) : 0;

	return len && is_valid && is_space(cp) ? len : 0;
}

static char peek_char(const struct dotenv_reader *r)
{
	return r->at < r->n ? r->text[r->at] : '\0';
}

static bool is_at_end(const struct dotenv_reader *r)
{
	return r->at >= r->n;
}

static void advance(struct dotenv_reader *r, size_t to)
{
	for (; r->at < to; r->at++)
		r->line += r->text[r->at] == '\n';
}

/* Skip white space; with `has_lines` also newlines. */
static void skip_space(struct dotenv_reader *r, bool has_lines)
{
	size_t len;

	while ((has_lines || peek_char(r) != '\n') && (len = space_at(r->text + r->at, r->n - r->at)) > 0)
		advance(r, r->at + len);
}

static size_t line_end(const struct dotenv_reader *r)
{
	const char *newline = memchr(r->text + r->at, '\n', r->n - r->at);

	return newline ? (size_t)(newline - r->text) : r->n;
}

static void skip_export(struct dotenv_reader *r)
{
	static const char word[] = "export";
	size_t n = sizeof word - 1;

	if (r->n - r->at <= n || memcmp(r->text + r->at, word, n) != 0 || r->text[r->at + n] == '\n'
			|| !space_at(r->text + r->at + n, r->n - r->at - n))
		return;
	r->at += n;
	skip_space(r, false);
}

/* False: there is no valid key. */
static bool read_key(struct dotenv_reader *r, struct dotenv_binding *b)
{
	size_t from = r->at;

	if (peek_char(r) == '\'') {
		const char *close = memchr(r->text + from + 1, '\'', r->n - from - 1);
		if (!close || close == r->text + from + 1)
			return false;
		b->key = r->text + from + 1;
		b->key_n = (size_t)(close - b->key);
		advance(r, from + b->key_n + 2);
		return true;
	}
	while (!is_at_end(r) && peek_char(r) != '=' && peek_char(r) != '#'
			&& !space_at(r->text + r->at, r->n - r->at))
		r->at++;
	b->key = r->text + from;
	b->key_n = r->at - from;
	return b->key_n > 0;
}

/* The end of the quote that begins at r->at: the first quote without a backslash before it, otherwise the
 * last one; 0: there is none. */
static size_t closing_quote(const struct dotenv_reader *r)
{
	char quote = r->text[r->at];
	size_t last = 0;

	for (size_t i = r->at + 1; i < r->n; i++) {
		if (r->text[i] == '\\' && i + 1 < r->n && r->text[i + 1] == quote)
			last = ++i;
		else if (r->text[i] == quote)
			return i;
	}
	return last;
}

static bool read_quoted(struct dotenv_reader *r, struct dotenv_binding *b)
{
	size_t close = closing_quote(r);

	if (!close)
		return false;
	b->quote = r->text[r->at];
	b->value = r->text + r->at + 1;
	b->value_n = close - r->at - 1;
	advance(r, close + 1);
	return true;
}

/* Read up to a comment, which follows white space. Trailing white space is removed. */
static void read_plain(struct dotenv_reader *r, struct dotenv_binding *b)
{
	size_t end = line_end(r), text_end = r->at; /* after the last character that counts */

	b->value = r->text + r->at;
	for (size_t i = r->at; i < end;) {
		size_t space = space_at(r->text + i, end - i);
		if (!space && r->text[i] == '#' && i > text_end)
			break;
		i += space ? space : 1;
		if (!space)
			text_end = i;
	}
	b->value_n = text_end - r->at;
	r->at = end;
}

static bool read_value(struct dotenv_reader *r, struct dotenv_binding *b)
{
	if (peek_char(r) != '=')
		return true;
	r->at++;
	skip_space(r, false);
	if (peek_char(r) == '\'' || peek_char(r) == '"')
		return read_quoted(r, b);
	read_plain(r, b);
	return true;
}

/* Skip a comment and the end of the line. False: there is something else. */
static bool read_end(struct dotenv_reader *r)
{
	skip_space(r, false);
	if (peek_char(r) == '#')
		r->at = line_end(r);
	if (!is_at_end(r) && peek_char(r) != '\n')
		return false;
	advance(r, r->at + !is_at_end(r));
	return true;
}

bool dotenv_next(struct dotenv_reader *r, struct dotenv_binding *ret)
{
	struct dotenv_binding b = {0};

	if (is_at_end(r))
		return false;
	skip_space(r, true);
	b.line = r->line + 1;
	if (!is_at_end(r)) {
		skip_export(r);
		bool is_good = peek_char(r) == '#'
			       || (read_key(r, &b) && (skip_space(r, false), true) && read_value(r, &b));
		if (!is_good || !read_end(r)) {
			size_t line = b.line;
			advance(r, line_end(r));
			advance(r, r->at + !is_at_end(r));
			b = (struct dotenv_binding){.line = line};
		}
	}
	*ret = b;
	return true;
}

size_t dotenv_unify_lines(char *text, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (text[i] == '\r' && i + 1 < n && text[i + 1] == '\n')
			continue;
		text[kept++] = text[i] == '\r' ? '\n' : text[i];
	}
	return kept;
}

size_t dotenv_unescape(const struct dotenv_binding *b, char *out)
{
	static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
	size_t known = b->quote == '"' ? sizeof from - 1 : 2, n = 0;

	for (size_t i = 0; i < b->value_n; i++) {
		const char *escape = b->quote && b->value[i] == '\\' && i + 1 < b->value_n
						     ? memchr(from, b->value[i + 1], known)
						     : NULL;
		out[n++] = escape ? to[escape - from] : b->value[i];
		i += escape != NULL;
	}
	return n;
}
