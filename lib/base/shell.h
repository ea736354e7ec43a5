/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_SHELL_H
#define TRM_BASE_SHELL_H

#include "base/buf.h"

/* Append a word that sh takes as it is, in valid UTF-8 whatever its bytes are: JSON carries nothing else.
 * As buf_append. */
int shell_quote(struct buf *out, const char *word);

#endif
