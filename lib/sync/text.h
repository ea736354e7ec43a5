/* SPDX-License-Identifier: MIT */
#ifndef TRM_SYNC_TEXT_H
#define TRM_SYNC_TEXT_H

/* Texts as Python programs get them from the SDK. */

#include <stddef.h>

/* Bytes of a stream as the SDK gives them: UTF-8, \r taken off before \n, white space taken off at the end.
 * malloc'd; NULL when out of memory. */
char *text_tidy(const char *bytes, size_t n);

/* Length of the white space that s[0..n) begins or ends with: what Python's str.strip() takes off. */
size_t text_space_before(const char *s, size_t n);
size_t text_space_behind(const char *s, size_t n);

#endif
