/* SPDX-License-Identifier: MIT */
#include "agent/share.h"

#include <string.h>

#include <terrarium/error.h>

#include "agent/agent.h"
#include "agent/proc.h"
#include "agent/sub.h"
#include "wire/message.h"

enum {
	SMALL_NOTE = 16 * 1024,       /* memory for longer ones is given back */
	CROWD_UNPAID_MAX = 64 * 1024, /* who has not taken that much is told nothing more for now … */
	BRIEF = 64,                   /* … but that something has ended, up to twice as much */
};

/* What they announce will not be sent any more. */
static void drop_notes(struct sub *sub)
{
	buf_finish(&sub->note.queue);
	buf_init(&sub->note.queue, FRAME_NOTE_MAX);
}

/* ---- turn ---- */

static struct sub *first_waiter(const struct proc *proc)
{
	struct sub *first = NULL;
	for (struct sub *sub = proc->subs; sub; sub = sub->next)
		if (sub->ticket && (!first || sub->ticket < first->ticket))
			first = sub;
	return first;
}

/* The one that has the turn learns that somebody waits, once. */
static void tell_wanted(struct proc *proc)
{
	if (!first_waiter(proc))
		proc->wanted_ns = 0;
	else if (proc->turn && !proc->wanted_ns) {
		sub_say_turn(proc->turn, TURN_WANTED);
		proc->turn_stirred = false;
		proc->wanted_ns = agent_now_ns();
	}
}

static void grant(struct proc *proc)
{
	struct sub *next = first_waiter(proc);
	if (!proc->turn && next) {
		proc->turn = next;
		proc->wanted_ns = 0;
		next->ticket = 0;
		sub_say_turn(next, TURN_YOURS);
	}
	tell_wanted(proc);
}

static void want(struct sub *sub)
{
	struct proc *proc = sub->proc;
	if (proc->turn == sub) {
		sub_say_turn(sub, TURN_YOURS);
		return;
	}
	if (!sub->ticket)
		sub->ticket = ++proc->last_ticket;
	grant(proc);
}

static void release(struct sub *sub)
{
	struct proc *proc = sub->proc;
	sub->ticket = 0;
	if (proc->turn == sub) {
		/* The next one's request begins a line of its own. */
		feed_end_line(&proc->feeds[FEED_CONTROL], sub);
		drop_notes(sub);
		proc->turn = NULL;
	}
	grant(proc);
}

/* It has been told that somebody waits, and does not stir. */
static bool is_asleep(struct proc *proc)
{
	if (!proc->wanted_ns || agent_now_ns() - proc->wanted_ns < FRAME_TAKE_AFTER_MS * UINT64_C(1000000))
		return false;
	if (!proc->turn_stirred)
		return true;
	proc->wanted_ns = 0; /* to be told again */
	return false;
}

static void take(struct sub *sub)
{
	struct proc *proc = sub->proc;
	struct sub *holder = proc->turn;
	if (holder && holder != sub && is_asleep(proc)) {
		sub_say_turn(holder, TURN_LOST);
		for (int i = 0; i < FEED_CLIENT_KINDS; i++)
			feed_drop(&proc->feeds[i], holder);
		drop_notes(holder);
		proc->turn = NULL;
	}
	want(sub);
}

void share_begin(struct sub *sub)
{
	sub->proc->turn = sub;
}

void share_turn(struct sub *sub, enum turn_word word)
{
	if (sub->proc->is_past)
		return;
	switch (word) {
	case TURN_WANT: want(sub); break;
	case TURN_RELEASE: release(sub); break;
	case TURN_TAKE: take(sub); break;
	case TURN_YOURS:
	case TURN_WANTED:
	case TURN_LOST: break;
	}
}

bool share_allows(const struct sub *sub, uint8_t channel)
{
	if (sub->proc->turn != sub)
		return channel == CHANNEL_STDIN && !sub->proc->author && !sub->proc->is_past;
	sub->proc->turn_stirred = true;
	return true;
}

void share_forget(struct sub *sub)
{
	struct proc *proc = sub->proc;
	if (proc->author == sub)
		proc->author = NULL;
	if (proc->turn == sub)
		proc->turn = NULL;
	grant(proc);
}

/* ---- notes ---- */

static void deliver(struct sub *author, const char *line, size_t n)
{
	struct proc *proc = author->proc;
	proc->author = author;
	if (proc->recent)
		recent_add(proc->recent, CHANNEL_NOTE, line, n);
	for (struct sub *sub = proc->subs, *next; sub; sub = next) {
		next = sub->next;
		if (sub != author && sub_queue(sub, CHANNEL_NOTE, line, n) < 0)
			patience_end(sub);
	}
}

int share_note(struct sub *sub, const char *bytes, size_t n)
{
	inlet_took(&sub->note, sub, CHANNEL_NOTE, n);
	int r = buf_append(&sub->note.queue, bytes, n);
	if (r < 0 && r != TRM_ETOOBIG)
		sub->stream.client->dead = true;
	return r == TRM_ETOOBIG ? TRM_EPROTO : 0;
}

void share_publish(struct sub *sub)
{
	struct buf *notes = &sub->note.queue;
	const char *end;
	while (notes->len && (end = memchr(buf_at(notes), '\n', notes->len))) {
		size_t n = (size_t)(end + 1 - buf_at(notes));
		deliver(sub, buf_at(notes), n);
		buf_take(notes, n);
	}
	if (!notes->len && notes->cap > SMALL_NOTE)
		drop_notes(sub);
}

/* ---- announcements ---- */

static void tell(struct client *client, const struct proc *proc)
{
	size_t before = client->out.len;
	if (shared_msg_put(&client->out, proc->key) < 0)
		client->dead = true;
	client_count_unpaid(client, before);
}

static bool follows(const struct client *client, const struct proc *proc)
{
	for (const struct sub *sub = proc->subs; sub; sub = sub->next)
		if (sub->stream.client == client)
			return true;
	return false;
}

void share_announce_all(struct client *client)
{
	for (const struct proc *proc = client->agent->procs; proc; proc = proc->next)
		if ((proc_is_shared(proc) && proc->started) || proc_has_past(proc))
			tell(client, proc);
}

void share_announce(struct proc *proc)
{
	for (struct client *client = proc->agent->clients; client && proc_is_shared(proc);
			client = client->next)
		if (client->greeted && !client->dead && !follows(client, proc))
			tell(client, proc);
}

void share_count(struct agent *agent)
{
	uint32_t n = 0;
	for (const struct client *client = agent->clients; client; client = client->next)
		n += client->greeted && !client->dead && !client->is_onlooker;
	for (struct client *client = agent->clients; client; client = client->next) {
		/* One that does not listen is told when it has caught up. */
		if (!client->greeted || client->dead || client->crowd == n
				|| client->unpaid > CROWD_UNPAID_MAX)
			continue;
		char payload[4];
		for (int i = 0; i < 4; i++)
			payload[i] = (char)(n >> (8 * i));
		client->crowd = n;
		client_send(client, 0, FRAME_CLIENTS, 0, payload, sizeof payload);
	}
}

/* A frame of the agent's own, in two pieces. */
static void pass_on(struct client *to, uint32_t number, const char *words, size_t n)
{
	char from[4];
	size_t before = to->out.len;
	for (int i = 0; i < 4; i++)
		from[i] = (char)(number >> (8 * i));
	if (frame_put_header(&to->out, 0, FRAME_TOLD, 0, sizeof from + n) < 0
			|| buf_append(&to->out, from, sizeof from) < 0 || buf_append(&to->out, words, n) < 0)
		to->dead = true;
	client_count_unpaid(to, before);
}

void share_tell(struct client *author, const char *words, size_t n)
{
	const size_t most = n <= BRIEF ? 2 * CROWD_UNPAID_MAX : CROWD_UNPAID_MAX;
	author->has_told |= n > 0;
	for (struct client *client = author->agent->clients; client && author->has_told;
			client = client->next)
		if (client != author && client->greeted && !client->dead && client->unpaid <= most)
			pass_on(client, author->number, words, n);
}
