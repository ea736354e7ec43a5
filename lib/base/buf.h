/* SPDX-License-Identifier: MIT */
#ifndef TRM_BASE_BUF_H
#define TRM_BASE_BUF_H

/* A byte queue with a maximum size: append at the end, take from the front. Growing past `max` is
 * TRM_ETOOBIG and changes nothing. */

#include <stddef.h>
#include <stdint.h>

struct buf {
	char *mem;
	size_t start, len; /* content is mem[start .. start+len) */
	size_t cap, max;
};

void buf_init(struct buf *b, size_t max);
void buf_finish(struct buf *b); /* accepts a zeroed object */
int buf_append(struct buf *b, const void *bytes, size_t n);
/* Room for n more bytes at the end: fill it, then count the bytes with buf_fill(). NULL: no room. */
char *buf_reserve(struct buf *b, size_t n);
void buf_fill(struct buf *b, size_t n);
void buf_take(struct buf *b, size_t n); /* drop n bytes at the front */
void buf_clear(struct buf *b);          /* keeps the memory */
static inline char *buf_at(const struct buf *b)
{
	return b->mem ? b->mem + b->start : NULL; /* C has no NULL + 0 */
}

#endif
