/* SPDX-License-Identifier: MIT */
#include "stream/sieve.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <terrarium/error.h>

static void go_on(void *user, size_t n)
{
	struct sieve *sieve = user;
	(void)n;
	if (sieve->watch && sink_is_empty(&sieve->sink))
		trm_watch_set_events(sieve->watch, TRM_READ);
}

static const struct sink_cb sink_cb = {.released = go_on};

static void on_readable(void *user, int fd, uint32_t events)
{
	struct sieve *sieve = user;
	char bytes[16 * 1024];
	ssize_t n = read(fd, bytes, sizeof bytes);
	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		trm_watch_remove(sieve->watch);
		sieve->watch = NULL;
		return;
	}
	trm_watch_set_events(sieve->watch, 0); /* until these are out: released() may come from within */
	sink_write(&sieve->sink, bytes, (size_t)n);
}

int sieve_init(struct sieve *sieve, struct trm_loop *loop, int fd, struct trm_error *reterr)
{
	*sieve = (struct sieve){.fds = {-1, -1}, .loop = loop};
	if (pipe2(sieve->fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return trm_error_set_errno(reterr, errno, "cannot make a pipe to the terminal");
	sink_init(&sieve->sink, loop, fd, FILTER_LINES, &sink_cb, sieve);
	return trm_loop_add_fd(loop, sieve->fds[0], TRM_READ, on_readable, sieve, &sieve->watch, reterr);
}

void sieve_drain(struct sieve *sieve, const int *stop)
{
	close(sieve->fds[1]);
	sieve->fds[1] = -1;
	while ((sieve->watch || !sink_is_empty(&sieve->sink)) && !*stop)
		trm_loop_step(sieve->loop, -1);
}

void sieve_finish(struct sieve *sieve)
{
	if (!sieve->loop)
		return;
	trm_watch_remove(sieve->watch);
	sink_finish(&sieve->sink);
	for (int i = 0; i < 2; i++)
		if (sieve->fds[i] >= 0)
			close(sieve->fds[i]);
	*sieve = (struct sieve){0};
}
