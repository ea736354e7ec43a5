/* SPDX-License-Identifier: MIT */
#ifndef TUI_NEAR_H
#define TUI_NEAR_H

/* "Did you mean …?": the word of a table that was most likely meant by a wrong one. */

#include <stddef.h>

struct near {
	const char *word; /* borrowed, n bytes */
	size_t n;
	size_t distance;  /* of the best: letters wrong, missing, spare or swapped */
	const char *best; /* out, one of those that were tried; NULL: none is near enough */
};

struct near near_to(const char *word, size_t n);
void near_try(struct near *near, const char *candidate);

#endif
