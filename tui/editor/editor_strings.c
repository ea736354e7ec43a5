/* SPDX-License-Identifier: MIT */
/* The strings of a notebook's cells, each of which is looked at without the cells before it. In Python the
 * signs of long strings are counted. Elsewhere a quote may stand in a comment, and the grammar has to tell.
 */
#include "editor/editor_internal.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

#include "syntax/syntax.h"
#include "text/text.h"

#define STRING_BYTES ((size_t)64 << 10) /* of a cell and what follows, within which its strings end */
#define STRING_US 1000000
enum { STRING_MARKS = 16 }; /* marks at which a string may still go on */

struct text *editor_text_of(char *block, size_t n)
{
	struct text *t = text_create();

	if (t && text_adopt(t, block, n) == 0)
		return t;
	text_destroy(t);
	free(block);
	return NULL;
}

static const char *const string_signs[] = {"'''", "\"\"\""};

static size_t count_signs(const char *bytes, size_t n, const char *sign)
{
	size_t found = 0, len = strlen(sign);

	for (const char *at = bytes; (at = memmem(at, (size_t)(bytes + n - at), sign, len)) != NULL;
			at += len)
		found++;
	return found;
}

/* Go on to the next line that looks like a mark. False: there is none, and it is the end. */
static bool go_to_mark(const char *bytes, size_t n, const char *comment, size_t *at)
{
	size_t len = strlen(comment);
	const char *p = bytes + *at, *end = bytes + n, *line = NULL;

	while (!line && (p = memmem(p, (size_t)(end - p), "\n", 1)) != NULL) {
		const char *sign = ++p;
		if ((size_t)(end - sign) < len || memcmp(sign, comment, len) != 0)
			continue;
		for (sign += len; sign < end && *sign == ' ';)
			sign++;
		line = end - sign >= 2 && sign[0] == '%' && sign[1] == '%' ? p : NULL;
	}
	*at = line ? (size_t)(line - bytes) : n;
	return line != NULL;
}

/* The same, and count what may open and close strings up to there. */
static bool count_to_mark(const char *bytes, size_t n, const char *comment, size_t *at, size_t counts[2])
{
	size_t from = *at;
	bool is_mark = go_to_mark(bytes, n, comment, at);

	for (int i = 0; i < 2; i++)
		counts[i] += count_signs(bytes + from, *at - from, string_signs[i]);
	return is_mark;
}

/* Can the byte stand in a string of several lines? Where a sign has no partner, a cell lacks its end, and
 * would take in the cells below it. Partners are looked for up to the next mark before which each sign has
 * one: what lacks an end behind it is another cell. */
static bool may_be_in_string(const char *bytes, size_t n, size_t pos, const char *comment)
{
	size_t counts[2] = {
			count_signs(bytes, pos, string_signs[0]), count_signs(bytes, pos, string_signs[1])};
	bool is_odd = true;

	if (counts[0] + counts[1] == 0)
		return false;
	for (bool goes_on = true; is_odd && goes_on; is_odd = counts[0] % 2 || counts[1] % 2)
		goes_on = count_to_mark(bytes, n, comment, &pos, counts);
	return !is_odd;
}

static void load_strings(struct string_finder *f, const char *bytes, size_t n)
{
	struct trm_error ignored = {0};
	const struct syntax_language *l =
			f->grammars ? grammars_get(f->grammars, f->lang->grammar, &ignored) : NULL;
	char *copy = l ? malloc(n + 1) : NULL;

	f->lacks_grammar |= !l;
	text_destroy(f->text);
	f->text = NULL;
	f->bytes = bytes;
	if (copy)
		f->text = editor_text_of(memcpy(copy, bytes, n), n);
	f->syntax = f->syntax ? f->syntax : syntax_create();
	syntax_reset(f->syntax);
	syntax_set_language(f->syntax, l);
}

static bool is_closed_at(struct string_finder *f, const char *bytes, size_t end)
{
	load_strings(f, bytes, end);
	if (!f->text)
		return false;
	syntax_know(f->syntax, f->text, end, STRING_US);
	return syntax_is_closed(f->syntax);
}

/* The first mark from `pos` on, or the end, before which all is closed. What is not closed at `pos` and not
 * later either lacks its end, and would take in the cells below. */
static bool is_in_closed_string(struct string_finder *f, const char *bytes, size_t n, size_t pos)
{
	size_t end = pos, most = n < STRING_BYTES ? n : STRING_BYTES;

	f->is_asked = true;
	if (is_closed_at(f, bytes, pos))
		return false;
	for (int i = 0; i < STRING_MARKS && end < most && f->text; i++) {
		go_to_mark(bytes, most, f->lang->comment, &end);
		if (is_closed_at(f, bytes, end))
			return syntax_is_in_string(f->syntax, f->text, pos);
	}
	return false;
}

static bool has_quote(const char *bytes, size_t n)
{
	return memchr(bytes, '"', n) || memchr(bytes, '\'', n) || memchr(bytes, '`', n)
	       || memmem(bytes, n, "<<", 2);
}

bool string_finder_has(void *user, const char *bytes, size_t n, size_t pos)
{
	struct string_finder *f = user;

	if (pos >= STRING_BYTES)
		return false;
	if (f->lang->style != TRM_STYLE_INDENT)
		return has_quote(bytes, pos) && is_in_closed_string(f, bytes, n, pos);
	if (!may_be_in_string(bytes, n, pos, f->lang->comment))
		return false;
	f->is_asked = true;
	if (f->bytes != bytes)
		load_strings(f, bytes, n < STRING_BYTES ? n : STRING_BYTES);
	if (!f->text)
		return false;
	syntax_know(f->syntax, f->text, pos + 1, STRING_US);
	return syntax_is_in_string(f->syntax, f->text, pos);
}

void string_finder_finish(struct string_finder *f)
{
	text_destroy(f->text);
	syntax_destroy(f->syntax);
}
