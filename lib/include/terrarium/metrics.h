/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_METRICS_H
#define TERRARIUM_METRICS_H

/* The resource usage of a sandbox. A value is valid only if its bit is set in `known`. Show unknown values
 * as n/a, never as 0. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>

TRM_BEGIN_API

enum trm_metric {
	TRM_METRIC_CPU_PERCENT = 1 << 0,
	TRM_METRIC_CPU_TIME = 1 << 1,
	TRM_METRIC_CPU_LIMIT = 1 << 2,
	TRM_METRIC_MEM = 1 << 3,
	TRM_METRIC_MEM_PEAK = 1 << 4,
	TRM_METRIC_MEM_LIMIT = 1 << 5,
	TRM_METRIC_DISK = 1 << 6,
	TRM_METRIC_DISK_LIMIT = 1 << 7,
	TRM_METRIC_PROCS = 1 << 8,
	TRM_METRIC_PROCS_LIMIT = 1 << 9,
	TRM_METRIC_NET = 1 << 10,
	TRM_METRIC_UPTIME = 1 << 11,
	TRM_METRIC_OOM_KILLS = 1 << 12,
	TRM_METRIC_THROTTLE = 1 << 13, /* cpu_periods, cpu_throttled, throttled_ns */
	TRM_METRIC_PROCS_REFUSED = 1 << 14,
	TRM_METRIC_PRESSURE_CPU = 1 << 15,
	TRM_METRIC_PRESSURE_MEM = 1 << 16,
	TRM_METRIC_PRESSURE_IO = 1 << 17,
	TRM_METRIC_THROTTLED_PERCENT = 1 << 18,
	TRM_METRIC_FILES = 1 << 19, /* files, files_limit */
	TRM_METRIC_NET_REFUSED = 1 << 20,
};

struct trm_sample {
	uint64_t time_ns;   /* CLOCK_MONOTONIC of the host at the time of the sample */
	uint32_t known;     /* mask of enum trm_metric */
	double cpu_percent; /* of one core, since the last sample */
	uint64_t cpu_ns;    /* CPU time since the sandbox started */
	double cpu_limit;   /* cores */
	uint64_t mem_bytes; /* in use now */
	uint64_t mem_peak_bytes;
	uint64_t mem_limit_bytes;
	uint64_t disk_bytes;
	uint64_t disk_limit_bytes;
	uint64_t procs; /* processes; with cgroups also threads */
	uint64_t procs_limit;
	uint64_t net_rx_bytes, net_tx_bytes;
	uint64_t uptime_ms;
	uint64_t oom_kills; /* how often the kernel killed a process in here because memory ran out */
	char source[24];    /* "cgroup v2", "cgroup v1", "/proc" */

	/* CPU quota, since the start: scheduling periods in which something wanted to run, how many of them
	 * ended with the quota used up, and how long processes stood still because of it. */
	uint64_t cpu_periods, cpu_throttled, throttled_ns;
	double throttled_percent; /* of the periods since the last sample */
	uint64_t procs_refused;   /* how often a fork failed because of the process limit */
	/* Pressure stall information: share of the time since the last sample in which some process waited
	 * for the resource. */
	double pressure_cpu_percent, pressure_mem_percent, pressure_io_percent;
	/* the pressure is that of the whole machine, because the kernel does not report the sandbox's own */
	bool pressure_is_machine;
	uint64_t files, files_limit; /* files and directories on the disk */
	/* connections to hosts that net_allow_host does not name, or whose addresses are refused */
	uint64_t net_refused;
};

struct trm_process {
	uint32_t pid, ppid; /* as seen inside the sandbox */
	char state;         /* letter of /proc/PID/stat: R S D Z T … */
	bool has_cpu;       /* cpu_percent is known (from the second sample on) */
	double cpu_percent; /* of one core */
	uint64_t mem_bytes; /* resident */
	char command[128];  /* command line, printable UTF-8 */
	uint32_t threads;   /* 0: unknown */
	uint64_t cpu_ns;    /* since it started; 0: unknown */
	uint64_t start;     /* together with the pid its identity: see trm_sandbox_signal(); 0: unknown */
};

struct trm_metrics {
	struct trm_sample sample;
	const struct trm_process *processes; /* borrowed until the callback returns */
	size_t n_processes;
	bool has_processes;
};

TRM_END_API

#endif
