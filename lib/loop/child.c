/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "loop/loop.h"

struct trm_child {
	struct trm_watch *watch;
	int pidfd;
	pid_t pid;
	trm_child_fn *fn; /* NULL: the child was left to the loop */
	void *user;
	struct trm_child *next; /* next of the left children */
};

static void unlink_left(struct trm_child *c)
{
	struct trm_child **at = &c->watch->loop->left_children;
	while (*at && *at != c)
		at = &(*at)->next;
	if (*at)
		*at = c->next;
}

static void on_end(void *user, int fd, uint32_t events)
{
	struct trm_child *c = user;
	int status;
	(void)fd;
	(void)events;
	pid_t r = waitpid(c->pid, &status, WNOHANG);
	if (r == 0)
		return;
	if (r < 0)
		/* Another part of the program has reaped the child, so the status is unknown. Shells use
		 * 127 in such a case. */
		status = 127 << 8;
	trm_child_fn *fn = c->fn;
	void *fn_user = c->user;
	pid_t pid = c->pid;
	if (!fn)
		unlink_left(c);
	trm_child_remove(c);
	if (fn)
		fn(fn_user, pid, status);
}

int trm_loop_add_child(struct trm_loop *loop, pid_t pid, trm_child_fn *fn, void *user,
		struct trm_child **ret_child, struct trm_error *reterr)
{
	struct trm_child *c = calloc(1, sizeof *c);
	if (!c)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*c = (struct trm_child){.pidfd = -1, .pid = pid, .fn = fn, .user = user};
	c->pidfd = (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec by itself */
	int r = c->pidfd < 0 ? trm_error_set_errno(
				reterr, errno, "cannot watch process %d: pidfd_open", (int)pid)
			     : trm_loop_add_fd(loop, c->pidfd, TRM_READ, on_end, c, &c->watch, reterr);
	if (r < 0) {
		trm_child_remove(c);
		return r;
	}
	*ret_child = c;
	return 0;
}

void trm_child_remove(struct trm_child *child)
{
	if (!child)
		return;
	trm_watch_remove(child->watch);
	if (child->pidfd >= 0)
		close(child->pidfd);
	free(child);
}

void trm_child_detach(struct trm_child *child)
{
	if (!child)
		return;
	child->fn = NULL;
	child->next = child->watch->loop->left_children;
	child->watch->loop->left_children = child;
}

void children_finish(struct trm_loop *loop)
{
	while (loop->left_children) {
		struct trm_child *c = loop->left_children;
		loop->left_children = c->next;
		trm_child_remove(c);
	}
}
