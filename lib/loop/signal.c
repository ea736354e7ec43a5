/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/err.h"
#include "loop/loop.h"

struct trm_signal {
	struct trm_watch *watch;
	pthread_t thread; /* the thread whose mask blocks the signals */
	int fd;
	sigset_t set;
	sigset_t ours; /* signals that this handler blocked; others were blocked before and stay blocked */
	trm_signal_fn *fn;
	void *user;
	struct trm_signal *next;
};

/* The handlers of all loops, because the loops of one thread share its signal mask. */
static struct trm_signal *handlers;
static pthread_mutex_t handlers_lock = PTHREAD_MUTEX_INITIALIZER;

static void on_signal(void *user, int fd, uint32_t events)
{
	struct trm_signal *s = user;
	struct signalfd_siginfo info;
	(void)events;
	/* Read one signal at a time, because the callback may remove the handler. Further signals are
	 * still ready in the next turn. */
	if (read(fd, &info, sizeof info) == (ssize_t)sizeof info)
		s->fn(s->user, (int)info.ssi_signo);
}

static void block(struct trm_signal *s, const int *signos, size_t n)
{
	sigset_t before;
	pthread_mutex_lock(&handlers_lock);
	s->next = handlers;
	handlers = s;
	pthread_sigmask(SIG_BLOCK, &s->set, &before);
	sigemptyset(&s->ours);
	for (size_t i = 0; i < n; i++)
		if (!sigismember(&before, signos[i]))
			sigaddset(&s->ours, signos[i]);
	pthread_mutex_unlock(&handlers_lock);
}

/* Pass the signal to another handler that wants it; returns false if there is none. */
static bool pass_on(const struct trm_signal *s, int signo)
{
	struct trm_signal *other = handlers;
	while (other && !(pthread_equal(other->thread, s->thread) && sigismember(&other->set, signo)))
		other = other->next;
	if (other)
		sigaddset(&other->ours, signo);
	return other;
}

static void unblock(struct trm_signal *s)
{
	struct trm_signal **at = &handlers;
	pthread_mutex_lock(&handlers_lock);
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	for (int signo = 1; signo <= SIGRTMAX; signo++)
		if (sigismember(&s->ours, signo) == 1 && pass_on(s, signo))
			sigdelset(&s->ours, signo);
	pthread_mutex_unlock(&handlers_lock);
	pthread_sigmask(SIG_UNBLOCK, &s->ours, NULL);
}

int trm_loop_add_signals(struct trm_loop *loop, const int *signos, size_t n, trm_signal_fn *fn, void *user,
		struct trm_signal **ret_signal, struct trm_error *reterr)
{
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < n; i++) {
		if (signos[i] == SIGKILL || signos[i] == SIGSTOP)
			return trm_error_set(reterr, TRM_EINVAL, "%s cannot be caught",
					signos[i] == SIGKILL ? "SIGKILL" : "SIGSTOP");
		if (sigaddset(&set, signos[i]) < 0)
			return trm_error_set(reterr, TRM_EINVAL, "%d is not a signal", signos[i]);
	}
	struct trm_signal *s = calloc(1, sizeof *s);
	if (!s)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*s = (struct trm_signal){.thread = pthread_self(), .set = set, .fn = fn, .user = user};
	block(s, signos, n);
	s->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	int r = s->fd < 0 ? trm_error_set_errno(reterr, errno, "cannot watch signals: signalfd4")
			  : trm_loop_add_fd(loop, s->fd, TRM_READ, on_signal, s, &s->watch, reterr);
	if (r < 0) {
		trm_signal_remove(s);
		return r;
	}
	*ret_signal = s;
	return 0;
}

int trm_loop_add_signal(struct trm_loop *loop, int signo, trm_signal_fn *fn, void *user,
		struct trm_signal **ret_signal, struct trm_error *reterr)
{
	return trm_loop_add_signals(loop, &signo, 1, fn, user, ret_signal, reterr);
}

void trm_signal_remove(struct trm_signal *signal)
{
	if (!signal)
		return;
	trm_watch_remove(signal->watch);
	if (signal->fd >= 0)
		close(signal->fd);
	unblock(signal);
	free(signal);
}
