/* SPDX-License-Identifier: MIT */
#ifndef TUI_COMPLETE_WORDS_H
#define TUI_COMPLETE_WORDS_H

/* What can be offered without a kernel: words. Private to the files of completion. */

#include <stdbool.h>
#include <stddef.h>

struct text;

/* Can the byte be part of a name? Everything beyond ASCII can. */
bool is_word_byte(unsigned char c);

/* Start of the word that ends at `pos`. */
size_t word_start(const struct text *t, size_t pos);

/* Words near `pos` that begin with `prefix` and are longer, each once, in alphabetical order; not the one at `pos`.
 * A vector of malloc'd strings, both to be freed by the caller; NULL when out of memory, or none. */
char **words_near(const struct text *t, size_t pos, const char *prefix, size_t *ret_n);

#endif
