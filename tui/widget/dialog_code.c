/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "syntax/syntax.h"
#include "widget/dialog.h"

#define CODE_MAX ((size_t)256 << 10) /* bytes that are colored */

/* Join all code of the text from a line on, with a newline after each line; malloc'd. NULL: no code, too much
 * code, or out of memory. */
static char *join_code(const struct dialog *d, size_t from, size_t *ret_len)
{
	size_t len = 0, at = 0;

	for (size_t i = from; i < d->n_lines; i++)
		len += d->lines[i].is_code ? strlen(d->lines[i].text) + 1 : 0;
	char *code = len && len <= CODE_MAX ? malloc(len) : NULL;
	for (size_t i = from; code && i < d->n_lines; i++) {
		if (!d->lines[i].is_code)
			continue;
		size_t n = strlen(d->lines[i].text);
		memcpy(code + at, d->lines[i].text, n);
		code[at + n] = '\n';
		at += n + 1;
	}
	*ret_len = at;
	return code;
}

static void keep_kinds(struct dialog_line *line, const uint8_t *kinds, size_t n)
{
	free(line->kinds);
	line->kinds = n ? malloc(n) : NULL;
	if (line->kinds)
		memcpy(line->kinds, kinds, n);
}

void dialog_color_code(struct dialog *d, size_t from, const struct syntax_language *l)
{
	size_t len = 0, at = 0;
	char *code = l ? join_code(d, from, &len) : NULL;
	uint8_t *kinds = code ? malloc(len) : NULL;

	if (kinds)
		syntax_highlight(l, code, len, kinds);
	for (size_t i = from; kinds && i < d->n_lines; i++) {
		if (!d->lines[i].is_code)
			continue;
		size_t n = strlen(d->lines[i].text);
		keep_kinds(&d->lines[i], kinds + at, n);
		at += n + 1;
	}
	free(kinds);
	free(code);
}
