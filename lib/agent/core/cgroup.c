/* SPDX-License-Identifier: MIT */
/* In a container /sys/fs/cgroup shows the container's own group as its root. On a host the same path
 * shows the whole machine: the real root has no memory.current in v2, and no pids.max in v1. Values of
 * missing files stay unknown. */
#include "agent/core/sample.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/sysfile.h"

#define ROOT "/sys/fs/cgroup/"

static bool read_own(bool is_v2, enum cgroup_value what, uint64_t *ret)
{
	char dir[64];
	snprintf(dir, sizeof dir, ROOT "%s", is_v2 ? "" : cgroup_controller(what));
	return cgroup_read(dir, is_v2, what, ret);
}

#define AT(field) offsetof(struct trm_sample, field)

static const struct {
	enum cgroup_value what;
	size_t offset; /* of a uint64_t in trm_sample */
	uint32_t bit;
} own_values[] = {
		{CGROUP_CPU_NS, AT(cpu_ns), TRM_METRIC_CPU_TIME},
		{CGROUP_MEM, AT(mem_bytes), TRM_METRIC_MEM},
		{CGROUP_MEM_PEAK, AT(mem_peak_bytes), TRM_METRIC_MEM_PEAK},
		{CGROUP_MEM_LIMIT, AT(mem_limit_bytes), TRM_METRIC_MEM_LIMIT},
		{CGROUP_PROCS, AT(procs), TRM_METRIC_PROCS},
		{CGROUP_PROCS_LIMIT, AT(procs_limit), TRM_METRIC_PROCS_LIMIT},
		{CGROUP_OOM_KILLS, AT(oom_kills), TRM_METRIC_OOM_KILLS},
		{CGROUP_PROCS_REFUSED, AT(procs_refused), TRM_METRIC_PROCS_REFUSED},
};

static void read_values(struct trm_sample *sample, bool is_v2)
{
	uint64_t value;
	uint32_t known = 0;
	for (size_t i = 0; i < sizeof own_values / sizeof *own_values; i++)
		if (read_own(is_v2, own_values[i].what, &value)) {
			memcpy((char *)sample + own_values[i].offset, &value, sizeof value);
			known |= own_values[i].bit;
		}
	/* Engines do not count cached pages either. */
	if (known & TRM_METRIC_MEM && read_own(is_v2, CGROUP_MEM_CACHE, &value) && value < sample->mem_bytes)
		sample->mem_bytes -= value;
	sample->known |= known;
}

/* Version 2 has quota and period in one file. */
static void read_cpu_limit(struct trm_sample *sample, bool is_v2)
{
	char quota[64], more[64];
	uint64_t quota_us, period_us;
	const char *period = more;
	sysfile_read(is_v2 ? ROOT "cpu.max" : ROOT "cpu/cpu.cfs_quota_us", quota, sizeof quota);
	if (is_v2)
		period = quota + strcspn(quota, " ") + (strchr(quota, ' ') != NULL);
	else
		sysfile_read(ROOT "cpu/cpu.cfs_period_us", more, sizeof more);
	if (!cgroup_number(quota, &quota_us) || !cgroup_number(period, &period_us) || !quota_us || !period_us)
		return;
	sample->cpu_limit = (double)quota_us / (double)period_us;
	sample->known |= TRM_METRIC_CPU_LIMIT;
}

static bool is_v2_here(void)
{
	return access(ROOT "memory.current", R_OK) == 0;
}

static bool is_v1_here(void)
{
	return access(ROOT "pids/pids.max", R_OK) == 0;
}

void cgroup_pressure(struct pressure *ret)
{
	static const char *const files[] = {[PRESSURE_CPU] = ROOT "cpu.pressure",
			[PRESSURE_MEM] = ROOT "memory.pressure",
			[PRESSURE_IO] = ROOT "io.pressure"};
	char text[CGROUP_TEXT];
	if (sysfile_read(is_v2_here() ? ROOT "cpu.stat" : ROOT "cpu/cpu.stat", text, sizeof text) > 0)
		pressure_parse_cpu_stat(text, ret);
	for (int i = 0; i < PRESSURE_RESOURCES; i++)
		if (sysfile_read(files[i], text, sizeof text) > 0)
			pressure_parse_pressure(text, (enum pressure_resource)i, ret);
}

bool cgroup_overlay(struct trm_sample *sample)
{
	const bool is_v2 = is_v2_here();
	if (!is_v2 && !is_v1_here())
		return false;
	read_values(sample, is_v2);
	read_cpu_limit(sample, is_v2);
	snprintf(sample->source, sizeof sample->source, "cgroup v%d", is_v2 ? 2 : 1);
	return true;
}

uint64_t cgroup_oom_kills(void)
{
	const bool is_v2 = is_v2_here();
	uint64_t n;
	return (is_v2 || is_v1_here()) && read_own(is_v2, CGROUP_OOM_KILLS, &n) ? n : 0;
}
