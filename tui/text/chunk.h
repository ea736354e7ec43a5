/* SPDX-License-Identifier: MIT */
#ifndef TUI_TEXT_CHUNK_H
#define TUI_TEXT_CHUNK_H

/* The tree of a text's chunks; private to text.c, which changes it, and text_read.c, which reads it. */

#include "text/text.h"

/* A treap: in order by position, and a heap by `rank`, which is random. So its depth stays near 2
 * ln(chunks).
 *
 *            [ c3 ]            bytes and lines of a node count its
 *           /      \           whole subtree
 *      [ c1 ]      [ c4 ]
 *           \
 *           [ c2 ] */
struct chunk {
	struct chunk *left, *right;
	size_t bytes, lines; /* of the subtree */
	uint32_t rank;
	uint32_t len, newlines; /* of this chunk */
	const char *data;
	char *own; /* TEXT_CHUNK bytes that may change, or NULL; `data` lies here or in the text's block */
};

struct text {
	struct chunk *root;
	uint32_t seed;
	uint64_t version;
	char *block; /* the loaded bytes, until the end: unchanged chunks lie in them */
};

static inline size_t bytes_of(const struct chunk *c)
{
	return c ? c->bytes : 0;
}

static inline size_t lines_of(const struct chunk *c)
{
	return c ? c->lines : 0;
}

uint32_t chunk_newlines(const char *s, size_t n); /* the number of newlines in n bytes */

#endif
