/* SPDX-License-Identifier: MIT */
#include "supervisor/limits/group.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cgroup.h"

/* Version 1 has one tree for each controller, or for several controllers that are mounted together. */

/* Data in internet sockets is not part of the memory count. The kernel counts it separately, and only if
 * there is a limit for it. Without one, a few thousand connections within the sandbox hold gigabytes. */
static void limit_sockets(const struct group_dir *d, uint64_t mem_bytes)
{
	group_write_u64(d, "memory.kmem.tcp.limit_in_bytes", mem_bytes / 4);
}

static uint32_t limit_memory(const struct group_dir *d, const struct group_limits *want)
{
	if (group_write_u64(d, "memory.limit_in_bytes", want->mem_bytes) < 0)
		return 0;
	limit_sockets(d, want->mem_bytes);
	/* If the kernel counts swap, limit memory and swap together. Otherwise ask it not to swap. */
	if (group_write_u64(d, "memory.memsw.limit_in_bytes", want->mem_bytes) == 0
			|| group_write(d, "memory.swappiness", "0") == 0)
		return LIMIT_MEMORY | LIMIT_SWAP;
	return LIMIT_MEMORY;
}

void groups_limit_sockets(const struct groups *g)
{
	uint64_t mem_bytes;
	for (size_t i = 0; g->kind == LIMITS_CGROUP_V1 && g->limits & LIMIT_MEMORY && i < g->n; i++)
		if (g->dir[i].serves & LIMIT_MEMORY
				&& cgroup_read(g->dir[i].path, false, CGROUP_MEM_LIMIT, &mem_bytes))
			limit_sockets(&g->dir[i], mem_bytes);
}

static uint32_t limit_pids(const struct group_dir *d, const struct group_limits *want)
{
	return group_write_u64(d, "pids.max", want->pids) < 0 ? 0 : LIMIT_PIDS;
}

static uint32_t limit_cpu(const struct group_dir *d, const struct group_limits *want)
{
	uint64_t quota_us, period_us;
	group_cpu_quota(want->cpus, &quota_us, &period_us);
	if (group_write_u64(d, "cpu.cfs_period_us", period_us) < 0
			|| group_write_u64(d, "cpu.cfs_quota_us", quota_us) < 0)
		return 0;
	return LIMIT_CPU;
}

static uint32_t count_cpu(const struct group_dir *d, const struct group_limits *want)
{
	(void)want;
	char path[GROUP_PATH + 16];
	snprintf(path, sizeof path, "%s/cpuacct.usage", d->path);
	return access(path, R_OK) < 0 ? 0 : LIMIT_CPUACCT;
}

static const struct {
	const char *name;
	uint32_t (*limit)(const struct group_dir *d, const struct group_limits *want);
} controllers[] = {
		{"memory", limit_memory},
		{"pids", limit_pids},
		{"cpu", limit_cpu},
		{"cpuacct", count_cpu},
};
enum { N_CONTROLLERS = sizeof controllers / sizeof *controllers };

/* Index of one of our controllers in "cpu,cpuacct". -1: it is not ours. */
static int controller_index(const char *name, size_t n)
{
	for (int i = 0; i < N_CONTROLLERS; i++)
		if (strlen(controllers[i].name) == n && !memcmp(controllers[i].name, name, n))
			return i;
	return -1;
}

/* `list` and `path` come from a line of /proc/self/cgroup. */
static void limit_in(struct groups *g, const char *root, const char *list, const char *path,
		const struct group_limits *want)
{
	struct group_dir *d = NULL;
	for (const char *at = list; *at;) {
		size_t n = strcspn(at, ",");
		int which = controller_index(at, n);
		if (which >= 0 && !d) {
			char base[GROUP_PATH];
			snprintf(base, sizeof base, "%s/%.*s%s", root, (int)n, at, path);
			if (access(base, F_OK) < 0) /* in a container the tree may begin at our own group */
				snprintf(base, sizeof base, "%s/%.*s", root, (int)n, at);
			d = group_add_dir(g, base);
			if (!d)
				return;
		}
		if (which >= 0)
			d->serves |= controllers[which].limit(d, want);
		at += n + (at[n] == ',');
	}
	if (d && !d->serves)
		group_drop_dir(g);
}

void groups_create_v1(struct groups *g, const char *root, const char *self, const struct group_limits *want)
{
	while (*self) {
		char list[64], path[256];
		/* "4:memory:/a/b"; version 2 is the line with an empty list, and does not match. */
		if (sscanf(self, "%*u:%63[^:\n]:%255[^\n]", list, path) == 2)
			limit_in(g, root, list, strcmp(path, "/") ? path : "", want);
		self += strcspn(self, "\n");
		self += *self == '\n';
	}
	if (g->n)
		g->kind = LIMITS_CGROUP_V1;
}
