/* SPDX-License-Identifier: MIT */
/* The signature of a function from its definition in the buffer: for what has not run yet. */
#include <stdlib.h>
#include <string.h>

#include "model/complete_internal.h"
#include "model/inspect.h"
#include "model/model.h"
#include "syntax/syntax.h"
#include "text/find.h"
#include "text/text.h"
#include "text/walk.h"

enum { NAME_BYTES = 100, DEFINITION_BYTES = 600, LOOKED_AT = 200 };

/* The word right before a position; 0: there is none. */
static size_t word_before(const struct text *t, size_t pos, char out[NAME_BYTES])
{
	size_t start = word_start(t, pos);

	if (start == pos || pos - start >= NAME_BYTES)
		return 0;
	out[text_copy(t, start, out, pos - start)] = '\0';
	return pos - start;
}

/* "def f", "function f": what a language calls it when a name gets its parameters. */
static bool is_defined_at(const struct text *t, size_t pos)
{
	static const char *const words[] = {"def", "function", "func", "fn", "fun", "sub"};
	char word[NAME_BYTES];
	size_t end = pos;

	while (end > 0 && text_byte(t, end - 1) == ' ')
		end--;
	if (end == pos || !word_before(t, end, word))
		return false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

/* "f(a, b=2)" from where the name begins: up to the partner of its bracket, blanks and line breaks as one
 * blank. False: there is no partner nearby. */
static bool read_signature(const struct text *t, size_t pos, size_t name_len, char *out, size_t cap)
{
	char code[DEFINITION_BYTES], quote = '\0';
	size_t n = text_copy(t, pos, code, sizeof code), used = 0;
	int depth = 0;

	if (n <= name_len || code[name_len] != '(')
		return false;
	for (size_t i = 0; i < n && used + 1 < cap; i++) {
		char c = code[i];
		bool is_blank = c == ' ' || c == '\n' || c == '\t';
		if (!is_blank || (used && out[used - 1] != ' '))
			out[used++] = is_blank ? ' ' : c;
		if (quote)
			quote = c == quote ? '\0' : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else
			depth += (c == '(') - (c == ')');
		if (c == ')' && !quote && depth == 0) {
			out[used] = '\0';
			return true;
		}
	}
	return false;
}

bool signature_from_text(const struct model *m, size_t bracket, char *out, size_t cap)
{
	const struct editor *e = model_editor(m);
	char name[NAME_BYTES];
	size_t len = word_before(e->text, bracket, name), pos = 0;
	struct find_match match;
	struct find *f;
	bool is_found = false;

	if (!len
			|| find_create(name, len, (struct find_opts){.is_exact = true, .is_word = true}, &f,
					   NULL)
					   < 0)
		return false;
	for (int i = 0; i < LOOKED_AT && !is_found && find_next(f, e->text, pos, SIZE_MAX, &match); i++) {
		pos = match.pos + 1;
		is_found = is_defined_at(e->text, match.pos) && syntax_is_code(e->syntax, e->text, match.pos)
			   && match.pos + len != bracket && read_signature(e->text, match.pos, len, out, cap);
	}
	find_destroy(f);
	return is_found;
}
