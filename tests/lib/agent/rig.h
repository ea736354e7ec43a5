/* SPDX-License-Identifier: MIT */
#ifndef TESTS_AGENT_RIG_H
#define TESTS_AGENT_RIG_H

/* The real agent as a child of the test, outside of any sandbox, and clients that speak frames to it. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <terrarium/error.h>

#include "wire/frame.h"
#include "wire/message.h"

enum { DEADLINE_MS = 60000, BIG_WINDOW = 64 * 1024 * 1024 };

struct rig {
	pid_t agent;
	struct sockaddr_un address;
	socklen_t address_len;
};

struct link {
	int fd;
	struct buf in;
	struct frame frame;
	bool has_frame; /* to be given back before the next one */
	uint32_t crowd; /* clients there are, as it has been told */
};

/* What a stream brought, collected by link_until(). */
struct tape {
	uint32_t stream;
	struct buf out[256]; /* by channel */
	char order[4096];    /* a letter per OUTPUT frame: o e c n, or s for spare sets */
	size_t n_order;
	uint64_t bytes;
	uint64_t input_credit;
	unsigned n_words; /* about the turn */
	bool has_exited;
	struct exited_msg status;
};

static inline uint64_t rig_now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline int rig_setup(void **state)
{
	struct rig *rig = calloc(1, sizeof *rig);
	rig->address.sun_family = AF_UNIX;
	rig->address_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1
				       + (size_t)snprintf(rig->address.sun_path + 1, 60,
						       "terrarium-test-%d-%llu", (int)getpid(),
						       (unsigned long long)rig_now_ns()));
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&rig->address, rig->address_len), 0);
	assert_int_equal(listen(fd, 16), 0);
	rig->agent = fork();
	if (rig->agent == 0) {
		char number[12];
		snprintf(number, sizeof number, "%d", fd);
		setenv("ASAN_OPTIONS", "detect_leaks=0",
				1); /* leak checking traces, and the agent cannot be traced */
		execl(AGENT_PROGRAM, "terrarium-agent", "serve", number, (char *)NULL);
		_exit(125);
	}
	close(fd);
	*state = rig;
	return 0;
}

/* The agent must be alive until now and end at SIGTERM. */
static inline int rig_teardown(void **state)
{
	struct rig *rig = *state;
	int status = 0;
	if (!rig->agent) { /* the test has seen its end */
		free(rig);
		return 0;
	}
	bool alive = waitpid(rig->agent, &status, WNOHANG) == 0;
	if (alive) {
		kill(rig->agent, SIGTERM);
		waitpid(rig->agent, &status, 0);
	}
	free(rig);
	return alive && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static inline struct link link_connect(const struct rig *rig)
{
	struct link link = {.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
	buf_init(&link.in, 2 * (FRAME_HEADER + FRAME_MAX_PAYLOAD));
	assert_int_equal(connect(link.fd, (const struct sockaddr *)&rig->address, rig->address_len), 0);
	return link;
}

static inline void link_close(struct link *link)
{
	close(link->fd);
	buf_finish(&link->in);
}

static inline void link_write(struct link *link, const void *bytes, size_t n)
{
	const char *at = bytes;
	while (n) {
		ssize_t done = send(link->fd, at, n, MSG_NOSIGNAL);
		assert_true(done > 0);
		at += done;
		n -= (size_t)done;
	}
}

static inline void link_send(struct link *link, uint32_t stream, enum frame_type type, uint8_t channel,
		const void *payload, size_t n)
{
	struct buf out;
	buf_init(&out, FRAME_HEADER + FRAME_MAX_PAYLOAD);
	assert_int_equal(frame_put(&out, stream, type, channel, payload, n), 0);
	link_write(link, buf_at(&out), out.len);
	buf_finish(&out);
}

/* Fields by letters: b u8, h u16, u u32, q u64, s string. */
static inline void link_pack(
		struct link *link, uint32_t stream, enum frame_type type, const char *fields, ...)
{
	struct buf payload;
	struct pack pack = {.to = &payload};
	va_list args;
	buf_init(&payload, FRAME_MAX_PAYLOAD);
	va_start(args, fields);
	for (; *fields; fields++) {
		switch (*fields) {
		case 'b': pack_u8(&pack, (uint8_t)va_arg(args, int)); break;
		case 'h': pack_u16(&pack, (uint16_t)va_arg(args, int)); break;
		case 'u': pack_u32(&pack, va_arg(args, uint32_t)); break;
		case 'q': pack_u64(&pack, va_arg(args, uint64_t)); break;
		case 's': pack_str(&pack, va_arg(args, const char *)); break;
		}
	}
	va_end(args);
	link_send(link, stream, type, 0, buf_at(&payload), payload.len);
	buf_finish(&payload);
}

/* The next frame within the time, but for CLIENTS, which may come at any time; NULL when there is none. At
 * the end of the connection *ret_end is set. */
static inline const struct frame *link_next(struct link *link, int timeout_ms, bool *ret_end)
{
	uint64_t until = rig_now_ns() + (uint64_t)timeout_ms * 1000000u;
	if (ret_end)
		*ret_end = false;
	if (link->has_frame)
		frame_done(&link->in, &link->frame);
	link->has_frame = false;
	for (;;) {
		int r = frame_next(&link->in, &link->frame);
		assert_true(r >= 0);
		if (r && link->frame.type == FRAME_CLIENTS) {
			struct unpack fields = {.at = link->frame.payload, .left = link->frame.len};
			link->crowd = unpack_u32(&fields);
			frame_done(&link->in, &link->frame);
			continue;
		}
		if (r) {
			link->has_frame = true;
			return &link->frame;
		}
		uint64_t now = rig_now_ns();
		struct pollfd poll_fd = {.fd = link->fd, .events = POLLIN};
		if (now > until || poll(&poll_fd, 1, (int)((until - now) / 1000000u) + 1) <= 0)
			return NULL;
		char *to = buf_reserve(&link->in, 65536);
		ssize_t n = read(link->fd, to, 65536);
		if (n <= 0) {
			if (ret_end)
				*ret_end = true;
			return NULL;
		}
		buf_fill(&link->in, (size_t)n);
	}
}

/* A greeted connection; what it starts may have that many processes (0: any number). */
static inline struct link link_open_limited(const struct rig *rig, uint32_t nproc)
{
	struct link link = link_connect(rig);
	link_pack(&link, 0, FRAME_HELLO, "uuu", FRAME_MAGIC, (uint32_t)FRAME_VERSION, nproc);
	const struct frame *frame = link_next(&link, DEADLINE_MS, NULL);
	assert_non_null(frame);
	assert_int_equal(frame->type, FRAME_WELCOME);
	return link;
}

static inline struct link link_open(const struct rig *rig)
{
	return link_open_limited(rig, 0);
}

static inline void tape_init(struct tape *tape, uint32_t stream)
{
	memset(tape, 0, sizeof *tape);
	tape->stream = stream;
	for (int i = 0; i < 256; i++)
		buf_init(&tape->out[i], 1u << 30);
}

static inline void tape_finish(struct tape *tape)
{
	for (int i = 0; i < 256; i++)
		buf_finish(&tape->out[i]);
}

static inline const char *tape_text(struct tape *tape, int channel)
{
	assert_int_equal(buf_append(&tape->out[channel], "", 1), 0);
	tape->out[channel].len--;
	return buf_at(&tape->out[channel]);
}

static inline void tape_take(struct tape *tape, const struct frame *frame)
{
	struct unpack fields = {.at = frame->payload, .left = frame->len};
	if (frame->type == FRAME_INPUT_CREDIT)
		tape->input_credit += unpack_u32(&fields);
	tape->n_words += frame->type == FRAME_TURN;
	if (frame->type == FRAME_EXITED) {
		assert_int_equal(exited_msg_get(frame, &tape->status), 0);
		tape->has_exited = true;
	}
	if (frame->type != FRAME_OUTPUT)
		return;
	assert_int_equal(buf_append(&tape->out[frame->channel], frame->payload, frame->len), 0);
	tape->bytes += frame->len;
	if (tape->n_order < sizeof tape->order - 1)
		tape->order[tape->n_order++] = frame->channel == 0                 ? 'o'
					       : frame->channel == 1               ? 'e'
					       : frame->channel == CHANNEL_CONTROL ? 'c'
					       : frame->channel == CHANNEL_NOTE    ? 'n'
										   : 's';
}

/* Collect until a frame of that type comes for the tape's stream (any other stream's frames are dropped). */
static inline const struct frame *link_until(struct link *link, struct tape *tape, enum frame_type type)
{
	uint64_t until = rig_now_ns() + DEADLINE_MS * 1000000ull;
	while (rig_now_ns() < until) {
		const struct frame *frame = link_next(link, DEADLINE_MS, NULL);
		if (!frame)
			break;
		if (frame->stream != tape->stream)
			continue;
		tape_take(tape, frame);
		if (frame->type == type)
			return frame;
		if (frame->type == FRAME_ERROR) {
			struct trm_error error;
			assert_int_equal(error_msg_get(frame, &error), 0);
			fail_msg("unexpected ERROR: %s", error.msg);
		}
	}
	fail_msg("no frame of type %d within the deadline", type);
	return NULL;
}

/* Collect until the channel holds the text. */
static inline void link_until_text(struct link *link, struct tape *tape, int channel, const char *text)
{
	while (!strstr(tape_text(tape, channel), text))
		link_until(link, tape, FRAME_OUTPUT);
}

static inline struct exited_msg link_exit(struct link *link, struct tape *tape)
{
	if (!tape->has_exited)
		link_until(link, tape, FRAME_EXITED);
	tape->has_exited = false;
	return tape->status;
}

/* Await an ERROR for the stream and copy its sentence. */
static inline int link_error(struct link *link, uint32_t stream, struct trm_error *ret)
{
	const struct frame *frame;
	while ((frame = link_next(link, DEADLINE_MS, NULL)))
		if (frame->stream == stream && frame->type == FRAME_ERROR) {
			assert_int_equal(error_msg_get(frame, ret), 0);
			return ret->code;
		}
	fail_msg("no ERROR for stream %u", stream);
	return 0;
}

static inline void link_spawn(struct link *link, uint32_t stream, struct spawn_msg msg)
{
	struct buf out;
	buf_init(&out, FRAME_HEADER + FRAME_MAX_PAYLOAD);
	assert_int_equal(spawn_msg_put(&out, stream, &msg), 0);
	link_write(link, buf_at(&out), out.len);
	buf_finish(&out);
}

/* Argument vectors of literals, as spawn_msg has them. */
#define STRV(...) ((char **)(uintptr_t)(const char *const[]){__VA_ARGS__, NULL})

/* A shell command with a window. */
static inline void link_shell(
		struct link *link, uint32_t stream, const char *command, uint32_t flags, uint32_t window)
{
	link_spawn(link, stream,
			(struct spawn_msg){
					.flags = flags, .window = window, .argv = STRV("sh", "-c", command)});
}

/* Wait until the condition holds. */
#define AWAIT(condition) \
	do { \
		uint64_t until_ = rig_now_ns() + DEADLINE_MS * 1000000ull; \
		while (!(condition)) { \
			if (rig_now_ns() > until_) \
				fail_msg("never: %s", #condition); \
			poll(NULL, 0, 2); \
		} \
	} while (0)

static inline bool is_gone(pid_t pid)
{
	char path[40], text[512];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		return true;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return true;
	text[n] = '\0';
	const char *state = strrchr(text, ')');
	return !state || state[2] == 'Z' || state[2] == 'X';
}

#endif
