/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_SHELL_H
#define TRM_BASE_SHELL_H

#include "base/buf.h"

/* Append a word, quoted so that sh reads it unchanged. The output is valid UTF-8 whatever the word's
 * bytes are, because JSON cannot carry anything else. Returns as buf_append. */
int shell_quote(struct buf *out, const char *word);

#endif
