/* SPDX-License-Identifier: MIT */
#ifndef TUI_TEXT_H
#define TUI_TEXT_H

/* The text of a buffer: any bytes, edited anywhere, in O(log n).
 *
 * It is a balanced tree (a treap) of chunks of at most TEXT_CHUNK bytes. Each node knows the number of
 * bytes and newlines below it, so one walk down converts a line number into an offset or the reverse. The
 * bytes of a loaded file stay in the block that they were read into; a chunk is copied when it is first
 * changed. Inserting a big block builds its chunks once and attaches them: pasting 10 000 lines is one
 * operation. Bytes are never converted: invalid UTF-8 stays as it was (cluster.h says how it is
 * displayed).
 *
 * Positions are byte offsets, 0 to text_len(). Lines count from 0, and there is always at least one. A
 * text that ends with a newline has an empty last line. Positions and lines beyond the end mean the end. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef TEXT_CHUNK
#define TEXT_CHUNK 4096
#endif

struct text;

struct text *text_create(void);    /* empty; NULL: no memory */
void text_destroy(struct text *t); /* accepts NULL */

size_t text_len(const struct text *t);
size_t text_lines(const struct text *t); /* newlines + 1 */

size_t text_line_start(const struct text *t, size_t line);
size_t text_line_end(const struct text *t, size_t line); /* before its newline, or the end of the text */
/* The same if the line is known to begin at `start`: faster for a short line. */
size_t text_line_end_from(const struct text *t, size_t line, size_t start);
size_t text_line_of(const struct text *t, size_t pos); /* a newline belongs to the line that it ends */

/* The longest run of bytes at `pos` that is contiguous in memory; borrowed until the next edit. *ret_len
 * is 0 at the end. */
const char *text_peek(const struct text *t, size_t pos, size_t *ret_len);

/* Copy at most n bytes from `pos`. Returns the number of bytes. */
size_t text_copy(const struct text *t, size_t pos, char *out, size_t n);

/* The bytes [pos, pos+n) as malloc'd memory, followed by a NUL; NULL: no memory. */
char *text_slice(const struct text *t, size_t pos, size_t n);

/* The number of bytes that are not part of valid UTF-8, and the position of the first one. */
size_t text_broken_bytes(const struct text *t, size_t *ret_first);

/* Take a malloc'd block as the whole contents of an empty text, without copying it, to open large files.
 * 0, or TRM_ENOMEM; then the caller still owns the block. */
int text_adopt(struct text *t, char *block, size_t n);

/* Changes with every edit. */
uint64_t text_version(const struct text *t);

/* 0, or TRM_ENOMEM; then nothing has changed. */
int text_insert(struct text *t, size_t pos, const char *bytes, size_t n);
int text_delete(struct text *t, size_t pos, size_t n);

/* Structure of the tree, for tests: true when all counts and the heap order hold. */
bool text_is_sound(const struct text *t);

#endif
