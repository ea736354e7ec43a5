/* SPDX-License-Identifier: MIT */
#include "agent/recent.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "agent/backlog.h"

enum { FIRST_CAP = 4096 };

struct record {
	uint32_t n;
	uint32_t channel;
};

/* ---- pins ---- */

static void pins_init(struct pins *pins)
{
	*pins = (struct pins){0};
	buf_init(&pins->note, FRAME_NOTE_MAX);
	buf_init(&pins->end, RECENT_LINE_MAX);
	buf_init(&pins->line, RECENT_LINE_MAX);
}

static void pins_finish(struct pins *pins)
{
	buf_finish(&pins->note);
	buf_finish(&pins->end);
	buf_finish(&pins->line);
}

/* Big ones are rare, and their memory is not kept for the next one. */
static void forget(struct buf *b)
{
	size_t max = b->max;
	if (b->cap <= FIRST_CAP) {
		buf_clear(b);
		return;
	}
	buf_finish(b);
	buf_init(b, max);
}

static void line_ends(struct pins *pins)
{
	static const char mark[] = FRAME_END_MARK;
	struct buf whole = pins->line;
	if (whole.len < sizeof mark - 1 || memcmp(buf_at(&whole), mark, sizeof mark - 1) != 0) {
		forget(&pins->line);
		return;
	}
	pins->line = pins->end;
	pins->end = whole;
	forget(&pins->line);
}

/* Some bytes of a line, or all of it with its newline. */
static void pin_piece(struct pins *pins, const char *bytes, size_t n, bool is_end)
{
	if (!pins->line_is_lost && buf_append(&pins->line, bytes, n) < 0) {
		forget(&pins->line);
		pins->line_is_lost = true;
	}
	if (!is_end)
		return;
	if (!pins->line_is_lost)
		line_ends(pins);
	pins->line_is_lost = false;
}

static void pin_control(struct pins *pins, const char *bytes, size_t n)
{
	while (n) {
		const char *end = memchr(bytes, '\n', n);
		size_t len = end ? (size_t)(end + 1 - bytes) : n;
		pin_piece(pins, bytes, len, end);
		bytes += len;
		n -= len;
	}
}

/* A note comes in one piece or in several: `is_begin` with the first of them. */
static void pin_note(struct pins *pins, const char *bytes, size_t n, bool is_begin)
{
	if (is_begin) {
		forget(&pins->note);
		forget(&pins->end);
		pins->has_ended = false;
	}
	if (buf_append(&pins->note, bytes, n) < 0)
		forget(&pins->note);
}

static void pin_end(struct pins *pins, char exit_code)
{
	forget(&pins->line);
	pins->line_is_lost = false;
	pins->has_ended = true;
	pins->exit_code = (uint8_t)exit_code;
}

static void pin(struct pins *pins, uint8_t channel, const char *bytes, size_t n, bool is_begin)
{
	if (channel == CHANNEL_CONTROL)
		pin_control(pins, bytes, n);
	else if (channel == CHANNEL_NOTE)
		pin_note(pins, bytes, n, is_begin);
	else if (channel == CHANNEL_ENDED)
		pin_end(pins, *bytes);
}

/* ---- the ring ---- */

/* Written by the process, and so a part of `position`. */
static bool is_own(uint32_t channel)
{
	return channel != CHANNEL_NOTE && channel != CHANNEL_ENDED;
}

/* The memory from position `at` on, up to n bytes of it that lie together. */
static char *span(const struct recent *recent, uint64_t at, size_t n, size_t *ret_n)
{
	size_t offset = (size_t)at & (recent->cap - 1);
	*ret_n = n < recent->cap - offset ? n : recent->cap - offset;
	return recent->mem + offset;
}

static void store(struct recent *recent, uint64_t at, const void *bytes, size_t n)
{
	const char *from = bytes;
	for (size_t part; n; n -= part, at += part, from += part) {
		char *to = span(recent, at, n, &part);
		memcpy(to, from, part);
	}
}

static struct record record_at(const struct recent *recent, uint64_t at)
{
	struct record record;
	char bytes[sizeof record];
	for (size_t done = 0, part; done < sizeof bytes; done += part) {
		const char *from = span(recent, at + done, sizeof bytes - done, &part);
		memcpy(bytes + done, from, part);
	}
	memcpy(&record, bytes, sizeof record);
	return record;
}

static void pin_span(struct pins *pins, const struct recent *recent, uint64_t at, struct record record)
{
	for (size_t done = 0, part; done < record.n; done += part) {
		const char *from = span(recent, at + done, record.n - done, &part);
		pin(pins, (uint8_t)record.channel, from, part, done == 0);
	}
}

/* Push out n bytes at least, as far as there are so many: of a note all or nothing. */
static void evict(struct recent *recent, size_t n)
{
	while (n && recent->head < recent->tail) {
		struct record record = record_at(recent, recent->head), gone = record;
		bool is_whole = !is_own(record.channel);
		if (n < record.n && !is_whole)
			gone.n = (uint32_t)n;
		pin_span(&recent->pins, recent, recent->head + sizeof record, gone);
		if (!is_whole)
			recent->own_bytes -= gone.n;
		if (gone.n == record.n) {
			recent->head += sizeof record + gone.n;
			n -= n < sizeof record + gone.n ? n : sizeof record + gone.n;
			continue;
		}
		record.n -= gone.n;
		if (recent->last == recent->head)
			recent->last += gone.n;
		recent->head += gone.n;
		store(recent, recent->head, &record, sizeof record);
		return;
	}
}

static void grow(struct recent *recent, size_t used, size_t n)
{
	size_t cap = recent->cap ? recent->cap : FIRST_CAP;
	while (cap < FRAME_RECENT_MAX && cap < used + n)
		cap *= 2;
	struct recent wider = *recent;
	if (cap == recent->cap || !(wider.mem = malloc(cap)))
		return;
	wider.cap = cap;
	for (size_t done = 0, part; done < used; done += part) {
		const char *from = span(recent, recent->head + done, used - done, &part);
		store(&wider, wider.head + done, from, part);
	}
	free(recent->mem);
	*recent = wider;
}

/* True when n bytes fit in now. */
static bool make_room(struct recent *recent, size_t n)
{
	size_t used = (size_t)(recent->tail - recent->head);
	if (used + n > recent->cap && recent->cap < FRAME_RECENT_MAX)
		grow(recent, used, n);
	if (used + n > recent->cap)
		evict(recent, used + n - recent->cap);
	return recent->tail - recent->head + n <= recent->cap;
}

/* Make the newest record longer: most programs write little at a time. */
static bool extend(struct recent *recent, uint8_t channel, const char *bytes, size_t n)
{
	if (!is_own(channel) || !make_room(recent, n) || recent->head == recent->tail)
		return false;
	struct record record = record_at(recent, recent->last);
	if (record.channel != channel)
		return false;
	record.n += (uint32_t)n;
	store(recent, recent->last, &record, sizeof record);
	store(recent, recent->tail, bytes, n);
	recent->tail += n;
	return true;
}

static void append(struct recent *recent, uint8_t channel, const char *bytes, size_t n)
{
	const struct record record = {.n = (uint32_t)n, .channel = channel};
	if (!make_room(recent, sizeof record + n)) {
		/* More than the ring holds: everything in it is older. */
		evict(recent, (size_t)(recent->tail - recent->head));
		pin(&recent->pins, channel, bytes, n, true);
		return;
	}
	recent->last = recent->tail;
	store(recent, recent->tail, &record, sizeof record);
	store(recent, recent->tail + sizeof record, bytes, n);
	recent->tail += sizeof record + n;
	if (is_own(channel))
		recent->own_bytes += n;
}

static void listen_for_greeting(struct recent *recent, const char *bytes, size_t n)
{
	const char *end = memchr(bytes, '\n', n);
	size_t len = end ? (size_t)(end - bytes) : n;
	recent->has_greeting = end;
	if (recent->is_mute || len > sizeof recent->greeting - recent->greeting_len) {
		recent->is_mute = true;
		recent->greeting_len = 0;
		return;
	}
	memcpy(recent->greeting + recent->greeting_len, bytes, len);
	recent->greeting_len += len;
}

void recent_init(struct recent *recent)
{
	*recent = (struct recent){0};
	pins_init(&recent->pins);
	pins_init(&recent->newest);
}

void recent_finish(struct recent *recent)
{
	free(recent->mem);
	pins_finish(&recent->pins);
	pins_finish(&recent->newest);
	*recent = (struct recent){0};
}

void recent_add(struct recent *recent, uint8_t channel, const char *bytes, size_t n)
{
	if (!n)
		return;
	if (is_own(channel)) {
		recent->position += n;
		recent->young_bytes += n;
	}
	if (channel == CHANNEL_CONTROL && !recent->has_greeting)
		listen_for_greeting(recent, bytes, n);
	pin(&recent->newest, channel, bytes, n, true);
	if (extend(recent, channel, bytes, n))
		recent->own_bytes += n;
	else
		append(recent, channel, bytes, n);
}

void recent_end(struct recent *recent, uint8_t exit_code)
{
	const char byte = (char)exit_code;
	recent_add(recent, CHANNEL_ENDED, &byte, 1);
	recent->born = recent->tail;
	recent->young_bytes = 0;
	recent->greeting_len = 0;
	recent->has_greeting = recent->is_mute = false;
}

/* ---- replay ---- */

static int replay_note(const struct pins *pins, struct buf *backlog, struct replay *ret)
{
	int r = backlog_put(backlog, CHANNEL_NOTE, buf_at(&pins->note), pins->note.len);
	if (r == 0)
		r = backlog_put(backlog, CHANNEL_CONTROL, buf_at(&pins->end), pins->end.len);
	if (r == 0)
		r = backlog_put(backlog, CHANNEL_ENDED, &pins->exit_code, pins->has_ended);
	ret->pinned_bytes = (uint32_t)(pins->note.len + pins->end.len + pins->has_ended);
	return r;
}

static int replay_pins(const struct pins *pins, bool past, struct buf *backlog, struct replay *ret)
{
	int r = past || !pins->has_ended ? replay_note(pins, backlog, ret) : 0;
	if (r == 0)
		r = backlog_put(backlog, CHANNEL_CONTROL, buf_at(&pins->line), pins->line.len);
	ret->pinned_bytes += (uint32_t)pins->line.len;
	ret->is_torn = pins->line_is_lost;
	return r;
}

static int replay_ring(const struct recent *recent, uint64_t from_at, struct buf *backlog, struct replay *ret)
{
	int r = 0;
	for (uint64_t at = from_at; at < recent->tail && r == 0;) {
		struct record record = record_at(recent, at);
		at += sizeof record;
		for (size_t done = 0, part; done < record.n && r == 0; done += part) {
			const char *from = span(recent, at + done, record.n - done, &part);
			r = backlog_put(backlog, (uint8_t)record.channel, from, part);
		}
		at += record.n;
		ret->replay_bytes += record.n;
	}
	return r;
}

/* Has the newest run been told of, and its end not yet? */
static bool is_open(const struct pins *newest)
{
	return newest->note.len && !newest->end.len && !newest->has_ended;
}

/* Of the process that lives: it has no pins as long as all that it has written is there. */
static int replay_young(const struct recent *recent, struct buf *backlog, struct replay *ret)
{
	bool is_whole = recent->head < recent->born;
	uint64_t kept = is_whole ? recent->young_bytes : recent->own_bytes;
	ret->lost_bytes = recent->position - kept;
	int r = is_whole ? 0 : replay_pins(&recent->pins, false, backlog, ret);
	return r == 0 ? replay_ring(recent, is_whole ? recent->born : recent->head, backlog, ret) : r;
}

static int replay_all(const struct recent *recent, struct buf *backlog, struct replay *ret)
{
	ret->lost_bytes = recent->position - recent->own_bytes;
	int r = replay_pins(&recent->pins, true, backlog, ret);
	return r == 0 ? replay_ring(recent, recent->head, backlog, ret) : r;
}

int recent_replay(const struct recent *recent, bool all, bool past, struct buf *backlog, struct replay *ret)
{
	int r;
	*ret = (struct replay){.lost_bytes = recent->position};
	if (!all && !is_open(&recent->newest))
		r = replay_pins(&recent->newest, past, backlog, ret);
	else
		r = (past ? replay_all : replay_young)(recent, backlog, ret);
	ret->replay_bytes += ret->pinned_bytes;
	return r;
}
