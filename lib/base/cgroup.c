/* SPDX-License-Identifier: MIT */
#include "base/cgroup.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/pressure.h"
#include "base/sysfile.h"

/* Without a key the file holds one number. */
struct reading {
	const char *file, *key;
};

static const struct {
	const char *controller;
	struct reading v1, v2;
} rows[CGROUP_VALUES] = {
		[CGROUP_CPU_NS] = {"cpuacct", {"cpuacct.usage", NULL}, {"cpu.stat", "usage_usec"}},
		[CGROUP_MEM] = {"memory", {"memory.usage_in_bytes", NULL}, {"memory.current", NULL}},
		[CGROUP_MEM_CACHE] = {"memory", {"memory.stat", "total_inactive_file"},
				{"memory.stat", "inactive_file"}},
		[CGROUP_MEM_PEAK] = {"memory", {"memory.max_usage_in_bytes", NULL}, {"memory.peak", NULL}},
		[CGROUP_MEM_LIMIT] = {"memory", {"memory.limit_in_bytes", NULL}, {"memory.max", NULL}},
		[CGROUP_OOM_KILLS] = {"memory", {"memory.oom_control", "oom_kill"},
				{"memory.events", "oom_kill"}},
		[CGROUP_PROCS] = {"pids", {"pids.current", NULL}, {"pids.current", NULL}},
		[CGROUP_PROCS_LIMIT] = {"pids", {"pids.max", NULL}, {"pids.max", NULL}},
		[CGROUP_PROCS_REFUSED] = {"pids", {"pids.events", "max"}, {"pids.events", "max"}},
};

static const struct reading *find_reading(bool is_v2, enum cgroup_value what)
{
	return is_v2 ? &rows[what].v2 : &rows[what].v1;
}

const char *cgroup_file(bool is_v2, enum cgroup_value what)
{
	return find_reading(is_v2, what)->file;
}

const char *cgroup_controller(enum cgroup_value what)
{
	return rows[what].controller;
}

bool cgroup_number(const char *text, uint64_t *ret)
{
	const unsigned long long no_limit = 1ull << 62;
	if (*text < '0' || *text > '9')
		return false;
	unsigned long long value = strtoull(text, NULL, 10);
	if (value < no_limit)
		*ret = value;
	return value < no_limit;
}

bool cgroup_parse(bool is_v2, enum cgroup_value what, const char *text, uint64_t *ret)
{
	const char *key = find_reading(is_v2, what)->key;
	if (key ? !pressure_find_number(text, key, ret) : !cgroup_number(text, ret))
		return false;
	if (is_v2 && what == CGROUP_CPU_NS)
		*ret *= 1000; /* the file counts microseconds */
	return true;
}

bool cgroup_read(const char *dir, bool is_v2, enum cgroup_value what, uint64_t *ret)
{
	char path[600], text[CGROUP_TEXT];
	int n = snprintf(path, sizeof path, "%s/%s", dir, cgroup_file(is_v2, what));
	return n > 0 && (size_t)n < sizeof path && sysfile_read(path, text, sizeof text) > 0
	       && cgroup_parse(is_v2, what, text, ret);
}
