/* SPDX-License-Identifier: MIT */
#include "model/complete_internal.h"

#include <stdlib.h>
#include <string.h>

#include "syntax/syntax.h"
#include "text/text.h"
#include "text/walk.h"

enum { NEARBY_BYTES = 256 * 1024, WORD_MIN = 3, WORD_MAX = 100, WORDS_MAX = 500 };

bool is_word_byte(unsigned char c)
{
	return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
	       || (c >= 'A' && c <= 'Z');
}

size_t word_start(const struct text *t, size_t pos)
{
	while (pos > 0 && is_word_byte(text_byte(t, pos - 1)))
		pos--;
	return pos;
}

struct list {
	char **words;
	size_t n;
};

/* Add a word once to the sorted list. */
static void add_sorted_word(struct list *l, const char *word, size_t n)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t mid = (low + high) / 2;
		int order = strncmp(l->words[mid], word, n);
		if (order == 0 && l->words[mid][n] == '\0')
			return;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	char *copy = l->n < WORDS_MAX ? strndup(word, n) : NULL;
	if (!copy)
		return;
	memmove(l->words + low + 1, l->words + low, (l->n - low) * sizeof *l->words);
	l->words[low] = copy;
	l->n++;
}

/* Collect the words of a text. `skip` is the offset of the word that is being typed. */
static void collect(struct list *l, const char *text, size_t n, size_t skip, const char *prefix)
{
	size_t prefix_len = strlen(prefix);

	for (size_t at = 0; at < n;) {
		size_t start = at;
		while (at < n && is_word_byte((unsigned char)text[at]))
			at++;
		size_t len = at - start;
		bool is_digit = text[start] >= '0' && text[start] <= '9';
		if (len >= WORD_MIN && len <= WORD_MAX && len > prefix_len && !is_digit && start != skip
				&& memcmp(text + start, prefix, prefix_len) == 0)
			add_sorted_word(l, text + start, len);
		if (at == start)
			at++;
	}
}

char **words_near(const struct text *t, size_t pos, const char *prefix, size_t *ret_n)
{
	size_t from = pos > NEARBY_BYTES ? pos - NEARBY_BYTES : 0;
	size_t start = word_start(t, pos);
	struct list l = {.words = calloc(WORDS_MAX + 1, sizeof *l.words)};
	size_t n = text_len(t) - from > 2 * NEARBY_BYTES ? 2 * NEARBY_BYTES : text_len(t) - from;
	char *text = text_slice(t, from, n);

	*ret_n = 0;
	if (!text || !l.words) {
		free(text);
		free(l.words);
		return NULL;
	}
	collect(&l, text, n, start >= from ? start - from : n, prefix);
	free(text);
	*ret_n = l.n;
	return l.words;
}

/* ---- kinds ---- */

enum { KIND_REACH = 4096 };

static const char *kind_words(uint8_t kind)
{
	static const char *const words[SYNTAX_KINDS] = {[SYNTAX_KEYWORD] = "keyword",
			[SYNTAX_FUNCTION] = "function",
			[SYNTAX_BUILTIN] = "builtin",
			[SYNTAX_TYPE] = "class",
			[SYNTAX_PROPERTY] = "property",
			[SYNTAX_PARAMETER] = "parameter",
			[SYNTAX_VARIABLE] = "variable"};

	return kind < SYNTAX_KINDS && words[kind] ? words[kind] : "word";
}

const char *word_kind(struct syntax *s, const struct text *t, size_t pos, const char *word)
{
	char bytes[2 * KIND_REACH];
	uint8_t kinds[2 * KIND_REACH];
	size_t from = pos > KIND_REACH ? pos - KIND_REACH : 0, n = text_copy(t, from, bytes, sizeof bytes);
	size_t len = strlen(word);
	const char *found = "word", *at = bytes;

	syntax_paint(s, t, from, from + n, kinds);
	while ((at = memmem(at, (size_t)(bytes + n - at), word, len)) != NULL) {
		size_t i = (size_t)(at - bytes);
		bool is_whole = (i == 0 || !is_word_byte((unsigned char)bytes[i - 1]))
				&& (i + len >= n || !is_word_byte((unsigned char)bytes[i + len]));
		if (is_whole && kinds[i] != SYNTAX_TEXT)
			found = kind_words(kinds[i]);
		if (is_whole && strcmp(found, "word") != 0)
			return found;
		at += len;
	}
	return found;
}
