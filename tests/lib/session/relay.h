/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SESSION_RELAY_H
#define TESTS_SESSION_RELAY_H

/* A relay between the fake backend's agent and the library, that knows frames. It lets so many of them
 * through and then cuts the line, or passes one byte a turn, or pours valid frames between the agent's own,
 * or says of a process that somebody wants its turn, and some turns later that it is there. The test calls
 * relay_turn() after each turn of the loop. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "backend/fake/fake.h"
#include "base/buf.h"
#include "lib/sandbox/standin.h"
#include "wire/message.h"

struct relay;
struct flood {
	const char *name;
	bool (*put)(struct relay *r); /* one more frame to r->held; false: none can be said yet */
};

enum fate { DIES, DIES_HALFWAY, FALLS_SILENT, TRICKLES, FLOODS, IS_WANTED };

struct relay {
	struct carrier base;
	struct carrier *inner;
	int inner_fd, fds[2];
	struct buf out; /* of the agent, not yet passed on */
	unsigned n_frames, n_allowed;
	enum fate fate;
	bool is_cut;
	struct relay **owner; /* set to NULL when it ends */
	/* Of one that floods, once it may: */
	const struct flood *flood;
	struct buf held;       /* whole frames on their way to the library */
	uint32_t living, gone; /* streams; 0: none yet */
	uint64_t n_flooded;    /* frames */
	/* Of one that is wanted: turns since it was said, and what the library has answered to that. */
	unsigned n_wanted;
	bool is_released;
};

static struct relay *newest;
static enum fate next_fate;
static const struct flood *next_flood;
static unsigned next_allowed;

static void on_connected(void *user, int fd)
{
	struct relay *r = user;
	r->inner_fd = fd;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, r->fds), 0);
	r->base.cb->connected(r->base.user, r->fds[0]);
}

static void on_inner_closed(void *user, const struct trm_error *why)
{
	struct relay *r = user;
	r->base.cb->closed(r->base.user, why);
	for (int i = 0; i < 2; i++)
		if (r->fds[i] >= 0)
			close(r->fds[i]);
	buf_finish(&r->out);
	buf_finish(&r->held);
	if (r->owner)
		*r->owner = NULL;
	free(r);
}

static const struct carrier_cb INNER_CB = {.connected = on_connected, .closed = on_inner_closed};

static int start(struct trm_loop *loop, const struct trm_sandbox_opts *opts, const struct carrier_cb *cb,
		void *user, struct carrier **ret_carrier, struct trm_error *reterr)
{
	struct relay *r = newest = calloc(1, sizeof *r);
	assert_non_null(r);
	*r = (struct relay){.base = {.ops = &STANDIN_OPS, .cb = cb, .user = user},
			.inner_fd = -1,
			.fds = {-1, -1},
			.n_allowed = next_allowed,
			.fate = next_fate,
			.flood = next_flood};
	buf_init(&r->out, 64 << 20);
	buf_init(&r->held, 64 << 20);
	*ret_carrier = &r->base;
	return backend_fake.start(loop, opts, &INNER_CB, r, &r->inner, reterr);
}

static void stop(struct carrier *carrier)
{
	backend_fake.stop(((struct relay *)carrier)->inner);
}

static uint32_t nproc(const struct carrier *carrier)
{
	(void)carrier;
	return 0;
}

static const struct backend_ops STANDIN_OPS = {.name = "relay",
		.probe = standin_probe,
		.start = start,
		.stop = stop,
		.guards = standin_guards,
		.nproc = nproc};

static void pass_all(int to, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(to, bytes, n, MSG_NOSIGNAL);
		if (sent < 0)
			return; /* nobody is there; or full, which the little that is said never makes it */
		bytes += sent;
		n -= (size_t)sent;
	}
}

static void cut(struct relay *r, const char *bytes, size_t n)
{
	if (r->fate == DIES_HALFWAY)
		pass_all(r->fds[1], bytes, n / 2);
	r->is_cut = true;
	if (r->fate != FALLS_SILENT)
		shutdown(r->fds[1], SHUT_RDWR);
	if (r->fate == DIES) /* of the other the carrier hears nothing */
		backend_fake.stop(r->inner);
}

static void note_stream(struct relay *r, const unsigned char *header)
{
	uint32_t stream = header[4] | (uint32_t)header[5] << 8 | (uint32_t)header[6] << 16;
	unsigned type = header[8];
	if (type == FRAME_STARTED)
		r->living = stream;
	if (type == FRAME_EXITED || type == FRAME_DONE || type == FRAME_ERROR) {
		r->living = r->living == stream ? 0 : r->living;
		r->gone = stream;
	}
}

/* False: the process is not to be there yet. */
static bool say_wanted(struct relay *r, const unsigned char *started)
{
	enum { TURNS = 5 };
	struct buf frame;
	if (started[8] != FRAME_STARTED || r->n_wanted++ == TURNS)
		return true;
	if (r->n_wanted == 1) {
		buf_init(&frame, 64);
		assert_int_equal(
				turn_msg_put(&frame, started[4] | (uint32_t)started[5] << 8, TURN_WANTED), 0);
		pass_all(r->fds[1], buf_at(&frame), frame.len);
		buf_finish(&frame);
	}
	return false;
}

/* Each is a frame of its own, or the first of some. */
static void note_release(struct relay *r, const char *bytes, size_t n)
{
	if (n > FRAME_HEADER && bytes[8] == FRAME_TURN && bytes[FRAME_HEADER] == TURN_RELEASE)
		r->is_released = true;
}

static void pass_frames(struct relay *r)
{
	while (!r->is_cut && r->out.len >= FRAME_HEADER) {
		const unsigned char *at = (const unsigned char *)buf_at(&r->out);
		size_t n = FRAME_HEADER + (at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16);
		if (r->out.len < n)
			return;
		if (r->fate == IS_WANTED && !say_wanted(r, at))
			return;
		note_stream(r, at);
		if (r->n_frames == r->n_allowed && r->fate < TRICKLES) {
			cut(r, buf_at(&r->out), n);
			return;
		}
		r->n_frames++;
		if (r->fate == FLOODS)
			assert_int_equal(buf_append(&r->held, buf_at(&r->out), n), 0);
		else
			pass_all(r->fds[1], buf_at(&r->out), n);
		buf_take(&r->out, n);
	}
}

static void trickle(struct relay *r)
{
	if (r->out.len && send(r->fds[1], buf_at(&r->out), 1, MSG_NOSIGNAL) == 1)
		buf_take(&r->out, 1);
}

/* What the agent says goes between two waves. */
static void pour(struct relay *r)
{
	enum { WAVE_BYTES = 256 * 1024 };
	ssize_t n;
	while (r->n_frames >= r->n_allowed && r->held.len < WAVE_BYTES && r->flood->put(r))
		r->n_flooded++;
	while (r->held.len && (n = send(r->fds[1], buf_at(&r->held), r->held.len, MSG_NOSIGNAL)) > 0)
		buf_take(&r->held, (size_t)n);
}

static void relay_turn(struct relay *r)
{
	char bytes[65536];
	ssize_t n;
	while ((n = recv(r->fds[1], bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
		note_release(r, bytes, (size_t)n);
		pass_all(r->inner_fd, bytes, (size_t)n);
	}
	while ((n = recv(r->inner_fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
		assert_int_equal(buf_append(&r->out, bytes, (size_t)n), 0);
	if (r->fate == TRICKLES)
		trickle(r);
	else
		pass_frames(r);
	if (r->fate == FLOODS)
		pour(r);
}

#endif
