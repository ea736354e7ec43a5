/* SPDX-License-Identifier: MIT */
#include "text/edit_distance.h"

#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 40, BEGINNING_MIN = 5 };

static size_t lesser_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The number of letters that are wrong, missing, extra, or swapped with their neighbor. */
static size_t word_distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t rows[WORD_MAX + 1][WORD_MAX + 1];
	for (size_t i = 0; i <= n; i++)
		rows[i][0] = i;
	for (size_t j = 0; j <= m; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			size_t best = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			best = lesser_size(best, lesser_size(rows[i - 1][j], rows[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = lesser_size(best, rows[i - 2][j - 2] + 1);
			rows[i][j] = best;
		}
	return rows[n][m];
}

struct near edit_distance_to(const char *word, size_t n)
{
	struct near near = {.word = word, .n = n};
	size_t letters = n - (n > 2 && !strncmp(word, "--", 2) ? 2 : 0);
	/* One error in a short word, two in a longer one. near.distance is the limit that a candidate
	 * must stay below. */
	near.distance = letters < 2 ? 0 : letters < 6 ? 2 : 3;
	return near;
}

void edit_distance_try(struct near *near, const char *candidate)
{
	size_t m = strlen(candidate);
	if (near->n > WORD_MAX || m > WORD_MAX || !near->n || (near->word[0] == '-') != (candidate[0] == '-'))
		return; /* only compare options with options */
	/* The beginning of a long word counts as that word, if nothing else is nearer. */
	bool is_beginning =
			near->n >= BEGINNING_MIN && near->n < m && !memcmp(near->word, candidate, near->n);
	size_t d = is_beginning && near->distance > 1 && !near->best
				   ? near->distance - 1
				   : word_distance(near->word, near->n, candidate, m);
	if (d < near->distance) {
		near->distance = d;
		near->best = candidate;
	}
}
