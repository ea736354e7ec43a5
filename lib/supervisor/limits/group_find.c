/* SPDX-License-Identifier: MIT */
#include "supervisor/limits/group.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/sysfile.h"

/* Groups that an engine has made. They are only read and never removed. The one change is a limit in our
 * own containers (groups_limit_sockets()). The limits are read from the groups, not assumed. */

static bool has_file(const char *dir, const char *file)
{
	char path[GROUP_PATH + 64];
	snprintf(path, sizeof path, "%s/%s", dir, file);
	return access(path, R_OK) == 0;
}

static bool has_limit(const char *dir, const char *file)
{
	char path[GROUP_PATH + 64], text[64];
	uint64_t value;
	snprintf(path, sizeof path, "%s/%s", dir, file);
	return sysfile_read(path, text, sizeof text) > 0 && cgroup_number(text, &value);
}

struct sign {
	const char *controller; /* of version 1; NULL for version 2 */
	uint32_t bit;
	const char *file, *limit; /* the file that counts; the file that limits, NULL if there is none */
};

static const struct sign signs[] = {
		{"memory", LIMIT_MEMORY, "memory.usage_in_bytes", "memory.limit_in_bytes"},
		{"memory", LIMIT_SWAP, "memory.memsw.usage_in_bytes", "memory.memsw.limit_in_bytes"},
		{"pids", LIMIT_PIDS, "pids.current", "pids.max"},
		{"cpu", LIMIT_CPU, "cpu.stat", "cpu.cfs_quota_us"},
		{"cpuacct", LIMIT_CPUACCT, "cpuacct.usage", NULL},
		{NULL, LIMIT_MEMORY, "memory.current", "memory.max"},
		{NULL, LIMIT_SWAP, "memory.swap.current", "memory.swap.max"},
		{NULL, LIMIT_PIDS, "pids.current", "pids.max"},
		{NULL, LIMIT_CPU, "cpu.stat", "cpu.max"},
		{NULL, LIMIT_CPUACCT, "cpu.stat", NULL},
		{NULL, LIMIT_PRESSURE, "cpu.pressure", NULL},
};

static bool list_has(const char *list, const char *name)
{
	const size_t n = strlen(name);
	for (const char *at = list; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
		if (strcspn(at, ",") == n && !strncmp(at, name, n))
			return true;
	return false;
}

/* `list` names the controllers. "" means version 2. */
static void add_found_group(struct groups *g, const char *list, const char *dir)
{
	if (g->n == GROUP_MAX_DIRS)
		return;
	struct group_dir *d = &g->dir[g->n];
	d->serves = 0;
	snprintf(d->path, sizeof d->path, "%s", dir);
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
		const struct sign *s = &signs[i];
		bool is_here = s->controller ? list_has(list, s->controller) : !*list;
		/* If both trees count something, the first one is used. */
		if (!is_here || *groups_dir(g, s->bit) || !has_file(dir, s->file))
			continue;
		d->serves |= s->bit;
		if (!s->limit || has_limit(dir, s->limit))
			g->limits |= s->bit;
	}
	g->n += d->serves != 0;
	if (d->serves & LIMIT_MEMORY)
		g->kind = *list ? LIMITS_CGROUP_V1 : LIMITS_CGROUP_V2;
}

/* True if we are in the same group. A container that shares our group has none of its own. */
static bool is_shared_with_us(const char *ours, const char *list, const char *path)
{
	char own_list[64], own_path[GROUP_PATH];
	for (; *ours; ours += strcspn(ours, "\n"), ours += *ours == '\n') {
		own_list[0] = own_path[0] = '\0';
		if (sscanf(ours, "%*u:%63[^:\n]:%511[^\n]", own_list, own_path) != 2
				&& sscanf(ours, "0::%511[^\n]", own_path) != 1)
			continue;
		if (!strcmp(own_list, list) && !strcmp(own_path, path))
			return true;
	}
	return false;
}

/* crun puts the processes one level below the group that the engine has limited. */
static void climb(char *dir)
{
	char *last = strrchr(dir, '/');
	if (!last || strcmp(last, "/container") != 0)
		return;
	*last = '\0';
	const char *base = strrchr(dir, '/');
	if (!base || strncmp(base, "/libpod", strlen("/libpod")) != 0)
		*last = '/';
}

void groups_find(struct groups *ret, const char *root, const char *theirs, const char *ours)
{
	char list[64], path[GROUP_PATH], dir[GROUP_PATH];
	const bool is_unified = has_file(root, "cgroup.controllers");
	memset(ret, 0, sizeof *ret);
	ret->kind = LIMITS_ENGINE;
	for (; *theirs; theirs += strcspn(theirs, "\n"), theirs += *theirs == '\n') {
		list[0] = path[0] = '\0';
		if (sscanf(theirs, "%*u:%63[^:\n]:%511[^\n]", list, path) != 2
				&& sscanf(theirs, "0::%511[^\n]", path) != 1)
			continue;
		if (*path != '/' || strstr(path, "/..") || is_shared_with_us(ours, list, path))
			continue;
		int n = *list ? snprintf(dir, sizeof dir, "%s/%.*s%s", root, (int)strcspn(list, ","), list,
					path)
			      : snprintf(dir, sizeof dir, "%s%s%s", root, is_unified ? "" : "/unified", path);
		if (n < 0 || (size_t)n >= sizeof dir)
			continue;
		climb(dir);
		add_found_group(ret, list, dir);
	}
}
