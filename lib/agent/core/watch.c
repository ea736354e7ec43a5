/* SPDX-License-Identifier: MIT */
#include "agent/core/watch.h"

#include <unistd.h>

int poller_init(struct poller *poller)
{
	*poller = (struct poller){.fd = epoll_create1(EPOLL_CLOEXEC)};
	return poller->fd < 0 ? -1 : 0;
}

void poller_finish(struct poller *poller)
{
	if (poller->fd > 0)
		close(poller->fd);
	*poller = (struct poller){.fd = -1};
}

void poller_turn(struct poller *poller, int timeout_ms)
{
	int n = epoll_wait(poller->fd, poller->batch, POLLER_BATCH, timeout_ms);
	poller->batch_len = n < 0 ? 0 : n;
	for (poller->batch_at = 0; poller->batch_at < poller->batch_len; poller->batch_at++) {
		struct watch *watch = poller->batch[poller->batch_at].data.ptr;
		if (watch)
			watch->ready(watch, poller->batch[poller->batch_at].events);
	}
	poller->batch_len = 0;
}

void watch_init(struct watch *watch, int fd, void (*ready)(struct watch *, uint32_t))
{
	*watch = (struct watch){.fd = fd, .ready = ready};
}

/* Drop the watch's pending events of this turn: it was paused, closed or freed since. */
static void forget(struct poller *poller, const struct watch *watch)
{
	for (int i = poller->batch_at + 1; i < poller->batch_len; i++)
		if (poller->batch[i].data.ptr == watch)
			poller->batch[i].data.ptr = NULL;
}

int watch_set(struct poller *poller, struct watch *watch, uint32_t events)
{
	if (watch->fd < 0 || watch->events == events)
		return 0;
	int op = !events ? EPOLL_CTL_DEL : watch->events ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
	struct epoll_event event = {.events = events, .data.ptr = watch};
	if (epoll_ctl(poller->fd, op, watch->fd, &event) < 0)
		return -1;
	watch->events = events;
	if (!events)
		forget(poller, watch);
	return 0;
}

void watch_close(struct poller *poller, struct watch *watch)
{
	if (watch->fd < 0)
		return;
	watch_set(poller, watch, 0);
	close(watch->fd);
	watch->fd = -1;
}
