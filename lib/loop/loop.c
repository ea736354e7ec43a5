/* SPDX-License-Identifier: MIT */
/* Theory of operation.
 *
 * One epoll descriptor holds every watch. A turn has these steps: wait, read the clock, deliver the ready
 * descriptors, deliver the due timers, drive HTTP. Signals (signalfd), children (pidfd) and wakeups
 * (eventfd) are descriptors like any other, and so are curl's (http.c). So the epoll descriptor and the time
 * of the first timer are all that a foreign loop needs to know.
 *
 * Callbacks may remove anything. A removed watch leaves epoll at once, but its memory lives until the end
 * of the turn, because the current batch of events may still point to it. */
#include "loop/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "loop/http.h"

enum { BATCH = 64, LONGEST_WAIT_MS = 3600000 };

static void drain_wakeup(void *user, int fd, uint32_t events)
{
	uint64_t count;
	(void)user;
	(void)events;
	while (read(fd, &count, sizeof count) > 0)
		;
}

/* Convert TRM_READ etc. */
static uint32_t to_epoll(uint32_t events)
{
	return (events & TRM_READ ? EPOLLIN : 0u) | (events & TRM_WRITE ? EPOLLOUT : 0u)
	       | (events & TRM_LEFT ? EPOLLRDHUP : 0u);
}

static uint32_t from_epoll(uint32_t events)
{
	return (events & EPOLLIN ? TRM_READ : 0u) | (events & EPOLLOUT ? TRM_WRITE : 0u)
	       | (events & (EPOLLHUP | EPOLLERR) ? TRM_HANGUP : 0u) | (events & EPOLLRDHUP ? TRM_LEFT : 0u);
}

int trm_loop_create(struct trm_loop **ret_loop, struct trm_error *reterr)
{
	struct trm_loop *loop = calloc(1, sizeof *loop);
	if (!loop)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	loop->now_ns = clock_ns();
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	loop->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	int r = loop->epoll_fd < 0 || loop->wake_fd < 0
				? trm_error_set_errno(reterr, errno, "cannot make an event loop: %s",
						loop->epoll_fd < 0 ? "epoll_create1" : "eventfd2")
				: trm_loop_add_fd(loop, loop->wake_fd, TRM_READ, drain_wakeup, NULL,
						&loop->wake, reterr);
	if (r < 0)
		trm_loop_destroy(loop);
	else
		*ret_loop = loop;
	return r;
}

static void bury(struct trm_loop *loop)
{
	while (loop->dead) {
		struct trm_watch *w = loop->dead;
		loop->dead = w->next_dead;
		free(w);
	}
}

void trm_loop_destroy(struct trm_loop *loop)
{
	if (!loop)
		return;
	http_destroy(loop->http);
	children_finish(loop);
	trm_watch_remove(loop->wake);
	bury(loop);
	if (loop->wake_fd >= 0)
		close(loop->wake_fd);
	if (loop->epoll_fd >= 0)
		close(loop->epoll_fd);
	free(loop->timers);
	free(loop);
}

uint64_t trm_loop_now_ns(const struct trm_loop *loop)
{
	return loop->now_ns;
}

void trm_loop_wakeup(struct trm_loop *loop)
{
	int saved = errno;
	uint64_t one = 1;
	while (write(loop->wake_fd, &one, sizeof one) < 0 && errno == EINTR)
		;
	errno = saved;
}

/* ---- descriptors ---- */

int trm_loop_add_fd(struct trm_loop *loop, int fd, uint32_t events, trm_watch_fn *fn, void *user,
		struct trm_watch **ret_watch, struct trm_error *reterr)
{
	struct trm_watch *w = calloc(1, sizeof *w);
	if (!w)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*w = (struct trm_watch){.loop = loop, .fd = fd, .fn = fn, .user = user, .events = events};
	struct epoll_event ev = {.events = to_epoll(events), .data.ptr = w};
	if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &ev) == 0) {
		*ret_watch = w;
		return 0;
	}
	int error = errno;
	free(w);
	if (error == EPERM)
		return trm_error_set(
				reterr, TRM_ENOTSUP, "descriptor %d is a file, which is always ready", fd);
	return trm_error_set_errno(reterr, error, "cannot watch descriptor %d", fd);
}

void trm_watch_set_events(struct trm_watch *watch, uint32_t events)
{
	if (watch->events == events || watch->is_dead)
		return;
	watch->events = events;
	struct epoll_event ev = {.events = to_epoll(events), .data.ptr = watch};
	epoll_ctl(watch->loop->epoll_fd, EPOLL_CTL_MOD, watch->fd, &ev);
}

void trm_watch_remove(struct trm_watch *watch)
{
	if (!watch || watch->is_dead)
		return;
	epoll_ctl(watch->loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
	watch->is_dead = true;
	watch->next_dead = watch->loop->dead;
	watch->loop->dead = watch;
}

static int deliver(struct epoll_event *batch, int n)
{
	int calls = 0;
	for (int i = 0; i < n; i++) {
		struct trm_watch *w = batch[i].data.ptr;
		if (w->is_dead)
			continue;
		/* An event that an earlier callback switched off is no longer delivered. */
		uint32_t events = from_epoll(batch[i].events) & (w->events | TRM_HANGUP);
		if (!events)
			continue;
		w->fn(w->user, w->fd, events);
		calls++;
	}
	return calls;
}

/* ---- the turn ---- */

static int wait_ms(const struct trm_loop *loop, int timeout_ms, uint64_t now_ns)
{
	int64_t due = timers_due_ms(loop, now_ns);
	if (due < 0)
		return timeout_ms;
	if (due > LONGEST_WAIT_MS)
		due = LONGEST_WAIT_MS;
	return timeout_ms < 0 || due < timeout_ms ? (int)due : timeout_ms;
}

int trm_loop_step(struct trm_loop *loop, int timeout_ms)
{
	struct epoll_event batch[BATCH];
	int left_ms = timeout_ms ? wait_ms(loop, timeout_ms, clock_ns()) : 0;
	int n = epoll_wait(loop->epoll_fd, batch, BATCH, left_ms);
	if (n < 0 && errno == EINTR) /* after SIGCONT, for example, timers may be long due, but earlier input
					goes first */
		n = epoll_wait(loop->epoll_fd, batch, BATCH, 0);
	if (n < 0 && errno != EINTR)
		return err_code_of(errno);
	loop->now_ns = clock_ns();
	int calls = n > 0 ? deliver(batch, n) : 0;
	calls += timers_run(loop, n > 0);
	if (loop->http)
		calls += http_drive(loop->http);
	bury(loop);
	return calls;
}

int trm_loop_fd(const struct trm_loop *loop)
{
	return loop->epoll_fd;
}

int trm_loop_timeout_ms(const struct trm_loop *loop)
{
	return wait_ms(loop, -1, clock_ns());
}

int trm_loop_dispatch(struct trm_loop *loop)
{
	return trm_loop_step(loop, 0);
}

int trm_loop_http(struct trm_loop *loop, trm_http_done_fn *done, void *user, void **ret_multi,
		struct trm_error *reterr)
{
	struct http *http;
	int r = http_of(loop, &http, reterr);
	if (r == 0)
		*ret_multi = http_multi(http, done, user);
	return r;
}
