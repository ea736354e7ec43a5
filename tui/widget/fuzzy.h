/* SPDX-License-Identifier: MIT */
#ifndef TUI_FUZZY_H
#define TUI_FUZZY_H

/* Search as one types it: the letters of the needle in this order, anywhere in the text. */

#include <stddef.h>
#include <stdint.h>

enum { FUZZY_TEXT = 64, FUZZY_NEEDLE = 32 }; /* bytes looked at; more of a needle finds nothing */

/* How well the needle fits, higher is better, from 1; 0: not at all. Case counts for nothing, blanks in the
 * needle neither. Letters that follow each other and those that begin words count most. `ret_marks` (may be
 * NULL): bit i is set for byte i of the text that a letter of the needle was found at. An empty needle fits
 * everything with 1. */
int fuzzy_score(const char *needle, const char *text, uint64_t *ret_marks);

#endif
