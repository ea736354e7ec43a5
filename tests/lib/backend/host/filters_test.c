/* SPDX-License-Identifier: MIT */

/* Each case runs in a child of its own that has loaded both programs, as bubblewrap does. */

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "backend/host/filters.h"
#include "base/landlock.h"
#include "cmocka_all.h"

static void load(struct slice program)
{
	struct sock_fprog prog = {
			.len = (unsigned short)(program.n / sizeof(struct sock_filter)),
			.filter = (struct sock_filter *)(uintptr_t)program.bytes,
	};
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0)
		_exit(100);
}

/* Errno that the call ends with (0: allowed), or 1000 + the signal that it was killed by. */
static int try_with(struct filters filters, bool is_strict, long (*call)(void))
{
	int status;
	pid_t pid = fork();
	if (!pid) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		load(is_strict ? filters.arguments_strict : filters.arguments);
		load(is_strict ? filters.calls_strict : filters.calls);
		if (filters.older.n)
			load(filters.older);
		errno = 0;
		long r = call();
		_exit(r == -1 ? errno : 0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int try(bool is_strict, long (*call)(void))
{
	return try_with(filters_of_namespaces(), is_strict, call);
}

#define LAZY(name, expression) \
	static long name(void) \
	{ \
		return (long)(expression); \
	}

/* Upper half of an argument that the kernel cuts off. */
#define HIGH 0x100000000ul

LAZY(get_pid, getpid())
LAZY(clone3_call, syscall(SYS_clone3, 0, 0))
LAZY(unknown_call, syscall(4000))
LAZY(io_uring, syscall(SYS_io_uring_setup, 8, 0))
LAZY(mount_call, syscall(SYS_mount, 0, 0, 0, 0, 0))
LAZY(new_mount_call, syscall(SYS_fsopen, "tmpfs", 0))
LAZY(unshare_call, syscall(SYS_unshare, CLONE_NEWUSER))
LAZY(ptrace_call, syscall(SYS_ptrace, 0, 0, 0, 0))
LAZY(keyctl_call, syscall(SYS_keyctl, 0, 0, 0))
LAZY(sti, ioctl(0, TIOCSTI, ""))
LAZY(sti_high, syscall(SYS_ioctl, 0, HIGH | TIOCSTI, ""))
LAZY(linux_console, syscall(SYS_ioctl, 0, 0x541c, ""))
LAZY(clone_user, syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0))
LAZY(clone_user_high, syscall(SYS_clone, HIGH | CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0))
LAZY(inet, socket(AF_INET, SOCK_STREAM, 0))
LAZY(unix_socket, socket(AF_UNIX, SOCK_STREAM, 0))
LAZY(route, socket(AF_NETLINK, SOCK_RAW, 0))
LAZY(audit, socket(AF_NETLINK, SOCK_RAW, 9))
LAZY(vsock, socket(40, SOCK_STREAM, 0))
LAZY(vsock_high, syscall(SYS_socket, HIGH | 40, SOCK_STREAM, 0))
LAZY(alg, socket(38, SOCK_SEQPACKET, 0))
LAZY(family_99, socket(99, SOCK_STREAM, 0))
LAZY(raw_ip, socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, 1))
LAZY(raw_ip6, socket(AF_INET6, SOCK_RAW, 58))
LAZY(packet, socket(AF_INET, SOCK_PACKET, 0))
LAZY(sctp, socket(AF_INET6, SOCK_STREAM, IPPROTO_SCTP))
LAZY(udplite_high, syscall(SYS_socket, AF_INET, SOCK_DGRAM, HIGH | IPPROTO_UDPLITE))
LAZY(vsock_pair, syscall(SYS_socketpair, 40, SOCK_STREAM, 0, 0))
LAZY(unix_pair, syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, 0))
LAZY(packet_pair, syscall(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, 0))
LAZY(datagram_pair, syscall(SYS_socketpair, AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, 0))
LAZY(datagram_pair_high, syscall(SYS_socketpair, AF_UNIX, HIGH | SOCK_DGRAM, 0, 0))
LAZY(raw_pair, syscall(SYS_socketpair, AF_UNIX, SOCK_RAW | SOCK_CLOEXEC, 0, 0))
LAZY(open_neither, openat(-1, "x", 3))
LAZY(open_neither_high, syscall(SYS_openat, -1, "x", HIGH | 3 | O_TRUNC))
LAZY(open_reading, openat(-1, "x", O_RDONLY))
LAZY(open_emptying, openat(-1, "x", O_RDONLY | O_TRUNC))
LAZY(open_writing, openat(-1, "x", O_WRONLY | O_TRUNC))
LAZY(open_by_struct, syscall(SYS_openat2, -1, "x", 0, 0))
LAZY(empty_by_path, truncate("", 0))
LAZY(kill_all, syscall(SYS_kill, -1, 999))
LAZY(kill_all_high, syscall(SYS_kill, HIGH | 0xffffffff, 999))
LAZY(kill_group, syscall(SYS_kill, 0, 999))
LAZY(watching, inotify_init1(IN_CLOEXEC))
LAZY(own_priority, setpriority(PRIO_PROCESS, 0, 19))
LAZY(priority_of_a_thread, setpriority(PRIO_PROCESS, (id_t)getpid(), 19))
LAZY(agents_priority, setpriority(PRIO_PROCESS, 1, 19))
LAZY(agents_priority_high, syscall(SYS_setpriority, 0, HIGH | 1, 19))
LAZY(groups_priority, setpriority(PRIO_PGRP, 0, 19))
LAZY(agents_policy, syscall(SYS_sched_setscheduler, 1, 5, 0))
LAZY(own_policy, syscall(SYS_sched_setscheduler, 0, 5, 0))
LAZY(agents_disk, syscall(SYS_ioprio_set, 1, 1, 3 << 13))
LAZY(own_disk, syscall(SYS_ioprio_set, 1, 0, 3 << 13))
LAZY(users_disk, syscall(SYS_ioprio_set, 3, 0, 3 << 13))
LAZY(queue, syscall(SYS_msgget, 0x7e44a, 0))
LAZY(semaphores, syscall(SYS_semget, 0x7e44a, 1, 0))
LAZY(personality_query, syscall(SYS_personality, 0xffffffff))
LAZY(no_randomisation, syscall(SYS_personality, 0x0040000))
LAZY(no_randomisation_high, syscall(SYS_personality, HIGH | 0x0040000))
LAZY(own_limits, syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, 0))
LAZY(others_limits, syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, 0, 0))
LAZY(memfd, memfd_create("x", 0))
LAZY(shm, syscall(SYS_shmget, 0, 4096, 0600 | 01000))
LAZY(shared_memory, mmap(0, 4096, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
LAZY(private_memory, mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
LAZY(affinity, syscall(SYS_sched_setaffinity, 0, 0, 0))

static const struct {
	const char *name;
	long (*call)(void);
	int loose, strict; /* errno; 0: allowed */
} CALLS[] = {
		{"getpid", get_pid, 0, 0},
		{"clone3", clone3_call, ENOSYS, ENOSYS},
		{"a call that does not exist", unknown_call, ENOSYS, ENOSYS},
		{"io_uring_setup", io_uring, ENOSYS, ENOSYS},
		{"mount", mount_call, EPERM, EPERM},
		{"fsopen", new_mount_call, ENOSYS, ENOSYS},
		{"unshare", unshare_call, EPERM, EPERM},
		{"ptrace", ptrace_call, EPERM, EPERM},
		{"keyctl", keyctl_call, EPERM, EPERM},
		{"TIOCSTI", sti, EPERM, EPERM},
		{"TIOCSTI with upper bits", sti_high, EPERM, EPERM},
		{"TIOCLINUX", linux_console, EPERM, EPERM},
		{"clone with a user namespace", clone_user, EPERM, EPERM},
		{"clone with upper bits and a mount namespace", clone_user_high, EPERM, EPERM},
		{"inet", inet, 0, 0},
		{"unix", unix_socket, 0, 0},
		{"netlink route", route, 0, 0},
		{"netlink audit", audit, EPROTONOSUPPORT, EPROTONOSUPPORT},
		{"vsock", vsock, EAFNOSUPPORT, EAFNOSUPPORT},
		{"vsock with upper bits", vsock_high, EAFNOSUPPORT, EAFNOSUPPORT},
		{"alg", alg, EAFNOSUPPORT, EAFNOSUPPORT},
		{"family 99", family_99, EAFNOSUPPORT, EAFNOSUPPORT},
		{"raw ip", raw_ip, EPERM, EPERM},
		{"raw ip6", raw_ip6, EPERM, EPERM},
		{"packet, the old way", packet, EPERM, EPERM},
		{"sctp", sctp, EPROTONOSUPPORT, EPROTONOSUPPORT},
		{"udplite with upper bits", udplite_high, EPROTONOSUPPORT, EPROTONOSUPPORT},
		{"a pair of vsocks", vsock_pair, EAFNOSUPPORT, EAFNOSUPPORT},
		{"a pair of unix sockets", unix_pair, EFAULT, EFAULT},
		{"own priority", own_priority, 0, 0},
		{"priority of a thread", priority_of_a_thread, 0, 0},
		{"the agent's priority", agents_priority, EPERM, EPERM},
		{"the agent's priority with upper bits", agents_priority_high, EPERM, EPERM},
		{"a group's priority", groups_priority, EPERM, EPERM},
		{"the agent's policy", agents_policy, EPERM, EPERM},
		{"own policy", own_policy, EINVAL, EINVAL},
		{"the agent's disk priority", agents_disk, EPERM, EPERM},
		{"own disk priority", own_disk, 0, 0},
		{"a user's disk priority", users_disk, EPERM, EPERM},
		{"message queue", queue, ENOENT, ENOSYS},
		{"semaphores", semaphores, ENOENT, ENOSYS},
		{"personality query", personality_query, 0, 0},
		{"personality", no_randomisation, EPERM, EPERM},
		{"personality with upper bits", no_randomisation_high, EPERM, EPERM},
		{"own limits", own_limits, 0, 0},
		{"others' limits", others_limits, EPERM, EPERM},
		{"memfd_create", memfd, 0, ENOSYS},
		{"shmget", shm, 0, ENOSYS},
		{"shared anonymous memory", shared_memory, 0, EPERM},
		{"private memory", private_memory, 0, 0},
		{"sched_setaffinity", affinity, EINVAL, EPERM},
};

static void calls_by_list_and_argument(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
		int loose = try(false, CALLS[i].call), strict = try(true, CALLS[i].call);
		if (loose != CALLS[i].loose || strict != CALLS[i].strict)
			fail_msg("%s: %d and strictly %d, not %d and %d", CALLS[i].name, loose, strict,
					CALLS[i].loose, CALLS[i].strict);
	}
}

enum { NEWEST = LANDLOCK_ABI_SCOPES };

/* Without namespaces: what is different there, without and with a network. */
static const struct {
	const char *name;
	long (*call)(void);
	int off, on;
} BARE_CALLS[] = {
		{"inet", inet, EACCES, 0},
		{"unix", unix_socket, EACCES, EAFNOSUPPORT},
		{"netlink route", route, EACCES, 0},
		{"netlink audit", audit, EACCES, EPROTONOSUPPORT},
		{"vsock with upper bits", vsock_high, EACCES, EAFNOSUPPORT},
		{"raw ip", raw_ip, EACCES, EPERM},
		{"a pair of unix sockets", unix_pair, EFAULT, EFAULT},
		{"a pair of unix sockets for packets", packet_pair, EFAULT, EFAULT},
		{"a pair of unix sockets for datagrams", datagram_pair, EACCES, EACCES},
		{"a pair of unix sockets for datagrams, upper bits", datagram_pair_high, EACCES, EACCES},
		{"a pair of raw unix sockets", raw_pair, EACCES, EACCES},
		{"a pair of vsocks", vsock_pair, EAFNOSUPPORT, EAFNOSUPPORT},
		{"opening for neither reading nor writing", open_neither, EACCES, EACCES},
		{"opening for neither, upper bits", open_neither_high, EACCES, EACCES},
		{"opening for reading", open_reading, EBADF, EBADF},
		{"emptying while opening", open_emptying, EBADF, EBADF},
		{"emptying while opening for writing", open_writing, EBADF, EBADF},
		{"openat2", open_by_struct, ENOSYS, ENOSYS},
		{"truncate", empty_by_path, ENOENT, ENOENT},
		{"inotify", watching, EPERM, EPERM},
		{"own priority", own_priority, 0, 0},
		{"priority of another process", agents_priority, EPERM, EPERM},
		{"priority of another process with upper bits", agents_priority_high, EPERM, EPERM},
		{"a group's priority", groups_priority, EPERM, EPERM},
		{"policy of another process", agents_policy, EPERM, EPERM},
		{"own policy", own_policy, EINVAL, EINVAL},
		{"message queue", queue, ENOSYS, ENOSYS},
		{"semaphores", semaphores, ENOSYS, ENOSYS},
		{"shmget", shm, ENOSYS, ENOSYS},
		{"memfd_create", memfd, 0, 0},
		{"mount", mount_call, EPERM, EPERM},
		{"others' limits", others_limits, EPERM, EPERM},
};

static void fewer_calls_without_namespaces(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof BARE_CALLS / sizeof *BARE_CALLS; i++) {
		int off = try_with(filters_of_landlock(false, NEWEST), false, BARE_CALLS[i].call);
		int on = try_with(filters_of_landlock(true, NEWEST), false, BARE_CALLS[i].call);
		if (off != BARE_CALLS[i].off || on != BARE_CALLS[i].on)
			fail_msg("%s: %d and with a network %d, not %d and %d", BARE_CALLS[i].name, off, on,
					BARE_CALLS[i].off, BARE_CALLS[i].on);
	}
	assert_int_equal(try_with(filters_of_landlock(false, NEWEST), true, memfd), ENOSYS);
	assert_int_equal(try_with(filters_of_landlock(true, NEWEST), true, shared_memory), EPERM);
}

/* Calls that are refused in place of an old Landlock. */
static const struct {
	const char *name;
	long (*call)(void);
	int without_truncate, without_scopes, newest;
} OLDER_CALLS[] = {
		{"emptying while opening", open_emptying, EACCES, EBADF, EBADF},
		{"emptying while opening for writing", open_writing, EBADF, EBADF, EBADF},
		{"opening for reading", open_reading, EBADF, EBADF, EBADF},
		{"truncate", empty_by_path, EACCES, ENOENT, ENOENT},
		{"a signal to all", kill_all, EPERM, EPERM, EINVAL},
		{"a signal to all with upper bits", kill_all_high, EPERM, EPERM, EINVAL},
		{"a signal to the own group", kill_group, EINVAL, EINVAL, EINVAL},
};

static void fewer_calls_with_an_old_landlock(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof OLDER_CALLS / sizeof *OLDER_CALLS; i++) {
		long (*call)(void) = OLDER_CALLS[i].call;
		int without_truncate =
				try_with(filters_of_landlock(false, LANDLOCK_ABI_TRUNCATE - 1), false, call);
		int without_scopes =
				try_with(filters_of_landlock(false, LANDLOCK_ABI_SCOPES - 1), false, call);
		int newest = try_with(filters_of_landlock(false, NEWEST), false, call);
		if (without_truncate != OLDER_CALLS[i].without_truncate
				|| without_scopes != OLDER_CALLS[i].without_scopes
				|| newest != OLDER_CALLS[i].newest)
			fail_msg("%s: %d, %d and %d", OLDER_CALLS[i].name, without_truncate, without_scopes,
					newest);
	}
}

#ifdef __x86_64__
/* getpid of i386: through interrupt 0x80. */
static long int80(void)
{
	long r = 20;
	__asm__ volatile("int $0x80" : "+a"(r) : : "memory", "r8", "r9", "r10", "r11");
	return r;
}
LAZY(x32, syscall(0x40000000 | SYS_getpid))

static void other_doors_kill(void **state)
{
	(void)state;
	int r = try(false, int80); /* a kernel without that door kills by itself */
	assert_true(r == 1000 + SIGSYS || r == 1000 + SIGSEGV);
	assert_int_equal(try(true, int80), r);
	assert_int_equal(try(false, x32), 1000 + SIGSYS);
	assert_int_equal(try(true, x32), 1000 + SIGSYS);
}
#else
static void other_doors_kill(void **state)
{
	(void)state;
	skip();
}
#endif

static void they_are_for_this_machine(void **state)
{
	struct utsname u;
	(void)state;
	assert_int_equal(uname(&u), 0);
	assert_string_equal(filters_machine(), u.machine);
	assert_int_equal(filters_of_namespaces().calls.n % sizeof(struct sock_filter), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(calls_by_list_and_argument),
			cmocka_unit_test(fewer_calls_without_namespaces),
			cmocka_unit_test(fewer_calls_with_an_old_landlock),
			cmocka_unit_test(other_doors_kill),
			cmocka_unit_test(they_are_for_this_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
