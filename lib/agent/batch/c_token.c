/* SPDX-License-Identifier: MIT */
#include "agent/batch/c_token.h"

#include <string.h>

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
	       || (unsigned char)c >= 0x80;
}

static size_t line_size(const char *at, const char *end)
{
	size_t i = 0, n = (size_t)(end - at);
	while (i < n && (at[i] != '\n' || (i && at[i - 1] == '\\')))
		i++;
	return i;
}

static size_t quoted_size(const char *at, const char *end, bool *ret_open)
{
	for (size_t i = 1; at + i < end && at[i] != '\n'; i++) {
		if (at[i] == '\\')
			i++;
		else if (at[i] == *at)
			return i + 1;
	}
	*ret_open = true;
	size_t n = line_size(at, end);
	return n ? n : 1;
}

/* Size of R"x(…)x", from the quote on. */
static size_t raw_size(const char *at, const char *end, bool *ret_open)
{
	char close[20] = ")";
	const char *paren = memchr(at, '(', (size_t)(end - at));
	size_t n = paren ? (size_t)(paren - at - 1) : 0;
	if (!paren || n > 16) {
		*ret_open = true;
		return (size_t)(end - at);
	}
	memcpy(close + 1, at + 1, n);
	close[n + 1] = '"';
	const char *found = memmem(paren, (size_t)(end - paren), close, n + 2);
	*ret_open = !found;
	return found ? (size_t)(found - at) + n + 2 : (size_t)(end - at);
}

/* Skip spaces and comments. False: a comment has no end. */
static bool skip_space(struct c_cursor *c)
{
	while (c->at < c->end) {
		size_t left = (size_t)(c->end - c->at);
		if (*c->at == '\n') {
			c->is_line_start = true;
			c->at++;
		} else if (strchr(" \t\r\v\f", *c->at) || (left >= 2 && !memcmp(c->at, "\\\n", 2))) {
			c->at++;
		} else if (left >= 2 && !memcmp(c->at, "//", 2)) {
			c->at += line_size(c->at, c->end);
		} else if (left >= 2 && !memcmp(c->at, "/*", 2)) {
			const char *end = memmem(c->at + 2, left - 2, "*/", 2);
			c->at = end ? end + 2 : c->end;
			if (!end)
				return false;
		} else {
			break;
		}
	}
	return true;
}

struct c_token c_token_next(struct c_cursor *c)
{
	struct c_token t = {.kind = TOKEN_SIGN, .n = 1};
	t.is_open = !skip_space(c);
	t.at = c->at;
	if (c->at >= c->end) {
		t.kind = TOKEN_END;
		t.n = 0;
		return t;
	}
	size_t left = (size_t)(c->end - c->at);
	bool is_number = *t.at >= '0' && *t.at <= '9';
	if (*t.at == '#' && c->is_line_start) {
		t.kind = TOKEN_LINE;
		t.n = line_size(t.at, c->end);
	} else if (is_word(*t.at)) {
		t.kind = is_number ? TOKEN_NUMBER : TOKEN_WORD;
		while (t.n < left
				&& (is_word(t.at[t.n]) || (is_number && strchr(".'", t.at[t.n]) && t.at[t.n])
						|| (is_number && strchr("+-", t.at[t.n]) && t.at[t.n]
								&& strchr("eEpP", t.at[t.n - 1]))))
			t.n++;
		bool is_prefix = !is_number && t.n <= 3 && t.n < left && t.at[t.n] == '"'
				 && strspn(t.at, "LuUR8") >= t.n;
		if (is_prefix) {
			const char *quote = t.at + t.n;
			t.kind = TOKEN_TEXT;
			t.n += t.at[t.n - 1] == 'R' ? raw_size(quote, c->end, &t.is_open)
						    : quoted_size(quote, c->end, &t.is_open);
		}
	} else if (*t.at == '"' || *t.at == '\'') {
		t.kind = TOKEN_TEXT;
		t.n = quoted_size(t.at, c->end, &t.is_open);
	} else if (left >= 2
			&& (!memcmp(t.at, "::", 2) || !memcmp(t.at, "->", 2) || !memcmp(t.at, "&&", 2))) {
		t.n = 2;
	} else if (*t.at == '.' && left >= 2 && t.at[1] >= '0' && t.at[1] <= '9') {
		t.kind = TOKEN_NUMBER;
		while (t.n < left && is_word(t.at[t.n]))
			t.n++;
	}
	c->at += t.n;
	c->is_line_start = false;
	return t;
}

bool c_token_is(const struct c_token *t, const char *text)
{
	return t->n == strlen(text) && !memcmp(t->at, text, t->n);
}

bool c_token_is_among(const struct c_token *t, const char *words)
{
	for (const char *at = words; *at && t->kind == TOKEN_WORD; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");
		if (n == t->n && !memcmp(at, t->at, n))
			return true;
		at += n;
	}
	return false;
}

bool c_token_is_sign(const struct c_token *t, const char *signs)
{
	return t->kind == TOKEN_SIGN && t->n == 1 && strchr(signs, *t->at);
}
