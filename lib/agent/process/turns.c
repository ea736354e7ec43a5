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

bool turns_allows(const struct subscriber *subscriber, uint8_t channel)
{
	if (subscriber->proc->turn != subscriber)
		return channel == CHANNEL_STDIN && !subscriber->proc->author && !subscriber->proc->is_past;
	subscriber->proc->turn_stirred = true;
	return true;
}

void turns_forget(struct subscriber *subscriber)
{
	struct proc *proc = subscriber->proc;
	if (proc->author == subscriber)
		proc->author = NULL;
	if (proc->turn == subscriber)
		proc->turn = NULL;
	grant(proc);
}

/* ---- notes ---- */

void turns_deliver(struct proc *proc, struct subscriber *author, const char *line, size_t n)
{
	if (proc->proc_history)
		proc_history_add(proc->proc_history, CHANNEL_NOTE, line, n);
	for (struct subscriber *subscriber = proc->subscribers, *next; subscriber; subscriber = next) {
		next = subscriber->next;
		if (subscriber != author && subscriber_queue(subscriber, CHANNEL_NOTE, line, n) < 0)
			slow_client_end(subscriber);
	}
}

static bool begins_with(const char *bytes, size_t n, const char *mark)
{
	return n >= strlen(mark) && memcmp(bytes, mark, strlen(mark)) == 0;
}

static bool announces_run(const char *line, size_t n)
{
	return !begins_with(line, n, FRAME_LIMIT_MARK) && !begins_with(line, n, FRAME_ANSWER_MARK);
}

static void note_author(struct subscriber *author, const char *line, size_t n)
{
	struct proc *proc = author->proc;
	proc->author = author;
	proc->author_client = author->stream.client->number;
	limit_begin(proc, line, n);
}

static void publish(struct subscriber *subscriber)
{
	struct buf *notes = &subscriber->note.queue;
	const char *end;
	while (notes->len && (end = memchr(buf_at(notes), '\n', notes->len))) {
		size_t n = (size_t)(end + 1 - buf_at(notes));
		if (announces_run(buf_at(notes), n))
			note_author(subscriber, buf_at(notes), n);
		turns_deliver(subscriber->proc, subscriber, buf_at(notes), n);
		buf_take(notes, n);
	}
	if (!notes->len && notes->cap > SMALL_NOTE)
		drop_notes(subscriber);
}

int turns_note(struct subscriber *subscriber, const char *bytes, size_t n)
{
	inlet_took(&subscriber->note, subscriber, CHANNEL_NOTE, n);
	subscriber->note_after = subscriber->inlets[FEED_CONTROL].queue.len;
	int r = buf_append(&subscriber->note.queue, bytes, n);
	if (r < 0 && r != TRM_ETOOBIG)
		subscriber->stream.client->dead = true;
	if (begins_with(buf_at(&subscriber->note.queue), subscriber->note.queue.len, FRAME_ANSWER_MARK))
		publish(subscriber);
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
		publish(subscriber);
}

void turns_publish_limit(struct subscriber *subscriber)
{
	const struct buf *notes = &subscriber->note.queue;
	if (begins_with(buf_at(notes), notes->len, FRAME_LIMIT_MARK))
		publish(subscriber);
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
