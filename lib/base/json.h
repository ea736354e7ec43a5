/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_JSON_H
#define TRM_BASE_JSON_H

/* Writing JSON, and what readers must look for. Whatever the bytes, what comes out is valid JSON in valid
 * UTF-8 on one line: broken bytes become U+FFFD; control characters (C0, DEL,
 * C1), bidirectional overrides and line separators are written as \uXXXX, so
 * that a line may also be shown on a terminal. */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Append s[0..n) as a string, quotes included. TRM_ETOOBIG or TRM_ENOMEM as buf_append. */
int json_put_string(struct buf *out, const char *s, size_t n);
/* How many bytes that are. */
size_t json_string_size(const char *s, size_t n);
/* The same of a number. printf() would be the dearest part of a run that does nothing. */
int json_put_digits(struct buf *out, uint64_t value);

enum { JSON_DIGITS = 20 };
/* Its digits, with no NUL behind them; returns how many they are. */
size_t json_digits(char out[JSON_DIGITS], uint64_t value);

/* The offset of a \u0000 in JSON, which C's texts would end at; n if there is none. */
size_t json_nul_offset(const char *json, size_t n);

#endif
