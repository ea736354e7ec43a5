/* SPDX-License-Identifier: MIT */
#ifndef TUI_OUTPUT_SCROLLBACK_INTERNAL_H
#define TUI_OUTPUT_SCROLLBACK_INTERNAL_H

/* The storage of the bytes, for scrollback.c, which writes them, and outread.c, which reads them. */

#include <string.h>

#include "output/scrollback.h"

enum { BREAK = 1, SOFT = 2 }; /* record flags: the line ends after it; only because of its length */

struct record {
	uint16_t len;
	uint8_t kind, flags;
	uint32_t run;
};

struct out_chunk {
	uint64_t first_line; /* line of its first byte */
	uint32_t used;
	uint32_t breaks;    /* lines that end in it */
	uint32_t first_run; /* run of its first record */
	uint8_t first_kind; /* enum out_kind of its first record */
	bool is_gap;        /* a line in place of `gap_lines` dropped lines */
	uint64_t gap_lines, gap_bytes;
	bool has_controls;               /* it may have control sequences that change colors */
	bool has_colors;                 /* `colors` is set */
	struct ansi colors[OUT_STREAMS]; /* at its start */
	char bytes[OUT_CHUNK_BYTES];
};

_Static_assert(OUT_CHUNK_BYTES <= 65536u, "a record's length is 16 bits");
_Static_assert(OUT_CHUNK_BYTES > 2 * sizeof(struct record), "a chunk holds a record");

static inline struct out_chunk *chunk_at(const struct scrollback *s, size_t k)
{
	return s->ring[(s->first + k) % s->n_ring];
}

static inline struct record record_get(const struct out_chunk *c, size_t at)
{
	struct record r;
	memcpy(&r, c->bytes + at, sizeof r);
	return r;
}

static inline void record_set(struct out_chunk *c, size_t at, struct record r)
{
	memcpy(c->bytes + at, &r, sizeof r);
}

static inline uint32_t count_newlines(const char *p, size_t n)
{
	uint32_t count = 0;

	for (const char *end = p + n; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
		count++;
	return count;
}

/* The chunk in which a line starts, or at whose end the previous line ends. */
size_t scrollback_chunk_of_line(const struct scrollback *s, uint64_t line);

#endif
