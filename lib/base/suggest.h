/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_SUGGEST_H
#define TRM_BASE_SUGGEST_H

/* "Did you mean …?" for a word that was typed wrongly. */

#include <stddef.h>

/* A search: suggest_init(), then suggest_try() with every known word. Then `best` is the nearest one, or
 * NULL if none is near. */
struct suggest {
	const char *word, *best;
	size_t distance; /* the next word must be nearer than this */
};
void suggest_init(struct suggest *near, const char *word);
void suggest_try(struct suggest *near, const char *known); /* borrowed */

#endif
