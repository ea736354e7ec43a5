/* SPDX-License-Identifier: MIT */
#ifndef TUI_TEXT_EDIT_DISTANCE_H
#define TUI_TEXT_EDIT_DISTANCE_H

/* "Did you mean …?": the word of a table that was most likely meant by a wrong one. */

#include <stddef.h>

struct near {
	const char *word; /* borrowed, n bytes */
	size_t n;
	size_t distance;  /* of the best: letters wrong, missing, spare or swapped */
	const char *best; /* out, one of those that were tried; NULL: none is near enough */
};

struct near edit_distance_to(const char *word, size_t n);
void edit_distance_try(struct near *near, const char *candidate);

#endif
