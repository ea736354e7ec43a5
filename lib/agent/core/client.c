/* SPDX-License-Identifier: MIT */
#include "agent/core/client.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/core/agent.h"
#include "agent/core/dispatch.h"
#include "base/err.h"
#include "wire/message.h"

enum {
	READ_FIRST = 2048, /* most clients send little; a client that sends more soon gets bigger reads … */
	READ_CHUNK = 256 * 1024,
	IN_MAX = FRAME_HEADER + FRAME_MAX_PAYLOAD + READ_CHUNK,
	OUT_HIGH = 512 * 1024, /* with this much queued, no further output is read for the client */
	UNPAID_MAX = 256 * 1024,
	GONE_MAX = 64 * 1024,      /* numbers of clients of whose end it was not told; more are forgotten */
	OUT_MAX = 4 * 1024 * 1024, /* never reached: OUT_HIGH, UNPAID_MAX and one frame each lie below */
};

static void on_readable(struct watch *watch, uint32_t events);
static void on_writable(struct watch *watch, uint32_t events);

struct client *client_create(struct agent *agent, int read_fd, int write_fd)
{
	struct client *client = calloc(1, sizeof *client);
	if (!client) {
		close(read_fd);
		close(write_fd);
		return NULL;
	}
	client->agent = agent;
	client->number = ++agent->last_client;
	client->read_bytes = READ_FIRST;
	buf_init(&client->in, IN_MAX);
	buf_init(&client->out, OUT_MAX);
	buf_init(&client->owed_gone, GONE_MAX);
	watch_init(&client->reader, read_fd, on_readable);
	watch_init(&client->writer, write_fd, on_writable);
	if (watch_set(&agent->poller, &client->reader, EPOLLIN) < 0)
		client->dead = true;
	client->next = agent->clients;
	agent->clients = client;
	agent->n_clients++;
	return client;
}

void client_destroy(struct client *client)
{
	if (!client)
		return;
	while (client->streams)
		client->streams->ops->close(client->streams);
	watch_close(&client->agent->poller, &client->reader);
	watch_close(&client->agent->poller, &client->writer);
	buf_finish(&client->in);
	buf_finish(&client->out);
	buf_finish(&client->owed_gone);
	free(client->by);
	free(client);
}

static bool is_throttled(const struct client *client)
{
	return client->unpaid > UNPAID_MAX;
}

void client_process(struct client *client)
{
	struct frame frame;
	int got = 0;
	while (!client->dead && !is_throttled(client) && (got = frame_next(&client->in, &frame)) > 0) {
		dispatch(client, &frame);
		frame_done(&client->in, &frame);
	}
	if (got < 0 && !client->dead)
		client_fail(client, "the stream is broken: a frame header has an invalid length or field");
	if (is_throttled(client))
		watch_set(&client->agent->poller, &client->reader, 0);
}

static void on_readable(struct watch *watch, uint32_t events)
{
	struct client *client = OWNER_OF(watch, struct client, reader);
	(void)events;
	char *to = buf_reserve(&client->in, client->read_bytes);
	ssize_t n = to ? read(watch->fd, to, client->read_bytes) : 0;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		client->dead = true;
		return;
	}
	buf_fill(&client->in, (size_t)n);
	if ((size_t)n == client->read_bytes)
		client->read_bytes =
				client->read_bytes < READ_CHUNK / 4 ? client->read_bytes * 4 : READ_CHUNK;
	client_process(client);
}

static void notify_room(struct client *client)
{
	client->is_full = false;
	for (struct stream *stream = client->streams, *next; stream; stream = next) {
		next = stream->next;
		stream->ops->room(stream);
	}
}

static void drained(struct client *client)
{
	bool was_throttled = is_throttled(client);
	client->unpaid = 0;
	watch_set(&client->agent->poller, &client->writer, 0);
	if (was_throttled && !client->dead) {
		if (watch_set(&client->agent->poller, &client->reader, EPOLLIN) < 0)
			client->dead = true;
		client_process(client);
	}
}

void agent_client_flush(struct client *client)
{
	struct buf *out = &client->out;
	if (!out->len || client->writer.events)
		return;
	ssize_t n = write(client->writer.fd, buf_at(out), out->len);
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		client->dead = true;
		return;
	}
	if (n > 0)
		buf_take(out, (size_t)n);
	if (!out->len)
		drained(client);
	else if (watch_set(&client->agent->poller, &client->writer, EPOLLOUT) < 0)
		client->dead = true;
	if (client->is_full && out->len <= OUT_HIGH / 2 && !client->dead)
		notify_room(client);
}

static void on_writable(struct watch *watch, uint32_t events)
{
	struct client *client = OWNER_OF(watch, struct client, writer);
	(void)events;
	/* The write reports an error or a hang-up. */
	watch_set(&client->agent->poller, watch, 0);
	agent_client_flush(client);
}

bool client_has_room(struct client *client)
{
	if (client->dead || client->out.len >= OUT_HIGH)
		client->is_full = true;
	return !client->is_full;
}

void client_count_unpaid(struct client *client, size_t before)
{
	client->unpaid += client->out.len - before;
}

void agent_client_send(struct client *client, uint32_t stream, enum frame_type type, uint8_t channel,
		const void *payload, size_t n)
{
	size_t before = client->out.len;
	if (frame_put(&client->out, stream, type, channel, payload, n) < 0)
		client->dead = true;
	client_count_unpaid(client, before);
}

static void send_error(struct client *client, uint32_t stream, int code, const char *fmt, va_list args)
{
	char raw[400];
	struct trm_error error;
	size_t before = client->out.len;
	vsnprintf(raw, sizeof raw, fmt, args);
	trm_error_set(&error, code, "%s", raw);
	if (error_msg_put(&client->out, stream, code, error.msg) < 0)
		client->dead = true;
	client_count_unpaid(client, before);
}

void client_error(struct client *client, uint32_t stream, int code, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	send_error(client, stream, code, fmt, args);
	va_end(args);
}

int client_fail(struct client *client, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	send_error(client, 0, TRM_EPROTO, fmt, args);
	va_end(args);
	agent_client_flush(client);
	client->dead = true;
	return TRM_EPROTO;
}

struct stream *client_find(struct client *client, uint32_t id)
{
	struct stream *stream = client->streams;
	while (stream && stream->id != id)
		stream = stream->next;
	return stream;
}

void stream_add(struct stream *stream, const struct stream_ops *ops, struct client *client, uint32_t id)
{
	*stream = (struct stream){.ops = ops, .client = client, .id = id, .next = client->streams};
	client->streams = stream;
	client->n_streams++;
}

void stream_remove(struct stream *stream)
{
	struct stream **at = &stream->client->streams;
	while (*at != stream)
		at = &(*at)->next;
	*at = stream->next;
	stream->client->n_streams--;
}
