/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_TEXT_H
#define TERRARIUM_TEXT_H

/* Text that comes from a sandbox, a file or a person, made fit to be looked at. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decode the code point at s[0..n), n > 0. Returns how many bytes it takes (1 to 4)
 * and the code point; for a byte that begins no valid sequence (overlong,
 * surrogate, beyond U+10FFFF, cut short) 1 and U+FFFD, with *ret_valid false.
 * ret_valid may be NULL. */
size_t trm_utf8_decode(const char *s, size_t n, uint32_t *ret_cp, bool *ret_valid);

/* Encode into out[4]; returns the length. What is no code point becomes U+FFFD. */
size_t trm_utf8_encode(uint32_t cp, char out[4]);

/* Would change the direction of the text around it, end its line, or show nothing at all: all
 * means to make text look like something else. C1 controls are among them, C0 are not. */
bool trm_text_is_deceptive(uint32_t cp);

/* Copy n bytes to a NUL-terminated line of at most cap-1 bytes that can be shown anywhere:
 * newlines and tabs become a space, other control characters, what is deceptive and
 * broken bytes U+FFFD; cut at a code point. Returns the length. */
size_t trm_text_clean_line(char *out, size_t cap, const char *s, size_t n);

#endif
