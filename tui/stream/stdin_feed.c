/* SPDX-License-Identifier: MIT */
#include "stream/stdin_feed.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <terrarium/error.h>

enum { QUEUE_SHORT = 64 << 10, STDIN_FEED_READ_BYTES = 16 << 10 };

/* Most scripts have the null device as their input. It needs no watch. */
static bool is_null_device(int fd)
{
	const dev_t null_device = makedev(1, 3); /* on Linux, always */
	struct stat st;
	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == null_device;
}

void stdin_feed_init(struct stdin_feed *f, struct trm_loop *loop, int fd, const struct stdin_feed_cb *cb,
		void *user)
{
	*f = (struct stdin_feed){.loop = loop,
			.cb = cb,
			.user = user,
			.fd = fd,
			.is_always_readable = is_null_device(fd)};
}

/* A terminal that is gone, and nohup's replacement for one, simply count as ended. */
static void report_broken(const struct stdin_feed *f, int error)
{
	char why[128];
	if (!error || error == EIO || error == EBADF)
		return;
	snprintf(why, sizeof why, "cannot read standard input: %s", strerror(error));
	f->cb->broken(f->user, why);
}

static void end_feed(struct stdin_feed *f, int error)
{
	report_broken(f, error);
	trm_watch_remove(f->watch);
	f->watch = NULL;
	f->is_ended = true;
	f->cb->eof(f->user);
}

static void read_some(struct stdin_feed *f)
{
	/* Not on the stack, where all of it would be touched even if nothing is read. */
	char *bytes = malloc(STDIN_FEED_READ_BYTES);
	size_t had = bytes && f->has_first;
	if (had)
		bytes[0] = f->first;
	ssize_t n = bytes ? read(f->fd, bytes + had, STDIN_FEED_READ_BYTES - had) : 0;
	f->is_ready = f->has_first = false;
	int error = n < 0 ? errno : 0;
	if (n > 0 || had)
		f->cb->bytes(f->user, bytes, (n > 0 ? (size_t)n : 0) + had);
	else if (error != EINTR && error != EAGAIN)
		end_feed(f, error);
	free(bytes);
}

static void on_stdin_readable(void *user, int fd, uint32_t events)
{
	struct stdin_feed *f = user;
	(void)fd;
	(void)events;
	f->is_ready = true;
	/* Watch again only after these bytes were read: a closed pipe would report itself at every loop
	 * iteration. */
	trm_watch_remove(f->watch);
	f->watch = NULL;
}

static void watch_stdin(struct stdin_feed *f)
{
	if (f->watch || f->is_ready || f->is_always_readable)
		return;
	int r = trm_loop_add_fd(f->loop, f->fd, TRM_READ, on_stdin_readable, f, &f->watch, NULL);
	if (r == TRM_ENOTSUP) {
		f->is_always_readable = true; /* a file */
	} else if (r < 0) { /* for example without descriptors: then check in each loop iteration */
		struct pollfd one = {.fd = f->fd, .events = POLLIN};
		f->is_ready = poll(&one, 1, 0) > 0;
	}
}

static bool has_room(const struct stdin_feed *f)
{
	return !f->is_ended && f->cb->queued(f->user) < QUEUE_SHORT;
}

bool stdin_feed_is_hungry(const struct stdin_feed *f)
{
	return f->cb && (f->is_ready || f->is_always_readable) && has_room(f);
}

void stdin_feed_begin(struct stdin_feed *f)
{
	watch_stdin(f);
	if (!f->is_always_readable)
		return;
	ssize_t n = read(f->fd, &f->first, 1);
	report_broken(f, n < 0 ? errno : 0);
	f->has_first = n == 1;
	f->is_ended = !f->has_first;
}

void stdin_feed_turn(struct stdin_feed *f)
{
	if (!f->cb || !has_room(f))
		return;
	if (f->is_ready || f->is_always_readable)
		read_some(f);
	if (!f->is_ended)
		watch_stdin(f);
}

void stdin_feed_restart(struct stdin_feed *f)
{
	if (f->cb && f->is_ended)
		f->cb->eof(f->user);
}

void stdin_feed_finish(struct stdin_feed *f)
{
	trm_watch_remove(f->watch);
	*f = (struct stdin_feed){0};
}
