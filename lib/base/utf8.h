/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_UTF8_H
#define TRM_BASE_UTF8_H

/* What the library needs beyond <terrarium/text.h>. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/text.h>

bool utf8_is_valid(const char *s, size_t n);

/* Broken bytes and NUL bytes become U+FFFD: malloc'd, NUL-terminated. NULL when out of memory. */
char *utf8_repair(const char *s, size_t n, size_t *ret_len);

#endif
