/* SPDX-License-Identifier: MIT */
#ifndef TRM_SYNC_TEXT_H
#define TRM_SYNC_TEXT_H

/* Texts as the SDK gives them to Python programs. */

#include <stddef.h>

/* The bytes of a stream as the SDK returns them: UTF-8, without \r before \n, without white space at the
 * end. malloc'd; NULL: no memory. */
char *text_tidy(const char *bytes, size_t n);

/* Length of the white space at the beginning or end of s[0..n): what Python's str.strip() removes. */
size_t text_space_before(const char *s, size_t n);
size_t text_space_behind(const char *s, size_t n);

#endif
