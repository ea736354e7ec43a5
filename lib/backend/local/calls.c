/* SPDX-License-Identifier: MIT */
#include "backend/local/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "backend/local/refusal.h"

enum { N_ARGS = 5, SELF = -2 }; /* SELF: the process that makes the call */

/* A profile decides before the kernel looks at the arguments. -1 is no descriptor, and no set of flags. */
static const struct call {
	const char *name;
	long number, args[N_ARGS];
} CALLS[] = {
		{"accept4", SYS_accept4, {-1}},
		{"bind", SYS_bind, {-1}},
		{"connect", SYS_connect, {-1}},
		{"dup3", SYS_dup3, {-1, -1}},
		{"epoll_create1", SYS_epoll_create1, {-1}},
		{"epoll_ctl", SYS_epoll_ctl, {-1, -1}},
		{"epoll_pwait", SYS_epoll_pwait, {-1, 0, -1}},
		{"eventfd2", SYS_eventfd2, {0, -1}},
		{"execveat", SYS_execveat, {-1, (long)"", 0, 0, AT_EMPTY_PATH}},
		{"fcntl", SYS_fcntl, {-1, F_GETFD}},
		{"flock", SYS_flock, {-1, LOCK_UN}},
		{"ftruncate", SYS_ftruncate, {-1}},
		{"getdents64", SYS_getdents64, {-1}},
		{"getsockopt", SYS_getsockopt, {-1}},
		{"ioctl", SYS_ioctl, {-1}},
		{"kill", SYS_kill, {SELF}},
		{"listen", SYS_listen, {-1}},
		{"memfd_create", SYS_memfd_create, {(long)"", -1}},
		{"mkdirat", SYS_mkdirat, {-1, (long)"x"}},
		{"openat", SYS_openat, {-1, (long)"x"}},
		{"pidfd_open", SYS_pidfd_open, {0, -1}},
		{"pipe2", SYS_pipe2, {0, -1}},
		{"ppoll", SYS_ppoll, {0, -1}},
		{"prctl(PR_SET_CHILD_SUBREAPER)", SYS_prctl, {PR_SET_CHILD_SUBREAPER, 1}},
		{"prctl(PR_SET_PDEATHSIG)", SYS_prctl, {PR_SET_PDEATHSIG, 0}},
		{"prlimit64", SYS_prlimit64, {0, -1}},
		{"recvfrom", SYS_recvfrom, {-1}},
		{"recvmsg", SYS_recvmsg, {-1}},
		{"sendmsg", SYS_sendmsg, {-1}},
		{"sendto", SYS_sendto, {-1}},
		{"setsid", SYS_setsid, {0}},
		{"setsockopt", SYS_setsockopt, {-1}},
		{"signalfd4", SYS_signalfd4, {-1, 0, 0, -1}},
		{"socket", SYS_socket, {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, -1}},
		{"socketpair", SYS_socketpair, {AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, -1}},
		{"tgkill", SYS_tgkill, {SELF, SELF}},
		{"unlinkat", SYS_unlinkat, {-1, (long)"x"}},
		{"wait4", SYS_wait4, {-1, 0, WNOHANG}},
#ifdef SYS_dup2
		{"dup2", SYS_dup2, {-1, -1}},
#endif
#ifdef SYS_epoll_wait
		{"epoll_wait", SYS_epoll_wait, {-1, 0, -1}},
#endif
#ifdef SYS_poll
		{"poll", SYS_poll, {0, 0, 0}},
#endif
};

/* The result of the child. A profile may also kill it for a call: then the call is the last one made. */
struct finding {
	size_t at;
	bool is_refused, is_over;
};

static long make_call(const struct call *c)
{
	long args[N_ARGS];
	for (int i = 0; i < N_ARGS; i++)
		args[i] = c->args[i] == SELF ? getpid() : c->args[i];
	return syscall(c->number, args[0], args[1], args[2], args[3], args[4]);
}

static void try_calls(volatile struct finding *f)
{
	for (; f->at < sizeof CALLS / sizeof *CALLS && !f->is_refused; f->at += !f->is_refused) {
		long r = make_call(&CALLS[f->at]);
		f->is_refused = r < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES);
	}
	f->is_over = true;
}

/* The name of a call that is refused; NULL: none is. */
static const char *find_refused(void)
{
	volatile struct finding *f =
			mmap(NULL, sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (f == MAP_FAILED)
		return "mmap";
	int status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		try_calls(f);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	const char *name = pid < 0                                                 ? "clone"
			   : f->is_refused || (!f->is_over && WIFSIGNALED(status)) ? CALLS[f->at].name
										   : NULL;
	munmap((void *)f, sizeof *f);
	return name;
}

int calls_check(struct trm_error *reterr)
{
	const char *refused = refusal_has_seccomp() ? find_refused() : NULL;
	if (!refused)
		return 0;
	return trm_error_set(reterr, TRM_ENOTSUP,
			"a seccomp profile refuses %s, without which no sandbox runs: %s", refused,
			refusal_is_in_container()
					? "start the container with --security-opt seccomp=unconfined"
					: "allow the call in the profile");
}
