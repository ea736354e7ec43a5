/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_TEXT_H
#define TERRARIUM_TEXT_H

/* Make text from a sandbox, a file or a person safe to show. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>

TRM_BEGIN_API

/* Decode the code point at s[0..n), n > 0. Returns its length in bytes (1 to 4) and the code point. A byte
 * that begins no valid sequence (overlong, surrogate, beyond U+10FFFF, cut short) gives 1 and U+FFFD, with
 * *ret_valid false. ret_valid may be NULL. */
size_t trm_utf8_decode(const char *s, size_t n, uint32_t *ret_cp, bool *ret_valid);

/* Encode into out[4]; returns the length. An invalid code point becomes U+FFFD. */
size_t trm_utf8_encode(uint32_t cp, char out[4]);

/* True if the code point changes the direction of the text around it, ends its line, or is invisible. All
 * of these can make text look like something else. C1 controls are included, C0 controls are not. */
bool trm_text_is_deceptive(uint32_t cp);

/* Copy n bytes to a NUL-terminated line of at most cap-1 bytes that is safe to show: newlines and tabs
 * become a space; other control characters, deceptive characters and invalid bytes become U+FFFD. A line
 * that is too long is cut at a code point. Returns the length. */
size_t trm_text_clean_line(char *out, size_t cap, const char *s, size_t n);

TRM_END_API

#endif
