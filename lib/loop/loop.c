/* SPDX-License-Identifier: MIT */
/* Theory of operation.
 *
 * One epoll descriptor holds every watch. A turn is: wait, sample the clock,
 * deliver the ready descriptors, deliver the due timers, drive HTTP. Signals
 * (signalfd), children (pidfd) and wakeups (eventfd) are descriptors like any
 * other. The wait is epoll_wait; once somebody has asked for HTTP it is
 * curl_multi_poll with the epoll descriptor as its one extra descriptor, so
 * both worlds sleep in one place.
 *
 * The queue (unless a watch needs it before: early.c) and the descriptor for
 * wakeups are made when the loop is ARM_MS old: a program that is done by then
 * is spared the time. Until then no wait is longer, and begins awake (look()),
 * for AWAKE_NS in all.
 *
 * Callbacks may remove anything. A removed watch is unlinked from epoll at once,
 * but its memory lives until the end of the turn, because the batch of events
 * in hand may still point to it. */
#include "loop/loop.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/sysfile.h"
#include "loop/http.h"

enum { BATCH = 64, LONGEST_WAIT_MS = 3600000, ARM_MS = 2, AWAKE_NS = 300000 };

uint64_t loop_clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void drain_wakeup(void *user, int fd, uint32_t events)
{
	uint64_t count;
	(void)user;
	(void)events;
	while (read(fd, &count, sizeof count) > 0)
		;
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
	loop->wake_fd = -1;
	loop->epoll_fd = -1;
	loop->now_ns = loop->begun_ns = loop_clock_ns();
	*ret_loop = loop;
	return 0;
}

static int enqueue(struct trm_loop *loop, struct trm_watch *w)
{
	struct epoll_event ev = {.events = to_epoll(w->events), .data.ptr = w};
	return epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, w->fd, &ev) < 0 ? errno : 0;
}

/* 0 or an errno. */
static int make_queue(struct trm_loop *loop)
{
	if (loop->epoll_fd >= 0)
		return 0;
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	int failed = loop->epoll_fd < 0 ? errno : 0;
	for (size_t i = 0; i < loop->n_early && !failed; i++) {
		failed = enqueue(loop, loop->early[i]);
		if (failed == EBADF) /* closed: a queue would have lost it, too */
			failed = 0;
	}
	if (!failed) {
		loop->n_early = 0;
	} else if (loop->epoll_fd >= 0) {
		close(loop->epoll_fd);
		loop->epoll_fd = -1;
	}
	return failed;
}

/* Where it fails, for want of descriptors, it is tried again in the next turn. */
static bool arm(struct trm_loop *loop)
{
	if (loop->wake)
		return true;
	if (make_queue(loop))
		return false;
	if (loop->wake_fd < 0)
		loop->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (loop->wake_fd < 0)
		return false;
	if (loop->is_woken)
		trm_loop_wakeup(loop);
	return trm_loop_add_fd(loop, loop->wake_fd, TRM_READ, drain_wakeup, NULL, &loop->wake, NULL) == 0;
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
	if (loop->wake_fd < 0)
		loop->is_woken = true; /* and then once more: it may have been made meanwhile */
	int fd = loop->wake_fd;
	while (fd >= 0 && write(fd, &one, sizeof one) < 0 && errno == EINTR)
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
	int failed = loop->epoll_fd < 0 ? early_add(loop, w) : EAGAIN;
	if (failed == EAGAIN && (failed = make_queue(loop)) == 0)
		failed = enqueue(loop, w);
	if (!failed) {
		*ret_watch = w;
		return 0;
	}
	free(w);
	if (failed == EPERM)
		return trm_error_set(
				reterr, TRM_ENOTSUP, "descriptor %d is a file, which is always ready", fd);
	return trm_error_set_errno(reterr, failed, "cannot watch descriptor %d", fd);
}

void trm_watch_set_events(struct trm_watch *watch, uint32_t events)
{
	if (watch->events == events || watch->is_dead)
		return;
	watch->events = events;
	if (watch->loop->epoll_fd < 0)
		return;
	struct epoll_event ev = {.events = to_epoll(events), .data.ptr = watch};
	epoll_ctl(watch->loop->epoll_fd, EPOLL_CTL_MOD, watch->fd, &ev);
}

void trm_watch_remove(struct trm_watch *watch)
{
	if (!watch || watch->is_dead)
		return;
	if (watch->loop->epoll_fd < 0)
		early_remove(watch);
	else
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
		/* What a callback before us switched off is not delivered any more. */
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

static int ask(struct trm_loop *loop, struct epoll_event batch[BATCH], int wait_ms)
{
	return loop->epoll_fd < 0 ? early_wait(loop, batch, wait_ms)
				  : epoll_wait(loop->epoll_fd, batch, BATCH, wait_ms);
}

static int wait(struct trm_loop *loop, struct epoll_event batch[BATCH], int wait_ms)
{
	int n = ask(loop, batch, wait_ms);
	if (n < 0 && errno == EINTR) /* by SIGCONT, say: timers may be long due, but what has come before goes
					first */
		n = ask(loop, batch, 0);
	return n;
}

/* Nobody has to wait for a processor. */
static bool is_quiet(void)
{
	char text[64], *at = text;
	sysfile_read("/proc/loadavg", text, sizeof text);
	for (int averages = 3; averages && (at = strchr(at, ' ')); averages--)
		at++;
	return at && atol(at) <= sysconf(_SC_NPROCESSORS_ONLN); /* how many run, or could */
}

/* Whoever sleeps while nothing else runs lets the processor sleep, and is woken 40 us late in a virtual
 * machine: half as much as an agent takes for its whole answer to a program that is there for one run. So a
 * young loop asks a few times first, unless it would be in somebody's way. */
static int look(struct trm_loop *loop, struct epoll_event batch[BATCH], uint64_t begun_ns)
{
	uint64_t spent_ns = 0;
	int n = 0;
	if (loop->awake_ns < AWAKE_NS && !is_quiet())
		loop->awake_ns = AWAKE_NS;
	while (loop->awake_ns + spent_ns < AWAKE_NS && (n = ask(loop, batch, 0)) == 0) {
		sched_yield();
		spent_ns = loop_clock_ns() - begun_ns;
	}
	loop->awake_ns += spent_ns;
	return n > 0 ? n : 0;
}

/* Until the loop is to be armed, at most; true: that was all that it had to wait. */
static bool wait_unarmed(struct trm_loop *loop, struct epoll_event batch[BATCH], uint64_t now_ns,
		int *left_ms, int *ret_n)
{
	int until_ms = ARM_MS - (int)((now_ns - loop->begun_ns) / 1000000);
	if (until_ms <= 0 || loop->is_woken || loop->http)
		return false;
	if (*left_ms && (*ret_n = look(loop, batch, now_ns)))
		return true;
	bool is_all = *left_ms >= 0 && *left_ms <= until_ms;
	*ret_n = wait(loop, batch, is_all ? *left_ms : until_ms);
	*left_ms -= is_all || *left_ms < 0 ? 0 : until_ms;
	return is_all || *ret_n;
}

int trm_loop_step(struct trm_loop *loop, int timeout_ms)
{
	struct epoll_event batch[BATCH];
	uint64_t now_ns = loop_clock_ns();
	int n, left_ms = timeout_ms ? wait_ms(loop, timeout_ms, now_ns) : 0;
	if (loop->wake || !wait_unarmed(loop, batch, now_ns, &left_ms, &n)) {
		if (!arm(loop) && (left_ms < 0 || left_ms > ARM_MS))
			left_ms = atomic_exchange(&loop->is_woken, false) ? 0 : ARM_MS;
		if (loop->http) {
			http_wait(loop->http, loop->epoll_fd, left_ms);
			left_ms = 0;
		}
		n = wait(loop, batch, left_ms);
	}
	if (n < 0 && errno != EINTR)
		return err_code_of(errno);
	loop->now_ns = loop_clock_ns();
	int calls = n > 0 ? deliver(batch, n) : 0;
	calls += timers_run(loop);
	if (loop->http)
		calls += http_drive(loop->http);
	bury(loop);
	return calls;
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
