/* SPDX-License-Identifier: MIT */
/* A file in the sandbox: a line "python numpy>=2" for each library that runs have asked for and got. So that
 * asking once more costs the reading of that file. */
#include <string.h>
#include <strings.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

#include "install/install.h"

static bool has_line(const char *text, size_t n, const char *lang, const char *package)
{
	const size_t n_lang = strlen(lang), n_package = strlen(package), n_line = n_lang + 1 + n_package;
	while (n) {
		const char *newline = memchr(text, '\n', n);
		size_t len = newline ? (size_t)(newline - text) : n;
		if (newline && len == n_line && !memcmp(text, lang, n_lang) && text[n_lang] == ' '
				&& !memcmp(text + n_lang + 1, package, n_package))
			return true;
		len += newline != NULL;
		text += len;
		n -= len;
	}
	return false;
}

bool record_has(const char *text, size_t n, const struct trm_lang *lang, char *const *packages)
{
	for (; *packages; packages++)
		if (!has_line(text, n, lang->name, *packages))
			return false;
	return true;
}

/* "numpy" of "numpy>=2", "@scope/name" of "@scope/name@^1.2". */
static size_t name_length(const char *package)
{
	size_t first = package[0] == '@';
	return first + strcspn(package + first, "<>=!~[@:");
}

/* Is the line, without its newline, about another version of one of the packages? That was true, and need
 * not be from now on. */
static bool is_replaced(const char *line, size_t n, const char *lang, char *const *packages)
{
	const size_t n_lang = strlen(lang) + 1;
	if (n <= n_lang || memcmp(line, lang, n_lang - 1) != 0 || line[n_lang - 1] != ' ')
		return false;
	for (; *packages; packages++) {
		size_t len = name_length(*packages);
		if (n - n_lang >= len && !strncasecmp(line + n_lang, *packages, len)
				&& (n - n_lang == len || strchr("<>=!~[@:", line[n_lang + len])))
			return true;
	}
	return false;
}

static int add_line(struct buf *record, const char *lang, const char *package)
{
	int r = buf_append(record, lang, strlen(lang));
	if (r == 0)
		r = buf_append(record, " ", 1);
	if (r == 0)
		r = buf_append(record, package, strlen(package));
	return r < 0 ? r : buf_append(record, "\n", 1);
}

int record_add(struct buf *record, const struct trm_lang *lang, char *const *packages)
{
	int r = 0;
	for (size_t left = record->len; left && r == 0;) {
		const char *line = buf_at(record), *newline = memchr(line, '\n', left);
		size_t n = newline ? (size_t)(newline - line) + 1 : left;
		char kept[256];
		bool is_kept = newline && n <= sizeof kept && !is_replaced(line, n - 1, lang->name, packages);
		if (is_kept)
			memcpy(kept, line, n);
		buf_take(record, n);
		left -= n;
		if (is_kept)
			r = buf_append(record, kept, n);
	}
	for (; *packages && r == 0; packages++)
		r = add_line(record, lang->name, *packages);
	return r;
}
