/* SPDX-License-Identifier: MIT */
#include "base/suggest.h"

#include <stdint.h>
#include <string.h>

enum { WORD_MAX_LEN = 64 };

/* The number of wrong, missing or extra letters between two short words (Levenshtein). SIZE_MAX if `b` is
 * longer than any known word. */
static size_t suggest_distance(const char *a, const char *b)
{
	size_t row[48], n = strlen(b);
	if (n >= sizeof row / sizeof *row)
		return SIZE_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];
		row[0] = i + 1;
		for (size_t j = 1; j <= n; j++) {
			size_t best = diagonal + (a[i] != b[j - 1]);
			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

void suggest_init(struct suggest *near, const char *word)
{
	/* More than three wrong letters, or more than half of a word, are not a typing error. */
	size_t n = strlen(word), wrong = n < 4 ? 1 : n < 6 ? 2 : 3;
	*near = (struct suggest){word, NULL, n > WORD_MAX_LEN ? 0 : wrong + 1};
}

void suggest_try(struct suggest *near, const char *known)
{
	size_t d = near->distance ? suggest_distance(near->word, known) : SIZE_MAX;
	if (d < near->distance && d < strlen(known)) {
		near->distance = d;
		near->best = known;
	}
}
