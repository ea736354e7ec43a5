/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LIMITS_GROUP_H
#define TRM_SUPERVISOR_LIMITS_GROUP_H

/* The control groups of one sandbox. They are always children of the supervisor's own group, so that the
 * limits that hold the caller also hold the sandbox. They are named terrarium-PID after the supervisor.
 *
 * Version 2 is used if its controllers are delegated to us, else version 1 (in practice: as root), else
 * nothing. In the last case the supervisor's watchdog does what it can. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sweep/sweep.h"
#include "wire/control.h"

enum { GROUP_MAX_DIRS = 5, GROUP_PATH = 512 };

struct group_dir {
	char path[GROUP_PATH];
	uint32_t serves; /* enum limit_bit: limits that this group enforces */
};

struct groups {
	enum limits_kind kind;
	uint32_t limits; /* limits that any of the groups enforces */
	size_t n;
	struct group_dir dir[GROUP_MAX_DIRS];
};

struct group_limits {
	uint64_t mem_bytes;
	uint32_t pids;
	double cpus;
};

/* Make the groups and set the limits. A limit that cannot be set is left out of ret->limits. `root` is
 * CGROUP_ROOT and `self` the text of /proc/self/cgroup, except in tests. `client` is a process that may be
 * moved aside in version 2. */
void groups_create(struct groups *ret, const char *root, const char *self, const struct group_limits *limits,
		int client);

/* Find the groups that an engine has made for a container. `theirs` is the text of /proc/PID/cgroup of a
 * process in the container, `ours` that of this process. Groups that both share are left out. ret->kind is
 * LIMITS_ENGINE if none of them counts memory. These groups must not be removed. */
void groups_find(struct groups *ret, const char *root, const char *theirs, const char *ours);

/* Version 1 counts the data in TCP sockets apart from the memory, and no engine has an option for it. If
 * the groups found have a memory limit, allow a quarter of it, as in our own groups. Works only as root. */
void groups_limit_sockets(const struct groups *g);

/* fork() into the groups. The child dies with the caller, until it changes its user. If it cannot join the
 * groups, it writes the reason to words_fd and exits with GROUP_NOT_JOINED. */
enum { GROUP_NOT_JOINED = 124 };
pid_t groups_fork(const struct groups *g, int words_fd);

/* The directory of the group that enforces `bit`. "": none does. */
const char *groups_dir(const struct groups *g, uint32_t bit);

/* How often the kernel has killed a process in the groups for lack of memory. */
uint64_t groups_oom_kills(const struct groups *g);

/* The processor time that the groups have used. Returns false if no group counts it. */
bool groups_cpu_ns(const struct groups *g, uint64_t *ret);

/* Kill the processes in the groups and remove the groups. Returns false if a dying process is still in one
 * of them; the remaining groups stay in `g`. groups_remove() tries for half a second. */
bool groups_clear(struct groups *g);
bool groups_remove(struct groups *g);

/* For the files of the two versions: mkdir base/terrarium-PID as the next directory of `g`. Returns NULL if
 * that is not allowed. */
struct group_dir *group_add_dir(struct groups *g, const char *base);
void group_drop_dir(struct groups *g); /* removes the last one */
int group_write(const struct group_dir *d, const char *file, const char *text);
int group_write_u64(const struct group_dir *d, const char *file, uint64_t value);
void groups_create_v1(
		struct groups *g, const char *root, const char *self, const struct group_limits *limits);
void groups_create_v2(struct groups *g, const char *root, const char *self, const struct group_limits *limits,
		int client);

/* Beside version 1: make a group in the tree of version 2, which has no controllers then but counts
 * pressure. */
void groups_add_pressure(struct groups *g, const char *root, const char *self);

/* The scheduling period and the quota in it for a number of cores. */
void group_cpu_quota(double cpus, uint64_t *ret_quota_us, uint64_t *ret_period_us);

#endif
