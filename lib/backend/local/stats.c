/* SPDX-License-Identifier: MIT */
#include "backend/local/stats.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void stats_init(struct stats *s)
{
	*s = (struct stats){.cpu_fd = -1,
			.mem_fd = -1,
			.mem_peak_fd = -1,
			.mem_stat_fd = -1,
			.oom_fd = -1,
			.pids_fd = -1};
}

static int open_in(const char *dir, const char *file)
{
	char path[600];
	if (!*dir || (size_t)snprintf(path, sizeof path, "%s/%s", dir, file) >= sizeof path)
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC);
}

void stats_open(struct stats *s, const struct ready_msg *r)
{
	bool is_v2 = r->kind == LIMITS_CGROUP_V2;
	s->kind = r->kind;
	s->cpu_fd = open_in(r->cpuacct_dir, is_v2 ? "cpu.stat" : "cpuacct.usage");
	s->mem_fd = open_in(r->mem_dir, is_v2 ? "memory.current" : "memory.usage_in_bytes");
	s->mem_peak_fd = open_in(r->mem_dir, is_v2 ? "memory.peak" : "memory.max_usage_in_bytes");
	s->mem_stat_fd = open_in(r->mem_dir, "memory.stat");
	s->oom_fd = open_in(r->mem_dir, is_v2 ? "memory.events" : "memory.oom_control");
	s->pids_fd = open_in(r->pids_dir, "pids.current");
}

void stats_close(struct stats *s)
{
	int *fds[] = {&s->cpu_fd, &s->mem_fd, &s->mem_peak_fd, &s->mem_stat_fd, &s->oom_fd, &s->pids_fd};
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

/* The number behind `key` at the beginning of a line; NULL: the number the file begins with. */
static bool read_value(int fd, const char *key, uint64_t *ret)
{
	char text[4096], *end;
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
	if (n <= 0)
		return false;
	text[n] = '\0';
	const char *at = text;
	size_t len = key ? strlen(key) : 0;
	while (key && at && (strncmp(at, key, len) || at[len] != ' ')) {
		at = strchr(at, '\n');
		at += at != NULL;
	}
	if (!at)
		return false;
	unsigned long long v = strtoull(at + len, &end, 10);
	if (end == at + len)
		return false;
	*ret = v;
	return true;
}

static void sample_cpu(struct stats *s, uint64_t now_ns, struct trm_sample *out)
{
	uint64_t ns;
	if (s->kind == LIMITS_CGROUP_V2) {
		if (!read_value(s->cpu_fd, "usage_usec", &ns))
			return;
		ns *= 1000;
	} else if (!read_value(s->cpu_fd, NULL, &ns)) {
		return;
	}
	out->cpu_ns = ns;
	out->known |= TRM_METRIC_CPU_TIME;
	if (s->last_time_ns && now_ns > s->last_time_ns && ns >= s->last_cpu_ns) {
		out->cpu_percent = 100.0 * (double)(ns - s->last_cpu_ns) / (double)(now_ns - s->last_time_ns);
		out->known |= TRM_METRIC_CPU_PERCENT;
	}
	s->last_cpu_ns = ns;
	s->last_time_ns = now_ns;
}

static void sample_memory(struct stats *s, struct trm_sample *out)
{
	uint64_t usage, cache, peak;
	bool is_v2 = s->kind == LIMITS_CGROUP_V2;
	if (!read_value(s->mem_fd, NULL, &usage))
		return;
	if (read_value(s->mem_peak_fd, NULL, &peak)) {
		out->mem_peak_bytes = peak;
		out->known |= TRM_METRIC_MEM_PEAK;
	}
	/* Cached pages of files that nobody uses just now are given back on demand: not "in use". */
	if (read_value(s->mem_stat_fd, is_v2 ? "inactive_file" : "total_inactive_file", &cache)
			&& cache < usage)
		usage -= cache;
	out->mem_bytes = usage;
	out->known |= TRM_METRIC_MEM;
}

void stats_sample(struct stats *s, uint64_t now_ns, struct trm_sample *out)
{
	uint64_t v;
	if (s->kind == LIMITS_RLIMITS)
		return;
	snprintf(out->source, sizeof out->source, s->kind == LIMITS_CGROUP_V2 ? "cgroup v2" : "cgroup v1");
	sample_cpu(s, now_ns, out);
	sample_memory(s, out);
	if (read_value(s->oom_fd, "oom_kill", &v)) {
		out->oom_kills = v;
		out->known |= TRM_METRIC_OOM_KILLS;
	}
	if (read_value(s->pids_fd, NULL, &v)) {
		out->procs = v > 0 ? v - 1 : 0; /* without bubblewrap's outer process, which is not inside */
		out->known |= TRM_METRIC_PROCS;
	}
}
