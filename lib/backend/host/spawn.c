/* SPDX-License-Identifier: MIT */
#include "backend/host/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* Linux 6.3: says that the file is to be executed */
#endif

enum { MAX_FDS = 48, STACK_BYTES = 64 * 1024 };

int spawn_memfd(const char *name, const void *bytes, size_t n, struct trm_error *reterr)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_EXEC);
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, MFD_CLOEXEC);
	if (fd < 0)
		return trm_error_set_errno(reterr, errno, "cannot make a file in memory");
	for (size_t done = 0; done < n;) {
		ssize_t r = write(fd, (const char *)bytes + done, n - done);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0) {
			int saved = r < 0 ? errno : EIO;
			close(fd);
			return trm_error_set_errno(reterr, saved, "cannot write a file in memory");
		}
		done += (size_t)r;
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

struct job {
	int program_fd;
	const char *name;
	int fds[MAX_FDS + 1]; /* all above the numbers at which they are wanted */
	size_t n;
	int error;
};

/* Runs on a stack of its own in the memory of the caller, which waits: system calls only. */
static int exec_program(void *user)
{
	struct job *job = user;
	struct sigaction by_default = {.sa_handler = SIG_DFL};
	sigset_t none;
	char *argv[] = {(char *)job->name, NULL}, *env[] = {NULL};
	for (size_t i = 0; i < job->n; i++)
		if (dup2(job->fds[i], (int)i) < 0)
			goto failed;
	if (dup3(job->program_fd, (int)job->n, O_CLOEXEC) < 0)
		goto failed;
	/* Before Linux 5.9 open descriptors rely on close-on-exec, which the host may have forgotten to
	 * set. */
	syscall(SYS_close_range, (unsigned)job->n + 1, ~0u, 0u);
	/* The parent has blocked all signals, so none of its handlers can run here before exec. */
	for (int signo = 1; signo < NSIG; signo++)
		sigaction(signo, &by_default, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	syscall(SYS_execveat, (int)job->n, "", argv, env, AT_EMPTY_PATH);
failed:
	job->error = errno;
	_exit(127);
}

/* Copy descriptors above all wanted numbers, so that placing one does not overwrite another. */
static int lift(struct job *job, const int *fds)
{
	const size_t n = job->n;
	const int above = (int)n + 1;
	job->n = 0; /* the number of copies that are to be closed */
	job->program_fd = fcntl(job->program_fd, F_DUPFD_CLOEXEC, above);
	if (job->program_fd < 0)
		return -1;
	for (; job->n < n; job->n++)
		if ((job->fds[job->n] = fcntl(fds[job->n], F_DUPFD_CLOEXEC, above)) < 0)
			return -1;
	return 0;
}

static void drop_copies(struct job *job)
{
	for (size_t i = 0; i < job->n; i++)
		close(job->fds[i]);
	if (job->program_fd >= 0)
		close(job->program_fd);
}

pid_t spawn_program(int program_fd, const char *name, const int *fds, size_t n, struct trm_error *reterr)
{
	struct job job = {.program_fd = program_fd, .name = name, .n = n};
	sigset_t all, before;
	if (n > MAX_FDS)
		return trm_error_set(reterr, TRM_EINVAL, "too many descriptors to pass on");
	char *stack = malloc(STACK_BYTES);
	if (!stack)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	pid_t pid = -1;
	if (lift(&job, fds) == 0) {
		char *top = stack + STACK_BYTES - (uintptr_t)(stack + STACK_BYTES) % 16;
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		pid = clone(exec_program, top, CLONE_VM | CLONE_VFORK | SIGCHLD, &job);
		if (pid < 0)
			job.error = errno;
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	} else {
		job.error = errno;
	}
	drop_copies(&job);
	free(stack);
	if (job.error)
		return trm_error_set_errno(reterr, job.error, "cannot start %s", name);
	return pid;
}
