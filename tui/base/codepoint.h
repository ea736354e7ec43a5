/* SPDX-License-Identifier: MIT */
#ifndef TUI_CODEPOINT_H
#define TUI_CODEPOINT_H

/* UTF-8, one code point at a time. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decode the code point at s[0..n), n > 0: returns its bytes (1 to 4). A byte that begins no
 * valid sequence is 1 byte, U+FFFD, and *ret_valid false. */
size_t codepoint_decode(const char *s, size_t n, uint32_t *ret_cp, int *ret_valid);

/* Encode into out[4]; returns the length. What is no code point becomes U+FFFD. */
size_t codepoint_encode(uint32_t cp, char out[4]);

/* Would change the direction of the text around it, end its line, or show nothing at all: all
 * means to make text look like something else. C1 controls are among them, C0 are not. */
bool codepoint_is_deceptive(uint32_t cp);

#endif
