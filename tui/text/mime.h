/* SPDX-License-Identifier: MIT */
#ifndef TUI_MIME_H
#define TUI_MIME_H

/* Forms of what programs show, by their MIME types. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How good a form is in a terminal: less is better. Images come before HTML, that before plain text, what
 * nobody knows last. */
int mime_rank(const char *mime);
bool mime_is_plain(const char *mime); /* text/plain */
bool mime_is_text(const char *mime);  /* can be printed as it is */

/* The bytes of a form: text as it is, all else from base64. malloc'd; NULL: it is no base64, or out of
 * memory. */
uint8_t *mime_bytes(const char *mime, const char *data, size_t n, size_t *ret_len);

/* Ending of a file of that type: "png"; "bin" for unknown ones. */
const char *mime_suffix(const char *mime);

#endif
