/* SPDX-License-Identifier: MIT */
#ifndef TRM_STORE_ABOUT_H
#define TRM_STORE_ABOUT_H

/* The text of TAG/about. Its fields contain no newlines. */

#include "base/buf.h"
#include "store/store.h"

enum { ABOUT_BYTES = 8192 };

int about_put(struct buf *out, const struct store_about *about);
/* False: it is damaged. `tag` is not in the text. */
bool about_get(char *text, const char *tag, struct store_about *ret);

#endif
