/* SPDX-License-Identifier: MIT */
#ifndef TUI_FUZZY_H
#define TUI_FUZZY_H

/* Incremental search: the letters of the needle, in this order, anywhere in the text. */

#include <stddef.h>
#include <stdint.h>

/* Bytes of the text that are searched; a longer needle finds nothing. */
enum { FUZZY_TEXT = 64, FUZZY_NEEDLE = 32 };

/* How well the needle matches: from 1, higher is better; 0: it does not match. Case and blanks in the needle
 * do not matter. Letters in sequence and letters at the start of words count most. `ret_marks` (may be
 * NULL): bit i is set if byte i of the text is part of the match. An empty needle matches everything with 1.
 */
int fuzzy_score(const char *needle, const char *text, uint64_t *ret_marks);

#endif
