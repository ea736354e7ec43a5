/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_LOOP_H
#define TERRARIUM_LOOP_H

/* One loop, one thread. The host program drives the loop: it calls trm_loop_step() as long as it wants, or
 * trm_loop_dispatch() when its own loop says so. Every callback of the library comes from inside these calls.
 *
 * A callback may remove any watch, timer, signal or child, including its own (except a child's own, which
 * is already gone). It may not step or destroy the loop. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <terrarium/api.h>

TRM_BEGIN_API

struct trm_error;
struct trm_loop;
struct trm_watch;
struct trm_timer;
struct trm_signal;
struct trm_child;

/* LEFT: the other side of a socket has closed it, or will at least send nothing more. */
enum { TRM_READ = 1, TRM_WRITE = 2, TRM_HANGUP = 4, TRM_LEFT = 8 };

int trm_loop_create(struct trm_loop **ret_loop, struct trm_error *reterr);
/* Destroy the loop. Everything that was added to it must have been removed before. Takes NULL. */
void trm_loop_destroy(struct trm_loop *loop);

/* Run one iteration: wait at most timeout_ms (-1: without limit; 0: not at all) for events, then deliver
 * them. Returns the number of callbacks made, or a negative code. An iteration that a signal interrupts
 * counts as one. */
int trm_loop_step(struct trm_loop *loop, int timeout_ms);

/* In a program that has an event loop already, that one waits instead of trm_loop_step():
 *  - It watches the descriptor trm_loop_fd(), which is readable when there is something to do. Use it only
 *    to wait (poll, epoll, a GSource, uv_poll_t). It stays the same until trm_loop_destroy().
 *  - It waits no longer than trm_loop_timeout_ms(): -1 without limit, 0 not at all. Ask before each wait,
 *    because any call of the library may change it.
 *  - When the descriptor is readable or the time is over, it calls trm_loop_dispatch(), which never waits
 *    and returns what trm_loop_step() does.
 * tests/clients/embed (installed: share/doc/terrarium/embed) has complete examples with poll, GLib and libuv.
 */
int trm_loop_fd(const struct trm_loop *loop);
int trm_loop_timeout_ms(const struct trm_loop *loop);
int trm_loop_dispatch(struct trm_loop *loop);

/* CLOCK_MONOTONIC, sampled once per iteration, after the wait. */
uint64_t trm_loop_now_ns(const struct trm_loop *loop);

/* Descriptors. They are borrowed: the caller closes them, after trm_watch_remove(). Events are
 * level-triggered. `events` is a mask of TRM_READ, TRM_WRITE and TRM_LEFT, and may be 0. TRM_HANGUP is
 * always reported. Regular files cannot be watched: TRM_ENOTSUP. */
typedef void trm_watch_fn(void *user, int fd, uint32_t events);
int trm_loop_add_fd(struct trm_loop *loop, int fd, uint32_t events, trm_watch_fn *fn, void *user,
		struct trm_watch **ret_watch, struct trm_error *reterr);
void trm_watch_set_events(struct trm_watch *watch, uint32_t events);
void trm_watch_remove(struct trm_watch *watch); /* takes NULL */

/* Timers. A new timer is stopped. It may be started and restarted at any time. `repeat_ms` 0 means once. A
 * timer may be late, but is never early. */
typedef void trm_timer_fn(void *user);
int trm_loop_add_timer(struct trm_loop *loop, trm_timer_fn *fn, void *user, struct trm_timer **ret_timer,
		struct trm_error *reterr);
void trm_timer_start(struct trm_timer *timer, uint64_t delay_ms, uint64_t repeat_ms);
void trm_timer_stop(struct trm_timer *timer);
bool trm_timer_is_running(const struct trm_timer *timer);
void trm_timer_remove(struct trm_timer *timer); /* takes NULL */

/* Signals, through a signalfd. A signal is blocked in this thread while at least one handler for it exists,
 * in any of the thread's loops. If there are several handlers, each arriving signal calls one of them. The
 * library adds no handler by itself. TRM_EINVAL: a number that is no signal, or SIGKILL or SIGSTOP, which
 * cannot be caught; then no signal of the call is watched. */
typedef void trm_signal_fn(void *user, int signo);
int trm_loop_add_signal(struct trm_loop *loop, int signo, trm_signal_fn *fn, void *user,
		struct trm_signal **ret_signal, struct trm_error *reterr);
/* The same for several signals with one function, at the cost of one. At most 64. */
int trm_loop_add_signals(struct trm_loop *loop, const int *signos, size_t n, trm_signal_fn *fn, void *user,
		struct trm_signal **ret_signal, struct trm_error *reterr);
void trm_signal_remove(struct trm_signal *signal); /* takes NULL */

/* A child process, through a pidfd. The function is called once, with the wait status (as from waitpid),
 * when the child has ended. The child has been reaped by then, and the handle is gone: do not remove it. */
typedef void trm_child_fn(void *user, pid_t pid, int wait_status);
int trm_loop_add_child(struct trm_loop *loop, pid_t pid, trm_child_fn *fn, void *user,
		struct trm_child **ret_child, struct trm_error *reterr);
void trm_child_remove(struct trm_child *child); /* takes NULL; the child is not killed */
/* Stop reporting the child, but still reap it if it ends while the loop exists. The loop owns the watch
 * from now on. Takes NULL. */
void trm_child_detach(struct trm_child *child);

/* Wake a waiting step. This is the only function of the library that another thread or a signal handler may
 * call. */
void trm_loop_wakeup(struct trm_loop *loop);

/* HTTP. Returns the loop's libcurl multi handle (a CURLM *), which the first call creates. libcurl is
 * loaded at that point, because loading it costs 2.6 ms and 30 shared libraries at every start. From then
 * on the loop watches curl's descriptors and drives the transfers.
 * TRM_ENOTSUP if libcurl is not installed. `done` is called for each finished transfer with its CURL * and
 * CURLcode; the easy handle has already been removed from the multi handle. */
typedef void trm_http_done_fn(void *user, void *easy, int curlcode);
int trm_loop_http(struct trm_loop *loop, trm_http_done_fn *done, void *user, void **ret_multi,
		struct trm_error *reterr);

TRM_END_API

#endif
