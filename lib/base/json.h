/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_JSON_H
#define TRM_BASE_JSON_H

/* Writing JSON. The output is valid JSON in valid UTF-8 on one line, whatever the input bytes: invalid
 * bytes become U+FFFD. Control characters (C0, DEL, C1), bidirectional overrides and line separators
 * become \uXXXX, so that a line may also be shown on a terminal. */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Append s[0..n) as a string, quotes included. TRM_ETOOBIG or TRM_ENOMEM as buf_append. */
int json_put_string(struct buf *out, const char *s, size_t n);
/* The number of bytes that json_put_string() appends. */
size_t json_string_size(const char *s, size_t n);
/* The number of bytes at the start that a string holds as they are: ASCII without quotes, backslashes and
 * control characters. */
size_t json_plain_run(const char *s, size_t n);
/* Append a number, much faster than printf(). */
int json_put_digits(struct buf *out, uint64_t value);

enum { JSON_DIGITS = 20 };
/* Write the digits, without a NUL. Returns how many there are. */
size_t json_digits(char out[JSON_DIGITS], uint64_t value);

/* The offset of a \u0000 in JSON, at which C strings would end; n if there is none. */
size_t json_nul_offset(const char *json, size_t n);

#endif
