/* SPDX-License-Identifier: MIT */
#include "agent/process/turns.h"

#include <string.h>

#include <terrarium/error.h>

#include "agent/core/agent.h"
#include "agent/process/proc.h"
#include "agent/process/subscriber.h"
#include "base/clock.h"
#include "wire/message.h"

enum {
	SMALL_NOTE = 16 * 1024,       /* longer notes have their memory freed */
	CROWD_UNPAID_MAX = 64 * 1024, /* a client with more unread bytes is not told the number of clients */
};

/* The runs that these notes announce will not be sent. */
static void drop_notes(struct subscriber *subscriber)
{
	buf_finish(&subscriber->note.queue);
	buf_init(&subscriber->note.queue, FRAME_NOTE_MAX);
}

/* ---- turn ---- */

static struct subscriber *first_waiter(const struct proc *proc)
{
	struct subscriber *first = NULL;
	for (struct subscriber *subscriber = proc->subscribers; subscriber; subscriber = subscriber->next)
		if (subscriber->ticket && (!first || subscriber->ticket < first->ticket))
			first = subscriber;
	return first;
}

/* Tell the client that has the turn, once, that another one waits. */
static void notify_wanted(struct proc *proc)
{
	if (!first_waiter(proc))
		proc->wanted_ns = 0;
	else if (proc->turn && !proc->wanted_ns) {
		subscriber_send_turn(proc->turn, TURN_WANTED);
		proc->turn_stirred = false;
		proc->wanted_ns = clock_ns();
	}
}

static void grant(struct proc *proc)
{
	struct subscriber *next = first_waiter(proc);
	if (!proc->turn && next) {
		proc->turn = next;
		proc->wanted_ns = 0;
		next->ticket = 0;
		subscriber_send_turn(next, TURN_YOURS);
	}
	notify_wanted(proc);
}

static void want(struct subscriber *subscriber)
{
	struct proc *proc = subscriber->proc;
	/* It was told, or STARTED says it. Told once more, it could take that for an answer to a later
	 * request, when it has given up this turn. */
	if (proc->turn == subscriber)
		return;
	if (!subscriber->ticket)
		subscriber->ticket = ++proc->last_ticket;
	grant(proc);
}

static void release(struct subscriber *subscriber)
{
	struct proc *proc = subscriber->proc;
	subscriber->ticket = 0;
	if (proc->turn == subscriber) {
		/* The next one's request begins a line of its own. */
		feed_end_line(&proc->feeds[FEED_CONTROL], subscriber);
		if (!subscriber->inlets[FEED_CONTROL].queue.len)
			drop_notes(subscriber);
		proc->turn = NULL;
	}
	grant(proc);
}

/* Was the client told that another one waits, and has it sent nothing since? */
static bool is_asleep(struct proc *proc)
{
	if (!proc->wanted_ns || clock_ns() - proc->wanted_ns < FRAME_TAKE_AFTER_MS * UINT64_C(1000000))
		return false;
	if (!proc->turn_stirred)
		return true;
	proc->wanted_ns = 0; /* tell it again */
	return false;
}

static void take_turn(struct subscriber *subscriber)
{
	struct proc *proc = subscriber->proc;
	struct subscriber *holder = proc->turn;
	if (holder && holder != subscriber && is_asleep(proc)) {
		subscriber_send_turn(holder, TURN_TAKEN);
		for (int i = 0; i < FEED_CLIENT_KINDS; i++)
			feed_drop(&proc->feeds[i], holder);
		drop_notes(holder);
		proc->turn = NULL;
	}
	want(subscriber);
}

void turns_begin(struct subscriber *subscriber)
{
	subscriber->proc->turn = subscriber;
}

void turns_turn(struct subscriber *subscriber, enum turn_word word)
{
	if (subscriber->proc->is_past)
		return;
	switch (word) {
	case TURN_WANT: want(subscriber); break;
	case TURN_RELEASE: release(subscriber); break;
	case TURN_TAKE: take_turn(subscriber); break;
	case TURN_YOURS:
	case TURN_WANTED:
	case TURN_TAKEN: break;
	}
}

/* The run may be its own: a slow client that came back has lost the turn. Or its author does not follow. */
static bool may_give_input(const struct subscriber *subscriber)
{
	const struct proc *proc = subscriber->proc;
	uint32_t author = proc->author_client;
	if (author == subscriber->stream.client->number)
		return !proc->is_past;
	for (const struct subscriber *other = proc->subscribers; other && author; other = other->next)
		if (other->stream.client->number == author)
			return false;
	return !proc->is_past;
}

bool turns_allows(const struct subscriber *subscriber, uint8_t channel)
{
	if (subscriber->proc->turn != subscriber)
		return channel == CHANNEL_STDIN && may_give_input(subscriber);
	subscriber->proc->turn_stirred = true;
	return true;
}

void turns_forget(struct subscriber *subscriber)
{
	struct proc *proc = subscriber->proc;
	if (proc->turn == subscriber)
		proc->turn = NULL;
	grant(proc);
}

void turns_author_gone(struct proc *proc, const struct client *client)
{
	if (proc->author_client != client->number)
		return;
	proc->author_client = 0; /* if it comes back, it knows nothing of its run */
	limit_author_gone(proc);
}

/* ---- notes ---- */

void turns_deliver(struct proc *proc, struct subscriber *author, const char *line, size_t n)
{
	if (proc->proc_history)
		proc_history_add(proc->proc_history, CHANNEL_NOTE, line, n);
	for (struct subscriber *subscriber = proc->subscribers; subscriber; subscriber = subscriber->next)
		if (subscriber != author && !subscriber->is_left_behind
				&& subscriber_queue(subscriber, CHANNEL_NOTE, line, n) < 0)
			subscriber->is_left_behind = true;
}

static bool begins_with(const char *bytes, size_t n, const char *mark)
{
	return n >= strlen(mark) && memcmp(bytes, mark, strlen(mark)) == 0;
}

static void take_begin(struct subscriber *author, const char *line, size_t n)
{
	author->proc->author_client = author->stream.client->number;
	limit_begin(author->proc, line, n);
	turns_deliver(author->proc, author, line, n);
}

static void take_limit(struct subscriber *author, const char *line, size_t n)
{
	turns_deliver(author->proc, author, line, n);
}

static void take_answer(struct subscriber *author, const char *line, size_t n)
{
	limit_answered(author->proc);
	turns_deliver(author->proc, author, line, n);
}

static void take_clock(struct subscriber *author, const char *line, size_t n)
{
	limit_set_clock(author->proc, line, n);
}

enum { ON_NOTE = 1, ON_SIGNAL = 2, ON_LINE = 4 };

/* The last row takes every line. */
static const struct note_kind_row {
	const char *mark;
	unsigned when; /* it is published, at the head of its author's notes */
	void (*take)(struct subscriber *author, const char *line, size_t n);
} note_kinds[] = {
		{FRAME_LIMIT_MARK, ON_SIGNAL | ON_LINE, take_limit},
		{FRAME_ANSWER_MARK, ON_NOTE | ON_LINE, take_answer},
		{FRAME_CLOCK_MARK, ON_NOTE | ON_LINE, take_clock},
		{"", ON_LINE, take_begin},
};

static const struct note_kind_row *kind_of(const char *line, size_t n)
{
	const struct note_kind_row *row = note_kinds;
	while (!begins_with(line, n, row->mark))
		row++;
	return row;
}

static void publish(struct subscriber *subscriber, unsigned when)
{
	struct buf *notes = &subscriber->note.queue;
	const char *end;
	while (notes->len && (end = memchr(buf_at(notes), '\n', notes->len))) {
		size_t n = (size_t)(end + 1 - buf_at(notes));
		const struct note_kind_row *row = kind_of(buf_at(notes), n);
		if (!(row->when & when))
			break;
		row->take(subscriber, buf_at(notes), n);
		buf_take(notes, n);
	}
	if (!notes->len && notes->cap > SMALL_NOTE)
		drop_notes(subscriber);
}

int turns_note(struct subscriber *subscriber, const char *bytes, size_t n)
{
	inlet_took(&subscriber->note, subscriber, CHANNEL_NOTE, n);
	if (!subscriber->note.queue.len)
		subscriber->note_after = subscriber->inlets[FEED_CONTROL].queue.len;
	int r = buf_append(&subscriber->note.queue, bytes, n);
	if (r < 0 && r != TRM_ETOOBIG)
		subscriber->stream.client->dead = true;
	publish(subscriber, ON_NOTE);
	return r == TRM_ETOOBIG ? TRM_EPROTO : 0;
}

void turns_wrote(struct subscriber *subscriber, const char *bytes, size_t n)
{
	size_t before = n < subscriber->note_after ? n : subscriber->note_after;
	subscriber->note_after -= before;
	/* It is not asleep while the process reads a long line of it. */
	if (subscriber->proc->turn == subscriber)
		subscriber->proc->turn_stirred = true;
	if (subscriber->note.queue.len && memchr(bytes + before, '\n', n - before))
		publish(subscriber, ON_LINE);
}

void turns_signal(struct subscriber *subscriber)
{
	if (subscriber->proc->author_client == subscriber->stream.client->number)
		limit_author_acts(subscriber->proc);
	publish(subscriber, ON_SIGNAL);
}

/* ---- announcements ---- */

static void announce_to(struct client *client, const struct proc *proc)
{
	size_t before = client->out.len;
	if (shared_msg_put(&client->out, proc->key) < 0)
		client->dead = true;
	client_count_unpaid(client, before);
}

static bool follows(const struct client *client, const struct proc *proc)
{
	for (const struct subscriber *subscriber = proc->subscribers; subscriber;
			subscriber = subscriber->next)
		if (subscriber->stream.client == client)
			return true;
	return false;
}

void turns_announce_all(struct client *client)
{
	for (const struct proc *proc = client->agent->procs; proc; proc = proc->next)
		if ((proc_is_shared(proc) && proc->started) || proc_has_past(proc))
			announce_to(client, proc);
}

void turns_announce(struct proc *proc)
{
	for (struct client *client = proc->agent->clients; client && proc_is_shared(proc);
			client = client->next)
		if (client->greeted && !client->dead && !follows(client, proc))
			announce_to(client, proc);
}

void turns_count(struct agent *agent)
{
	uint32_t n = 0;
	for (const struct client *client = agent->clients; client; client = client->next)
		n += client->greeted && !client->dead && !client->is_observer;
	for (struct client *client = agent->clients; client; client = client->next) {
		/* A slow client gets the number when it has caught up. */
		if (!client->greeted || client->dead || client->crowd == n
				|| client->unpaid > CROWD_UNPAID_MAX)
			continue;
		char payload[4];
		frame_store_u32(payload, n);
		client->crowd = n;
		agent_client_send(client, 0, FRAME_CLIENTS, 0, payload, sizeof payload);
	}
}
