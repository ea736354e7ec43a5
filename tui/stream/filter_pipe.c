/* SPDX-License-Identifier: MIT */
#include "stream/filter_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <terrarium/error.h>

static void continue_filter(void *user, size_t n)
{
	struct filter_pipe *filter_pipe = user;
	(void)n;
	if (filter_pipe->watch && sink_is_empty(&filter_pipe->sink))
		trm_watch_set_events(filter_pipe->watch, TRM_READ);
}

static const struct sink_cb sink_cb = {.released = continue_filter};

static void on_filter_pipe_readable(void *user, int fd, uint32_t events)
{
	struct filter_pipe *filter_pipe = user;
	char bytes[16 * 1024];
	ssize_t n = read(fd, bytes, sizeof bytes);
	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		trm_watch_remove(filter_pipe->watch);
		filter_pipe->watch = NULL;
		return;
	}
	trm_watch_set_events(
			filter_pipe->watch, 0); /* until these are out: released() may come from within */
	sink_write(&filter_pipe->sink, bytes, (size_t)n);
}

int filter_pipe_init(struct filter_pipe *filter_pipe, struct trm_loop *loop, int fd, struct trm_error *reterr)
{
	*filter_pipe = (struct filter_pipe){.fds = {-1, -1}, .loop = loop};
	if (pipe2(filter_pipe->fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return trm_error_set_errno(reterr, errno, "cannot make a pipe to the terminal");
	sink_init(&filter_pipe->sink, loop, fd, FILTER_LINES, &sink_cb, filter_pipe);
	return trm_loop_add_fd(loop, filter_pipe->fds[0], TRM_READ, on_filter_pipe_readable, filter_pipe,
			&filter_pipe->watch, reterr);
}

void filter_pipe_drain(struct filter_pipe *filter_pipe, const int *stop)
{
	close(filter_pipe->fds[1]);
	filter_pipe->fds[1] = -1;
	while ((filter_pipe->watch || !sink_is_empty(&filter_pipe->sink)) && !*stop)
		trm_loop_step(filter_pipe->loop, -1);
}

void filter_pipe_finish(struct filter_pipe *filter_pipe)
{
	if (!filter_pipe->loop)
		return;
	trm_watch_remove(filter_pipe->watch);
	sink_finish(&filter_pipe->sink);
	for (int i = 0; i < 2; i++)
		if (filter_pipe->fds[i] >= 0)
			close(filter_pipe->fds[i]);
	*filter_pipe = (struct filter_pipe){0};
}
