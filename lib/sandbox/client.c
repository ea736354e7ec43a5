/* SPDX-License-Identifier: MIT */
/* The connection to the agent: bytes in and out, and the dispatch of frames. */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "wire/message.h"

#define BROKE "the agent in the sandbox broke the protocol: "

void client_init(struct trm_sandbox *s)
{
	s->fd = -1;
	s->read_bytes = SANDBOX_READ_FIRST < SANDBOX_READ_BYTES ? SANDBOX_READ_FIRST : SANDBOX_READ_BYTES;
	buf_init(&s->in, FRAME_HEADER + FRAME_MAX_PAYLOAD + SANDBOX_READ_BYTES);
	buf_init(&s->out, SANDBOX_OUT_MAX_BYTES);
}

void client_stop(struct trm_sandbox *s)
{
	trm_watch_remove(s->watch);
	s->watch = NULL;
	s->fd = -1;
	s->is_dead = true;
	buf_clear(&s->out);
}

static void trim_buffer(struct buf *b)
{
	size_t max = b->max;
	if (b->len)
		return;
	buf_finish(b);
	buf_init(b, max);
}

void client_trim(struct trm_sandbox *s)
{
	trim_buffer(&s->in);
	trim_buffer(&s->out);
}

void client_finish(struct trm_sandbox *s)
{
	client_stop(s);
	streams_finish(&s->streams);
	buf_finish(&s->in);
	buf_finish(&s->out);
}

/* ---- out ---------------------------------------------------------------------- */

/* File bytes move up as the outgoing buffer empties. */
static void pump_all(struct trm_sandbox *s)
{
	s->wants_pump = false;
	for (unsigned i = 0; i < s->streams.n_slots && sandbox_is_open(s); i++) {
		struct stream *stream = s->streams.slots[i].stream;
		if (stream && stream->ops->pump)
			stream->ops->pump(stream);
	}
}

static void wait_writable(struct trm_sandbox *s)
{
	s->is_blocked = true;
	trm_watch_set_events(s->watch, TRM_READ | TRM_WRITE);
}

/* True: everything has been written. */
static bool write_out(struct trm_sandbox *s)
{
	while (s->out.len) {
		ssize_t n = send(s->fd, buf_at(&s->out), s->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n > 0) {
			buf_take(&s->out, (size_t)n);
		} else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			wait_writable(s);
			return false;
		} else if (n < 0 && errno != EINTR) {
			/* The other end is gone. Its last bytes must still be read; then the reader meets
			 * the end. */
			s->is_dead = true;
			buf_clear(&s->out);
		}
	}
	return !s->is_dead;
}

void client_flush(struct trm_sandbox *s)
{
	enum { ROUNDS = 16 }; /* then other handlers get their turn */
	if (s->fd < 0 || s->is_blocked || s->is_dead)
		return;
	for (int i = 0; write_out(s) && s->wants_pump; i++) {
		if (i == ROUNDS) {
			wait_writable(s);
			return;
		}
		pump_all(s);
	}
}

static void on_writable(struct trm_sandbox *s)
{
	s->is_blocked = false;
	client_flush(s);
	if (!s->is_blocked && s->watch)
		trm_watch_set_events(s->watch, TRM_READ);
}

void client_send(struct trm_sandbox *s, uint32_t stream, enum frame_type type, uint8_t channel,
		const void *payload, size_t n)
{
	struct trm_error why;
	if (s->is_dead)
		return;
	if (frame_put(&s->out, stream, type, channel, payload, n) < 0) {
		trm_error_set(&why, TRM_ENOMEM, "out of memory for data to the sandbox");
		sandbox_fail(s, &why);
		return;
	}
	if (!s->holds) {
		sandbox_hold(s);
		sandbox_release(s);
	}
}

void client_send_u32(
		struct trm_sandbox *s, uint32_t stream, enum frame_type type, uint8_t channel, uint32_t value)
{
	const unsigned char bytes[4] = {(unsigned char)value, (unsigned char)(value >> 8),
			(unsigned char)(value >> 16), (unsigned char)(value >> 24)};
	client_send(s, stream, type, channel, bytes, sizeof bytes);
}

/* ---- signs of life ---------------------------------------------------------------- */

enum { LIFE_LOOKS = 4 };
#define LIFE_WORD "life" /* the contents of such a ping and its answer */

static void wait_for_life(struct trm_sandbox *s)
{
	trm_timer_start(s->deadline, s->silence_ms / LIFE_LOOKS, 0);
}

/* Counts checks, not time: if this process was stopped itself, it must not take the agent for dead. */
void client_probe(struct trm_sandbox *s)
{
	struct trm_error why;
	sandbox_hold(s);
	s->silent_looks = s->has_heard ? 0 : s->silent_looks + 1;
	s->has_heard = false;
	if (s->silent_looks == LIFE_LOOKS) {
		trm_error_set(&why, TRM_ETIMEDOUT, "the agent in sandbox '%s' has been silent for %g s",
				s->name, (double)s->silence_ms / 1000);
		sandbox_fail(s, &why);
	} else {
		client_send(s, 0, FRAME_PING, 0, LIFE_WORD, sizeof LIFE_WORD - 1);
		wait_for_life(s);
	}
	sandbox_release(s);
}

/* ---- in ------------------------------------------------------------------------- */

static int welcome(struct trm_sandbox *s, const struct frame *frame, struct trm_error *why)
{
	struct welcome_msg msg;
	if (welcome_msg_get(frame, &msg) < 0 || s->state != SANDBOX_CONNECTED)
		return trm_error_set(why, TRM_EPROTO, BROKE "a greeting out of turn");
	if (msg.version != FRAME_VERSION)
		return trm_error_set(why, TRM_EPROTO,
				"the agent in the sandbox speaks version %u of the protocol, we speak %d",
				msg.version, FRAME_VERSION);
	s->state = SANDBOX_READY;
	s->client = msg.client;
	if (s->ops->has_net && trm_sandbox_is_adopted(s))
		s->opts.limits.net = s->ops->has_net(s->carrier);
	wait_for_life(s);
	for (struct sandbox_observer *o = s->observers, *next; o; o = next) {
		next = o->next;
		if (o->ready)
			o->ready(o->user);
	}
	if (s->cb->ready && sandbox_is_open(s))
		s->cb->ready(s->user, s);
	return 0;
}

static int shared(struct trm_sandbox *s, const struct frame *frame, struct trm_error *why)
{
	char *key;
	if (s->state != SANDBOX_READY || shared_msg_get(frame, &key) < 0)
		return trm_error_set(why, TRM_EPROTO, BROKE "an unreadable key of a process");
	for (struct sandbox_observer *o = s->observers, *next; o; o = next) {
		next = o->next;
		if (o->shared)
			o->shared(o->user, key);
	}
	free(key);
	return 0;
}

static int clients(struct trm_sandbox *s, const struct frame *frame, struct trm_error *why)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	uint32_t n = unpack_u32(&u);
	if (u.bad || s->state != SANDBOX_READY)
		return trm_error_set(why, TRM_EPROTO, BROKE "an unreadable number of clients");
	if (s->cb->clients)
		s->cb->clients(s->user, s, n);
	return 0;
}

static int announced(struct trm_sandbox *s, const struct frame *frame, struct trm_error *why)
{
	struct announced_msg msg;
	if (s->state != SANDBOX_READY || announced_msg_get(frame, &msg) < 0)
		return trm_error_set(why, TRM_EPROTO, BROKE "unreadable news of another client");
	for (struct sandbox_observer *o = s->observers, *next; o; o = next) {
		next = o->next;
		if (o->announced)
			o->announced(o->user, &msg);
	}
	return 0;
}

/* An empty one answers sandbox_list_shared(). */
static int pong(struct trm_sandbox *s, const struct frame *frame)
{
	if (frame->len)
		return 0;
	for (struct sandbox_observer *o = s->observers, *next; o; o = next) {
		next = o->next;
		if (o->listed)
			o->listed(o->user);
	}
	return 0;
}

void sandbox_list_shared(struct trm_sandbox *s)
{
	client_send(s, 0, FRAME_PING, 0, NULL, 0);
}

void sandbox_present(struct trm_sandbox *s, const char *by)
{
	client_send(s, 0, FRAME_PRESENT, 0, by, strnlen(by, ANNOUNCED_BY_MAX));
}

void sandbox_follow(struct trm_sandbox *s)
{
	client_send(s, 0, FRAME_FOLLOW, 0, NULL, 0);
}

static int connection_frame(struct trm_sandbox *s, const struct frame *frame, struct trm_error *why)
{
	struct trm_error said;
	switch (frame->type) {
	case FRAME_WELCOME: return welcome(s, frame, why);
	case FRAME_METRICS: return metrics_frame(s, frame, why);
	case FRAME_PONG: return pong(s, frame);
	case FRAME_SHARED: return shared(s, frame, why);
	case FRAME_CLIENTS: return clients(s, frame, why);
	case FRAME_ANNOUNCED: return announced(s, frame, why);
	case FRAME_ERROR:
		if (error_msg_get(frame, &said) < 0)
			return trm_error_set(why, TRM_EPROTO, BROKE "an unreadable error");
		return trm_error_set(why, said.code ? said.code : TRM_EIO,
				"the agent in the sandbox gave up: %s", said.msg);
	default: return trm_error_set(why, TRM_EPROTO, BROKE "frame type %u on the connection", frame->type);
	}
}

static int deliver_frame(struct trm_sandbox *s, const struct frame *frame, struct trm_error *why)
{
	struct stream *stream;
	if (!frame->stream)
		return connection_frame(s, frame, why);
	if (s->state != SANDBOX_READY)
		return trm_error_set(why, TRM_EPROTO, BROKE "frame type %u before the greeting", frame->type);
	switch (streams_find(&s->streams, frame->stream, &stream)) {
	case STREAM_FOUND: return stream->ops->frame(stream, frame, why);
	case STREAM_GONE: return 0; /* we have closed it while this frame was on its way */
	case STREAM_UNKNOWN: break;
	}
	return trm_error_set(why, TRM_EPROTO, BROKE "unknown stream %u", frame->stream);
}

static void deliver_all(struct trm_sandbox *s)
{
	struct frame frame;
	struct trm_error why;
	int r = 0;
	while (r == 0 && sandbox_is_open(s)) {
		int got = frame_next(&s->in, &frame);
		if (got == 0)
			return;
		r = got < 0 ? trm_error_set(&why, TRM_EPROTO, BROKE "a malformed frame")
			    : deliver_frame(s, &frame, &why);
		if (r == 0)
			frame_done(&s->in, &frame);
	}
	if (r < 0)
		sandbox_fail(s, &why);
}

/* The stream has ended. The carrier may know a better reason (a kill, a complaint of bubblewrap), so it
 * gets time to report it: a supervisor first removes the sandbox's files, which may be many. */
static void hung_up(struct trm_sandbox *s)
{
	enum { TIMEOUT_MS = 4000, REMOVAL_MS = 20000 };
	client_stop(s);
	s->is_hung_up = true;
	trm_timer_start(s->deadline, s->carrier->ops->caps & BACKEND_TELLS_END ? REMOVAL_MS : TIMEOUT_MS, 0);
}

static void on_readable(struct trm_sandbox *s)
{
	struct trm_error why;
	char *room = buf_reserve(&s->in, s->read_bytes);
	if (!room) {
		trm_error_set(&why, TRM_ENOMEM, "cannot read from the sandbox: out of memory");
		sandbox_fail(s, &why);
		return;
	}
	ssize_t n = recv(s->fd, room, s->read_bytes, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		return;
	if (n <= 0) {
		hung_up(s);
		return;
	}
	s->has_heard = true;
	buf_fill(&s->in, (size_t)n);
	if ((size_t)n == s->read_bytes)
		s->read_bytes = s->read_bytes < SANDBOX_READ_BYTES / 4 ? s->read_bytes * 4
								       : SANDBOX_READ_BYTES;
	deliver_all(s);
}

static void on_event(void *user, int fd, uint32_t events)
{
	struct trm_sandbox *s = user;
	(void)fd;
	sandbox_hold(s);
	if (events & TRM_WRITE)
		on_writable(s);
	if (events & (TRM_READ | TRM_HANGUP) && s->watch)
		on_readable(s);
	sandbox_release(s);
}

/* The greeting precedes all requests that were made before there was a connection, and everything leaves
 * in one write: a cold start waits for no answer. */
static int greet(struct trm_sandbox *s)
{
	struct buf asked = s->out;
	buf_init(&s->out, SANDBOX_OUT_MAX_BYTES);
	int r = hello_msg_put(&s->out, s->ops->nproc(s->carrier), s->opts.is_observer ? HELLO_OBSERVER : 0,
			(uint32_t)getpid());
	if (r == 0)
		r = proxy_env_send(s, &s->out);
	if (r == 0)
		r = buf_append(&s->out, buf_at(&asked), asked.len);
	buf_finish(&asked);
	return r;
}

void client_connected(struct trm_sandbox *s, int fd)
{
	struct trm_error why;
	sandbox_hold(s);
	s->fd = fd;
	int r = greet(s);
	if (r < 0)
		trm_error_set(&why, r, "out of memory");
	if (r < 0 || trm_loop_add_fd(s->loop, fd, TRM_READ, on_event, s, &s->watch, &why) < 0)
		sandbox_fail(s, &why);
	for (struct sandbox_observer *o = s->observers, *next; o && sandbox_is_open(s); o = next) {
		next = o->next;
		if (o->connected)
			o->connected(o->user);
	}
	client_flush(s);
	sandbox_release(s);
}
