/* SPDX-License-Identifier: MIT */
/* In a container /sys/fs/cgroup shows the container's own group as its root.
 * On a host the same path shows the whole machine: v2 has no memory.current in
 * its real root, and of v1 only a group with a memory limit is believed. */
#include "agent/sample.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOT "/sys/fs/cgroup/"

enum { LINE = 512 };
static const uint64_t v1_no_limit = UINT64_C(1) << 62; /* v1 says "none" with a number near 2^63 */

static bool read_text(const char *path, char text[LINE])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, LINE - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return true;
}

/* "max" and anything else that is no number read as false. */
static bool read_number(const char *path, uint64_t *ret)
{
	char text[LINE], *end;
	if (!read_text(path, text) || text[0] < '0' || text[0] > '9')
		return false;
	*ret = strtoull(text, &end, 10);
	return end != text;
}

static bool read_key(const char *path, const char *key, uint64_t *ret)
{
	char text[LINE];
	size_t n = strlen(key);
	if (!read_text(path, text))
		return false;
	for (char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (strncmp(line, key, n) == 0 && line[n] == ' ') {
			*ret = strtoull(line + n, NULL, 10);
			return true;
		}
	return false;
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

static void set_cpu_limit(struct trm_sample *sample, double quota, double period)
{
	if (quota <= 0 || period <= 0)
		return;
	sample->cpu_limit = quota / period;
	sample->known |= TRM_METRIC_CPU_LIMIT;
}

static void overlay_v2(struct trm_sample *sample)
{
	char text[LINE], *end;
	uint64_t value;
	read_places(sample, v2_places, sizeof v2_places / sizeof *v2_places);
	if (read_key(ROOT "cpu.stat", "usage_usec", &value))
		sample->cpu_ns = value * 1000;
	if (read_key(ROOT "memory.events", "oom_kill", &value)) {
		sample->oom_kills = value;
		sample->known |= TRM_METRIC_OOM_KILLS;
	}
	if (read_key(ROOT "pids.events", "max", &value)) {
		sample->procs_refused = value;
		sample->known |= TRM_METRIC_PROCS_REFUSED;
	}
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
	if (read_number(ROOT "cpu/cpu.cfs_quota_us", &quota)
			&& read_number(ROOT "cpu/cpu.cfs_period_us", &period))
		set_cpu_limit(sample, (double)quota, (double)period);
	snprintf(sample->source, sizeof sample->source, "cgroup v1");
}

void cgroup_stall(struct stall *ret)
{
	static const char *const files[] = {[STALL_CPU] = ROOT "cpu.pressure",
			[STALL_MEM] = ROOT "memory.pressure",
			[STALL_IO] = ROOT "io.pressure"};
	char text[LINE];
	if (access(ROOT "memory.current", R_OK) < 0)
		return;
	if (read_text(ROOT "cpu.stat", text))
		stall_parse_cpu_stat(text, ret);
	for (int i = 0; i < STALL_RESOURCES; i++)
		if (read_text(files[i], text))
			stall_parse_pressure(text, (enum stall_resource)i, ret);
}

bool cgroup_overlay(struct trm_sample *sample)
{
	uint64_t limit;
	if (access(ROOT "memory.current", R_OK) == 0)
		overlay_v2(sample);
	else if (read_number(ROOT "memory/memory.limit_in_bytes", &limit) && limit < v1_no_limit)
		overlay_v1(sample);
	else
		return false;
	return true;
}
