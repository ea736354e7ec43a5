/* SPDX-License-Identifier: MIT */
/* Reads the store: iterates over lines, and finds the colors at the start. */
#include <string.h>

#include "output/scrollback_internal.h"

/* Chunks that are searched for colors that still apply. More would take too long for a frame. */
#define COLOR_CHUNKS 16

unsigned scrollback_stream(enum out_kind kind)
{
	switch (kind) {
	case OUT_STDOUT: return 0;
	case OUT_STDERR: return 1;
	case OUT_LATE: return 2;
	default: return 3;
	}
}

static void colors_reset(struct ansi colors[OUT_STREAMS])
{
	memset(colors, 0, OUT_STREAMS * sizeof *colors);
}

static bool colors_are_plain(const struct ansi colors[OUT_STREAMS])
{
	for (unsigned i = 0; i < OUT_STREAMS; i++)
		if (!ansi_is_plain(&colors[i]))
			return false;
	return true;
}

bool out_reader_next(struct out_reader *r, struct out_piece *ret)
{
	for (; r->chunk < r->store->n; r->chunk++, r->record = r->pos = 0) {
		struct out_chunk *c = chunk_at(r->store, r->chunk);
		if (r->record >= c->used)
			continue;
		struct record rec = record_get(c, r->record);
		const char *p = c->bytes + r->record + sizeof rec + r->pos;
		size_t left = rec.len - r->pos;
		const char *nl = left ? memchr(p, '\n', left) : NULL;

		*ret = (struct out_piece){.kind = (enum out_kind)rec.kind,
				.run = rec.run,
				.bytes = p,
				.n = nl ? (size_t)(nl - p) : left,
				.ends_line = nl || rec.flags & BREAK,
				.is_soft = !nl && rec.flags & SOFT};
		if (rec.kind == OUT_HEADER)
			colors_reset(r->colors);
		ret->colors = &r->colors[scrollback_stream(ret->kind)];
		r->pos += ret->n + (nl != NULL);
		/* A break at the end of the record belongs to its last piece, so only a record without one
		 * ends here. */
		if (!nl || (r->pos == rec.len && !(rec.flags & BREAK))) {
			r->record += sizeof rec + rec.len;
			r->pos = 0;
		}
		r->line += ret->ends_line;
		return true;
	}
	return false;
}

bool out_reader_span(struct out_reader *r, struct out_span *ret)
{
	for (; r->chunk < r->store->n; r->chunk++, r->record = r->pos = 0) {
		struct out_chunk *c = chunk_at(r->store, r->chunk);
		if (r->record >= c->used)
			continue;
		struct record rec = record_get(c, r->record);
		const char *p = c->bytes + r->record + sizeof rec + r->pos;
		*ret = (struct out_span){.kind = (enum out_kind)rec.kind,
				.bytes = p,
				.n = rec.len - r->pos,
				.line = r->line,
				.ends_line = rec.flags & BREAK};
		r->record += sizeof rec + rec.len;
		r->pos = 0;
		r->line += count_newlines(p, ret->n) + ret->ends_line;
		return true;
	}
	return false;
}

/* Parse a piece only for its colors. */
static void skim(const struct out_piece *piece)
{
	const char *p = piece->bytes, *end = p + piece->n;
	uint32_t value;

	while (ansi_next(piece->colors, &p, end, &value) != ANSI_END)
		;
	if (piece->ends_line && !piece->is_soft)
		ansi_end_line(piece->colors);
}

/* Skip to the start of `line`, or to the end of the reader's chunk. */
static void skim_to(struct out_reader *r, uint64_t line, size_t end_chunk)
{
	struct out_piece piece;

	while (r->line < line && r->chunk < end_chunk) {
		struct out_chunk *c = chunk_at(r->store, r->chunk);
		if (r->record >= c->used) {
			r->chunk++;
			r->record = r->pos = 0;
			continue;
		}
		if (!out_reader_next(r, &piece))
			return;
		if (c->has_controls || !ansi_is_plain(piece.colors))
			skim(&piece);
	}
}

/* Set the colors at the start of chunk k, from the nearest earlier chunk that has them. */
static void learn_colors(const struct scrollback *s, size_t k)
{
	size_t from = k;

	while (from > 0 && !chunk_at(s, from)->has_colors && k - from < COLOR_CHUNKS)
		from--;
	if (!chunk_at(s, from)->has_colors) {
		colors_reset(chunk_at(s, from)->colors);
		chunk_at(s, from)->has_colors = true;
	}
	for (; from < k; from++) {
		struct out_chunk *c = chunk_at(s, from), *next = chunk_at(s, from + 1);
		struct out_reader r = {.store = s, .chunk = from, .line = c->first_line};
		memcpy(r.colors, c->colors, sizeof r.colors);
		if (c->has_controls || !colors_are_plain(c->colors))
			skim_to(&r, UINT64_MAX, from + 1);
		memcpy(next->colors, r.colors, sizeof next->colors);
		next->has_colors = true;
	}
}

size_t scrollback_chunk_of_line(const struct scrollback *s, uint64_t line)
{
	size_t low = 0, high = s->n;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;
		if (chunk_at(s, mid)->first_line < line)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* The chunk in which a line of chunk k ends, or the newest chunk. */
static size_t chunk_of_end(const struct scrollback *s, size_t k, uint64_t line)
{
	while (k + 1 < s->n && chunk_at(s, k + 1)->first_line <= line)
		k++;
	return k;
}

/* Move the reader behind the first carriage return in its chunk. */
static void skip_to_return(struct out_reader *r, size_t chunk)
{
	struct out_piece piece;
	struct out_reader at = *r;

	while (r->chunk == chunk && r->record < chunk_at(r->store, chunk)->used) {
		at = *r;
		if (!out_reader_next(r, &piece))
			break;
		const char *cr = memchr(piece.bytes, '\r', piece.n);
		if (cr) {
			at.pos += (size_t)(cr - piece.bytes);
			break;
		}
		skim(&piece);
		if (piece.ends_line)
			break;
	}
	*r = at;
}

void out_reader_seek(struct out_reader *r, const struct scrollback *s, uint64_t line)
{
	memset(r, 0, sizeof *r);
	r->store = s;
	if (s->n == 0)
		return;
	if (line < scrollback_first(s))
		line = scrollback_first(s);
	size_t k = scrollback_chunk_of_line(s, line), last = chunk_of_end(s, k, line);
	bool is_rewritten = last > k + 2;
	if (is_rewritten)
		k = last - 1;
	learn_colors(s, k);
	r->chunk = k;
	r->line = chunk_at(s, k)->first_line;
	memcpy(r->colors, chunk_at(s, k)->colors, sizeof r->colors);
	if (is_rewritten)
		skip_to_return(r, k);
	else
		skim_to(r, line, s->n);
}
