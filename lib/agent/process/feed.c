/* SPDX-License-Identifier: MIT */
#include "agent/process/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "agent/core/agent.h"
#include "agent/process/proc.h"
#include "agent/process/subscriber.h"
#include "agent/process/turns.h"
#include "wire/message.h"

enum {
	GIVE_BACK = FRAME_INPUT_WINDOW / 4, /* credit goes back in pieces of this size */
	VEOF_DEFAULT = 4,
};

static const uint8_t channels[FEED_CLIENT_KINDS] = {
		[FEED_STDIN] = CHANNEL_STDIN,
		[FEED_CONTROL] = CHANNEL_CONTROL,
};

static void on_writable(struct watch *watch, uint32_t events)
{
	(void)events; /* an error is found by the write */
	feed_run(OWNER_OF(watch, struct feed, watch));
}

void feed_init(struct feed *feed, struct proc *proc, enum feed_kind kind)
{
	*feed = (struct feed){.proc = proc, .kind = kind, .read_fd = -1};
	watch_init(&feed->watch, -1, on_writable);
	buf_init(&feed->own, FRAME_MAX_PAYLOAD);
}

void feed_open(struct feed *feed, int write_fd, int read_fd, bool is_tty)
{
	watch_init(&feed->watch, write_fd, on_writable);
	feed->read_fd = read_fd;
	feed->is_tty = is_tty;
	feed->exists = true;
}

void feed_finish(struct feed *feed)
{
	if (!feed->proc)
		return;
	watch_close(&feed->proc->agent->poller, &feed->watch);
	if (feed->read_fd >= 0)
		close(feed->read_fd);
	feed->read_fd = -1;
	buf_finish(&feed->own);
}

void inlet_init(struct inlet *inlet, size_t max)
{
	*inlet = (struct inlet){.credit = FRAME_INPUT_WINDOW};
	buf_init(&inlet->queue, max);
}

void inlet_finish(struct inlet *inlet)
{
	buf_finish(&inlet->queue);
}

static struct inlet *inlet_of(const struct feed *feed, struct subscriber *subscriber)
{
	return &subscriber->inlets[feed->kind];
}

void inlet_took(struct inlet *inlet, struct subscriber *subscriber, uint8_t channel, size_t n)
{
	inlet->taken += (uint32_t)n;
	if (inlet->taken < GIVE_BACK)
		return;
	char payload[4];
	frame_store_u32(payload, inlet->taken);
	agent_client_send(subscriber->stream.client, subscriber->stream.id, FRAME_INPUT_CREDIT, channel,
			payload, 4);
	inlet->credit += inlet->taken;
	inlet->taken = 0;
}

/* The process has read these bytes, or will never read them. */
static void return_credit(const struct feed *feed, struct subscriber *subscriber, size_t n)
{
	inlet_took(inlet_of(feed, subscriber), subscriber, channels[feed->kind], n);
}

static void drop_queues(struct feed *feed)
{
	buf_clear(&feed->own);
	feed->writer = NULL;
	feed->mid_line = false;
	if (feed->kind >= FEED_CLIENT_KINDS)
		return;
	for (struct subscriber *subscriber = feed->proc->subscribers; subscriber;
			subscriber = subscriber->next) {
		size_t n = inlet_of(feed, subscriber)->queue.len;
		buf_clear(&inlet_of(feed, subscriber)->queue);
		return_credit(feed, subscriber, n);
	}
}

/* Write as much as the pipe accepts and return the number of bytes. If nobody reads the pipe any more, it
 * is closed. `author` NULL: the bytes are nobody's. */
static size_t write_some(struct feed *feed, struct subscriber *author, const char *bytes, size_t n)
{
	ssize_t done = write(feed->watch.fd, bytes, n);
	if (done > 0) {
		feed->mid_line = bytes[done - 1] != '\n';
		if (author && feed->kind == FEED_CONTROL)
			turns_wrote(author, bytes, (size_t)done);
		return (size_t)done;
	}
	if (done < 0 && errno != EAGAIN && errno != EINTR) {
		watch_close(&feed->proc->agent->poller, &feed->watch);
		drop_queues(feed);
		feed->is_deaf = true;
	}
	return 0;
}

static bool keeps_on(const struct feed *feed)
{
	return feed->kind == FEED_CONTROL && feed->mid_line;
}

static struct subscriber *next_writer(const struct feed *feed)
{
	if (feed->writer || feed->kind >= FEED_CLIENT_KINDS)
		return feed->writer;
	struct subscriber *subscriber = feed->proc->subscribers;
	while (subscriber && !inlet_of(feed, subscriber)->queue.len)
		subscriber = subscriber->next;
	return subscriber;
}

static char eof_char(const struct feed *feed)
{
	struct termios settings;
	return tcgetattr(feed->watch.fd, &settings) < 0 ? VEOF_DEFAULT : (char)settings.c_cc[VEOF];
}

/* Called when everything is written. */
static void at_end(struct feed *feed)
{
	if (!feed->ends)
		return;
	feed->ends = false;
	if (feed->is_tty) {
		char eof = eof_char(feed);
		if (!write_some(feed, NULL, &eof, 1) && feed->watch.fd >= 0
				&& buf_append(&feed->own, &eof, 1) == 0)
			watch_set(&feed->proc->agent->poller, &feed->watch, EPOLLOUT);
		return;
	}
	watch_close(&feed->proc->agent->poller, &feed->watch);
	/* A script is long, and never comes again. */
	buf_finish(&feed->own);
	buf_init(&feed->own, FRAME_MAX_PAYLOAD);
}

static bool write_queue(struct feed *feed, struct subscriber *author, struct buf *queue)
{
	buf_take(queue, write_some(feed, author, buf_at(queue), queue->len));
	return !queue->len;
}

/* Returns true if nothing is left to write. */
static bool write_all(struct feed *feed)
{
	struct subscriber *subscriber;
	if (feed->own.len && !write_queue(feed, NULL, &feed->own))
		return false;
	while ((subscriber = next_writer(feed))) {
		struct buf *queue = &inlet_of(feed, subscriber)->queue;
		size_t before = queue->len;
		feed->writer = subscriber;
		bool all = !queue->len || write_queue(feed, subscriber, queue);
		if (feed->watch.fd < 0)
			return false; /* drop_queues() has settled the rest */
		return_credit(feed, subscriber, before - queue->len);
		if (!all)
			return false;
		if (keeps_on(feed))
			return true;
		feed->writer = NULL;
	}
	return true;
}

void feed_run(struct feed *feed)
{
	if (feed->watch.fd < 0)
		return;
	bool all = write_all(feed);
	if (feed->watch.fd < 0)
		return;
	watch_set(&feed->proc->agent->poller, &feed->watch, all ? 0 : EPOLLOUT);
	if (all)
		at_end(feed);
}

/* Nothing is queued before these bytes: write as much as the pipe accepts. Returns the number of bytes that
 * are done with. */
static size_t write_through(struct feed *feed, struct subscriber *subscriber, const char *bytes, size_t n)
{
	feed->writer = subscriber;
	size_t done = write_some(feed, subscriber, bytes, n);
	if (feed->watch.fd < 0)
		done = n; /* they will never be read */
	return_credit(feed, subscriber, done);
	if (done == n && !keeps_on(feed)) {
		feed->writer = NULL;
		feed_run(feed); /* another subscriber may have waited for the end of this line */
	}
	return done;
}

int feed_push(struct feed *feed, struct subscriber *subscriber, const char *bytes, size_t n)
{
	struct buf *queue = &inlet_of(feed, subscriber)->queue;
	size_t done = 0;
	if (feed->watch.fd < 0) {
		return_credit(feed, subscriber, n); /* stdin that has ended accepts nothing */
		feed->is_deaf = true;
		return 0;
	}
	if (n && (!feed->writer || feed->writer == subscriber) && !queue->len && !feed->own.len)
		done = write_through(feed, subscriber, bytes, n);
	if (done == n)
		return 0;
	int r = buf_append(queue, bytes + done, n - done);
	if (r == 0)
		watch_set(&feed->proc->agent->poller, &feed->watch, EPOLLOUT);
	return r;
}

bool feed_is_unread(const struct feed *feed)
{
	int n = 0;
	return feed->is_deaf || (feed->watch.fd >= 0 && ioctl(feed->watch.fd, FIONREAD, &n) == 0 && n > 0);
}

void feed_forget(struct feed *feed, struct subscriber *subscriber)
{
	if (feed->writer != subscriber)
		return;
	feed->writer = NULL;
	if (keeps_on(feed))
		buf_append(&feed->own, FRAME_CUT, sizeof FRAME_CUT - 1);
	feed_run(feed);
}

void feed_drop(struct feed *feed, struct subscriber *subscriber)
{
	struct buf *queue = &inlet_of(feed, subscriber)->queue;
	size_t n = queue->len;
	buf_clear(queue);
	return_credit(feed, subscriber, n);
	feed_forget(feed, subscriber);
}

void feed_end_line(struct feed *feed, struct subscriber *subscriber)
{
	struct buf *queue = &inlet_of(feed, subscriber)->queue;
	size_t before = queue->len;
	while (queue->len && buf_at(queue)[queue->len - 1] != '\n')
		queue->len--;
	return_credit(feed, subscriber, before - queue->len);
	if (!queue->len)
		feed_forget(feed, subscriber);
}

/* Open the pipe again with separate flags, because the process shares the flags of read_fd. */
static int reopen(const struct feed *feed, int flags)
{
	char path[40];
	snprintf(path, sizeof path, "/proc/self/fd/%d", feed->read_fd);
	return open(path, flags | O_NONBLOCK | O_CLOEXEC);
}

static void drain(struct feed *feed)
{
	int left;
	if (ioctl(feed->read_fd, FIONREAD, &left) == 0 && left == 0)
		return;
	int fd = reopen(feed, O_RDONLY);
	if (fd < 0)
		return;
	while (read(fd, feed->proc->agent->scratch, AGENT_SCRATCH) > 0)
		;
	close(fd);
}

static void flush_tty(const struct feed *feed)
{
	int slave = ioctl(feed->watch.fd, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		return;
	tcflush(slave, TCIFLUSH);
	close(slave);
}

static void reset(struct feed *feed)
{
	drop_queues(feed);
	feed->ends = false;
	if (feed->is_tty && feed->watch.fd >= 0) {
		watch_set(&feed->proc->agent->poller, &feed->watch, 0);
		flush_tty(feed);
	} else if (!feed->is_tty && feed->read_fd >= 0) {
		watch_close(&feed->proc->agent->poller, &feed->watch);
		drain(feed);
	}
}

void feed_set_state(struct feed *feed, enum stdin_state state)
{
	switch (state) {
	case STDIN_OPEN:
		feed->ends = false;
		if (feed->watch.fd < 0 && feed->read_fd >= 0)
			watch_init(&feed->watch, reopen(feed, O_WRONLY), on_writable);
		break;
	case STDIN_EOF:
		feed->ends = true;
		feed_run(feed);
		break;
	case STDIN_RESET: reset(feed); break;
	}
}
