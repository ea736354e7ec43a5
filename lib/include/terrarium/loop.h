/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_LOOP_H
#define TERRARIUM_LOOP_H

/* One loop, one thread. The host program owns the turns: it calls
 * trm_loop_step() for as long as it likes, and every callback of the library
 * is delivered from inside that call, never from anywhere else.
 *
 * A callback may remove any watch, timer, signal or child, its own included (but for that of a child, which
 * is gone by then). It may not step the loop, nor destroy it. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct trm_error;
struct trm_loop;
struct trm_watch;
struct trm_timer;
struct trm_signal;
struct trm_child;

/* LEFT: the other side of a socket has closed, or will at least send nothing more. */
enum { TRM_READ = 1, TRM_WRITE = 2, TRM_HANGUP = 4, TRM_LEFT = 8 };

int trm_loop_create(struct trm_loop **ret_loop, struct trm_error *reterr);
/* Everything that was added must have been removed before. Takes NULL. */
void trm_loop_destroy(struct trm_loop *loop);

/* One turn: wait at most timeout_ms (-1 without limit, 0 not at all) for
 * something to be ready, then deliver it. Returns the number of callbacks
 * made, or a negative code. A turn that is interrupted by a signal is a turn. */
int trm_loop_step(struct trm_loop *loop, int timeout_ms);

/* CLOCK_MONOTONIC, sampled once per turn, after the wait. */
uint64_t trm_loop_now_ns(const struct trm_loop *loop);

/* Descriptors. Borrowed: the caller closes them, after trm_watch_remove().
 * Level-triggered. `events` is a mask of TRM_READ, TRM_WRITE and TRM_LEFT, and may be 0
 * (only TRM_HANGUP is then reported; HANGUP is always reported). Regular files
 * cannot be watched: TRM_ENOTSUP. */
typedef void trm_watch_fn(void *user, int fd, uint32_t events);
int trm_loop_add_fd(struct trm_loop *loop, int fd, uint32_t events, trm_watch_fn *fn, void *user,
		struct trm_watch **ret_watch, struct trm_error *reterr);
void trm_watch_set_events(struct trm_watch *watch, uint32_t events);
void trm_watch_remove(struct trm_watch *watch); /* takes NULL */

/* Timers. Created stopped; (re)started as often as wanted. `repeat_ms` 0 means
 * once. A timer is late rather than early. */
typedef void trm_timer_fn(void *user);
int trm_loop_add_timer(struct trm_loop *loop, trm_timer_fn *fn, void *user, struct trm_timer **ret_timer,
		struct trm_error *reterr);
void trm_timer_start(struct trm_timer *timer, uint64_t delay_ms, uint64_t repeat_ms);
void trm_timer_stop(struct trm_timer *timer);
bool trm_timer_is_running(const struct trm_timer *timer);
void trm_timer_remove(struct trm_timer *timer); /* takes NULL */

/* Signals, through a signalfd: the signal is blocked in this thread while at
 * least one handler for it exists, in whichever of its loops. If there are several, one of them is called for
 * each that comes. The library adds none by itself. TRM_EINVAL: a number that is no signal, or SIGKILL or
 * SIGSTOP, which nobody can catch; then none of them is watched. */
typedef void trm_signal_fn(void *user, int signo);
int trm_loop_add_signal(struct trm_loop *loop, int signo, trm_signal_fn *fn, void *user,
		struct trm_signal **ret_signal, struct trm_error *reterr);
/* The same for several with one function, at the price of one. At most 64. */
int trm_loop_add_signals(struct trm_loop *loop, const int *signos, size_t n, trm_signal_fn *fn, void *user,
		struct trm_signal **ret_signal, struct trm_error *reterr);
void trm_signal_remove(struct trm_signal *signal); /* takes NULL */

/* A child process, through a pidfd. Called once when it has ended, with its
 * wait status (as from waitpid); it has then been reaped, and the handle is gone: it is not to be removed any
 * more. */
typedef void trm_child_fn(void *user, pid_t pid, int wait_status);
int trm_loop_add_child(struct trm_loop *loop, pid_t pid, trm_child_fn *fn, void *user,
		struct trm_child **ret_child, struct trm_error *reterr);
void trm_child_remove(struct trm_child *child); /* takes NULL; the child is not killed */
/* Nobody wants to hear of it any more; but should it end while the loop exists, it is reaped. The loop owns
 * the watch from now on. Takes NULL. */
void trm_child_leave(struct trm_child *child);

/* Wake a step that is waiting, from another thread or a signal handler. The
 * only function of the library that may be called so. */
void trm_loop_wakeup(struct trm_loop *loop);

/* HTTP. Gives the loop's libcurl multi handle (a CURLM *), making it at the
 * first call: libcurl is loaded then and not before (it costs 2.6 ms and 30
 * shared libraries at every start). From then on the loop waits in
 * curl_multi_poll, with our descriptors as its extra ones, and drives the
 * transfers. TRM_ENOTSUP when libcurl is not installed. `done` is called for
 * each finished transfer with its CURL * and CURLcode, the easy handle having
 * been removed from the multi handle before. */
typedef void trm_http_done_fn(void *user, void *easy, int curlcode);
int trm_loop_http(struct trm_loop *loop, trm_http_done_fn *done, void *user, void **ret_multi,
		struct trm_error *reterr);

#endif
