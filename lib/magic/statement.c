/* SPDX-License-Identifier: MIT */
/* Where statements of Python begin. A % or ! there is never Python: inside brackets and strings, and behind a
 * "\" at the end of a line, no statement begins. */
#include <string.h>

#include "magic/magic.h"

static size_t skip_quoted(const char *code, size_t n, size_t at)
{
	char quote = code[at];
	bool is_triple = n - at >= 3 && code[at + 1] == quote && code[at + 2] == quote;
	for (at += is_triple ? 3 : 1; at < n; at++) {
		if (code[at] == '\\') {
			at++;
		} else if (code[at] == '\n' && !is_triple) {
			return at;
		} else if (code[at] == quote && !is_triple) {
			return at + 1;
		} else if (code[at] == quote && n - at >= 3 && code[at + 1] == quote
				&& code[at + 2] == quote) {
			return at + 3;
		}
	}
	return n;
}

size_t magic_next_statement(const char *code, size_t n, size_t at)
{
	size_t depth = 0;
	while (at < n) {
		char c = code[at];
		if (c == '"' || c == '\'') {
			at = skip_quoted(code, n, at);
			continue;
		}
		if (c == '#') {
			const char *end = memchr(code + at, '\n', n - at);
			at = end ? (size_t)(end - code) : n;
			continue;
		}
		depth += strchr("([{", c) && c;
		depth -= depth && strchr(")]}", c) && c;
		if (c == '\n' && !depth)
			return at + 1;
		at += c == '\\' ? 2 : 1;
	}
	return n;
}

size_t magic_line_end(const char *code, size_t n, size_t at)
{
	for (; at < n; at++)
		if (code[at] == '\\' && at + 1 < n && code[at + 1] == '\n')
			at++;
		else if (code[at] == '\n')
			return at;
	return n;
}

struct magic_text magic_trim(struct magic_text t)
{
	while (t.n && strchr(" \t\r\f", *t.at) && *t.at)
		t.at++, t.n--;
	while (t.n && strchr(" \t\r\n", t.at[t.n - 1]) && t.at[t.n - 1])
		t.n--;
	return t;
}

bool magic_takes(struct magic_text text, const char *word, struct magic_text *ret_rest)
{
	size_t n = strlen(word);
	if (text.n < n || memcmp(text.at, word, n) != 0 || (text.n > n && !strchr(" \t\r\n", text.at[n])))
		return false;
	*ret_rest = magic_trim((struct magic_text){text.at + n, text.n - n});
	return true;
}
