/* SPDX-License-Identifier: MIT */
#include "output/scrollback.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "output/runs.h"
#include "output/scrollback_internal.h"
#include "text/format.h"

static struct out_chunk *newest_chunk(const struct scrollback *s)
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

int scrollback_init_like(struct scrollback *s, const struct scrollback *other)
{
	return scrollback_init(s, other->n_ring * sizeof(struct out_chunk));
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
	s->front_lines = s->front_bytes = 0;
	s->shift = (struct out_shift){0};
	if (!s->line_is_empty)
		s->end_line++;
	s->since_break = 0;
	s->open_record = SIZE_MAX;
	s->line_is_empty = true;
}

/* ---- appending ---- */

static void count_front(struct scrollback *s, const struct out_chunk *c)
{
	uint64_t lines = c->is_gap ? 1 : c->breaks, bytes = c->is_gap ? 0 : c->used;

	s->dropped_lines += lines;
	s->dropped_bytes += bytes;
	s->front_lines += lines + c->gap_lines;
	s->front_bytes += bytes + c->gap_bytes;
}

static void drop_oldest(struct scrollback *s)
{
	count_front(s, chunk_at(s, 0));
	s->first = (s->first + 1) % s->n_ring;
	s->n--;
}

/* ---- a flood ---- */

/* The oldest chunk with output of only this run, if the run has more than half of all chunks; else 0. */
static size_t flood_start(const struct scrollback *s, uint32_t run)
{
	size_t own = s->n;

	while (own > 0 && chunk_at(s, own - 1)->first_run == run
			&& chunk_at(s, own - 1)->first_kind != OUT_HEADER)
		own--;
	return s->n - own > s->n_ring / 2 && s->n - own > 2 ? own : 0;
}

/* End the line that is incomplete at the end of a chunk. */
static void close_line(struct out_chunk *c)
{
	size_t at = 0, next;
	struct record r = record_get(c, 0);

	while ((next = at + sizeof r + r.len) < c->used)
		r = record_get(c, at = next);
	bool is_open = !(r.flags & BREAK) && (!r.len || c->bytes[at + sizeof r + r.len - 1] != '\n');
	if (!is_open)
		return;
	r.flags |= BREAK;
	record_set(c, at, r);
	c->breaks++;
}

/* Replace the content of a chunk by the line that says how much was dropped. */
static void write_gap(struct out_chunk *c, uint32_t run)
{
	char text[OUT_CHUNK_BYTES - sizeof(struct record)];
	char count[32];
	int n = snprintf(text, sizeof text, "... %s lines dropped ...",
			format_count(count, c->gap_lines, ','));
	struct record r = {.len = (uint16_t)n, .kind = OUT_NOTE, .flags = BREAK, .run = run};

	c->is_gap = true;
	c->first_run = run;
	c->first_kind = OUT_NOTE;
	record_set(c, 0, r);
	memcpy(c->bytes + sizeof r, text, (size_t)n);
	c->used = (uint32_t)(sizeof r + (size_t)n);
	c->breaks = 1;
	c->has_controls = c->has_colors = false;
}

static void count_gap(struct scrollback *s, struct out_chunk *gap, const struct out_chunk *dropped)
{
	gap->gap_lines += dropped->breaks;
	gap->gap_bytes += dropped->used;
	s->dropped_lines += dropped->breaks;
	s->dropped_bytes += dropped->used;
}

/* Drop chunk `at` + 1; chunk `at` says so. The chunks up to `at` move up in the ring, and their lines get
 * new numbers. */
static void drop_inside(struct scrollback *s, size_t at, uint32_t run)
{
	struct out_chunk *gap = chunk_at(s, at), *dropped = chunk_at(s, at + 1);
	uint64_t first = scrollback_first(s), before = gap->first_line;

	if (at > 0 && !gap->is_gap)
		close_line(chunk_at(s, at - 1));
	if (!gap->is_gap)
		count_gap(s, gap, gap);
	count_gap(s, gap, dropped);
	write_gap(gap, run);
	for (size_t i = at + 1; i > 0; i--)
		s->ring[(s->first + i) % s->n_ring] = chunk_at(s, i - 1);
	s->ring[s->first] = dropped;
	s->first = (s->first + 1) % s->n_ring;
	s->n--;
	uint64_t line = at + 1 < s->n ? chunk_at(s, at + 1)->first_line : s->end_line;
	for (size_t i = at + 1; i-- > 0;) {
		line -= chunk_at(s, i)->breaks;
		chunk_at(s, i)->first_line = line;
	}
	if (!s->shift.by)
		s->shift.before = before;
	s->shift.by += scrollback_first(s) - first;
}

struct out_shift scrollback_take_shift(struct scrollback *s)
{
	struct out_shift shift = s->shift;

	s->shift = (struct out_shift){0};
	return shift;
}

/* Add a chunk at the end. If its slot has the memory of an old chunk, that is used again. */
static struct out_chunk *chunk_push(struct scrollback *s, uint32_t run)
{
	size_t slot, flood = s->n == s->n_ring ? flood_start(s, run) : 0;

	if (flood)
		drop_inside(s, flood, run);
	else if (s->n == s->n_ring)
		drop_oldest(s);
	slot = (s->first + s->n) % s->n_ring;
	if (!s->ring[slot])
		s->ring[slot] = malloc(sizeof **s->ring);
	if (!s->ring[slot]) {
		if (s->n == 0)
			return NULL;
		s->ring[slot] = chunk_at(s, 0);
		s->ring[s->first] = NULL;
		count_front(s, s->ring[slot]);
		s->first = (s->first + 1) % s->n_ring;
		s->n--;
	}
	s->n++;
	struct out_chunk *c = newest_chunk(s);
	c->first_line = s->end_line;
	c->used = c->breaks = 0;
	c->is_gap = false;
	c->gap_lines = c->gap_bytes = 0;
	c->has_controls = c->has_colors = false;
	s->open_record = SIZE_MAX;
	return c;
}

/* The chunk, and in s->open_record the record, with room for at least one more byte. */
static struct out_chunk *record_open(struct scrollback *s, enum out_kind kind, uint32_t run)
{
	struct out_chunk *c = newest_chunk(s);

	if (c && s->open_record != SIZE_MAX && c->used < OUT_CHUNK_BYTES) {
		struct record r = record_get(c, s->open_record);
		if (r.kind == kind && r.run == run)
			return c;
	}
	if (!c || OUT_CHUNK_BYTES - c->used < sizeof(struct record) + 1)
		c = chunk_push(s, run);
	if (!c)
		return NULL;
	s->open_record = c->used;
	if (c->used == 0) {
		c->first_run = run;
		c->first_kind = (uint8_t)kind;
	}
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

/* Track the number of bytes since the line was last broken or rewritten. */
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

static void put_chunk_bytes(struct scrollback *s, struct out_chunk *c, const char *p, size_t n)
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

/* At most `take` (at least 4) of n bytes. The end is before a character, never inside one. */
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
		put_chunk_bytes(s, c, p, take);
		p += take;
		n -= take;
		if (s->since_break > OUT_LINE_BYTES - 4)
			record_break(s, c, BREAK | SOFT);
	}
}

void scrollback_end_line(struct scrollback *s)
{
	struct out_chunk *c = newest_chunk(s);

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
	const struct out_chunk *c = newest_chunk(s);
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
