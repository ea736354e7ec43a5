/* SPDX-License-Identifier: MIT */
#include "agent/batch/diagnose.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"

static size_t line_size(const char *text, size_t n)
{
	const char *end = memchr(text, '\n', n);
	return end ? (size_t)(end - text) : n;
}

static bool has_word(const char *line, size_t n, const char *word)
{
	return memmem(line, n, word, strlen(word)) != NULL;
}

/* "NAME:3:" */
static bool has_place(const char *line, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		size_t k = i + 1;
		while (line[i] == ':' && k < n && line[k] >= '0' && line[k] <= '9')
			k++;
		if (k > i + 1 && k < n && line[k] == ':')
			return true;
	}
	return false;
}

/* How well does a line explain the error? */
static int rank_line(const char *line, size_t n)
{
	if (has_word(line, n, "rror") && memchr(line, ':', n))
		return 3;
	return has_place(line, n) ? 2 : n > 0;
}

void diagnose_message(const char *text, size_t n, char *out, size_t cap)
{
	const char *best = "";
	size_t best_n = 0;
	int best_rank = 0;
	for (size_t at = 0, len; at < n; at += len + 1) {
		len = line_size(text + at, n - at);
		if (rank_line(text + at, len) <= best_rank)
			continue;
		best = text + at;
		best_n = len;
		best_rank = rank_line(best, len);
	}
	snprintf(out, cap, "%.*s", (int)(best_n < cap ? best_n : cap - 1), best);
}

void diagnose_rename(struct buf *out, const char *text, size_t n, const char *path, const char *name)
{
	size_t len = strlen(path), at = 0;
	for (const char *hit; len && (hit = memmem(text + at, n - at, path, len));) {
		size_t from = (size_t)(hit - text);
		buf_append(out, text + at, from - at);
		buf_append(out, name, strlen(name));
		at = from + len;
	}
	buf_append(out, text + at, n - at);
}

/* The size of the comment or string at `at`; 0: there is none. *ret_open: it has no end. */
static size_t skip_span(const char *at, size_t n, bool *ret_open)
{
	char quote = *at;
	const char *end = NULL;
	if (n >= 2 && quote == '/' && at[1] == '/')
		return line_size(at, n);
	if (n >= 4 && quote == '/' && at[1] == '*')
		end = memmem(at + 2, n - 2, "*/", 2);
	else if (quote != '"' && quote != '`')
		/* An apostrophe alone does not begin a character, as in 'x' or '\n'. */
		return quote == '\'' && n >= 3 && at[1] != '\\' && at[2] == '\''   ? 3
		       : quote == '\'' && n >= 4 && at[1] == '\\' && at[3] == '\'' ? 4
										   : 0;
	if (quote == '/') {
		*ret_open = !end;
		return end ? (size_t)(end + 2 - at) : n;
	}
	for (size_t i = 1; i < n; i++) {
		if (at[i] == '\\' && quote == '"')
			i++;
		else if (at[i] == quote)
			return i + 1;
		else if (at[i] == '\n' && quote == '"')
			return i;
	}
	*ret_open = quote == '`';
	return n;
}

bool diagnose_is_whole(const char *code, size_t n)
{
	long depth = 0;
	bool is_open = false;
	for (size_t i = 0; i < n && !is_open;) {
		size_t len = skip_span(code + i, n - i, &is_open);
		depth += !len && strchr("([{", code[i]) && code[i];
		depth -= !len && strchr(")]}", code[i]) && code[i];
		i += len ? len : 1;
	}
	return !is_open && depth <= 0;
}
