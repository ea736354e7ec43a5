/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_SUGGEST_H
#define TRM_BASE_SUGGEST_H

/* "Did you mean …?" for a word that was typed wrongly. */

#include <stddef.h>

/* Letters that are wrong, missing or spare between two short words (Levenshtein); SIZE_MAX where `b` is
 * longer than any word that is looked for. */
size_t suggest_distance(const char *a, const char *b);

/* A search: suggest_init(), suggest_try() with every known word, then `best`, which is NULL when none is
 * near. */
struct suggest {
	const char *word, *best;
	size_t distance; /* what the next one has to be below */
};
void suggest_init(struct suggest *near, const char *word);
void suggest_try(struct suggest *near, const char *known); /* borrowed */

#endif
