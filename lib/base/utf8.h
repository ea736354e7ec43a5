/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_UTF8_H
#define TRM_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decode the code point at s[0..n), n > 0. Returns how many bytes it takes (1 to 4)
 * and the code point; for a byte that begins no valid sequence (overlong,
 * surrogate, beyond U+10FFFD, cut short) returns 1 and U+FFFD with *ret_valid false.
 * ret_valid may be NULL. */
size_t utf8_decode(const char *s, size_t n, uint32_t *ret_cp, bool *ret_valid);

/* Encode into out[4]; returns the length. Invalid code points become U+FFFD. */
size_t utf8_encode(uint32_t cp, char out[4]);

bool utf8_is_valid(const char *s, size_t n);

/* Copy n bytes to a NUL-terminated line of at most cap-1 bytes, fit to be shown:
 * control characters (C0 but tab, which becomes a space; DEL; C1), bidirectional
 * overrides and line separators become U+FFFD, newlines a space, broken bytes U+FFFD;
 * cut at a code point. Returns the length. */
size_t utf8_clean_line(char *out, size_t cap, const char *s, size_t n);

/* As utf8_clean_line's repair of broken bytes alone: malloc'd, NUL-terminated valid UTF-8 (NUL bytes
 * become U+FFFD). NULL when out of memory. */
char *utf8_repair(const char *s, size_t n, size_t *ret_len);

#endif
