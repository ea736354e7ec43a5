/* SPDX-License-Identifier: MIT */
#ifndef TUI_TEXT_EDIT_DISTANCE_H
#define TUI_TEXT_EDIT_DISTANCE_H

/* "Did you mean …?": finds the word of a table that is nearest to a wrong one. */

#include <stddef.h>

struct near {
	const char *word; /* borrowed, n bytes */
	size_t n;
	size_t distance;  /* of the best one: letters wrong, missing, extra or swapped */
	const char *best; /* out, one of the candidates; NULL: none is near enough */
};

struct near edit_distance_to(const char *word, size_t n);
void edit_distance_try(struct near *near, const char *candidate);

#endif
