/* SPDX-License-Identifier: MIT */
#include "base/shell.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* In single quotes the shell interprets nothing. printf writes bytes that are not part of a character. */
int shell_quote(struct buf *out, const char *word)
{
	char octal[24];
	int r = buf_append(out, "'", 1);
	for (size_t n; r == 0 && *word; word += n) {
		bool is_valid;
		uint32_t cp;
		n = trm_utf8_decode(word, strlen(word), &cp, &is_valid);
		snprintf(octal, sizeof octal, "'\"$(printf '\\%03o')\"'", (unsigned char)*word);
		if (*word == '\'')
			r = buf_append(out, "'\\''", 4);
		else
			r = is_valid ? buf_append(out, word, n) : buf_append(out, octal, strlen(octal));
	}
	return r == 0 ? buf_append(out, "'", 1) : r;
}
