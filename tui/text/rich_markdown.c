/* SPDX-License-Identifier: MIT */
/* Markdown as text, which it mostly is already. Headings and strong words become bold, marks around words
 * are removed, links show their target, and code keeps its blanks. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "text/rich.h"
#include "text/rich_internal.h"

static void add_markdown(struct rich *r, const char *text)
{
	rich_add(r, text, strlen(text));
}

/* Add one character, if it is printable. Returns its length. */
static size_t add_char(struct rich *r, const char *at, const char *end)
{
	bool is_valid;
	uint32_t cp;
	size_t n = trm_utf8_decode(at, (size_t)(end - at), &cp, &is_valid);

	if (cp == '\t')
		rich_add(r, "    ", 4);
	else if (is_valid && cp >= 0x20 && cp != 0x7F && !(cp >= 0x80 && cp < 0xA0))
		rich_add(r, at, n);
	return n;
}

static void add_plain(struct rich *r, const char *at, const char *end)
{
	while (at < end)
		at += add_char(r, at, end);
}

/* "[words](where)" at `at`: write both. NULL: it is no link. */
static const char *add_link(struct rich *r, const char *at, const char *end)
{
	const char *close = memchr(at, ']', (size_t)(end - at));
	const char *last = close && close + 1 < end && close[1] == '('
					   ? memchr(close, ')', (size_t)(end - close))
					   : NULL;

	if (!last)
		return NULL;
	add_plain(r, at + 1, close);
	if (close + 2 < last) {
		add_markdown(r, " (");
		add_plain(r, close + 2, last);
		add_markdown(r, ")");
	}
	return last + 1;
}

static void add_line(struct rich *r, const char *at, const char *end)
{
	bool is_bold = false, is_soft = false, is_code = false;
	const char *begin = at;

	while (at < end) {
		const char *next = NULL;
		bool is_double = at + 1 < end && at[0] == at[1];
		if (*at == '`') {
			is_code = !is_code;
			at++;
		} else if (!is_code && *at == '\\' && at + 1 < end && strchr("*_`[]#\\", at[1])) {
			at += 1 + add_char(r, at + 1, end);
		} else if (!is_code && is_double && (*at == '*' || *at == '_')) {
			is_bold = !is_bold;
			add_markdown(r, is_bold ? RICH_BOLD : RICH_PLAIN);
			at += 2;
		} else if (!is_code && *at == '*'
				&& (is_soft ? at > begin && at[-1] != ' ' : at + 1 < end && at[1] != ' ')) {
			is_soft = !is_soft;
			at++;
		} else if (!is_code && (*at == '[' || (*at == '!' && at + 1 < end && at[1] == '['))
				&& (next = add_link(r, at + (*at == '!'), end))) {
			at = next;
		} else {
			at += add_char(r, at, end);
		}
	}
	if (is_bold)
		add_markdown(r, RICH_PLAIN);
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && *at == ' ')
		at++;
	return at;
}

static void read_line(struct rich *r, const char *at, const char *end)
{
	const char *text = skip_blanks(at, end), *behind = text;

	while (behind < end && *behind == '#')
		behind++;
	if (behind > text && behind < end && *behind == ' ') {
		add_markdown(r, RICH_BOLD);
		add_plain(r, skip_blanks(behind, end), end);
		add_markdown(r, RICH_PLAIN);
	} else if (text + 1 < end && strchr("*+-", *text) && text[1] == ' ') {
		add_plain(r, at, text);
		add_markdown(r, "* ");
		add_line(r, text + 2, end);
	} else {
		add_line(r, at, end);
	}
}

char *rich_from_markdown(const char *markdown, size_t n, size_t *ret_len)
{
	struct rich r = {0};
	const char *end = markdown + n;
	bool is_fenced = false;

	for (const char *at = markdown; at < end && !r.is_full;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
		const char *text = skip_blanks(at, stop);
		bool is_fence = stop - text >= 3
				&& (memcmp(text, "```", 3) == 0 || memcmp(text, "~~~", 3) == 0);
		if (is_fence) {
			is_fenced = !is_fenced;
		} else {
			if (is_fenced) {
				add_markdown(&r, "    ");
				add_plain(&r, at, stop);
			} else {
				read_line(&r, at, stop);
			}
			add_markdown(&r, "\n");
		}
		at = newline ? newline + 1 : end;
	}
	return rich_take(&r, ret_len);
}
