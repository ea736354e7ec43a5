/* SPDX-License-Identifier: MIT */

/* System calls that a sandbox has no business with. Whoever gets past the filter and the check for permission
 * finds arguments that the kernel rejects. */

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolation/attack/attack.h"

/* Newer than some C libraries; the same on all architectures. */
enum {
	NR_OPEN_TREE = 428,
	NR_MOVE_MOUNT = 429,
	NR_FSOPEN = 430,
	NR_FSCONFIG = 431,
	NR_FSMOUNT = 432,
	NR_FSPICK = 433,
	NR_CLONE3 = 435,
	NR_MOUNT_SETATTR = 442,
	NR_QUOTACTL_FD = 443,
	NR_STATMOUNT = 457,
	NR_LISTMOUNT = 458,
	NR_IO_URING_SETUP = 425,
	NR_IO_URING_ENTER = 426,
	NR_IO_URING_REGISTER = 427,
};

#define NOWHERE "/nowhere/at/all"
#define NO_FLAGS 0xdead0000ul

#define CALL(name, ...) \
	static enum verdict name(const struct target *t, struct found *f) \
	{ \
		(void)t; \
		return of_call(f, syscall(__VA_ARGS__)); \
	}

/* ---- mounts ------------------------------------------------------------------------------ */

CALL(call_mount, SYS_mount, "none", NOWHERE, "tmpfs", 0, NULL)
CALL(call_umount, SYS_umount2, NOWHERE, 0)
CALL(call_pivot_root, SYS_pivot_root, NOWHERE, NOWHERE)
CALL(call_chroot, SYS_chroot, NOWHERE)
CALL(call_fsopen, NR_FSOPEN, "tmpfs", 0)
CALL(call_fsconfig, NR_FSCONFIG, -1, 0, 0, 0, 0)
CALL(call_fsmount, NR_FSMOUNT, -1, 0, 0)
CALL(call_fspick, NR_FSPICK, AT_FDCWD, NOWHERE, 0)
CALL(call_open_tree, NR_OPEN_TREE, AT_FDCWD, "/", 0)
CALL(call_move_mount, NR_MOVE_MOUNT, -1, "", -1, "", 4)
CALL(call_mount_setattr, NR_MOUNT_SETATTR, -1, "", 0x1000, NULL, 0)
CALL(call_statmount, NR_STATMOUNT, NULL, NULL, 0, 0)
CALL(call_listmount, NR_LISTMOUNT, NULL, NULL, 0, 0)

static enum verdict open_by_handle(const struct target *t, struct found *f)
{
	struct {
		unsigned size;
		int type;
		char bytes[8];
	} handle = {8, 1, {0}};
	(void)t;
	return of_call(f, syscall(SYS_open_by_handle_at, AT_FDCWD, &handle, O_RDONLY));
}

static enum verdict find_handle(const struct target *t, struct found *f)
{
	struct {
		unsigned size;
		int type;
		char bytes[128];
	} handle = {128, 0, {0}};
	int mount;
	(void)t;
	return of_call(f, syscall(SYS_name_to_handle_at, AT_FDCWD, "/usr", &handle, &mount, 0));
}

/* ---- namespaces ---------------------------------------------------------------------------- */

static enum verdict unshare_any(const struct target *t, struct found *f)
{
	static const unsigned flags[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC,
			CLONE_NEWUTS, CLONE_NEWCGROUP, 0x80 /* CLONE_NEWTIME */, CLONE_FS};
	(void)t;
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (syscall(SYS_unshare, flags[i]) == 0)
			return say(f, OPEN, "flags %x", flags[i]);
	return of_call(f, -1);
}

static long clone_with(unsigned long flags)
{
	long pid = syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0)
		_exit(0);
	return pid;
}

static enum verdict clone_any(const struct target *t, struct found *f)
{
	static const unsigned long flags[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET,
			CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP, CLONE_NEWUSER | 1ul << 40};
	(void)t;
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (clone_with(flags[i]) > 0)
			return say(f, OPEN, "flags %lx", flags[i]);
	return of_call(f, -1);
}

static enum verdict call_clone3(const struct target *t, struct found *f)
{
	uint64_t args[8] = {CLONE_NEWUSER, [4] = SIGCHLD};
	(void)t;
	long pid = syscall(NR_CLONE3, args, sizeof args);
	if (pid == 0)
		_exit(0);
	return of_call(f, pid);
}

static enum verdict enter_namespace(const struct target *t, struct found *f)
{
	static const char *const kinds[] = {"uts", "ipc", "net", "mnt", "cgroup", "user"};
	(void)t;
	errno = EPERM;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		char path[64];
		snprintf(path, sizeof path, "/proc/self/ns/%s", kinds[i]);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && syscall(SYS_setns, fd, 0) == 0)
			return say(f, OPEN, "%s", kinds[i]);
	}
	return of_call(f, -1);
}

/* By the handle of a process, and without naming a kind that is refused. */
static enum verdict enter_by_process(const struct target *t, struct found *f)
{
	int fd = (int)syscall(SYS_pidfd_open, t->victim, 0);
	return of_call(f, fd < 0 ? -1 : syscall(SYS_setns, fd, CLONE_NEWNS));
}

/* ---- the kernel's own ------------------------------------------------------------------------ */

CALL(call_add_key, SYS_add_key, "user", "isolation", "x", 1, -1 /* the thread's own */)
CALL(call_request_key, SYS_request_key, "user", "isolation", NULL, 0)
CALL(call_keyctl, SYS_keyctl, 0 /* KEYCTL_GET_KEYRING_ID */, -4, 0)
CALL(call_bpf_map, SYS_bpf, 0, NULL, 0)
CALL(call_io_uring, NR_IO_URING_SETUP, 1, NULL)
CALL(call_io_uring_enter, NR_IO_URING_ENTER, -1, 0, 0, 0, NULL, 0)
CALL(call_io_uring_register, NR_IO_URING_REGISTER, -1, 0, NULL, 0)
CALL(call_userfaultfd, SYS_userfaultfd, O_CLOEXEC | 1 /* UFFD_USER_MODE_ONLY */)
CALL(call_fanotify, SYS_fanotify_init, 0, O_RDONLY)
CALL(call_init_module, SYS_init_module, NULL, 0, "")
CALL(call_finit_module, SYS_finit_module, -1, "", 0)
CALL(call_delete_module, SYS_delete_module, "nowhere_at_all", O_NONBLOCK)
CALL(call_kexec_load, SYS_kexec_load, 0, 0, NULL, NO_FLAGS)
CALL(call_reboot, SYS_reboot, 0, 0, 0, NULL) /* not the magic numbers */
CALL(call_swapon, SYS_swapon, NOWHERE, 0)
CALL(call_swapoff, SYS_swapoff, NOWHERE)
CALL(call_acct, SYS_acct, NOWHERE)
CALL(call_quotactl, SYS_quotactl, 0x800007 << 8, NOWHERE, 0, NULL)
CALL(call_quotactl_fd, NR_QUOTACTL_FD, -1, 0x800007 << 8, 0, NULL)
CALL(call_syslog, SYS_syslog, 10 /* size of the buffer */, NULL, 0)
CALL(call_sethostname, SYS_sethostname, NULL, -1)
CALL(call_setdomainname, SYS_setdomainname, NULL, -1)
CALL(call_mbind, SYS_mbind, NULL, 0, 0, NULL, 0, 0)
CALL(call_set_mempolicy, SYS_set_mempolicy, 0, NULL, 0)
CALL(call_move_pages, SYS_move_pages, 0, 0, NULL, NULL, NULL, 0)

/* All programs of the machine share one number of requests. */
static enum verdict take_disk_requests(const struct target *t, struct found *f)
{
	unsigned long context = 0;
	(void)t;
	return of_call(f, syscall(SYS_io_setup, 8, &context));
}

static enum verdict set_time(const struct target *t, struct found *f)
{
	long wrong[2] = {0, -1};
	(void)t;
	return of_call(f, syscall(SYS_clock_settime, 0, wrong));
}

static enum verdict set_time_of_day(const struct target *t, struct found *f)
{
	long wrong[2] = {0, -1};
	(void)t;
	return of_call(f, syscall(SYS_settimeofday, wrong, NULL));
}

static enum verdict watch_performance(const struct target *t, struct found *f)
{
	struct perf_event_attr attr = {
			.type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = PERF_COUNT_SW_TASK_CLOCK};
	attr.exclude_kernel = 1;
	(void)t;
	return of_call(f, syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
}

static enum verdict watch_machine(const struct target *t, struct found *f)
{
	struct perf_event_attr attr = {
			.type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = PERF_COUNT_SW_CPU_CLOCK};
	(void)t;
	return of_call(f, syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0));
}

static enum verdict call_vhangup(const struct target *t, struct found *f)
{
	(void)t;
	setsid(); /* not the terminal of whoever runs the tests */
	return of_call(f, syscall(SYS_vhangup));
}

/* ---- other doors into the kernel ------------------------------------------------------------ */

#ifdef __x86_64__
CALL(call_iopl, SYS_iopl, 0)
CALL(call_ioperm, SYS_ioperm, 0x80, 1, 0)
CALL(call_modify_ldt, SYS_modify_ldt, 0, NULL, 0)

static enum verdict call_i386(const struct target *t, struct found *f)
{
	long r = 20; /* getpid */
	(void)t;
	__asm__ volatile("int $0x80" : "+a"(r) : : "memory", "r8", "r9", "r10", "r11");
	return r == getpid() ? say(f, OPEN, "int 0x80") : say(f, LACKING, "returned %ld", r);
}

static enum verdict call_i386_again(const struct target *t, struct found *f)
{
	long r = 337,
	     a = 0; /* a name that x86_64 has something else for: recvmmsg; here perf_event_open is 336 */
	(void)t;
	__asm__ volatile("int $0x80" : "+a"(r) : "b"(a), "c"(a), "d"(a) : "memory", "r8", "r9", "r10", "r11");
	return r == -ENOSYS ? say(f, LACKING, "there is none") : say(f, OPEN, "returned %ld", r);
}

static enum verdict call_x32(const struct target *t, struct found *f)
{
	(void)t;
	return of_call(f, syscall(0x40000000 | SYS_getpid));
}

static enum verdict call_x32_own(const struct target *t, struct found *f)
{
	(void)t;
	return of_call(f, syscall(0x40000000 | 521, 0, 0, 0, 0)); /* its own ptrace */
}
#endif

/* What is newer than this program. */
static enum verdict call_unknown(const struct target *t, struct found *f)
{
	(void)t;
	for (long nr = 470; nr < 600; nr++)
		if (syscall(nr, -1, -1, -1, -1, -1, -1) >= 0 || (errno != ENOSYS && errno != EPERM))
			return say(f, OPEN, "call %ld: %s", nr, strerror(errno));
	return say(f, LACKING, "up to 600 there is none");
}

/* ---- terminals ---------------------------------------------------------------------------------- */

/* Makes a terminal of our own the controlling one. */
static int open_terminal(void)
{
	int unlock = 0, master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0 || ioctl(master, TIOCSPTLCK, &unlock) < 0)
		return -1;
	setsid();
	int fd = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY);
	ioctl(fd, TIOCSCTTY, 0);
	return fd;
}

static enum verdict push(struct found *f, unsigned long request)
{
	char byte = 'x';
	int fd = open_terminal();
	if (fd < 0)
		return say(f, LACKING, "no terminal");
	long r = syscall(SYS_ioctl, fd, request, &byte);
	/* Since Linux 6.2 the kernel may refuse it to all but the administrator. */
	return r < 0 && errno == EIO ? say(f, LACKING, "%s", strerror(errno)) : of_call(f, r);
}

/* The others are tried on what is no terminal: there the kernel knows no such request. */
static enum verdict ask_null(struct found *f, unsigned long request)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return of_call(f, syscall(SYS_ioctl, fd, request, NULL));
}

#define IOCTL(name, how, request) \
	static enum verdict name(const struct target *t, struct found *f) \
	{ \
		(void)t; \
		return how(f, request); \
	}

IOCTL(push_input, push, TIOCSTI)
IOCTL(push_input_by_high_bits, push, TIOCSTI | 1ul << 32)
IOCTL(push_input_by_all_bits, push, TIOCSTI | 0xfffffffful << 32)
IOCTL(linux_terminal, ask_null, 0x541c)
IOCTL(linux_terminal_by_high_bits, ask_null, 0x541c | 1ul << 32)
IOCTL(take_console, ask_null, TIOCCONS)
IOCTL(set_discipline, ask_null, TIOCSETD)

static const struct attempt ATTEMPTS[] = {
		{"mounts", "mount", call_mount, CAP_SYS_ADMIN},
		{"mounts", "umount2", call_umount, CAP_SYS_ADMIN},
		{"mounts", "pivot_root", call_pivot_root, CAP_SYS_ADMIN},
		{"mounts", "chroot", call_chroot, 0},
		{"mounts", "fsopen", call_fsopen, CAP_SYS_ADMIN},
		{"mounts", "fsconfig", call_fsconfig, 0},
		{"mounts", "fsmount", call_fsmount, CAP_SYS_ADMIN},
		{"mounts", "fspick", call_fspick, CAP_SYS_ADMIN},
		{"mounts", "open_tree", call_open_tree, 0},
		{"mounts", "move_mount", call_move_mount, CAP_SYS_ADMIN},
		{"mounts", "mount_setattr", call_mount_setattr, 0},
		{"mounts", "statmount", call_statmount, 0},
		{"mounts", "listmount", call_listmount, 0},
		{"mounts", "open_by_handle_at", open_by_handle, CAP_DAC_READ_SEARCH},
		{"mounts", "name_to_handle_at", find_handle, 0},
		{"namespaces", "unshare", unshare_any, 0},
		{"namespaces", "clone", clone_any, 0},
		{"namespaces", "clone3", call_clone3, 0},
		{"namespaces", "setns", enter_namespace, CAP_SYS_ADMIN},
		{"namespaces", "setns by a process", enter_by_process, CAP_SYS_ADMIN},
		{"keyrings", "add_key", call_add_key, 0},
		{"keyrings", "request_key", call_request_key, 0},
		{"keyrings", "keyctl", call_keyctl, 0},
		{"kernel", "bpf", call_bpf_map, CAP_SYS_ADMIN},
		{"kernel", "perf_event_open", watch_performance, CAP_SYS_ADMIN},
		{"kernel", "perf_event_open of the machine", watch_machine, CAP_SYS_ADMIN},
		{"kernel", "io_uring_setup", call_io_uring, 0},
		{"kernel", "io_uring_enter", call_io_uring_enter, 0},
		{"kernel", "io_uring_register", call_io_uring_register, 0},
		{"kernel", "io_setup", take_disk_requests, 0},
		{"kernel", "userfaultfd", call_userfaultfd, 0},
		{"kernel", "fanotify_init", call_fanotify, CAP_SYS_ADMIN},
		{"kernel", "mbind", call_mbind, 0},
		{"kernel", "set_mempolicy", call_set_mempolicy, 0},
		{"kernel", "move_pages", call_move_pages, 0},
		{"kernel", "calls of the future", call_unknown, 0},
		{"admin", "init_module", call_init_module, CAP_SYS_MODULE},
		{"admin", "finit_module", call_finit_module, CAP_SYS_MODULE},
		{"admin", "delete_module", call_delete_module, CAP_SYS_MODULE},
		{"admin", "kexec_load", call_kexec_load, CAP_SYS_BOOT},
		{"admin", "reboot", call_reboot, CAP_SYS_BOOT},
		{"admin", "swapon", call_swapon, CAP_SYS_ADMIN},
		{"admin", "swapoff", call_swapoff, CAP_SYS_ADMIN},
		{"admin", "acct", call_acct, CAP_SYS_PACCT},
		{"admin", "quotactl", call_quotactl, CAP_SYS_ADMIN},
		{"admin", "quotactl_fd", call_quotactl_fd, CAP_SYS_ADMIN},
		{"admin", "syslog", call_syslog, CAP_SYSLOG},
		{"admin", "sethostname", call_sethostname, CAP_SYS_ADMIN},
		{"admin", "setdomainname", call_setdomainname, CAP_SYS_ADMIN},
		{"admin", "clock_settime", set_time, 0},
		{"admin", "settimeofday", set_time_of_day, 0},
		{"admin", "vhangup", call_vhangup, CAP_SYS_TTY_CONFIG},
#ifdef __x86_64__
		{"admin", "iopl", call_iopl, 0},
		{"admin", "ioperm", call_ioperm, 0},
		{"kernel", "modify_ldt", call_modify_ldt, 0},
		{"abi", "i386", call_i386, 0},
		{"abi", "i386 again", call_i386_again, 0},
		{"abi", "x32", call_x32, 0},
		{"abi", "x32, numbers of its own", call_x32_own, 0},
#endif
		{"terminal", "TIOCSTI", push_input, CAP_SYS_ADMIN},
		{"terminal", "TIOCSTI, bit 32", push_input_by_high_bits, CAP_SYS_ADMIN},
		{"terminal", "TIOCSTI, all high bits", push_input_by_all_bits, CAP_SYS_ADMIN},
		{"terminal", "TIOCLINUX", linux_terminal, 0},
		{"terminal", "TIOCLINUX, bit 32", linux_terminal_by_high_bits, 0},
		{"terminal", "TIOCCONS", take_console, 0},
		{"terminal", "TIOCSETD", set_discipline, 0},
};

struct attempts attempts_calls(void)
{
	return (struct attempts){ATTEMPTS, sizeof ATTEMPTS / sizeof *ATTEMPTS};
}
