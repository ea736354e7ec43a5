/* SPDX-License-Identifier: MIT */
#include "output/scrollback.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "output/scrollback_internal.h"

static struct out_chunk *newest(const struct scrollback *s)
{
	return s->n ? chunk_at(s, s->n - 1) : NULL;
}

int scrollback_init(struct scrollback *s, size_t cap_bytes)
{
	size_t slots = cap_bytes / sizeof(struct out_chunk);

	memset(s, 0, sizeof *s);
	s->n_ring = slots < 2 ? 2 : slots;
	s->ring = calloc(s->n_ring, sizeof *s->ring);
	s->open_record = SIZE_MAX;
	s->line_is_empty = true;
	return s->ring ? 0 : TRM_ENOMEM;
}

void scrollback_finish(struct scrollback *s)
{
	for (size_t i = 0; s->ring && i < s->n_ring; i++)
		free(s->ring[i]);
	free(s->ring);
	memset(s, 0, sizeof *s);
}

void scrollback_clear(struct scrollback *s)
{
	for (size_t i = 0; i < s->n_ring; i++) {
		free(s->ring[i]);
		s->ring[i] = NULL;
	}
	s->first = s->n = 0;
	s->dropped_lines = s->dropped_bytes = s->total_bytes = 0;
	if (!s->line_is_empty)
		s->end_line++;
	s->since_break = 0;
	s->open_record = SIZE_MAX;
	s->line_is_empty = true;
}

/* ---- appending ---- */

static void drop_oldest(struct scrollback *s)
{
	struct out_chunk *c = chunk_at(s, 0);

	s->dropped_lines += c->breaks;
	s->dropped_bytes += c->used;
	s->first = (s->first + 1) % s->n_ring;
	s->n--;
}

/* A fresh chunk at the end. Its slot may hold an old one's memory: it is used again. */
static struct out_chunk *chunk_push(struct scrollback *s)
{
	size_t slot;

	if (s->n == s->n_ring)
		drop_oldest(s);
	slot = (s->first + s->n) % s->n_ring;
	if (!s->ring[slot])
		s->ring[slot] = malloc(sizeof **s->ring);
	if (!s->ring[slot]) {
		if (s->n == 0)
			return NULL;
		s->ring[slot] = chunk_at(s, 0);
		s->ring[s->first] = NULL;
		s->dropped_lines += s->ring[slot]->breaks;
		s->dropped_bytes += s->ring[slot]->used;
		s->first = (s->first + 1) % s->n_ring;
		s->n--;
	}
	s->n++;
	struct out_chunk *c = newest(s);
	c->first_line = s->end_line;
	c->used = c->breaks = 0;
	c->has_controls = c->has_colors = false;
	s->open_record = SIZE_MAX;
	return c;
}

/* The chunk and, in s->open_record, the record that takes at least one more byte. */
static struct out_chunk *record_open(struct scrollback *s, enum out_kind kind, uint32_t run)
{
	struct out_chunk *c = newest(s);

	if (c && s->open_record != SIZE_MAX && c->used < OUT_CHUNK_BYTES) {
		struct record r = record_get(c, s->open_record);
		if (r.kind == kind && r.run == run)
			return c;
	}
	if (!c || OUT_CHUNK_BYTES - c->used < sizeof(struct record) + 1)
		c = chunk_push(s);
	if (!c)
		return NULL;
	s->open_record = c->used;
	record_set(c, c->used, (struct record){.kind = (uint8_t)kind, .run = run});
	c->used += sizeof(struct record);
	if (kind == OUT_HEADER)
		c->has_controls = true;
	return c;
}

static void record_break(struct scrollback *s, struct out_chunk *c, unsigned flags)
{
	struct record r = record_get(c, s->open_record);

	r.flags |= (uint8_t)flags;
	record_set(c, s->open_record, r);
	c->breaks++;
	s->end_line++;
	s->since_break = 0;
	s->line_is_empty = true;
	s->open_record = SIZE_MAX;
}

/* Keep track of how long it is since the line was last broken or rewritten. */
static void track_breaks(struct scrollback *s, const char *p, size_t n)
{
	const char *nl = memrchr(p, '\n', n);
	const char *behind = nl ? nl + 1 : p;
	const char *cr = memrchr(behind, '\r', n - (size_t)(behind - p));

	if (cr || nl)
		s->since_break = n - (size_t)((cr ? cr : nl) + 1 - p);
	else
		s->since_break += n;
	s->line_is_empty = nl == p + n - 1;
}

static void put(struct scrollback *s, struct out_chunk *c, const char *p, size_t n)
{
	struct record r = record_get(c, s->open_record);
	uint32_t lines = count_newlines(p, n);

	memcpy(c->bytes + c->used, p, n);
	c->used += (uint32_t)n;
	c->breaks += lines;
	s->end_line += lines;
	r.len = (uint16_t)(r.len + n);
	record_set(c, s->open_record, r);
	if (!c->has_controls && (memchr(p, 0x1b, n) || memchr(p, 0xc2, n)))
		c->has_controls = true;
	track_breaks(s, p, n);
}

/* At most `take` (which is at least 4) of n bytes, cut before a character rather than inside. */
static size_t whole_chars(const char *p, size_t take, size_t n)
{
	size_t cut = take;

	while (cut < n && cut > take - 3 && ((unsigned char)p[cut] & 0xc0) == 0x80)
		cut--;
	return cut;
}

void scrollback_append(struct scrollback *s, enum out_kind kind, uint32_t run, const void *bytes, size_t n)
{
	const char *p = bytes;

	if (n && (kind == OUT_LATE) != s->last_was_late) {
		scrollback_end_line(s);
		s->last_was_late = kind == OUT_LATE;
	}
	s->total_bytes += n;
	while (n) {
		struct out_chunk *c = record_open(s, kind, run);
		if (!c) {
			s->dropped_bytes += n;
			return;
		}
		size_t take = OUT_CHUNK_BYTES - c->used;
		if (take > n)
			take = n;
		if (take >= OUT_LINE_BYTES - s->since_break)
			take = whole_chars(p, OUT_LINE_BYTES - s->since_break, n);
		put(s, c, p, take);
		p += take;
		n -= take;
		if (s->since_break > OUT_LINE_BYTES - 4)
			record_break(s, c, BREAK | SOFT);
	}
}

void scrollback_end_line(struct scrollback *s)
{
	struct out_chunk *c = newest(s);

	if (s->line_is_empty || !c)
		return;
	if (s->open_record == SIZE_MAX) {
		c = record_open(s, OUT_NOTE, 0);
		if (!c)
			return;
	}
	record_break(s, c, BREAK);
}

void scrollback_header(struct scrollback *s, uint32_t run)
{
	scrollback_end_line(s);
	s->open_record = SIZE_MAX;
	struct out_chunk *c = record_open(s, OUT_HEADER, run);
	if (c)
		record_break(s, c, BREAK);
}

bool scrollback_ends_with(const struct scrollback *s, const char *text)
{
	const struct out_chunk *c = newest(s);
	size_t n = strlen(text);

	if (!c || s->line_is_empty || s->open_record == SIZE_MAX || record_get(c, s->open_record).len < n)
		return false;
	return memcmp(c->bytes + c->used - n, text, n) == 0;
}

uint64_t scrollback_first(const struct scrollback *s)
{
	return s->n ? chunk_at(s, 0)->first_line : s->end_line;
}

uint64_t scrollback_end(const struct scrollback *s)
{
	return s->end_line + !s->line_is_empty;
}

size_t scrollback_memory(const struct scrollback *s)
{
	size_t bytes = s->n_ring * sizeof *s->ring;

	for (size_t i = 0; i < s->n_ring; i++)
		bytes += s->ring[i] ? sizeof **s->ring : 0;
	return bytes;
}

/* ---- cutting ---- */

void scrollback_cut(struct scrollback *s, uint64_t line)
{
	struct out_piece piece;

	if (line >= scrollback_end(s) || s->n == 0)
		return;
	if (line < scrollback_first(s))
		line = scrollback_first(s);
	size_t k = scrollback_chunk_of_line(s, line);
	struct out_chunk *c = chunk_at(s, k);
	struct out_reader r = {.store = s, .chunk = k, .line = c->first_line};
	while (r.line < line && r.chunk == k && r.record < c->used)
		out_reader_next(&r, &piece);
	if (r.chunk == k && r.record < c->used) {
		struct record rec = record_get(c, r.record);
		rec.len = (uint16_t)r.pos;
		rec.flags = 0;
		record_set(c, r.record, rec);
		c->used = (uint32_t)(r.record + (r.pos ? sizeof rec + r.pos : 0));
	}
	c->breaks = (uint32_t)(line - c->first_line);
	s->n = k + 1;
	s->end_line = line;
	s->since_break = 0;
	s->open_record = SIZE_MAX;
	s->line_is_empty = true;
}
