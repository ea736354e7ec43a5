/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/container/container.h"

enum {
	LANE_SIZE = 256 * 1024,
	PIPE_SIZE = 1024 * 1024, /* for standard input and output, if they are pipes: fewer loop iterations */
};

/* One direction. */
struct lane {
	int from, to;
	char *bytes;
	size_t at, end;  /* the bytes in between still have to be written */
	bool is_over;    /* `from` has ended */
	bool is_spliced; /* one end is a pipe: the kernel moves the pages, and nothing is stored here */
	bool is_stuck;   /* data came for which there was no room */
	bool has_moved;  /* data was moved */
};

static bool is_empty(const struct lane *lane)
{
	return lane->at == lane->end && !lane->is_stuck;
}

/* Returns false if the connection is broken. */
static bool fill(struct lane *lane)
{
	ssize_t n = read(lane->from, lane->bytes, LANE_SIZE);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	lane->is_over = n == 0;
	lane->has_moved |= n > 0;
	lane->at = 0;
	lane->end = (size_t)n;
	return true;
}

static bool drain(struct lane *lane)
{
	while (!is_empty(lane)) {
		ssize_t n = write(lane->to, lane->bytes + lane->at, lane->end - lane->at);
		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		lane->at += (size_t)n;
	}
	return true;
}

/* splice() does not report which end was not ready. Assume that it is the end that was not polled. */
static bool pass(struct lane *lane)
{
	ssize_t n = splice(lane->from, NULL, lane->to, NULL, PIPE_SIZE, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	lane->is_stuck = n < 0 && errno == EAGAIN && !lane->is_stuck;
	lane->is_over = n == 0;
	lane->has_moved |= n > 0;
	if (n < 0 && errno == EINVAL)
		lane->is_spliced = false; /* splice() does not support these two: copy instead */
	return n >= 0 || errno == EAGAIN || errno == EINTR || errno == EINVAL;
}

/* Pass data on at once; mostly there is room, so poll() is not needed again. */
static bool move(struct lane *lane, short events_in, short events_out)
{
	if (lane->is_spliced)
		return (!events_in && !events_out) || pass(lane);
	if (events_in && is_empty(lane) && !lane->is_over && !fill(lane))
		return false;
	return (!events_in && !events_out) || drain(lane);
}

/* The agent reads nothing more, but its output is still passed on. */
static void give_up(struct lane *lane)
{
	lane->is_over = true;
	lane->is_stuck = false;
	lane->at = lane->end = 0;
}

static void prepare(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE);
}

static bool is_pipe(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

static bool wait_and_move(struct lane *in, struct lane *out)
{
	bool wants_in = is_empty(in) && !in->is_over, wants_out = is_empty(out) && !out->is_over;
	int socket_fd = in->to;
	short socket_events = (short)((is_empty(in) ? 0 : POLLOUT) | (wants_out ? POLLIN : 0));
	/* Leave out an end that is not needed: poll() would report its hang-up again and again. */
	struct pollfd fds[] = {{.fd = wants_in ? in->from : -1, .events = POLLIN},
			{.fd = out->to, .events = is_empty(out) ? 0 : POLLOUT},
			{.fd = socket_events ? socket_fd : -1, .events = socket_events}};
	if (poll(fds, 3, -1) < 0)
		return errno == EINTR;
	if (fds[1].revents & (POLLERR | POLLHUP | POLLNVAL))
		return false; /* nobody reads the output any more */
	short from_socket = fds[2].revents & (POLLIN | POLLHUP | POLLERR);
	short to_socket = is_empty(in) ? 0 : fds[2].revents & (POLLOUT | POLLHUP | POLLERR);
	if (!move(in, fds[0].revents, to_socket))
		give_up(in);
	return move(out, from_socket, fds[1].revents);
}

bool bridge(int socket_fd)
{
	struct lane in = {.from = 0, .to = socket_fd, .bytes = malloc(LANE_SIZE)};
	struct lane out = {.from = socket_fd, .to = 1, .bytes = malloc(LANE_SIZE)};
	bool is_shut = false;
	signal(SIGPIPE, SIG_IGN);
	in.is_spliced = is_pipe(0);
	out.is_spliced = is_pipe(1);
	prepare(0);
	prepare(1);
	prepare(socket_fd);
	while (in.bytes && out.bytes && !(out.is_over && is_empty(&out)) && wait_and_move(&in, &out)) {
		if (!is_shut && in.is_over && is_empty(&in))
			is_shut = shutdown(socket_fd, SHUT_WR) == 0;
	}
	free(in.bytes);
	free(out.bytes);
	return out.has_moved;
}
