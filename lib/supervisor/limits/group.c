/* SPDX-License-Identifier: MIT */
#include "supervisor/limits/group.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/sysfile.h"
#include "sweep/sweep.h"

void group_cpu_quota(double cpus, uint64_t *ret_quota_us, uint64_t *ret_period_us)
{
	/* All processes of a group that has used up its quota, the agent included, stand still until the
	 * period ends. Short periods keep the agent responsive. The kernel accepts no quota below a
	 * millisecond. */
	uint64_t period = cpus >= 0.2 ? 5000 : 100000;
	uint64_t quota = (uint64_t)(cpus * (double)period + 0.5);
	*ret_period_us = period;
	*ret_quota_us = quota < 1000 ? 1000 : quota;
}

struct group_dir *group_add_dir(struct groups *g, const char *base)
{
	if (g->n == GROUP_MAX_DIRS)
		return NULL;
	struct group_dir *d = &g->dir[g->n];
	int n = snprintf(d->path, sizeof d->path, "%s/" SWEEP_GROUP_PREFIX "%d", base, (int)getpid());
	if (n < 0 || (size_t)n >= sizeof d->path)
		return NULL;
	d->serves = 0;
	g->n++; /* first, so that the cleanup process knows of it if we are killed in between */
	/* An empty group of that name belonged to a dead supervisor that had the same pid. */
	if (mkdir(d->path, 0755) == 0
			|| (errno == EEXIST && rmdir(d->path) == 0 && mkdir(d->path, 0755) == 0))
		return d;
	g->n--;
	return NULL;
}

void group_drop_dir(struct groups *g)
{
	rmdir(g->dir[g->n - 1].path);
	g->n--;
}

int group_write(const struct group_dir *d, const char *file, const char *text)
{
	char path[GROUP_PATH + 64];
	snprintf(path, sizeof path, "%s/%s", d->path, file);
	return sysfile_write(path, text);
}

int group_write_u64(const struct group_dir *d, const char *file, uint64_t value)
{
	char text[24];
	snprintf(text, sizeof text, "%llu", (unsigned long long)value);
	return group_write(d, file, text);
}

void groups_create(struct groups *ret, const char *root, const char *self, const struct group_limits *limits,
		int client)
{
	memset(ret, 0, sizeof *ret);
	groups_create_v2(ret, root, self, limits, client);
	if (!ret->n) {
		groups_create_v1(ret, root, self, limits);
		if (ret->n)
			groups_add_pressure(ret, root, self);
	}
	for (size_t i = 0; i < ret->n; i++)
		ret->limits |= ret->dir[i].serves;
}

static bool is_of_v2(const struct groups *g, size_t i)
{
	return g->kind == LIMITS_CGROUP_V2 || g->dir[i].serves & LIMIT_PRESSURE;
}

/* Version 2 can start a process inside a group. */
static pid_t fork_into(const struct group_dir *d)
{
	/* struct clone_args of linux/sched.h, which musl does not have. */
	struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid,
				set_tid_size, cgroup;
	} args = {.flags = 0x200000000ull /* CLONE_INTO_CGROUP */, .exit_signal = SIGCHLD};
	int fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	args.cgroup = (uint64_t)fd;
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);
	close(fd);
	return pid;
}

/* Version 1 has "tasks", by which a thread moves itself without a system-wide lock. That takes
 * microseconds, while "cgroup.procs" waits up to 15 ms for an RCU grace period. */
static bool join(const struct groups *g, bool is_in_v2, int words_fd)
{
	for (size_t i = 0; i < g->n; i++) {
		bool is_v2 = is_of_v2(g, i);
		if (is_v2 && is_in_v2)
			continue;
		int r = group_write(&g->dir[i], is_v2 ? "cgroup.procs" : "tasks", "0");
		if (r < 0)
			dprintf(words_fd, "cannot enter the control group %s: %s", g->dir[i].path,
					strerror(-r));
		if (r < 0)
			return false;
	}
	return true;
}

pid_t groups_fork(const struct groups *g, int words_fd)
{
	pid_t pid = -1, supervisor = getpid();
	for (size_t i = 0; i < g->n && pid < 0; i++)
		if (is_of_v2(g, i))
			pid = fork_into(&g->dir[i]);
	bool is_in_v2 = pid >= 0;
	if (!is_in_v2)
		pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != supervisor || !join(g, is_in_v2, words_fd))
		_exit(GROUP_NOT_JOINED);
	return 0;
}

const char *groups_dir(const struct groups *g, uint32_t bit)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->dir[i].serves & bit)
			return g->dir[i].path;
	return "";
}

/* False if no group enforces or counts what `bit` stands for. */
static bool read_value(const struct groups *g, uint32_t bit, enum cgroup_value what, uint64_t *ret)
{
	const char *dir = groups_dir(g, bit);
	return *dir && cgroup_read(dir, g->kind == LIMITS_CGROUP_V2, what, ret);
}

uint64_t groups_oom_kills(const struct groups *g)
{
	uint64_t n;
	return read_value(g, LIMIT_MEMORY, CGROUP_OOM_KILLS, &n) ? n : 0;
}

bool groups_cpu_ns(const struct groups *g, uint64_t *ret)
{
	return read_value(g, LIMIT_CPUACCT, CGROUP_CPU_NS, ret);
}

bool groups_clear(struct groups *g)
{
	for (size_t i = g->n; i-- > 0;) {
		if (rmdir(g->dir[i].path) < 0 && errno == EBUSY) {
			sweep_kill_group(g->dir[i].path);
			return false;
		}
		g->n = i;
	}
	return true;
}

bool groups_remove(struct groups *g)
{
	enum { TRIES = 2500 };
	const struct timespec nap = {.tv_nsec = 200 * 1000};
	/* A group is busy while one of its processes is still exiting. */
	for (int tries = 0; tries < TRIES; tries++) {
		if (groups_clear(g))
			return true;
		nanosleep(&nap, NULL);
	}
	return false;
}
