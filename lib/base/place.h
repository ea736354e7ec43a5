/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_PLACE_H
#define TRM_BASE_PLACE_H

/* Positions in JSON that a parser has already found valid, for messages. */

#include <stddef.h>

/* Offset of child number `nth` of the object or array that begins at `at`: of its key, or of the element. */
size_t place_child(const char *json, size_t n, size_t at, size_t nth);
/* Offset of the value of the key at `key`. */
size_t place_value(const char *json, size_t n, size_t key);
/* Line and column from 1, the column in code points. */
void place_line_column(const char *json, size_t offset, size_t *ret_line, size_t *ret_column);

#endif
