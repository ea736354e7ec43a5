/* SPDX-License-Identifier: MIT */
#include "repl/words.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

void words_finish(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->items[i]);
	free(w->items);
	*w = (struct words){0};
}

static bool push_word(struct words *w, char *word)
{
	if (w->n + 2 > w->cap) {
		size_t cap = w->cap ? w->cap * 2 : 8;
		char **grown = realloc(w->items, cap * sizeof *grown);
		if (!grown)
			return false;
		w->items = grown;
		w->cap = cap;
	}
	w->items[w->n++] = word;
	w->items[w->n] = NULL;
	return true;
}

/* Take one word and return the end of it. NULL: a quote is open. `out` is as long as the text. */
static const char *take_word(const char *text, char *out)
{
	char quote = 0;
	for (; *text && (quote || !strchr(" \t", *text)); text++) {
		if (*text == quote)
			quote = 0;
		else if (!quote && (*text == '\'' || *text == '"'))
			quote = *text;
		else if (*text == '\\' && quote != '\'' && text[1])
			*out++ = *++text;
		else
			*out++ = *text;
	}
	*out = '\0';
	return quote ? NULL : text;
}

static char *expand_home(char *word, bool is_bare)
{
	const char *home = getenv("HOME");
	char *full;
	if (!is_bare || strncmp(word, "~/", 2) != 0 || !home || asprintf(&full, "%s%s", home, word + 1) < 0)
		return word;
	free(word);
	return full;
}

int words_split(struct words *w, const char *text, struct trm_error *reterr)
{
	while (*(text += strspn(text, " \t"))) {
		bool is_bare = *text == '~';
		char *word = malloc(strlen(text) + 1);
		const char *next = word ? take_word(text, word) : NULL;
		if (word && !next) {
			free(word);
			return trm_error_set(reterr, TRM_EINVAL, "a quote is not closed: %s", text);
		}
		if (!word || !push_word(w, word = expand_home(word, is_bare))) {
			free(word);
			return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
		}
		text = next;
	}
	return 0;
}
