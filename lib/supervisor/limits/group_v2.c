/* SPDX-License-Identifier: MIT */
#include "supervisor/limits/group.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/procstat.h"
#include "base/sysfile.h"

/* Version 2 has one tree. A group that gives controllers to its children may hold no process itself, so the
 * caller first moves into a leaf of its own:
 *
 *     ours/                     ours/
 *       client, supervisor    →       terrarium-host/   client, supervisor
 *                                 terrarium-4711/   bubblewrap and all below it
 *
 * That is done only if no other process lives in `ours`, as in a scope made for this program (systemd-run
 * --user --scope -p Delegate=yes). Processes of others are never moved. */

#define HOST_LEAF "terrarium-host"

/* The directory of our own group, without the leaf that we may have moved into before. */
static bool own_dir(char *out, size_t cap, const char *root, const char *self)
{
	const char *line = !strncmp(self, "0::", 3) ? self : strstr(self, "\n0::");
	if (!line)
		return false;
	line += *line == '\n';
	int n = (int)strcspn(line + 3, "\n");
	char probe[GROUP_PATH];
	snprintf(probe, sizeof probe, "%s/cgroup.controllers", root);
	snprintf(out, cap, "%s%s%.*s", root, access(probe, F_OK) < 0 ? "/unified" : "", n, line + 3);
	size_t len = strlen(out);
	while (len && out[len - 1] == '/')
		out[--len] = '\0';
	if (len > strlen(HOST_LEAF) && !strcmp(out + len - strlen(HOST_LEAF), HOST_LEAF))
		out[len - strlen(HOST_LEAF) - 1] = '\0';
	return true;
}

static bool gives_memory(const char *base)
{
	char path[GROUP_PATH + 32], words[256];
	snprintf(path, sizeof path, "%s/cgroup.subtree_control", base);
	return sysfile_read(path, words, sizeof words) > 0 && text_has_word(words, "memory");
}

/* This process, its cleanup process, and the client. */
static bool is_ours(pid_t pid, pid_t client)
{
	struct procstat stat;
	return pid == client || pid == getpid() || (procstat_read(pid, &stat) && stat.ppid == getpid());
}

/* True if the group holds no other processes. *ret_pids lists their numbers, each followed by a newline. */
static bool is_ours_alone(const char *base, int client, char *ret_pids, size_t cap)
{
	char path[GROUP_PATH + 32];
	snprintf(path, sizeof path, "%s/cgroup.procs", base);
	if (sysfile_read(path, ret_pids, cap) < 0)
		return false;
	for (char *at = ret_pids, *end; *at; at = *end ? end + 1 : end) {
		pid_t pid = (pid_t)strtol(at, &end, 10);
		if (end == at || !is_ours(pid, client))
			return false;
	}
	return true;
}

/* A client that is in another group stays there, for example if its supervisor has a scope of its own. */
static bool step_aside(const char *base, const char *pids)
{
	char leaf[GROUP_PATH + 32], path[GROUP_PATH + 64];
	snprintf(leaf, sizeof leaf, "%s/" HOST_LEAF, base);
	if (mkdir(leaf, 0755) < 0 && errno != EEXIST)
		return false;
	snprintf(path, sizeof path, "%s/cgroup.procs", leaf);
	bool has_moved = true;
	for (char *end; has_moved && *pids; pids = *end ? end + 1 : end)
		has_moved = sysfile_write_u64(path, strtoul(pids, &end, 10)) == 0;
	return has_moved;
}

static bool delegate(const char *base, int client)
{
	char path[GROUP_PATH + 32], words[256], pids[4096];
	if (gives_memory(base))
		return true;
	snprintf(path, sizeof path, "%s/cgroup.controllers", base);
	if (sysfile_read(path, words, sizeof words) <= 0 || !text_has_word(words, "memory"))
		return false;
	snprintf(path, sizeof path, "%s/cgroup.subtree_control", base);
	if (access(path, W_OK) < 0 || !is_ours_alone(base, client, pids, sizeof pids)
			|| !step_aside(base, pids))
		return false;
	sysfile_write(path, "+pids");
	sysfile_write(path, "+cpu");
	return sysfile_write(path, "+memory") == 0;
}

static uint32_t set_limits(const struct group_dir *d, const struct group_limits *want)
{
	char quota[48];
	uint64_t quota_us, period_us;
	uint32_t held = 0;
	group_cpu_quota(want->cpus, &quota_us, &period_us);
	snprintf(quota, sizeof quota, "%llu %llu", (unsigned long long)quota_us,
			(unsigned long long)period_us);
	if (group_write_u64(d, "memory.max", want->mem_bytes) == 0)
		held |= LIMIT_MEMORY;
	if (held && group_write(d, "memory.swap.max", "0") == 0)
		held |= LIMIT_SWAP;
	if (group_write_u64(d, "pids.max", want->pids) == 0)
		held |= LIMIT_PIDS;
	if (group_write(d, "cpu.max", quota) == 0)
		held |= LIMIT_CPU | LIMIT_CPUACCT;
	char path[GROUP_PATH + 32];
	snprintf(path, sizeof path, "%s/cpu.pressure", d->path);
	if (access(path, R_OK) == 0)
		held |= LIMIT_PRESSURE;
	return held;
}

void groups_create_v2(struct groups *g, const char *root, const char *self, const struct group_limits *want,
		int client)
{
	char base[GROUP_PATH];
	if (!own_dir(base, sizeof base, root, self) || !delegate(base, client))
		return;
	struct group_dir *d = group_add_dir(g, base);
	if (!d)
		return;
	d->serves = set_limits(d, want);
	if (!(d->serves & LIMIT_MEMORY)) {
		group_drop_dir(g);
		return;
	}
	g->kind = LIMITS_CGROUP_V2;
}

void groups_add_pressure(struct groups *g, const char *root, const char *self)
{
	char base[GROUP_PATH], path[GROUP_PATH + 32];
	if (!own_dir(base, sizeof base, root, self))
		return;
	snprintf(path, sizeof path, "%s/cpu.pressure", base);
	struct group_dir *d = access(path, R_OK) == 0 ? group_add_dir(g, base) : NULL;
	if (!d)
		return;
	snprintf(path, sizeof path, "%s/cpu.pressure", d->path);
	if (access(path, R_OK) == 0)
		d->serves = LIMIT_PRESSURE;
	else
		group_drop_dir(g);
}
