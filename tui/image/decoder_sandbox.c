/* SPDX-License-Identifier: MIT */
/* Sources: seccomp(2), bpf of seccomp in the kernel's Documentation/userspace-api/seccomp_filter.rst. */
#include "image/decoder_sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CPU_S = 8 };
#define MEMORY_BYTES ((rlim_t)1 << 30) /* in addition to what this process had mapped before */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* A sanitizer maps a shadow as large as the address space, and needs more system calls. */
#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

/* ---- system calls ---- */

#ifdef ARCHITECTURE
/* For computing, loading libraries, and reading files (fonts). Everything else fails with EPERM. */
static const int allowed[] = {
		SYS_read,
		SYS_write,
		SYS_close,
		SYS_lseek,
		SYS_pread64,
		SYS_fadvise64,
		SYS_readv,
		SYS_fstat,
		SYS_newfstatat,
		SYS_statx,
		SYS_statfs,
		SYS_fstatfs,
		SYS_faccessat,
		SYS_readlinkat,
		SYS_getdents64,
		SYS_fcntl,
		SYS_mmap,
		SYS_munmap,
		SYS_mprotect,
		SYS_mremap,
		SYS_madvise,
		SYS_brk,
		SYS_futex,
		SYS_set_robust_list,
		SYS_rseq,
		SYS_eventfd2,
		SYS_ppoll,
		SYS_clock_nanosleep,
		SYS_sched_yield,
		SYS_sched_getaffinity,
		SYS_getrandom,
		SYS_clock_gettime,
		SYS_clock_getres,
		SYS_gettimeofday,
		SYS_getpid,
		SYS_gettid,
		SYS_getuid,
		SYS_geteuid,
		SYS_getgid,
		SYS_getegid,
		SYS_getcwd,
		SYS_rt_sigaction,
		SYS_rt_sigprocmask,
		SYS_rt_sigreturn,
		SYS_sigaltstack,
		SYS_uname,
		SYS_sysinfo,
		SYS_exit,
		SYS_exit_group,
#ifdef SYS_open
		SYS_stat,
		SYS_lstat,
		SYS_access,
		SYS_readlink,
		SYS_getrlimit,
		SYS_time,
		SYS_arch_prctl,
		SYS_poll,
#endif
};
enum { ALLOWED = sizeof allowed / sizeof *allowed };

#define FIELD(name) ((uint32_t)offsetof(struct seccomp_data, name))
#define LOAD(field) ((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, field))
#define ANSWER(value) ((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, value))
/* Skip this many instructions if it is, or is not, the value. */
#define IF(value, yes, no) \
	((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), yes, no))
#define IF_ANY(bits, yes, no) \
	((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), yes, no))
#define REFUSED (SECCOMP_RET_ERRNO | EPERM)

/* Answer a call without making it. */
static size_t put_answer(struct sock_filter *f, int number, uint32_t answer)
{
	f[0] = IF(number, 0, 1);
	f[1] = ANSWER(answer);
	return 2;
}

/* Fonts are searched in a thread. clone3() hides its flags in memory; without it libc uses clone(). */
static size_t put_threads(struct sock_filter *f)
{
	size_t n = put_answer(f, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);

	n += put_answer(f + n, SYS_prctl, SECCOMP_RET_ERRNO); /* pretend that the thread has got its name */
	f[n++] = IF(SYS_clone, 0, 4);
	f[n++] = LOAD(FIELD(args[0]));
	f[n++] = IF_ANY(CLONE_THREAD, 1, 0);
	f[n++] = ANSWER(REFUSED);
	f[n++] = ANSWER(SECCOMP_RET_ALLOW);
	return n;
}

static size_t put_open(struct sock_filter *f, int number, uint32_t flags_field)
{
	size_t n = 0;

	f[n++] = IF(number, 0, 4);
	f[n++] = LOAD(flags_field);
	f[n++] = IF_ANY(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 0, 1);
	f[n++] = ANSWER(REFUSED);
	f[n++] = ANSWER(SECCOMP_RET_ALLOW);
	return n;
}

static void limit_calls(void)
{
	struct sock_filter f[2 * ALLOWED + 32];
	size_t n = 0;

	f[n++] = LOAD(FIELD(arch));
	f[n++] = IF(ARCHITECTURE, 1, 0);
	f[n++] = ANSWER(SECCOMP_RET_KILL_PROCESS);
	f[n++] = LOAD(FIELD(nr));
	for (size_t i = 0; i < ALLOWED; i++) {
		f[n++] = IF(allowed[i], 0, 1);
		f[n++] = ANSWER(SECCOMP_RET_ALLOW);
	}
	n += put_threads(f + n);
	n += put_open(f + n, SYS_openat, FIELD(args[2])); /* the low half: both are little-endian */
#ifdef SYS_open
	n += put_open(f + n, SYS_open, FIELD(args[1]));
#endif
	f[n++] = ANSWER(REFUSED);
	struct sock_fprog program = {.len = (unsigned short)n, .filter = f};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static void limit_calls(void)
{
	/* The system call numbers of this architecture are not known here. */
}
#endif

/* ---- the rest ---- */

static rlim_t mapped_bytes(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void limit(int resource, rlim_t value)
{
	struct rlimit r = {value, value};
	setrlimit(resource, &r);
}

static void default_signals(void)
{
	sigset_t none;

	for (int signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Close descriptors of others: the terminal, the sandbox. Somebody may be waiting for their end. */
static void close_others(int fd, int number)
{
	dup2(fd, number);
	if (number != 0)
		close(0);
	syscall(SYS_close_range, (unsigned)number + 1, ~0u, 0);
	if (open("/dev/null", O_WRONLY) >= 0 && dup(1) < 0) /* for libraries that print messages */
		_exit(1);
}

void decoder_sandbox_enter(int fd, int number)
{
	default_signals();
	close_others(fd, number);
	rlim_t mapped = mapped_bytes();
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, CPU_S);
	limit(RLIMIT_FSIZE, 0);
	if (IS_SANITIZED)
		return;
	limit(RLIMIT_AS, mapped + MEMORY_BYTES);
	limit_calls();
}
