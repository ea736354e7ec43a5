/* SPDX-License-Identifier: MIT */

/* Growing: privileges, limits, priorities, traces left on the host. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isolation/attack/attack.h"

/* ---- privileges ----------------------------------------------------------------------- */

static enum verdict become_root(const struct target *t, struct found *f)
{
	(void)t;
	return of_call(f, setresuid(0, 0, 0)) == OPEN && geteuid() == 0 ? OPEN : SHUT;
}

static enum verdict become_other(const struct target *t, struct found *f)
{
	(void)t;
	return setresuid(1, 1, 1) == 0 ? say(f, OPEN, "it succeeded") : say(f, SHUT, "%s", strerror(errno));
}

static enum verdict join_groups(const struct target *t, struct found *f)
{
	const gid_t gid = 0;
	(void)t;
	return of_call(f, setgroups(1, &gid));
}

static enum verdict have_capabilities(const struct target *t, struct found *f)
{
	(void)t;
	for (int cap = 0; cap < 41; cap++)
		if (has_cap(cap))
			return say(f, OPEN, "capability %d", cap);
	return say(f, SHUT, "none");
}

static enum verdict have_bounding_set(const struct target *t, struct found *f)
{
	(void)t;
	for (int cap = 0; cap < 41; cap++)
		if (prctl(PR_CAPBSET_READ, cap) == 1)
			return say(f, OPEN, "capability %d", cap);
	return say(f, SHUT, "none");
}

static enum verdict gain_by_programs(const struct target *t, struct found *f)
{
	(void)t;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 ? say(f, OPEN, "no_new_privs is not set")
							   : say(f, SHUT, "no_new_privs");
}

/* A mount that respects setuid bits. */
static enum verdict find_setuid(const struct target *t, struct found *f)
{
	static const char *const places[] = {"/", "/usr", "/tmp", "/home", "/dev/shm"};
	(void)t;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		struct statvfs st;
		if (statvfs(places[i], &st) == 0 && !(st.f_flag & ST_NOSUID))
			return say(f, OPEN, "on %s", places[i]);
	}
	return say(f, SHUT, "all mounts are nosuid");
}

static enum verdict run_setuid(const struct target *t, struct found *f)
{
	(void)t;
	int status, quiet = open("/dev/null", O_RDWR);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(quiet, 1);
		dup2(quiet, 2);
		execl("/usr/bin/passwd", "passwd", "-S", "root", (char *)NULL); /* root may ask for that */
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status == 127 << 8)
		return say(f, LACKING, "no such program");
	return status == 0 ? say(f, OPEN, "passwd works") : say(f, SHUT, "status %x", (unsigned)status);
}

/* ---- limits, priorities -------------------------------------------------------------------- */

static enum verdict raise_limits(const struct target *t, struct found *f)
{
	static const int what[] = {RLIMIT_CORE, RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_NPROC, RLIMIT_MEMLOCK,
			RLIMIT_MSGQUEUE, RLIMIT_SIGPENDING, RLIMIT_RTPRIO};
	(void)t;
	for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
		struct rlimit now, more;
		if (getrlimit(what[i], &now) < 0 || now.rlim_max == RLIM_INFINITY)
			return say(f, OPEN, "limit %d is not set", what[i]);
		more = (struct rlimit){now.rlim_max + 1, now.rlim_max + 1};
		if (setrlimit(what[i], &more) == 0)
			return say(f, OPEN, "limit %d", what[i]);
	}
	return say(f, SHUT, "%s", strerror(errno));
}

/* One byte is the size at which also a handler of the host does not run. */
static enum verdict dump_core(const struct target *t, struct found *f)
{
	struct rlimit now;
	(void)t;
	return getrlimit(RLIMIT_CORE, &now) < 0 || now.rlim_max != 1
			       ? say(f, OPEN, "up to %llu bytes", (unsigned long long)now.rlim_max)
			       : say(f, SHUT, "at most one byte");
}

static enum verdict run_fifo(const struct target *t, struct found *f)
{
	struct sched_param p = {.sched_priority = 1};
	(void)t;
	return of_call(f, sched_setscheduler(0, SCHED_FIFO, &p));
}

static enum verdict run_round_robin(const struct target *t, struct found *f)
{
	struct sched_param p = {.sched_priority = 1};
	(void)t;
	return of_call(f, sched_setscheduler(0, SCHED_RR | 0x40000000 /* not for children */, &p));
}

static enum verdict run_to_deadline(const struct target *t, struct found *f)
{
	struct {
		unsigned size, policy;
		unsigned long long flags;
		int nice;
		unsigned priority;
		unsigned long long runtime, deadline, period;
	} attr = {.size = 48, .policy = 6, .runtime = 1000000, .deadline = 10000000, .period = 10000000};
	(void)t;
	return of_call(f, syscall(SYS_sched_setattr, 0, &attr, 0));
}

static enum verdict run_before_others(const struct target *t, struct found *f)
{
	(void)t;
	return of_call(f, setpriority(PRIO_PROCESS, 0, -5));
}

static enum verdict disk_before_others(const struct target *t, struct found *f)
{
	enum { WHO_PROCESS = 1, CLASS_RT = 1 << 13 };
	(void)t;
	return of_call(f, syscall(SYS_ioprio_set, WHO_PROCESS, 0, CLASS_RT));
}

static enum verdict lock_memory(const struct target *t, struct found *f)
{
	enum { MUCH = 64 << 20 };
	(void)t;
	void *at = mmap(NULL, MUCH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at != MAP_FAILED && mlock(at, MUCH) == 0 ? say(f, OPEN, "64 MiB")
							: say(f, SHUT, "%s", strerror(errno));
}

static enum verdict escape_oom_killer(const struct target *t, struct found *f)
{
	(void)t;
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	return fd >= 0 && write(fd, "-999", 4) == 4 ? say(f, OPEN, "spared")
						    : say(f, SHUT, "%s", strerror(errno));
}

static enum verdict tune_clock(const struct target *t, struct found *f)
{
	struct timex now = {.modes = 0}, set;
	(void)t;
	if (adjtimex(&now) < 0)
		return of_call(f, -1);
	set = (struct timex){.modes = ADJ_TICK, .tick = 1}; /* not a possible tick */
	return of_call(f, adjtimex(&set));
}

static enum verdict set_personality(const struct target *t, struct found *f)
{
	(void)t;
	return of_call(f, personality(ADDR_NO_RANDOMIZE));
}

static enum verdict set_personality_by_high_bits(const struct target *t, struct found *f)
{
	(void)t;
	return of_call(f, syscall(SYS_personality, 1ull << 32 | 0x0008 /* Linux, 32 bits */));
}

static enum verdict set_file_capability(const struct target *t, struct found *f)
{
	char path[256];
	static const unsigned value[5] = {0x02000001, 0x400 /* NET_BIND_SERVICE */};
	(void)t;
	snprintf(path, sizeof path, "%.200s/isolation-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	int fd = mkstemp(path);
	if (fd < 0)
		return say(f, SHUT, "no file");
	unlink(path);
	long r = syscall(SYS_fsetxattr, fd, "security.capability", value, sizeof value, 0);
	return r < 0 && errno == EOPNOTSUPP ? say(f, LACKING, "not in this file system") : of_call(f, r);
}

static const struct attempt ATTEMPTS[] = {
		{"privileges", "capabilities", have_capabilities, CAP_SETPCAP},
		{"privileges", "bounding set", have_bounding_set, 0},
		{"privileges", "root", become_root, CAP_SETUID},
		{"privileges", "another user", become_other, CAP_SETUID},
		{"privileges", "groups", join_groups, CAP_SETGID},
		{"privileges", "of a file", set_file_capability, CAP_SETFCAP},
		{"setuid", "no_new_privs", gain_by_programs, 0},
		{"setuid", "mounts", find_setuid, 0},
		{"setuid", "a program", run_setuid, CAP_SETUID},
		{"limits", "raised", raise_limits, 0},
		{"limits", "core dumps", dump_core, 0},
		{"limits", "locked memory", lock_memory, CAP_IPC_LOCK},
		{"scheduling", "SCHED_FIFO", run_fifo, CAP_SYS_NICE},
		{"scheduling", "SCHED_RR", run_round_robin, CAP_SYS_NICE},
		{"scheduling", "SCHED_DEADLINE", run_to_deadline, CAP_SYS_NICE},
		{"scheduling", "nice", run_before_others, CAP_SYS_NICE},
		{"scheduling", "disk", disk_before_others, CAP_SYS_NICE},
		{"scheduling", "oom_score_adj", escape_oom_killer, CAP_SYS_RESOURCE},
		{"admin", "adjtimex", tune_clock, CAP_SYS_TIME},
		{"personality", "no address randomisation", set_personality, 0},
		{"personality", "by high bits", set_personality_by_high_bits, 0},
};

struct attempts attempts_rights(void)
{
	return (struct attempts){ATTEMPTS, sizeof ATTEMPTS / sizeof *ATTEMPTS};
}
