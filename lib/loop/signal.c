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
	int fd, signo;
	bool was_blocked; /* before we came: left as it was */
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
		s->fn(s->user, s->signo);
}

int trm_loop_add_signal(struct trm_loop *loop, int signo, trm_signal_fn *fn, void *user,
		struct trm_signal **ret_signal, struct trm_error *reterr)
{
	sigset_t set, before;
	sigemptyset(&set);
	if (sigaddset(&set, signo) < 0)
		return trm_error_set(reterr, TRM_EINVAL, "%d is not a signal", signo);
	struct trm_signal *s = calloc(1, sizeof *s);
	if (!s)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*s = (struct trm_signal){.fd = -1, .signo = signo, .fn = fn, .user = user};
	pthread_sigmask(SIG_BLOCK, &set, &before);
	s->was_blocked = sigismember(&before, signo) == 1;
	s->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	int r = s->fd < 0 ? trm_error_set_errno(reterr, errno, "cannot watch signal %d", signo)
			  : trm_loop_add_fd(loop, s->fd, TRM_READ, on_signal, s, &s->watch, reterr);
	if (r < 0) {
		trm_signal_remove(s);
		return r;
	}
	*ret_signal = s;
	return 0;
}

void trm_signal_remove(struct trm_signal *signal)
{
	if (!signal)
		return;
	trm_watch_remove(signal->watch);
	if (signal->fd >= 0)
		close(signal->fd);
	if (!signal->was_blocked) {
		sigset_t set;
		sigemptyset(&set);
		sigaddset(&set, signal->signo);
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	}
	free(signal);
}
