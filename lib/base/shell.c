/* SPDX-License-Identifier: MIT */
#include "base/shell.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>

#include "base/utf8.h"

#define CUT "…"

bool shell_is_plain(const char *word)
{
	return *word
	       && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				     "%+,-./:=@_")];
}

/* Append what is inside the quotes, until `out` is as long as `most`: TRM_ETOOBIG. In single quotes the shell
 * interprets nothing. printf writes bytes that are not part of a character. */
static int put_inside(struct buf *out, const char *word, size_t most)
{
	const char *end = word + strlen(word);
	int r = 0;
	for (size_t n; r == 0 && word < end; word += n) {
		char octal[24];
		bool is_valid;
		uint32_t cp;
		n = trm_utf8_decode(word, (size_t)(end - word), &cp, &is_valid);
		const char *bytes = *word == '\'' ? "'\\''" : is_valid ? word : octal;
		size_t len = n;
		if (bytes != word) {
			snprintf(octal, sizeof octal, "'\"$(printf '\\%03o')\"'", (unsigned char)*word);
			len = strlen(bytes);
		}
		r = out->len + len > most ? TRM_ETOOBIG : buf_append(out, bytes, len);
	}
	return r;
}

int shell_quote(struct buf *out, const char *word)
{
	int r = buf_append(out, "'", 1);
	if (r == 0)
		r = put_inside(out, word, SIZE_MAX);
	return r == 0 ? buf_append(out, "'", 1) : r;
}

/* False: it was cut. */
static bool put_word(struct buf *out, const char *word, size_t most)
{
	bool is_plain = shell_is_plain(word);
	if (out->len == most || (!is_plain && buf_append(out, "'", 1) < 0))
		return false;
	bool is_whole = put_inside(out, word, most) == 0;
	return (is_plain || buf_append(out, "'", 1) == 0) && is_whole;
}

void shell_put_words(struct buf *out, char *const *words)
{
	enum { ENDS = sizeof "'' " CUT };
	const size_t most = out->max - ENDS;
	bool is_whole = true;
	for (size_t i = 0; words[i] && is_whole; i++) {
		if (i)
			is_whole = out->len < most && buf_append(out, " ", 1) == 0;
		is_whole = is_whole && put_word(out, words[i], most);
	}
	if (!is_whole)
		buf_append(out, CUT, strlen(CUT));
}
