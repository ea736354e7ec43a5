/* SPDX-License-Identifier: MIT */
/* In a container /sys/fs/cgroup shows the container's own group as its root. On a host the same path
 * shows the whole machine: the real root has no memory.current in v2, and no pids.max in v1. Values of
 * missing files stay unknown. */
#include "agent/core/sample.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOT "/sys/fs/cgroup/"

enum { TEXT = 4096 };
static const uint64_t v1_no_limit = UINT64_C(1) << 62; /* v1 says "none" with a number near 2^63 */

static bool read_text(const char *path, char text[TEXT])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, TEXT - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return true;
}

/* Returns false for "max" and anything else that is no number. */
static bool read_number(const char *path, uint64_t *ret)
{
	char text[TEXT], *end;
	if (!read_text(path, text) || text[0] < '0' || text[0] > '9')
		return false;
	*ret = strtoull(text, &end, 10);
	return end != text;
}

static bool read_key(const char *path, const char *key, uint64_t *ret)
{
	char text[TEXT];
	return read_text(path, text) && pressure_find_number(text, key, ret);
}

struct place {
	const char *path;
	size_t offset; /* of a uint64_t in trm_sample */
	uint32_t bit;
};

static void read_places(struct trm_sample *sample, const struct place *places, size_t n)
{
	uint64_t value;
	for (size_t i = 0; i < n; i++)
		if (read_number(places[i].path, &value) && value < v1_no_limit) {
			memcpy((char *)sample + places[i].offset, &value, sizeof value);
			sample->known |= places[i].bit;
		}
}

#define AT(field) offsetof(struct trm_sample, field)

static const struct place v2_places[] = {
		{ROOT "memory.current", AT(mem_bytes), TRM_METRIC_MEM},
		{ROOT "memory.peak", AT(mem_peak_bytes), TRM_METRIC_MEM_PEAK},
		{ROOT "memory.max", AT(mem_limit_bytes), TRM_METRIC_MEM_LIMIT},
		{ROOT "pids.current", AT(procs), TRM_METRIC_PROCS},
		{ROOT "pids.max", AT(procs_limit), TRM_METRIC_PROCS_LIMIT},
};

static const struct place v1_places[] = {
		{ROOT "memory/memory.usage_in_bytes", AT(mem_bytes), TRM_METRIC_MEM},
		{ROOT "memory/memory.max_usage_in_bytes", AT(mem_peak_bytes), TRM_METRIC_MEM_PEAK},
		{ROOT "memory/memory.limit_in_bytes", AT(mem_limit_bytes), TRM_METRIC_MEM_LIMIT},
		{ROOT "pids/pids.current", AT(procs), TRM_METRIC_PROCS},
		{ROOT "pids/pids.max", AT(procs_limit), TRM_METRIC_PROCS_LIMIT},
		{ROOT "cpuacct/cpuacct.usage", AT(cpu_ns), TRM_METRIC_CPU_TIME},
};

/* Subtract cached pages of unused files, which the kernel frees on demand. Engines do not count them
 * either. */
static void leave_out_cache(struct trm_sample *sample, const char *path, const char *key)
{
	uint64_t cache;
	if (sample->known & TRM_METRIC_MEM && read_key(path, key, &cache) && cache < sample->mem_bytes)
		sample->mem_bytes -= cache;
}

struct counter {
	const char *path, *key;
	size_t offset;
	uint32_t bit;
};

static void read_counters(struct trm_sample *sample, const struct counter *counters, size_t n)
{
	uint64_t value;
	for (size_t i = 0; i < n; i++)
		if (read_key(counters[i].path, counters[i].key, &value)) {
			memcpy((char *)sample + counters[i].offset, &value, sizeof value);
			sample->known |= counters[i].bit;
		}
}

#define OOM_V2 ROOT "memory.events"
#define OOM_V1 ROOT "memory/memory.oom_control"
#define OOM_KEY "oom_kill"

static const struct counter v2_counters[] = {
		{OOM_V2, OOM_KEY, AT(oom_kills), TRM_METRIC_OOM_KILLS},
		{ROOT "pids.events", "max", AT(procs_refused), TRM_METRIC_PROCS_REFUSED},
};

static const struct counter v1_counters[] = {
		{OOM_V1, OOM_KEY, AT(oom_kills), TRM_METRIC_OOM_KILLS},
		{ROOT "pids/pids.events", "max", AT(procs_refused), TRM_METRIC_PROCS_REFUSED},
};

static void set_cpu_limit(struct trm_sample *sample, double quota, double period)
{
	if (quota <= 0 || period <= 0)
		return;
	sample->cpu_limit = quota / period;
	sample->known |= TRM_METRIC_CPU_LIMIT;
}

static void overlay_v2(struct trm_sample *sample)
{
	char text[TEXT], *end;
	uint64_t value;
	read_places(sample, v2_places, sizeof v2_places / sizeof *v2_places);
	if (read_key(ROOT "cpu.stat", "usage_usec", &value))
		sample->cpu_ns = value * 1000;
	leave_out_cache(sample, ROOT "memory.stat", "inactive_file");
	read_counters(sample, v2_counters, sizeof v2_counters / sizeof *v2_counters);
	if (read_text(ROOT "cpu.max", text) && strncmp(text, "max", 3) != 0) {
		double quota = (double)strtoull(text, &end, 10);
		set_cpu_limit(sample, quota, (double)strtoull(end, NULL, 10));
	}
	snprintf(sample->source, sizeof sample->source, "cgroup v2");
}

static void overlay_v1(struct trm_sample *sample)
{
	uint64_t quota, period;
	read_places(sample, v1_places, sizeof v1_places / sizeof *v1_places);
	leave_out_cache(sample, ROOT "memory/memory.stat", "total_inactive_file");
	read_counters(sample, v1_counters, sizeof v1_counters / sizeof *v1_counters);
	if (read_number(ROOT "cpu/cpu.cfs_quota_us", &quota)
			&& read_number(ROOT "cpu/cpu.cfs_period_us", &period))
		set_cpu_limit(sample, (double)quota, (double)period);
	snprintf(sample->source, sizeof sample->source, "cgroup v1");
}

static bool is_v2(void)
{
	return access(ROOT "memory.current", R_OK) == 0;
}

static bool is_v1(void)
{
	return access(ROOT "pids/pids.max", R_OK) == 0;
}

void cgroup_pressure(struct pressure *ret)
{
	static const char *const files[] = {[PRESSURE_CPU] = ROOT "cpu.pressure",
			[PRESSURE_MEM] = ROOT "memory.pressure",
			[PRESSURE_IO] = ROOT "io.pressure"};
	char text[TEXT];
	if (read_text(is_v2() ? ROOT "cpu.stat" : ROOT "cpu/cpu.stat", text))
		pressure_parse_cpu_stat(text, ret);
	for (int i = 0; i < PRESSURE_RESOURCES; i++)
		if (read_text(files[i], text))
			pressure_parse_pressure(text, (enum pressure_resource)i, ret);
}

bool cgroup_overlay(struct trm_sample *sample)
{
	if (is_v2())
		overlay_v2(sample);
	else if (is_v1())
		overlay_v1(sample);
	else
		return false;
	return true;
}

uint64_t cgroup_oom_kills(void)
{
	uint64_t n;
	return (is_v2() && read_key(OOM_V2, OOM_KEY, &n)) || (is_v1() && read_key(OOM_V1, OOM_KEY, &n)) ? n
													: 0;
}
