/* SPDX-License-Identifier: MIT */
#include "stream/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 8 /* linux/fs.h */
#endif

/* O_NONBLOCK belongs to the open file description, which we share with the shell and others. So open the
 * same pipe or terminal again. If that is impossible, writes block. */
static void own_description(struct sink *s)
{
	char path[32];
	s->is_borrowed = false;
	snprintf(path, sizeof path, "/proc/self/fd/%d", s->fd);
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return;
	s->fd = fd;
	s->owns_fd = true;
}

void sink_init(struct sink *s, struct trm_loop *loop, int fd, enum filter_kind kind, const struct sink_cb *cb,
		void *user)
{
	*s = (struct sink){.loop = loop, .cb = cb, .user = user, .fd = fd, .last = '\n'};
	filter_init(&s->filter, kind);
}

/* Called when there is something to write, because most programs write nothing to stderr. */
static void watch_sink(struct sink *s)
{
	struct stat st;
	s->has_looked = true;
	if (fstat(s->fd, &st) < 0)
		return;
	s->is_terminal = S_ISCHR(st.st_mode) && isatty(s->fd);
	s->is_socket = S_ISSOCK(st.st_mode);
	s->is_borrowed = S_ISFIFO(st.st_mode) || s->is_terminal;
}

static void release_sink(struct sink *s)
{
	size_t n = s->owed;
	s->owed = 0;
	if (n && s->cb->released)
		s->cb->released(s->user, n);
}

static void drop_held(struct sink *s)
{
	s->held_start = s->held_end = 0;
	trm_watch_remove(s->watch);
	s->watch = NULL;
}

static void give_up(struct sink *s, int saved_errno)
{
	s->is_broken = true;
	drop_held(s);
	if (s->cb->broken)
		s->cb->broken(s->user, s, saved_errno);
}

/* A pipe can be written without blocking even if it is shared (since Linux 6.4). Otherwise it is opened
 * again, which is expensive. */
static ssize_t write_some(struct sink *s, const char *bytes, size_t n)
{
	if (!s->has_looked)
		watch_sink(s);
	if (s->is_socket)
		return send(s->fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (s->is_borrowed) {
		const struct iovec part = {(void *)bytes, n};
		ssize_t wrote = syscall(SYS_pwritev2, s->fd, &part, 1, -1L, -1L, RWF_NOWAIT);
		if (wrote >= 0 || (errno != EOPNOTSUPP && errno != EINVAL && errno != ENOSYS))
			return wrote;
		own_description(s);
	}
	return write(s->fd, bytes, n);
}

/* Write as much as possible. Returns the number of bytes, or -1 when the sink has broken. */
static ssize_t put_sink_bytes(struct sink *s, const char *bytes, size_t n)
{
	size_t done = 0;
	while (done < n) {
		ssize_t wrote = write_some(s, bytes + done, n - done);
		if (wrote > 0) {
			done += (size_t)wrote;
		} else if (wrote < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			break;
		} else if (wrote < 0 && errno != EINTR) {
			give_up(s, errno);
			return -1;
		}
	}
	s->n_taken += done;
	return (ssize_t)done;
}

static bool is_stuck(struct sink *s)
{
	bool is_same = s->n_taken == s->n_asked;
	s->n_asked = s->n_taken;
	return is_same && !sink_is_empty(s);
}

bool sinks_are_stuck(struct sink *a, struct sink *b)
{
	bool first = is_stuck(a), second = is_stuck(b);
	return first || second;
}

static void on_writable(void *user, int fd, uint32_t events)
{
	struct sink *s = user;
	(void)fd;
	(void)events;
	ssize_t wrote = put_sink_bytes(s, s->held + s->held_start, s->held_end - s->held_start);
	if (wrote > 0)
		s->held_start += (size_t)wrote;
	if (!sink_is_empty(s))
		return;
	drop_held(s);
	release_sink(s);
}

static bool hold(struct sink *s, const char *bytes, size_t n)
{
	if (s->held_end + n > s->held_cap) {
		size_t cap = (s->held_end + n) * 2;
		char *mem = realloc(s->held, cap);
		if (!mem)
			return false;
		s->held = mem;
		s->held_cap = cap;
	}
	memcpy(s->held + s->held_end, bytes, n);
	s->held_end += n;
	return s->is_gathering || s->watch
	       || trm_loop_add_fd(s->loop, s->fd, TRM_WRITE, on_writable, s, &s->watch, NULL) == 0;
}

/* Write bytes that need no filter. */
static void write_sink_bytes(struct sink *s, const char *bytes, size_t n)
{
	if (!n || s->is_broken)
		return;
	s->last = bytes[n - 1];
	ssize_t wrote = sink_is_empty(s) && !s->is_gathering ? put_sink_bytes(s, bytes, n) : 0;
	if (wrote >= 0 && (size_t)wrote < n && !hold(s, bytes + wrote, n - (size_t)wrote))
		give_up(s, ENOMEM);
}

static void write_filtered(struct sink *s, const char *bytes, size_t n)
{
	enum { STEP = 4096 };
	char out[3 * STEP + FILTER_SEQUENCE_MAX];
	for (size_t i = 0; i < n; i += STEP) {
		size_t step = n - i < STEP ? n - i : STEP;
		write_sink_bytes(s, out, filter_feed(&s->filter, bytes + i, step, out));
	}
}

void sink_pass(struct sink *s, const void *bytes, size_t n)
{
	if (!s->has_looked)
		watch_sink(s);
	if (s->is_terminal)
		write_filtered(s, bytes, n);
	else
		write_sink_bytes(s, bytes, n);
}

void sink_put(struct sink *s, const void *bytes, size_t n, size_t owed)
{
	s->owed += owed;
	write_sink_bytes(s, bytes, n);
	if (sink_is_empty(s))
		release_sink(s);
}

void sink_write(struct sink *s, const void *bytes, size_t n)
{
	s->owed += n;
	sink_pass(s, bytes, n);
	if (sink_is_empty(s))
		release_sink(s);
}

void sink_line(struct sink *s, const char *text)
{
	char line[512]; /* most lines need only one write */
	const char *before = s->last != '\n' ? "\n" : "";
	size_t n = strlen(text);
	if (n + 3 <= sizeof line) {
		sink_pass(s, line, (size_t)snprintf(line, sizeof line, "%s%s\n", before, text));
		return;
	}
	sink_pass(s, before, strlen(before));
	sink_pass(s, text, n);
	sink_pass(s, "\n", 1);
}

void sink_gather(struct sink *s)
{
	s->is_gathering = sink_is_empty(s);
}

char *sink_gathered(struct sink *s, size_t *ret_n)
{
	if (!s->is_gathering)
		return NULL;
	char *text = s->held;
	*ret_n = s->held_end;
	s->held = NULL;
	s->held_start = s->held_end = s->held_cap = 0;
	s->is_gathering = false;
	return text;
}

void sink_finish(struct sink *s)
{
	char out[FILTER_FINISH_MAX];
	if (s->is_terminal && !s->is_broken) {
		size_t n = filter_finish(&s->filter, out);
		if (n && write(s->fd, out, n) < 0)
			s->is_broken = true;
	}
	trm_watch_remove(s->watch);
	free(s->held);
	if (s->owns_fd)
		close(s->fd);
	*s = (struct sink){0};
}
