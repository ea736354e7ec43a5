/* SPDX-License-Identifier: MIT */
#include "agent/share.h"

#include <string.h>

#include <terrarium/error.h>

#include "agent/agent.h"
#include "agent/proc.h"
#include "agent/sub.h"
#include "wire/message.h"

/* A note that was begun is not finished any more. */
static void drop_note(struct sub *sub)
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
		drop_note(sub);
		proc->turn = NULL;
	}
	grant(proc);
}

static void take(struct sub *sub)
{
	struct proc *proc = sub->proc;
	struct sub *holder = proc->turn;
	if (holder && holder != sub && proc->wanted_ns
			&& agent_now_ns() - proc->wanted_ns >= FRAME_TAKE_AFTER_MS * UINT64_C(1000000)) {
		sub_say_turn(holder, TURN_LOST);
		for (int i = 0; i < FEED_CLIENT_KINDS; i++)
			feed_drop(&proc->feeds[i], holder);
		drop_note(holder);
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
	return sub->proc->turn == sub || (channel == CHANNEL_STDIN && !sub->proc->author);
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

/* The end of a line, which has mostly begun in the same frame. */
static int take_line(struct sub *sub, const char *bytes, size_t n)
{
	struct buf *begun = &sub->note.queue;
	if (!begun->len) {
		deliver(sub, bytes, n);
		return 0;
	}
	int r = buf_append(begun, bytes, n);
	if (r == 0)
		deliver(sub, buf_at(begun), begun->len);
	drop_note(sub);
	return r;
}

int share_note(struct sub *sub, const char *bytes, size_t n)
{
	const char *end;
	int r = 0;
	inlet_took(&sub->note, sub, CHANNEL_NOTE, n);
	while (r == 0 && n && (end = memchr(bytes, '\n', n))) {
		size_t len = (size_t)(end + 1 - bytes);
		r = take_line(sub, bytes, len);
		bytes += len;
		n -= len;
	}
	if (r == 0)
		r = buf_append(&sub->note.queue, bytes, n);
	if (r < 0 && r != TRM_ETOOBIG)
		sub->stream.client->dead = true;
	return r == TRM_ETOOBIG ? TRM_EPROTO : 0;
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
		if (proc_is_shared(proc) && proc->started)
			tell(client, proc);
}

void share_announce(struct proc *proc)
{
	for (struct client *client = proc->agent->clients; client && proc_is_shared(proc);
			client = client->next)
		if (client->greeted && !client->dead && !follows(client, proc))
			tell(client, proc);
}
