/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_SHELL_H
#define TRM_BASE_SHELL_H

#include <stdbool.h>

#include "base/buf.h"

/* Append a word, quoted so that sh reads it unchanged. The output is valid UTF-8 whatever the word's
 * bytes are, because JSON cannot carry anything else. Returns as buf_append. */
int shell_quote(struct buf *out, const char *word);
/* Does sh read the word unchanged without quotes? */
bool shell_is_plain(const char *word);
/* Append the words of a command, quoted where they must be. If the ceiling of `out` is too low, the last word
 * is cut at a character and ends with "…". NULL ends the words. */
void shell_put_words(struct buf *out, char *const *words);

#endif
