/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_WRITER_H
#define TUI_RECORD_WRITER_H

/* Text that grows while it is written: recordings, notebooks, pages. The first failure is remembered
 * and later calls do nothing, so that only the last one need be looked at. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct writer {
	char *bytes; /* NUL-terminated as soon as something was put */
	size_t n, cap;
	size_t max; /* more than this is TRM_ETOOBIG */
	int error;  /* 0, TRM_ENOMEM or TRM_ETOOBIG */
};

#define WRITER_MAX ((size_t)2 << 30)

void writer_init(struct writer *w, size_t max);
void writer_finish(struct writer *w); /* takes a zeroed object */
void writer_clear(struct writer *w);  /* keeps the memory, forgets the error */

void writer_put(struct writer *w, const char *bytes, size_t n);
void writer_text(struct writer *w, const char *text); /* NUL-terminated */
void writer_print(struct writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A JSON string with its quotes. Broken UTF-8 becomes U+FFFD; controls, C1, line separators and what turns
 * the direction of text are written as \uXXXX. */
void writer_json(struct writer *w, const char *s, size_t n);
void writer_json_text(struct writer *w, const char *text); /* NULL: null */
/* "-1.5", whatever the locale, `decimals` 0 to 6. */
void writer_decimal(struct writer *w, double v, int decimals);

void writer_base64(struct writer *w, const void *bytes, size_t n);
/* Decode; white space in it is skipped. malloc'd, with a NUL behind; NULL: it is no base64, or no memory. */
char *base64_read(const char *text, size_t n, size_t *ret_n);

/* Valid UTF-8 without NUL: it may stand in a JSON string and comes out as it went in. */
bool text_is_exact(const char *s, size_t n);

#endif
