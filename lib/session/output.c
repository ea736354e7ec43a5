/* SPDX-License-Identifier: MIT */
#include "session/output.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifndef OUTPUT_BLOCK_BYTES
#define OUTPUT_BLOCK_BYTES 65536
#endif
#ifndef OUTPUT_BLOCK_RECORDS
#define OUTPUT_BLOCK_RECORDS 1024
#endif

struct record {
	uint32_t stream, n;
};

struct output_block {
	struct output_block *next;
	size_t len, skip; /* bytes filled; bytes dropped at the front */
	size_t n_records;
	struct record records[OUTPUT_BLOCK_RECORDS];
	char bytes[OUTPUT_BLOCK_BYTES];
};

void output_init(struct output *o, size_t keep_bytes)
{
	*o = (struct output){
			.head_max = keep_bytes / 2,
			.tail_max = keep_bytes - keep_bytes / 2,
			.max_blocks = keep_bytes / OUTPUT_BLOCK_BYTES * 2 + 4,
	};
}

static void free_list(struct output_block *b)
{
	while (b) {
		struct output_block *next = b->next;
		free(b);
		b = next;
	}
}

void output_finish(struct output *o)
{
	free_list(o->first);
	free(o->spare);
	*o = (struct output){0};
}

void output_reset(struct output *o, size_t keep_bytes)
{
	struct output_block *spare = o->spare ? o->spare : o->first;
	if (spare == o->first && spare)
		o->first = spare->next;
	free_list(o->first);
	output_init(o, keep_bytes);
	o->spare = spare;
}

static bool in_head(const struct output *o)
{
	return !o->has_tail && o->head_len < o->head_max;
}

/* The link to the first block after the head, which is the first block that may be dropped. */
static struct output_block **tail_link(struct output *o)
{
	return o->head_last ? &o->head_last->next : &o->first;
}

static void drop_first_tail_block(struct output *o)
{
	struct output_block **link = tail_link(o), *b = *link;
	*link = b->next;
	if (o->last == b)
		o->last = o->head_last;
	o->tail_len -= b->len - b->skip;
	o->n_blocks--;
	if (o->spare)
		free(b);
	else
		o->spare = b;
}

static struct output_block *add_block(struct output *o)
{
	if (o->n_blocks >= o->max_blocks && !in_head(o) && *tail_link(o))
		drop_first_tail_block(o);
	struct output_block *b = o->spare ? o->spare : malloc(sizeof *b);
	if (!b)
		return NULL;
	o->spare = NULL;
	b->next = NULL;
	b->len = b->skip = b->n_records = 0;
	if (o->last)
		o->last->next = b;
	else
		o->first = b;
	o->last = b;
	o->n_blocks++;
	return b;
}

static bool has_room(const struct output_block *b, int stream)
{
	return b && b->len < OUTPUT_BLOCK_BYTES
	       && (b->n_records < OUTPUT_BLOCK_RECORDS
			       || b->records[b->n_records - 1].stream == (uint32_t)stream);
}

static void fill(struct output_block *b, int stream, const char *bytes, size_t n)
{
	memcpy(b->bytes + b->len, bytes, n);
	b->len += n;
	if (!b->n_records || b->records[b->n_records - 1].stream != (uint32_t)stream)
		b->records[b->n_records++] = (struct record){.stream = (uint32_t)stream};
	b->records[b->n_records - 1].n += (uint32_t)n;
}

/* The head is full or has all its blocks: the tail begins in a new block. */
static void begin_tail(struct output *o)
{
	o->has_tail = true;
	o->head_last = o->last;
	o->head_max = o->head_len;
}

static void trim_tail(struct output *o)
{
	while (o->tail_len > o->tail_max) {
		struct output_block *b = *tail_link(o);
		size_t excess = o->tail_len - o->tail_max;
		if (excess >= b->len - b->skip && b != o->last) {
			drop_first_tail_block(o);
			continue;
		}
		b->skip += excess;
		o->tail_len -= excess;
	}
}

/* Keep some of the n bytes. Returns how many were handled, or 0 if memory is short. */
static size_t keep_some(struct output *o, int stream, const char *bytes, size_t n)
{
	bool is_head = in_head(o);
	if (!is_head && !o->has_tail)
		begin_tail(o);
	struct output_block *b = is_head || o->last != o->head_last ? o->last : NULL;
	if (!has_room(b, stream) && !(b = add_block(o)))
		return 0;
	size_t k = OUTPUT_BLOCK_BYTES - b->len;
	if (k > n)
		k = n;
	if (is_head && k > o->head_max - o->head_len)
		k = o->head_max - o->head_len;
	fill(b, stream, bytes, k);
	*(is_head ? &o->head_len : &o->tail_len) += k;
	if (!is_head)
		trim_tail(o);
	else if (o->n_blocks >= o->max_blocks / 2 && !has_room(b, TRM_STDOUT + TRM_STDERR - stream))
		begin_tail(o);
	return k;
}

void output_append(struct output *o, int stream, const char *bytes, size_t n)
{
	o->total[stream == TRM_STDERR] += n;
	while (n && (in_head(o) || o->tail_max)) {
		size_t k = keep_some(o, stream, bytes, n);
		if (!k)
			return;
		bytes += k;
		n -= k;
	}
}

static void add_chunk(struct trm_result *r, int stream, const char *bytes, size_t n)
{
	struct trm_chunk *last = r->n_chunks ? &r->chunks[r->n_chunks - 1] : NULL;
	if (!n)
		return;
	memcpy(r->output + r->output_len, bytes, n);
	if (last && last->stream == stream)
		last->n += n;
	else
		r->chunks[r->n_chunks++] =
				(struct trm_chunk){.stream = stream, .offset = r->output_len, .n = n};
	r->output_len += n;
}

static void add_block_chunks(struct trm_result *r, const struct output_block *b)
{
	size_t at = 0;
	for (size_t i = 0; i < b->n_records; i++) {
		size_t end = at + b->records[i].n;
		size_t from = at < b->skip ? b->skip : at;
		if (from < end)
			add_chunk(r, (int)b->records[i].stream, b->bytes + from, end - from);
		at = end;
	}
}

void output_to_result(const struct output *o, struct trm_result *r)
{
	size_t records = 0, kept = o->head_len + o->tail_len;
	for (const struct output_block *b = o->first; b; b = b->next)
		records += b->n_records;
	r->output = kept ? malloc(kept) : NULL;
	r->chunks = kept ? malloc(records * sizeof *r->chunks) : NULL;
	if (r->output && r->chunks)
		for (const struct output_block *b = o->first; b; b = b->next)
			add_block_chunks(r, b);
	r->stdout_bytes = o->total[0];
	r->stderr_bytes = o->total[1];
	r->dropped_bytes = r->stdout_bytes + r->stderr_bytes - r->output_len;
}
