/* SPDX-License-Identifier: MIT */
#ifndef TUI_MIME_H
#define TUI_MIME_H

/* The forms of displayed objects, by their MIME types. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How good a form is in a terminal: lower is better. Images come before HTML, HTML before plain text,
 * unknown types last. */
int mime_rank(const char *mime);
bool mime_is_plain(const char *mime); /* text/plain */
bool mime_is_text(const char *mime);  /* can be printed unchanged */

/* The bytes of a form: text unchanged, everything else decoded from base64. malloc'd; NULL: invalid
 * base64, or no memory. */
uint8_t *mime_bytes(const char *mime, const char *data, size_t n, size_t *ret_len);

/* The extension of files of this type: "png"; "bin" for unknown ones. */
const char *mime_suffix(const char *mime);

#endif
