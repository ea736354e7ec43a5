/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/err.h"
#include "loop/loop.h"

struct trm_signal {
	struct trm_watch *watch;
	int fd;
	sigset_t ours; /* those that were not blocked before we came: what was is left as it was */
	trm_signal_fn *fn;
	void *user;
};

static void on_signal(void *user, int fd, uint32_t events)
{
	struct trm_signal *s = user;
	struct signalfd_siginfo info;
	(void)events;
	/* One at a time: the callback may remove us. What is left is still ready in the next turn. */
	if (read(fd, &info, sizeof info) == (ssize_t)sizeof info)
		s->fn(s->user, (int)info.ssi_signo);
}

static void block(struct trm_signal *s, const sigset_t *set, const int *signos, size_t n)
{
	sigset_t before;
	pthread_sigmask(SIG_BLOCK, set, &before);
	sigemptyset(&s->ours);
	for (size_t i = 0; i < n; i++)
		if (!sigismember(&before, signos[i]))
			sigaddset(&s->ours, signos[i]);
}

int trm_loop_add_signals(struct trm_loop *loop, const int *signos, size_t n, trm_signal_fn *fn, void *user,
		struct trm_signal **ret_signal, struct trm_error *reterr)
{
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < n; i++)
		if (sigaddset(&set, signos[i]) < 0)
			return trm_error_set(reterr, TRM_EINVAL, "%d is not a signal", signos[i]);
	struct trm_signal *s = calloc(1, sizeof *s);
	if (!s)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*s = (struct trm_signal){.fn = fn, .user = user};
	block(s, &set, signos, n);
	s->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	int r = s->fd < 0 ? trm_error_set_errno(reterr, errno, "cannot watch signals")
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
	pthread_sigmask(SIG_UNBLOCK, &signal->ours, NULL);
	free(signal);
}
