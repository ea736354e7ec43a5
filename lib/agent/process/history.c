/* SPDX-License-Identifier: MIT */
#include "agent/process/history.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "agent/process/backlog.h"

enum { FIRST_CAP = 4096 };

struct record {
	uint32_t n;
	uint32_t channel; /* perhaps with ADDS_TO_NOTE or FLEETING */
};
/* The line adds to the note before it, instead of announcing another run. */
#define ADDS_TO_NOTE 0x100u
/* It is pinned nowhere: an answer. */
#define FLEETING 0x200u

/* ---- pins ---- */

static void pins_init(struct pins *pins)
{
	*pins = (struct pins){0};
	buf_init(&pins->note, FRAME_NOTE_MAX);
	buf_init(&pins->end, PROC_HISTORY_LINE_MAX);
	buf_init(&pins->line, PROC_HISTORY_LINE_MAX);
}

static void pins_finish(struct pins *pins)
{
	buf_finish(&pins->note);
	buf_finish(&pins->end);
	buf_finish(&pins->line);
}

/* Free a big buffer: they are rare, and the next note does not need it. */
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

static bool begins_with(const char *bytes, size_t n, const char *mark)
{
	return n >= strlen(mark) && memcmp(bytes, mark, strlen(mark)) == 0;
}

/* The line is too long to keep. If it ends a run, keep that it does. */
static void drop_line(struct pins *pins)
{
	if (begins_with(buf_at(&pins->line), pins->line.len, FRAME_END_MARK)) {
		forget(&pins->end);
		buf_append(&pins->end, FRAME_LOST_END, sizeof FRAME_LOST_END - 1);
	}
	forget(&pins->line);
	pins->line_is_lost = true;
}

static void line_ends(struct pins *pins)
{
	struct buf whole = pins->line;
	if (begins_with(buf_at(&whole), whole.len, FRAME_COMPILED_MARK))
		pins->has_compiled = true;
	if (!begins_with(buf_at(&whole), whole.len, FRAME_END_MARK)) {
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
	if (!pins->line_is_lost && buf_append(&pins->line, bytes, n) < 0)
		drop_line(pins);
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
		pins->has_compiled = pins->has_ended = false;
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
	return (uint8_t)channel != CHANNEL_NOTE && channel != CHANNEL_ENDED;
}

/* The memory from position `at` on, up to n bytes of it that lie together. */
static char *span(const struct proc_history *proc_history, uint64_t at, size_t n, size_t *ret_n)
{
	size_t offset = (size_t)at & (proc_history->cap - 1);
	*ret_n = n < proc_history->cap - offset ? n : proc_history->cap - offset;
	return proc_history->mem + offset;
}

static void store(struct proc_history *proc_history, uint64_t at, const void *bytes, size_t n)
{
	const char *from = bytes;
	for (size_t part; n; n -= part, at += part, from += part) {
		char *to = span(proc_history, at, n, &part);
		memcpy(to, from, part);
	}
}

static struct record record_at(const struct proc_history *proc_history, uint64_t at)
{
	struct record record;
	char bytes[sizeof record];
	for (size_t done = 0, part; done < sizeof bytes; done += part) {
		const char *from = span(proc_history, at + done, sizeof bytes - done, &part);
		memcpy(bytes + done, from, part);
	}
	memcpy(&record, bytes, sizeof record);
	return record;
}

static void pin_span(
		struct pins *pins, const struct proc_history *proc_history, uint64_t at, struct record record)
{
	for (size_t done = 0, part; done < record.n && !(record.channel & FLEETING); done += part) {
		const char *from = span(proc_history, at + done, record.n - done, &part);
		pin(pins, (uint8_t)record.channel, from, part, done == 0 && !(record.channel & ADDS_TO_NOTE));
	}
}

/* Push out at least n bytes, if there are so many. A note is pushed out completely or not at all. */
static void evict(struct proc_history *proc_history, size_t n)
{
	while (n && proc_history->head < proc_history->tail) {
		struct record record = record_at(proc_history, proc_history->head), gone = record;
		bool is_whole = !is_own(record.channel);
		if (n < record.n && !is_whole)
			gone.n = (uint32_t)n;
		pin_span(&proc_history->pins, proc_history, proc_history->head + sizeof record, gone);
		if (!is_whole)
			proc_history->own_bytes -= gone.n;
		if (gone.n == record.n) {
			proc_history->head += sizeof record + gone.n;
			n -= n < sizeof record + gone.n ? n : sizeof record + gone.n;
			continue;
		}
		record.n -= gone.n;
		if (proc_history->last == proc_history->head)
			proc_history->last += gone.n;
		proc_history->head += gone.n;
		store(proc_history, proc_history->head, &record, sizeof record);
		return;
	}
}

static void grow(struct proc_history *proc_history, size_t used, size_t n)
{
	size_t cap = proc_history->cap ? proc_history->cap : FIRST_CAP;
	while (cap < FRAME_RECENT_MAX && cap < used + n)
		cap *= 2;
	struct proc_history wider = *proc_history;
	if (cap == proc_history->cap || !(wider.mem = malloc(cap)))
		return;
	wider.cap = cap;
	for (size_t done = 0, part; done < used; done += part) {
		const char *from = span(proc_history, proc_history->head + done, used - done, &part);
		store(&wider, wider.head + done, from, part);
	}
	free(proc_history->mem);
	*proc_history = wider;
}

/* Returns true if n bytes fit now. */
static bool make_room(struct proc_history *proc_history, size_t n)
{
	size_t used = (size_t)(proc_history->tail - proc_history->head);
	if (used + n > proc_history->cap && proc_history->cap < FRAME_RECENT_MAX)
		grow(proc_history, used, n);
	if (used + n > proc_history->cap)
		evict(proc_history, used + n - proc_history->cap);
	return proc_history->tail - proc_history->head + n <= proc_history->cap;
}

/* Extend the newest record, because most programs write little at a time. */
static bool extend(struct proc_history *proc_history, uint32_t channel, const char *bytes, size_t n)
{
	if (!is_own(channel) || !make_room(proc_history, n) || proc_history->head == proc_history->tail)
		return false;
	struct record record = record_at(proc_history, proc_history->last);
	if (record.channel != channel)
		return false;
	record.n += (uint32_t)n;
	store(proc_history, proc_history->last, &record, sizeof record);
	store(proc_history, proc_history->tail, bytes, n);
	proc_history->tail += n;
	return true;
}

static void append(struct proc_history *proc_history, uint32_t channel, const char *bytes, size_t n)
{
	const struct record record = {.n = (uint32_t)n, .channel = channel};
	if (!make_room(proc_history, sizeof record + n)) {
		/* More than the ring holds: everything in it is older. */
		evict(proc_history, (size_t)(proc_history->tail - proc_history->head));
		if (!(channel & FLEETING))
			pin(&proc_history->pins, (uint8_t)channel, bytes, n, !(channel & ADDS_TO_NOTE));
		return;
	}
	proc_history->last = proc_history->tail;
	store(proc_history, proc_history->tail, &record, sizeof record);
	store(proc_history, proc_history->tail + sizeof record, bytes, n);
	proc_history->tail += sizeof record + n;
	if (is_own(channel))
		proc_history->own_bytes += n;
}

static void listen_for_greeting(struct proc_history *proc_history, const char *bytes, size_t n)
{
	const char *end = memchr(bytes, '\n', n);
	size_t len = end ? (size_t)(end - bytes) : n;
	proc_history->has_greeting = end;
	if (proc_history->is_mute || len > sizeof proc_history->greeting - proc_history->greeting_len) {
		proc_history->is_mute = true;
		proc_history->greeting_len = 0;
		return;
	}
	memcpy(proc_history->greeting + proc_history->greeting_len, bytes, len);
	proc_history->greeting_len += len;
}

void proc_history_init(struct proc_history *proc_history)
{
	*proc_history = (struct proc_history){0};
	pins_init(&proc_history->pins);
	pins_init(&proc_history->newest);
}

void proc_history_finish(struct proc_history *proc_history)
{
	free(proc_history->mem);
	pins_finish(&proc_history->pins);
	pins_finish(&proc_history->newest);
	*proc_history = (struct proc_history){0};
}

void proc_history_add(struct proc_history *proc_history, uint8_t channel, const char *bytes, size_t n)
{
	if (!n)
		return;
	if (is_own(channel)) {
		proc_history->position += n;
		proc_history->young_bytes += n;
	}
	if (channel == CHANNEL_CONTROL && !proc_history->has_greeting)
		listen_for_greeting(proc_history, bytes, n);
	bool adds = channel == CHANNEL_NOTE && begins_with(bytes, n, FRAME_LIMIT_MARK);
	bool is_answer = channel == CHANNEL_NOTE && begins_with(bytes, n, FRAME_ANSWER_MARK);
	if (!is_answer)
		pin(&proc_history->newest, channel, bytes, n, !adds);
	if (extend(proc_history, channel, bytes, n))
		proc_history->own_bytes += n;
	else
		append(proc_history, channel | (adds ? ADDS_TO_NOTE : 0) | (is_answer ? FLEETING : 0), bytes,
				n);
}

void proc_history_end(struct proc_history *proc_history, uint8_t exit_code)
{
	const char byte = (char)exit_code;
	proc_history_add(proc_history, CHANNEL_ENDED, &byte, 1);
	proc_history->born = proc_history->tail;
	proc_history->young_bytes = 0;
	proc_history->greeting_len = 0;
	proc_history->has_greeting = proc_history->is_mute = false;
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

static int replay_ring(const struct proc_history *proc_history, uint64_t from_at, struct buf *backlog,
		struct replay *ret)
{
	int r = 0;
	for (uint64_t at = from_at; at < proc_history->tail && r == 0;) {
		struct record record = record_at(proc_history, at);
		at += sizeof record;
		for (size_t done = 0, part; done < record.n && r == 0; done += part) {
			const char *from = span(proc_history, at + done, record.n - done, &part);
			r = backlog_put(backlog, (uint8_t)record.channel, from, part);
		}
		at += record.n;
		ret->replay_bytes += record.n;
	}
	return r;
}

bool proc_history_is_open(const struct proc_history *proc_history)
{
	const struct pins *newest = &proc_history->newest;
	return newest->note.len && !newest->end.len && !newest->has_ended;
}

/* Replay the living process only. It has no pins while all of its output is still in the ring. */
static int replay_young(const struct proc_history *proc_history, struct buf *backlog, struct replay *ret)
{
	bool is_whole = proc_history->head < proc_history->born;
	uint64_t kept = is_whole ? proc_history->young_bytes : proc_history->own_bytes;
	ret->lost_bytes = proc_history->position - kept;
	int r = is_whole ? 0 : replay_pins(&proc_history->pins, false, backlog, ret);
	return r == 0 ? replay_ring(
			       proc_history, is_whole ? proc_history->born : proc_history->head, backlog, ret)
		      : r;
}

static int replay_all(const struct proc_history *proc_history, struct buf *backlog, struct replay *ret)
{
	ret->lost_bytes = proc_history->position - proc_history->own_bytes;
	int r = replay_pins(&proc_history->pins, true, backlog, ret);
	return r == 0 ? replay_ring(proc_history, proc_history->head, backlog, ret) : r;
}

int proc_history_replay(const struct proc_history *proc_history, bool all, bool past, struct buf *backlog,
		struct replay *ret)
{
	int r;
	*ret = (struct replay){.lost_bytes = proc_history->position};
	if (!all && !proc_history_is_open(proc_history))
		r = replay_pins(&proc_history->newest, past, backlog, ret);
	else
		r = (past ? replay_all : replay_young)(proc_history, backlog, ret);
	ret->replay_bytes += ret->pinned_bytes;
	return r;
}
