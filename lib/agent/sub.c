/* SPDX-License-Identifier: MIT */
#include "agent/sub.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "agent/agent.h"
#include "agent/backlog.h"
#include "agent/proc.h"
#include "agent/share.h"
#include "wire/message.h"

static void on_close(struct stream *stream)
{
	struct sub *sub = sub_of(stream);
	struct proc *proc = sub->proc;
	sub_destroy(sub);
	proc_left(proc);
}

/* Send from the backlog what credit and queue allow. */
static void flush_backlog(struct sub *sub)
{
	while (sub->proc->started && sub->backlog.len && sub->credit && client_has_room(sub->stream.client)) {
		uint8_t channel;
		size_t n;
		const char *bytes = backlog_front(&sub->backlog, &channel, &n);
		if (n > sub->credit)
			n = (size_t)sub->credit;
		if (n > FRAME_MAX_PAYLOAD)
			n = FRAME_MAX_PAYLOAD;
		sub_send(sub, channel, bytes, n);
		backlog_take(&sub->backlog, n);
	}
	if (!sub->backlog.len && sub->backlog.cap) {
		buf_finish(&sub->backlog);
		buf_init(&sub->backlog, BACKLOG_MAX);
	}
}

static void on_credit(struct stream *stream, uint32_t n)
{
	struct sub *sub = sub_of(stream);
	bool was_out = sub->credit == 0;
	sub->credit += n;
	flush_backlog(sub);
	if (was_out || sub->stalled_ns)
		output_pump(sub->proc);
}

static void on_room(struct stream *stream)
{
	struct sub *sub = sub_of(stream);
	flush_backlog(sub);
	output_pump(sub->proc);
}

static const struct stream_ops sub_ops = {
		.close = on_close,
		.credit = on_credit,
		.room = on_room,
};

struct sub *sub_of(struct stream *stream)
{
	return stream && stream->ops == &sub_ops ? OWNER_OF(stream, struct sub, stream) : NULL;
}

struct sub *sub_create(struct proc *proc, struct client *client, uint32_t stream, uint32_t window)
{
	struct sub *sub = calloc(1, sizeof *sub), **at = &proc->subs;
	if (!sub)
		return NULL;
	stream_add(&sub->stream, &sub_ops, client, stream);
	sub->proc = proc;
	sub->credit = sub->window = window;
	for (int i = 0; i < FEED_CLIENT_KINDS; i++)
		inlet_init(&sub->inlets[i], FRAME_INPUT_WINDOW);
	inlet_init(&sub->note, FRAME_NOTE_MAX);
	buf_init(&sub->backlog, BACKLOG_MAX);
	while (*at)
		at = &(*at)->next;
	*at = sub;
	return sub;
}

void sub_destroy(struct sub *sub)
{
	struct proc *proc = sub->proc;
	struct sub **at = &proc->subs;
	while (*at != sub)
		at = &(*at)->next;
	*at = sub->next;
	stream_remove(&sub->stream);
	for (int i = 0; i < FEED_CLIENT_KINDS; i++) {
		feed_forget(&proc->feeds[i], sub);
		inlet_finish(&sub->inlets[i]);
	}
	share_forget(sub);
	inlet_finish(&sub->note);
	buf_finish(&sub->backlog);
	free(sub);
}

void sub_tell_started(struct sub *sub, bool was_there)
{
	struct proc *proc = sub->proc;
	struct client *client = sub->stream.client;
	struct replay replay = {0};
	size_t before = client->out.len;
	struct started_msg msg = {
			.pid = (uint32_t)proc->pid, .was_there = was_there, .has_turn = proc->turn == sub};
	if (proc->recent)
		msg.position = replay.lost_bytes = proc->recent->position;
	if (was_there && proc->recent) {
		buf_clear(&sub->backlog); /* notes that came before the process had started: they are replayed
					   */
		if (recent_replay(proc->recent, sub->wants & SPAWN_RECENT, sub->wants & SPAWN_PAST,
				    &sub->backlog, &replay)
				< 0)
			client->dead = true;
		msg.is_torn = replay.is_torn;
		msg.pinned_bytes = replay.pinned_bytes;
		msg.replay_bytes = replay.replay_bytes;
		msg.lost_bytes = replay.lost_bytes;
		msg.greeting = proc->recent->greeting;
		msg.greeting_len = proc->recent->has_greeting ? proc->recent->greeting_len : 0;
	}
	if (started_msg_put(&client->out, sub->stream.id, &msg) < 0)
		client->dead = true;
	client_count_unpaid(client, before);
	flush_backlog(sub);
}

bool sub_can_take(struct sub *sub)
{
	return sub->proc->started && sub->credit > 0 && !sub->backlog.len
	       && client_has_room(sub->stream.client);
}

void sub_send(struct sub *sub, uint8_t channel, const char *bytes, size_t n)
{
	struct client *client = sub->stream.client;
	if (frame_put(&client->out, sub->stream.id, FRAME_OUTPUT, channel, bytes, n) < 0)
		client->dead = true;
	sub->credit -= n;
}

int sub_queue(struct sub *sub, uint8_t channel, const char *bytes, size_t n)
{
	int r = 0;
	if (sub_can_take(sub) && sub->credit >= n && n <= FRAME_MAX_PAYLOAD)
		sub_send(sub, channel, bytes, n);
	else if ((r = backlog_put(&sub->backlog, channel, bytes, n)) == 0)
		flush_backlog(sub);
	return r;
}

static struct inlet *inlet_for(struct sub *sub, uint8_t channel)
{
	switch (channel) {
	case CHANNEL_STDIN: return &sub->inlets[FEED_STDIN];
	case CHANNEL_CONTROL: return &sub->inlets[FEED_CONTROL];
	case CHANNEL_NOTE: return &sub->note;
	default: return NULL;
	}
}

int sub_input(struct sub *sub, uint8_t channel, const char *bytes, size_t n)
{
	struct inlet *inlet = inlet_for(sub, channel);
	struct feed *feed = &sub->proc->feeds[channel == CHANNEL_CONTROL ? FEED_CONTROL : FEED_STDIN];
	if (!inlet || (!feed->exists && !sub->proc->is_past) || n > inlet->credit)
		return TRM_EPROTO;
	inlet->credit -= (uint32_t)n;
	if (!share_allows(sub, channel)) {
		inlet_took(inlet, sub, channel, n);
		return 0;
	}
	if (channel == CHANNEL_NOTE)
		return share_note(sub, bytes, n);
	if (channel == CHANNEL_CONTROL && sub->note.queue.len && memchr(bytes, '\n', n))
		share_publish(sub);
	if (feed_push(feed, sub, bytes, n) < 0)
		sub->stream.client->dead = true;
	return 0;
}

void sub_say_turn(struct sub *sub, enum turn_word word)
{
	struct client *client = sub->stream.client;
	size_t before = client->out.len;
	if (turn_msg_put(&client->out, sub->stream.id, word) < 0)
		client->dead = true;
	client_count_unpaid(client, before);
}
