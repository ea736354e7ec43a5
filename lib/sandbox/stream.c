/* SPDX-License-Identifier: MIT */
#include "sandbox/sandbox.h"

#include "base/err.h"

enum { GENERATION_MAX = (1 << (32 - STREAM_SLOT_BITS)) - 1, SLOT_MASK = STREAM_SLOTS - 1 };

int streams_add(struct stream_table *table, struct stream *stream, struct trm_error *reterr)
{
	if (!table->n_free && table->n_slots == STREAM_SLOTS)
		return trm_error_set(reterr, TRM_EBUSY,
				"the sandbox has %d processes and transfers under way already", STREAM_SLOTS);
	uint32_t slot = table->n_free ? table->free[--table->n_free] : table->n_slots++;
	uint32_t generation = table->slots[slot].generation;
	generation = generation == GENERATION_MAX ? 1 : generation + 1; /* never 0: neither is an id */
	table->slots[slot].generation = generation;
	table->slots[slot].stream = stream;
	stream->id = generation << STREAM_SLOT_BITS | slot;
	return 0;
}

void streams_remove(struct stream_table *table, struct stream *stream)
{
	uint32_t slot = stream->id & SLOT_MASK;
	if (!stream->id)
		return;
	table->slots[slot].stream = NULL;
	table->free[table->n_free++] = (uint16_t)slot;
	stream->id = 0;
}

enum stream_found streams_find(const struct stream_table *table, uint32_t id, struct stream **ret)
{
	uint32_t slot = id & SLOT_MASK, generation = id >> STREAM_SLOT_BITS;
	struct stream *stream = table->slots[slot].stream;
	if (stream && stream->id == id) {
		*ret = stream;
		return STREAM_FOUND;
	}
	return generation && generation <= table->slots[slot].generation ? STREAM_GONE : STREAM_UNKNOWN;
}

int stream_charge(struct stream *stream, size_t n, struct trm_error *why)
{
	if (n > stream->credit)
		return trm_error_set(why, TRM_EPROTO,
				"the agent in the sandbox broke the protocol: %zu bytes on stream %u, which "
				"has credit for %u",
				n, stream->id, stream->credit);
	stream->credit -= (uint32_t)n;
	return 0;
}

void stream_consume(struct stream *stream, size_t n)
{
	stream->consumed += (uint32_t)n;
	if (stream->consumed < SANDBOX_WINDOW / 2 || !stream->id)
		return;
	client_send_u32(stream->sandbox, stream->id, FRAME_CREDIT, 0, stream->consumed);
	stream->credit += stream->consumed;
	stream->consumed = 0;
}

void stream_defer_end(struct stream *stream)
{
	struct trm_sandbox *s = stream->sandbox;
	streams_remove(&s->streams, stream);
	stream->next_deferred = s->deferred;
	s->deferred = stream;
	trm_timer_start(s->soon, 0, 0);
}
