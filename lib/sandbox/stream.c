/* SPDX-License-Identifier: MIT */
#include "sandbox/sandbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { GENERATION_MAX = (1 << (32 - STREAM_SLOT_BITS)) - 1, SLOT_MASK = STREAM_SLOTS - 1 };

void streams_finish(struct stream_table *table)
{
	free(table->slots);
	*table = (struct stream_table){0};
}

/* Make room for one more slot. */
static int grow_table(struct stream_table *table, struct trm_error *reterr)
{
	enum { FIRST = 8 };
	unsigned cap = table->cap ? table->cap * 2 : FIRST;
	if (table->n_slots < table->cap)
		return 0;
	if (table->n_slots == STREAM_SLOTS)
		return trm_error_set(reterr, TRM_EBUSY, "the sandbox has %d processes and transfers already",
				STREAM_SLOTS);
	struct stream_slot *slots = realloc(table->slots, cap * sizeof *slots);
	if (!slots)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	memset(slots + table->cap, 0, (cap - table->cap) * sizeof *slots);
	table->slots = slots;
	table->cap = cap;
	return 0;
}

int streams_add(struct stream_table *table, struct stream *stream, struct trm_error *reterr)
{
	int r = table->first_free ? 0 : grow_table(table, reterr);
	if (r < 0)
		return r;
	uint32_t number = table->first_free ? table->first_free - 1 : table->n_slots++;
	struct stream_slot *slot = &table->slots[number];
	if (table->first_free)
		table->first_free = slot->next_free;
	/* Never 0, so that no id is 0. */
	slot->generation = slot->generation == GENERATION_MAX ? 1 : slot->generation + 1;
	slot->stream = stream;
	stream->id = slot->generation << STREAM_SLOT_BITS | number;
	return 0;
}

void streams_remove(struct stream_table *table, struct stream *stream)
{
	uint32_t number = stream->id & SLOT_MASK;
	if (!stream->id)
		return;
	table->slots[number].stream = NULL;
	table->slots[number].next_free = table->first_free;
	table->first_free = number + 1;
	stream->id = 0;
}

enum stream_found streams_find(const struct stream_table *table, uint32_t id, struct stream **ret)
{
	uint32_t number = id & SLOT_MASK, generation = id >> STREAM_SLOT_BITS;
	if (number >= table->n_slots)
		return STREAM_UNKNOWN;
	const struct stream_slot *slot = &table->slots[number];
	if (slot->stream && slot->stream->id == id) {
		*ret = slot->stream;
		return STREAM_FOUND;
	}
	return generation && generation <= slot->generation ? STREAM_GONE : STREAM_UNKNOWN;
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
