/* SPDX-License-Identifier: MIT */
#include "agent/process/subscriber.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "agent/core/agent.h"
#include "agent/process/backlog.h"
#include "agent/process/proc.h"
#include "agent/process/turns.h"
#include "wire/message.h"

static void on_close(struct stream *stream)
{
	struct subscriber *subscriber = subscriber_of(stream);
	struct proc *proc = subscriber->proc;
	turns_author_gone(proc, stream->client);
	subscriber_destroy(subscriber);
	proc_left(proc);
}

/* Send from the backlog what credit and queue allow. */
static void flush_backlog(struct subscriber *subscriber)
{
	while (subscriber->proc->started && subscriber->backlog.len && subscriber->credit
			&& client_has_room(subscriber->stream.client)) {
		uint8_t channel;
		size_t n;
		const char *bytes = backlog_front(&subscriber->backlog, &channel, &n);
		if (n > subscriber->credit)
			n = (size_t)subscriber->credit;
		if (n > FRAME_MAX_PAYLOAD)
			n = FRAME_MAX_PAYLOAD;
		subscriber_send(subscriber, channel, bytes, n);
		backlog_take(&subscriber->backlog, n);
	}
	if (!subscriber->backlog.len && subscriber->backlog.cap) {
		buf_finish(&subscriber->backlog);
		buf_init(&subscriber->backlog, BACKLOG_MAX);
	}
}

static void on_credit(struct stream *stream, uint32_t n)
{
	struct subscriber *subscriber = subscriber_of(stream);
	bool was_out = subscriber->credit == 0;
	subscriber->credit += n;
	flush_backlog(subscriber);
	if (was_out || subscriber->stalled_ns)
		output_pump(subscriber->proc);
}

static void on_room(struct stream *stream)
{
	struct subscriber *subscriber = subscriber_of(stream);
	flush_backlog(subscriber);
	output_pump(subscriber->proc);
}

static const struct stream_ops subscriber_ops = {
		.close = on_close,
		.credit = on_credit,
		.room = on_room,
};

struct subscriber *subscriber_of(struct stream *stream)
{
	return stream && stream->ops == &subscriber_ops ? OWNER_OF(stream, struct subscriber, stream) : NULL;
}

struct subscriber *subscriber_create(
		struct proc *proc, struct client *client, uint32_t stream, uint32_t window)
{
	struct subscriber *subscriber = calloc(1, sizeof *subscriber), **at = &proc->subscribers;
	if (!subscriber)
		return NULL;
	stream_add(&subscriber->stream, &subscriber_ops, client, stream);
	subscriber->proc = proc;
	subscriber->credit = subscriber->window = window;
	for (int i = 0; i < FEED_CLIENT_KINDS; i++)
		inlet_init(&subscriber->inlets[i], FRAME_INPUT_WINDOW);
	inlet_init(&subscriber->note, FRAME_NOTE_MAX);
	buf_init(&subscriber->backlog, BACKLOG_MAX);
	while (*at)
		at = &(*at)->next;
	*at = subscriber;
	return subscriber;
}

void subscriber_destroy(struct subscriber *subscriber)
{
	struct proc *proc = subscriber->proc;
	struct subscriber **at = &proc->subscribers;
	while (*at != subscriber)
		at = &(*at)->next;
	*at = subscriber->next;
	stream_remove(&subscriber->stream);
	for (int i = 0; i < FEED_CLIENT_KINDS; i++) {
		feed_forget(&proc->feeds[i], subscriber);
		inlet_finish(&subscriber->inlets[i]);
	}
	turns_forget(subscriber);
	inlet_finish(&subscriber->note);
	buf_finish(&subscriber->backlog);
	free(subscriber);
}

void subscriber_send_started(struct subscriber *subscriber, bool was_there)
{
	struct proc *proc = subscriber->proc;
	struct client *client = subscriber->stream.client;
	struct replay replay = {0};
	size_t before = client->out.len;
	struct started_msg msg = {.pid = (uint32_t)proc->pid,
			.was_there = was_there,
			.has_turn = proc->turn == subscriber};
	if (proc->proc_history)
		msg.position = replay.lost_bytes = proc->proc_history->position;
	if (was_there && proc->proc_history) {
		buf_clear(&subscriber->backlog); /* these notes came before the process had started, and are
						    replayed */
		if (proc_history_replay(proc->proc_history, subscriber->wants & SPAWN_RECENT,
				    subscriber->wants & SPAWN_PAST, &subscriber->backlog, &replay)
				< 0)
			client->dead = true;
		msg.is_torn = replay.is_torn;
		msg.pinned_bytes = replay.pinned_bytes;
		msg.replay_bytes = replay.replay_bytes;
		msg.lost_bytes = replay.lost_bytes;
		msg.greeting = proc->proc_history->greeting;
		msg.greeting_len = proc->proc_history->has_greeting ? proc->proc_history->greeting_len : 0;
	}
	if (started_msg_put(&client->out, subscriber->stream.id, &msg) < 0)
		client->dead = true;
	client_count_unpaid(client, before);
	flush_backlog(subscriber);
}

bool subscriber_can_take(struct subscriber *subscriber)
{
	return subscriber->proc->started && subscriber->credit > 0 && !subscriber->backlog.len
	       && !subscriber->is_left_behind && client_has_room(subscriber->stream.client);
}

void subscriber_send(struct subscriber *subscriber, uint8_t channel, const char *bytes, size_t n)
{
	struct client *client = subscriber->stream.client;
	if (frame_put(&client->out, subscriber->stream.id, FRAME_OUTPUT, channel, bytes, n) < 0)
		client->dead = true;
	subscriber->credit -= n;
}

int subscriber_queue(struct subscriber *subscriber, uint8_t channel, const char *bytes, size_t n)
{
	int r = 0;
	if (subscriber_can_take(subscriber) && subscriber->credit >= n && n <= FRAME_MAX_PAYLOAD)
		subscriber_send(subscriber, channel, bytes, n);
	else if ((r = backlog_put(&subscriber->backlog, channel, bytes, n)) == 0)
		flush_backlog(subscriber);
	return r;
}

static struct inlet *inlet_for(struct subscriber *subscriber, uint8_t channel)
{
	switch (channel) {
	case CHANNEL_STDIN: return &subscriber->inlets[FEED_STDIN];
	case CHANNEL_CONTROL: return &subscriber->inlets[FEED_CONTROL];
	case CHANNEL_NOTE: return &subscriber->note;
	default: return NULL;
	}
}

int subscriber_input(struct subscriber *subscriber, uint8_t channel, const char *bytes, size_t n)
{
	struct inlet *inlet = inlet_for(subscriber, channel);
	struct feed *feed = &subscriber->proc->feeds[channel == CHANNEL_CONTROL ? FEED_CONTROL : FEED_STDIN];
	if (!inlet || (!feed->exists && !subscriber->proc->is_past) || n > inlet->credit)
		return TRM_EPROTO;
	inlet->credit -= (uint32_t)n;
	if (!turns_allows(subscriber, channel)) {
		inlet_took(inlet, subscriber, channel, n);
		return 0;
	}
	if (channel == CHANNEL_NOTE)
		return turns_note(subscriber, bytes, n);
	if (feed_push(feed, subscriber, bytes, n) < 0)
		subscriber->stream.client->dead = true;
	return 0;
}

void subscriber_send_turn(struct subscriber *subscriber, enum turn_word word)
{
	struct client *client = subscriber->stream.client;
	size_t before = client->out.len;
	if (turn_msg_put(&client->out, subscriber->stream.id, word) < 0)
		client->dead = true;
	client_count_unpaid(client, before);
}
