/* SPDX-License-Identifier: MIT */
#include "kube/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <terrarium/text.h>

#include "base/clock.h"
#include "base/idle_memory.h"
#include "base/json_scan.h"
#include "websocket/channel.h"
#include "websocket/handshake.h"

enum {
	PIECE = 64 << 10,
	PENDING_MAX = 256 << 10, /* what waits to be written; beyond it nothing more is read */
	REPLAY_MAX = 64 << 10,
	HANDSHAKE_MS = 30 * 1000,
	PING_MS = 20 * 1000,   /* a silent connection is asked whether it lives … */
	SILENT_MS = 60 * 1000, /* … and given up */
	MUCH = 4 << 10,        /* bytes at once … */
	REST_MS = 500,         /* … whose memory is given back when nothing passes for so long */
	AGAIN_MS = 25,
	AGAIN_MAX_MS = 500,
	FAILED = 1,
	UNDONE = -1
};

struct stream {
	int fd;
	char *bytes; /* PIECE of them, for what is read; each piece is taken at once */
	struct channel_reader reader;
	struct buf to_pod, to_out;
	struct buf replay;  /* input that has been sent; kept until the pod answers, if we wait for it */
	bool keeps_input;   /* `replay` is complete */
	bool is_quiet;      /* messages of the pod are left out */
	bool is_input_over; /* standard input has ended, and the pod has been told */
	bool is_closed;     /* the pod has ended the stream */
	bool is_broken;
	bool has_answered; /* output has come */
	bool has_waste;    /* much has passed */
	uint64_t heard_ms, pinged_ms;
};

static void make_mask(uint8_t mask[4])
{
	if (getrandom(mask, 4, GRND_NONBLOCK) != 4)
		memset(mask, 0x55, 4); /* between us and a proxy of our own nobody is misled */
}

/* ---- opening ------------------------------------------------------------------------------------------ */

static bool send_handshake(int fd, const char *target, const char *key)
{
	struct buf out;
	buf_init(&out, HANDSHAKE_HEAD_MAX + PIECE);
	bool is_sent = handshake_put(&out, "localhost", target, CHANNEL_PROTOCOL, key) == 0
		       && send(fd, buf_at(&out), out.len, MSG_NOSIGNAL) == (ssize_t)out.len;
	buf_finish(&out);
	return is_sent;
}

/* Bytes behind the head stay in `in`. */
static bool read_handshake(int fd, const char *key, struct buf *in, char why[PROXY_WORDS])
{
	struct http_answer answer;
	char bytes[4096];
	int r;
	while ((r = http_answer_read(buf_at(in), in->len, &answer)) == 0) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		ssize_t n = poll(&ready, 1, HANDSHAKE_MS) > 0 ? read(fd, bytes, sizeof bytes) : 0;
		if (n <= 0 || buf_append(in, bytes, (size_t)n) < 0)
			break;
	}
	if (r > 0 && handshake_is_accepted(&answer, CHANNEL_PROTOCOL, key)) {
		buf_take(in, answer.n);
		return true;
	}
	if (r > 0)
		snprintf(why, PROXY_WORDS, "the API opens no WebSocket (status %d)", answer.status);
	else
		snprintf(why, PROXY_WORDS, "kubectl proxy does not answer");
	return false;
}

/* Returns the descriptor, or -1 with the reason. */
static int open_stream(const struct proxy_use *use, const char *target, struct buf *in, char why[PROXY_WORDS])
{
	unsigned char random[16];
	char key[HANDSHAKE_KEY];
	int fd = proxy_connect(use);
	if (fd < 0) {
		snprintf(why, PROXY_WORDS, "kubectl proxy cannot be reached: %s", strerror(-fd));
		return -1;
	}
	snprintf(why, PROXY_WORDS, "kubectl proxy cannot be reached");
	if (getrandom(random, sizeof random, 0) == sizeof random && handshake_key(random, key) == 0
			&& send_handshake(fd, target, key) && read_handshake(fd, key, in, why))
		return fd;
	close(fd);
	return -1;
}

/* ---- what the pod says ------------------------------------------------------------------------- */

static void answer_ping(struct stream *s, const struct channel_event *event)
{
	uint8_t mask[4];
	make_mask(mask);
	s->is_broken |= websocket_put(&s->to_pod, WEBSOCKET_PONG, mask,
					&(struct websocket_part){event->bytes, event->n}, 1)
			< 0;
}

static void take_event(struct stream *s, const struct channel_event *event)
{
	switch (event->type) {
	case CHANNEL_OUT:
		s->has_answered = true;
		s->is_broken |= buf_append(&s->to_out, event->bytes, event->n) < 0;
		break;
	case CHANNEL_ERR:
		if (!s->is_quiet || s->has_answered)
			(void)!write(STDERR_FILENO, event->bytes, event->n);
		break;
	case CHANNEL_PINGED: answer_ping(s, event); break;
	case CHANNEL_CLOSED: s->is_closed = true; break;
	case CHANNEL_NOTHING: break;
	}
}

static void take_bytes(struct stream *s, const char *bytes, size_t n)
{
	for (size_t done = 0, taken; !s->is_broken && !s->is_closed; done += taken) {
		struct channel_event event;
		s->is_broken |= channel_read(&s->reader, bytes + done, n - done, &taken, &event) < 0;
		if (s->is_broken || event.type == CHANNEL_NOTHING)
			return;
		take_event(s, &event);
	}
}

static void read_pod(struct stream *s)
{
	ssize_t n = recv(s->fd, s->bytes, PIECE, MSG_DONTWAIT);
	s->has_waste |= n > MUCH;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	s->heard_ms = clock_ms();
	if (n > 0)
		take_bytes(s, s->bytes, (size_t)n);
	else
		s->is_broken = true;
}

/* ---- what goes to it --------------------------------------------------------------------------- */

static void put_input(struct stream *s, const char *bytes, size_t n)
{
	uint8_t mask[4];
	make_mask(mask);
	s->is_broken |= (n ? channel_put_input(&s->to_pod, mask, bytes, n)
			   : channel_put_end(&s->to_pod, mask))
			< 0;
}

static void free_empty(struct buf *b)
{
	const size_t max = b->max;
	if (b->len)
		return;
	buf_finish(b);
	buf_init(b, max);
}

static void keep_input(struct stream *s, const char *bytes, size_t n)
{
	if (s->has_answered || (s->keeps_input && buf_append(&s->replay, bytes, n) < 0)) {
		s->keeps_input = false;
		buf_clear(&s->replay);
		free_empty(&s->replay);
	}
}

static void read_input(struct stream *s)
{
	ssize_t n = read(STDIN_FILENO, s->bytes, PIECE);
	s->has_waste |= n > MUCH;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	s->is_input_over = n <= 0;
	if (n > 0)
		keep_input(s, s->bytes, (size_t)n);
	put_input(s, s->bytes, n > 0 ? (size_t)n : 0);
}

/* Write what waits, as far as it goes. Returns false if nobody reads any more. */
static bool write_pending(int fd, struct buf *pending)
{
	while (pending->len) {
		ssize_t n = write(fd, buf_at(pending), pending->len);
		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		buf_take(pending, (size_t)n);
	}
	return true;
}

static void mind_silence(struct stream *s)
{
	const uint64_t now_ms = clock_ms();
	uint8_t mask[4];
	if (now_ms > s->heard_ms + SILENT_MS)
		s->is_broken = true;
	if (now_ms < s->heard_ms + PING_MS || now_ms < s->pinged_ms + PING_MS)
		return;
	make_mask(mask);
	s->pinged_ms = now_ms;
	s->is_broken |= websocket_put(&s->to_pod, WEBSOCKET_PING, mask, NULL, 0) < 0;
}

/* ---- both -------------------------------------------------------------------------------------- */

static void give_back(struct stream *s)
{
	s->has_waste = false;
	free_empty(&s->to_pod);
	free_empty(&s->to_out);
	idle_memory_drop(s->bytes, PIECE);
	idle_memory_drop_stack();
}

static void pass_once(struct stream *s)
{
	const bool reads_input = !s->is_input_over && s->to_pod.len < PENDING_MAX;
	struct pollfd fds[] = {{.fd = reads_input ? STDIN_FILENO : -1, .events = POLLIN},
			{.fd = s->fd,
					.events = (short)((s->to_out.len < PENDING_MAX ? POLLIN : 0)
							  | (s->to_pod.len ? POLLOUT : 0))},
			{.fd = s->to_out.len ? STDOUT_FILENO : -1, .events = POLLOUT}};
	const int happened = poll(fds, 3, s->has_waste ? REST_MS : PING_MS);
	if (happened < 0 && errno != EINTR)
		s->is_broken = true;
	if (happened == 0)
		give_back(s);
	if (fds[0].revents)
		read_input(s);
	if (fds[1].revents & (POLLIN | POLLHUP | POLLERR))
		read_pod(s);
	mind_silence(s);
	s->is_broken |= !write_pending(s->fd, &s->to_pod);
	if (!write_pending(STDOUT_FILENO, &s->to_out)) {
		buf_clear(&s->to_out);
		s->is_broken = true;
	}
}

static void pass_all(struct stream *s)
{
	while (!s->is_closed && !s->is_broken)
		pass_once(s);
	/* Pass on the bytes that came before the end. */
	for (struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT}; s->to_out.len;)
		if (poll(&out, 1, SILENT_MS) <= 0 || !write_pending(STDOUT_FILENO, &s->to_out))
			break;
}

/* ---- the end ----------------------------------------------------------------------------------- */

/* Returns the exit code that the status has; -1: the command did not run to its end. */
static int exit_code_of(struct json_value status)
{
	struct json_value value, details, causes, cause;
	char text[16];
	if (json_member(status, "status", &value) && json_is(value, "Success"))
		return 0;
	if (!json_member(status, "details", &details) || !json_member(details, "causes", &causes))
		return -1;
	while (json_item(&causes, &cause))
		if (json_member(cause, "reason", &value) && json_is(value, "ExitCode")
				&& json_member(cause, "message", &value))
			return atoi(json_value_text(value, text, sizeof text)) & 255;
	return -1;
}

/* Returns the exit status, with a message if the command did not run to its end. */
static int conclude(const struct stream *s)
{
	struct json_value status, value;
	char message[1024], clean[1024];
	if (!json_scan(s->reader.status, s->reader.n_status, &status)) {
		if (!s->is_quiet)
			fprintf(stderr, "error: the connection to the pod over kubectl proxy was lost\n");
		return FAILED;
	}
	const int code = exit_code_of(status);
	if (code >= 0)
		return code;
	json_member(status, "message", &value);
	json_value_text(value, message, sizeof message);
	trm_text_clean_line(clean, sizeof clean, message, strlen(message));
	if (!s->is_quiet)
		fprintf(stderr, "error: %s\n", clean);
	return FAILED;
}

static void make_nonblocking(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/* One connection from its opening to its end. Returns an exit status or UNDONE. */
static int run_stream(
		struct stream *s, const struct proxy_use *use, const char *target, char why[PROXY_WORDS])
{
	struct buf in;
	buf_init(&in, HANDSHAKE_HEAD_MAX + PIECE);
	channel_reader_init(&s->reader);
	s->fd = open_stream(use, target, &in, why);
	if (s->fd < 0) {
		buf_finish(&in);
		return UNDONE;
	}
	make_nonblocking(s->fd);
	make_nonblocking(STDIN_FILENO);
	make_nonblocking(STDOUT_FILENO);
	s->is_closed = s->is_broken = false;
	s->has_waste = true; /* it has been opened */
	s->heard_ms = clock_ms();
	buf_clear(&s->to_pod);
	if (s->replay.len)
		put_input(s, buf_at(&s->replay), s->replay.len);
	if (s->is_input_over)
		put_input(s, NULL, 0);
	take_bytes(s, buf_at(&in), in.len);
	buf_finish(&in);
	pass_all(s);
	close(s->fd);
	return conclude(s);
}

/* The longer it takes, the less often we try: where many pods start at once, trying would take the processors
 * that they need. */
static int nap_ms(uint64_t waited_ms)
{
	const uint64_t ms = waited_ms / 8;
	return ms < AGAIN_MS ? AGAIN_MS : ms > AGAIN_MAX_MS ? AGAIN_MAX_MS : (int)ms;
}

int kube_stream(const struct proxy_use *use, const char *space, const struct kube_command *command,
		bool waits, char why[PROXY_WORDS])
{
	static struct stream s; /* large */
	struct buf target;
	int code = UNDONE;
	s = (struct stream){.fd = -1,
			.bytes = malloc(PIECE),
			.keeps_input = waits,
			.is_quiet = waits,
			.is_input_over = !command->has_stdin};
	buf_init(&s.to_pod, 4 * PENDING_MAX);
	buf_init(&s.to_out, 4 * PENDING_MAX);
	buf_init(&s.replay, REPLAY_MAX);
	buf_init(&target, HANDSHAKE_HEAD_MAX);
	snprintf(why, PROXY_WORDS, "%s",
			s.bytes ? "the command cannot be put into a request" : "out of memory");
	if (s.bytes && kube_exec_path_put(&target, space, command) == 0 && buf_append(&target, "", 1) == 0)
		code = run_stream(&s, use, buf_at(&target), why);
	const uint64_t since_ms = clock_ms();
	while (s.bytes && waits && code != 0 && !s.has_answered && s.keeps_input) {
		poll(NULL, 0, nap_ms(clock_ms() - since_ms));
		code = run_stream(&s, use, buf_at(&target), why);
	}
	buf_finish(&s.to_pod);
	buf_finish(&s.to_out);
	buf_finish(&s.replay);
	buf_finish(&target);
	free(s.bytes);
	return code;
}
