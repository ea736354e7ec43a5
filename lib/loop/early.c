/* SPDX-License-Identifier: MIT */
/* The watches of a young loop, which is mostly over before a queue for its two or three descriptors would
 * have been worth while: they are asked with poll(). Until there are more of them, or one of which only a
 * queue knows whether it can be waited for at all, or the loop is no longer young (loop.c). */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loop/loop.h"

/* Surely; of files and other devices the queue knows it. */
static bool can_poll(int fd)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return false;
	return S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || !(st.st_mode & S_IFMT) /* signalfd … */
	       || (S_ISCHR(st.st_mode) && isatty(fd));
}

int early_add(struct trm_loop *loop, struct trm_watch *watch)
{
	for (size_t i = 0; i < loop->n_early; i++)
		if (loop->early[i]->fd == watch->fd)
			return EEXIST;
	if (loop->n_early == EARLY_MAX || !can_poll(watch->fd))
		return EAGAIN;
	loop->early[loop->n_early++] = watch;
	return 0;
}

void early_remove(const struct trm_watch *watch)
{
	struct trm_loop *loop = watch->loop;
	size_t i = 0;
	while (loop->early[i] != watch)
		i++;
	loop->early[i] = loop->early[--loop->n_early];
}

int early_wait(struct trm_loop *loop, struct epoll_event *batch, int timeout_ms)
{
	struct pollfd fds[EARLY_MAX];
	for (size_t i = 0; i < loop->n_early; i++)
		fds[i] = (struct pollfd){loop->early[i]->fd, (short)to_epoll(loop->early[i]->events), 0};
	int n = poll(fds, loop->n_early, timeout_ms);
	if (n <= 0)
		return n;
	n = 0;
	for (size_t i = 0; i < loop->n_early; i++)
		if (fds[i].revents)
			batch[n++] = (struct epoll_event){
					.events = (uint32_t)fds[i].revents, .data.ptr = loop->early[i]};
	return n;
}
