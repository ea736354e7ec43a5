/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_BASE64_H
#define TRM_BASE_BASE64_H

/* Base64 with the usual alphabet and padding (RFC 4648, section 4). */

#include <stddef.h>

#include "base/buf.h"

/* How many letters n bytes become. */
#define BASE64_LEN(n) (((n) + 2) / 3 * 4)

/* Append the letters of n bytes. TRM_ETOOBIG or TRM_ENOMEM as buf_append. */
int base64_put(struct buf *out, const void *bytes, size_t n);

/* Decode n letters. The bytes are malloc'd (never NULL for none) and followed by a NUL. NULL: the letters
 * are not base64, or there is no memory. Strict: no spaces, whole groups of four, padding only at the
 * end, no unused bits that are set. */
char *base64_decode(const char *letters, size_t n, size_t *ret_len);

#endif
