/* SPDX-License-Identifier: MIT */
/* The strings of a notebook's cells, each of which is looked at without the cells before it. Only those of
 * Python: elsewhere a quote in a comment is enough to take one cell for the string of another. */
#include "editor/editor_internal.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

#include "syntax/syntax.h"
#include "text/text.h"

#define STRING_BYTES ((size_t)64 << 10) /* of a cell and what follows, within which its strings end */
#define STRING_US 1000000

struct text *editor_text_of(char *block, size_t n)
{
	struct text *t = text_create();

	if (t && text_adopt(t, block, n) == 0)
		return t;
	text_destroy(t);
	free(block);
	return NULL;
}

static size_t count_signs(const char *bytes, size_t n, const char *sign)
{
	size_t found = 0, len = strlen(sign);

	for (const char *at = bytes; (at = memmem(at, (size_t)(bytes + n - at), sign, len)) != NULL;
			at += len)
		found++;
	return found;
}

/* Can the byte stand in a string of several lines? Where a sign has no partner up to the end, a cell lacks
 * its end, and would take in the cells below it. */
static bool may_be_in_string(const char *bytes, size_t n, size_t pos)
{
	static const char *const signs[] = {"'''", "\"\"\""};

	if (count_signs(bytes, pos, signs[0]) + count_signs(bytes, pos, signs[1]) == 0)
		return false;
	return count_signs(bytes, n, signs[0]) % 2 == 0 && count_signs(bytes, n, signs[1]) % 2 == 0;
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

bool string_finder_has(void *user, const char *bytes, size_t n, size_t pos)
{
	struct string_finder *f = user;

	if (f->lang->style != TRM_STYLE_INDENT || pos >= STRING_BYTES || !may_be_in_string(bytes, n, pos))
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
