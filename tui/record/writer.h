/* SPDX-License-Identifier: MIT */
#ifndef TUI_RECORD_WRITER_H
#define TUI_RECORD_WRITER_H

/* A growing text: recordings, notebooks, pages. The writer remembers the first failure and ignores all
 * later calls, so that the caller checks for an error only once, at the end. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct writer {
	char *bytes; /* NUL-terminated after the first write */
	size_t n, cap;
	size_t max; /* a larger text is TRM_ETOOBIG */
	int error;  /* 0, TRM_ENOMEM or TRM_ETOOBIG */
};

#define WRITER_MAX ((size_t)2 << 30)

void writer_init(struct writer *w, size_t max);
void writer_finish(struct writer *w); /* takes a zeroed object */
void writer_clear(struct writer *w);  /* keeps the memory, forgets the error */

void writer_put(struct writer *w, const char *bytes, size_t n);
void writer_text(struct writer *w, const char *text); /* NUL-terminated */
void writer_print(struct writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Write a JSON string with its quotes. Broken UTF-8 becomes U+FFFD. Control characters (also C1), line
 * separators and characters that change the text direction are written as \uXXXX. */
void writer_json(struct writer *w, const char *s, size_t n);
void writer_json_text(struct writer *w, const char *text); /* NULL: null */
/* "-1.5" in every locale; `decimals` is 0 to 6. */
void writer_decimal(struct writer *w, double v, int decimals);

void writer_base64(struct writer *w, const void *bytes, size_t n);
/* Decode base64; white space in the text is skipped. The result is malloc'd, with a NUL behind. NULL:
 * invalid base64, or out of memory. */
char *base64_read(const char *text, size_t n, size_t *ret_n);

/* True for valid UTF-8 without NUL: a JSON string preserves such text exactly. */
bool text_is_exact(const char *s, size_t n);

#endif
