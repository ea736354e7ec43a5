/* SPDX-License-Identifier: MIT */
#ifndef TRM_SUPERVISOR_LIMITS_GROUP_H
#define TRM_SUPERVISOR_LIMITS_GROUP_H

/* Control groups of one sandbox. Always children of the supervisor's own group,
 * never of one above it: the limits that hold the caller must keep holding the
 * sandbox. They are named terrarium-PID after the supervisor.
 *
 * In order: version 2 if its controllers are delegated to us, else version 1
 * (in practice: as root), else nothing (the supervisor's watchdog then does what it can). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sweep/sweep.h"
#include "wire/control.h"

enum { GROUP_MAX_DIRS = 5, GROUP_PATH = 512 };

struct group_dir {
	char path[GROUP_PATH];
	uint32_t serves; /* enum limit_bit: limits that are in force through it */
};

struct groups {
	enum limits_kind kind;
	uint32_t limits; /* all of them together */
	size_t n;
	struct group_dir dir[GROUP_MAX_DIRS];
};

struct group_limits {
	uint64_t mem_bytes;
	uint32_t pids;
	double cpus;
};

/* Make the groups and set the limits. Whatever cannot be had is left out: look at
 * ret->limits. `root` is CGROUP_ROOT and `self` the text of /proc/self/cgroup, but in
 * tests; `client` the process that may be moved out of the way in version 2. */
void groups_create(struct groups *ret, const char *root, const char *self, const struct group_limits *limits,
		int client);

/* Groups that an engine has made for a container: `theirs` is the text of /proc/PID/cgroup of a process in
 * it, `ours` that of our own. Groups that we are in, too, are not it. ret->kind is LIMITS_ENGINE where
 * nothing that counts memory is seen. Nothing is to be removed. */
void groups_find(struct groups *ret, const char *root, const char *theirs, const char *ours);

/* Version 1 counts what lies in TCP sockets beside the memory, and no engine's command sets a limit for it:
 * of a group found that has a limit of memory, a quarter of that, as of our own groups. Only as root it
 * works. */
void groups_limit_sockets(const struct groups *g);

/* fork() whose child is in the groups and dies with the caller (until it changes its user), or ends at
 * once with status GROUP_NOT_JOINED and says to words_fd why. */
enum { GROUP_NOT_JOINED = 124 };
pid_t groups_fork(const struct groups *g, int words_fd);

/* The directory that serves `bit`; "" if none does. */
const char *groups_dir(const struct groups *g, uint32_t bit);

/* How often the kernel has killed in here for want of memory. */
uint64_t groups_oom_kills(const struct groups *g);

/* Processor time that they have used. False: nothing counts it. */
bool groups_cpu_ns(const struct groups *g, uint64_t *ret);

/* Kill what is in them and remove them. False: a dying process is still in one; those that are left stay
 * in `g`. The second tries again for half a second. */
bool groups_clear(struct groups *g);
bool groups_remove(struct groups *g);

/* Used by the versions' own files. mkdir of base/terrarium-PID as the next directory of
 * `g`; NULL if that is not allowed. */
struct group_dir *group_add_dir(struct groups *g, const char *base);
void group_drop_dir(struct groups *g); /* the last one again */
int group_write(const struct group_dir *d, const char *file, const char *text);
int group_write_u64(const struct group_dir *d, const char *file, uint64_t value);
void groups_create_v1(
		struct groups *g, const char *root, const char *self, const struct group_limits *limits);
void groups_create_v2(struct groups *g, const char *root, const char *self, const struct group_limits *limits,
		int client);

/* Beside version 1: a group in the tree of version 2, which then has no controllers, but counts pressure. */
void groups_add_pressure(struct groups *g, const char *root, const char *self);

/* Length of a scheduling period and what of it may be used, for a number of cores. */
void group_cpu_quota(double cpus, uint64_t *ret_quota_us, uint64_t *ret_period_us);

#endif
