/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_UTF8_H
#define TRM_BASE_UTF8_H

/* The library's own text functions, beyond <terrarium/text.h>. */

#include <stdbool.h>
#include <stddef.h>

#include <terrarium/text.h>

bool utf8_is_valid(const char *s, size_t n);

/* Replace invalid bytes and NUL bytes by U+FFFD. The result is malloc'd and NUL-terminated. NULL: no
 * memory. */
char *utf8_repair(const char *s, size_t n, size_t *ret_len);

#endif
