/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#ifndef BUF_FIRST
#define BUF_FIRST 512
#endif

void buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){.max = max};
}

void buf_finish(struct buf *b)
{
	free(b->mem);
	*b = (struct buf){0};
}

char *buf_reserve(struct buf *b, size_t n)
{
	if (n > b->max - b->len)
		return NULL;
	if (b->cap - b->start - b->len >= n)
		return b->mem + b->start + b->len;
	if (b->cap - b->len >= n) {
		/* There is enough room in front. New memory would cost the same copy, and page faults as
		 * well. */
		memmove(b->mem, b->mem + b->start, b->len);
		b->start = 0;
		return b->mem + b->len;
	}
	size_t cap = b->cap ? b->cap : BUF_FIRST;
	while (cap - b->len < n)
		cap *= 2;
	/* realloc() moves large memory without copying it, but would copy the bytes taken from the front as
	 * well. */
	char *mem = b->start ? malloc(cap) : realloc(b->mem, cap);
	if (!mem)
		return NULL;
	if (b->start) {
		memcpy(mem, b->mem + b->start, b->len);
		free(b->mem);
	}
	b->mem = mem;
	b->cap = cap;
	b->start = 0;
	return mem + b->len;
}

void buf_fill(struct buf *b, size_t n)
{
	b->len += n;
}

int buf_append(struct buf *b, const void *bytes, size_t n)
{
	if (!n)
		return 0;
	if (n > b->max - b->len)
		return TRM_ETOOBIG;
	char *to = buf_reserve(b, n);
	if (!to)
		return TRM_ENOMEM;
	memcpy(to, bytes, n);
	b->len += n;
	return 0;
}

void buf_take(struct buf *b, size_t n)
{
	b->start += n;
	b->len -= n;
	if (!b->len)
		b->start = 0;
}

void buf_clear(struct buf *b)
{
	b->start = b->len = 0;
}
