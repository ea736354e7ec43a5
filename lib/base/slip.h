/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_SLIP_H
#define TRM_BASE_SLIP_H

/* "Did you mean …?" for a word that was typed wrongly. */

#include <stddef.h>

/* Letters that are wrong, missing or spare between two short words (Levenshtein); SIZE_MAX where `b` is
 * longer than any word that is looked for. */
size_t slip_distance(const char *a, const char *b);

/* A search: slip_init(), slip_try() with every known word, then `best`, which is NULL when none is near. */
struct slip {
	const char *word, *best;
	size_t distance; /* what the next one has to be below */
};
void slip_init(struct slip *near, const char *word);
void slip_try(struct slip *near, const char *known); /* borrowed */

#endif
