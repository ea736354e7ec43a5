/* SPDX-License-Identifier: MIT */
#include "backend/host/stats.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cgroup.h"

void stats_init(struct stats *s)
{
	*s = (struct stats){0};
	for (int i = 0; i < STATS_FILES; i++)
		s->fds[i] = -1;
}

static int open_in(const char *dir, const char *file, int flags)
{
	char path[600];
	if (!*dir || !file || (size_t)snprintf(path, sizeof path, "%s/%s", dir, file) >= sizeof path)
		return -1;
	return open(path, flags | O_CLOEXEC);
}

static bool has_v2(const struct ready_msg *r)
{
	return r->kind == LIMITS_CGROUP_V2;
}

static bool has_groups(const struct stats *s)
{
	return s->kind == LIMITS_CGROUP_V1 || s->kind == LIMITS_CGROUP_V2;
}

/* The kernel keeps the highest use since the file was last written to (version 2 since Linux 6.12, and
 * then only for this open file). */
static int open_peak(struct stats *s, const struct ready_msg *r)
{
	const char *file = cgroup_file(has_v2(r), CGROUP_MEM_PEAK);
	int fd = open_in(r->mem_dir, file, O_RDWR);
	s->can_mark_peak = fd >= 0;
	return fd >= 0 ? fd : open_in(r->mem_dir, file, O_RDONLY);
}

static int open_pressure(const struct ready_msg *r, enum stats_file file)
{
	static const char *const files[] = {"cpu.pressure", "memory.pressure", "io.pressure"},
				 *const machine[] = {"cpu", "memory", "io"};
	int i = (int)file - STATS_PRESSURE_CPU;
	return *r->pressure_dir ? open_in(r->pressure_dir, files[i], O_RDONLY)
				: open_in("/proc/pressure", machine[i], O_RDONLY);
}

static int open_space(const struct ready_msg *r, pid_t supervisor)
{
	char path[64];
	if (r->space_fd < 0)
		return -1;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)supervisor, (int)r->space_fd);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int open_file(struct stats *s, enum stats_file file, const struct ready_msg *r, pid_t supervisor)
{
	switch (file) {
	case STATS_CPU: return open_in(r->cpuacct_dir, cgroup_file(has_v2(r), CGROUP_CPU_NS), O_RDONLY);
	case STATS_CPU_STAT: return open_in(r->cpu_dir, "cpu.stat", O_RDONLY);
	case STATS_MEM: return open_in(r->mem_dir, cgroup_file(has_v2(r), CGROUP_MEM), O_RDONLY);
	case STATS_MEM_PEAK: return open_peak(s, r);
	case STATS_MEM_STAT: return open_in(r->mem_dir, cgroup_file(has_v2(r), CGROUP_MEM_CACHE), O_RDONLY);
	case STATS_OOM: return open_in(r->mem_dir, cgroup_file(has_v2(r), CGROUP_OOM_KILLS), O_RDONLY);
	case STATS_PIDS: return open_in(r->pids_dir, cgroup_file(has_v2(r), CGROUP_PROCS), O_RDONLY);
	case STATS_PIDS_EVENTS:
		return open_in(r->pids_dir, cgroup_file(has_v2(r), CGROUP_PROCS_REFUSED), O_RDONLY);
	case STATS_PRESSURE_CPU:
	case STATS_PRESSURE_MEM:
	case STATS_PRESSURE_IO: return open_pressure(r, file);
	case STATS_SPACE: return open_space(r, supervisor);
	case STATS_FILES: break;
	}
	return -1;
}

void stats_open(struct stats *s, const struct ready_msg *r, pid_t supervisor, uint32_t files)
{
	s->kind = r->kind;
	s->n_outer = r->n_outer;
	s->pressure_is_machine = !*r->pressure_dir;
	stats_open_more(s, r, supervisor, files);
}

void stats_open_more(struct stats *s, const struct ready_msg *r, pid_t supervisor, uint32_t files)
{
	files &= ~s->opened;
	s->opened |= files;
	for (int i = 0; i < STATS_FILES; i++)
		if (files & 1u << i)
			s->fds[i] = open_file(s, (enum stats_file)i, r, supervisor);
}

void stats_close(struct stats *s)
{
	for (int i = 0; i < STATS_FILES; i++) {
		if (s->fds[i] >= 0)
			close(s->fds[i]);
		s->fds[i] = -1;
	}
	s->opened = 0;
}

/* ---- reading ---------------------------------------------------------------------- */

enum {
	STILL_MAX = 8 /* samples until everything is read again, even if nothing has run */
};

static bool read_text(struct stats *s, enum stats_file file, char text[CGROUP_TEXT])
{
	int fd = s->fds[file];
	ssize_t n = fd < 0 ? -1 : pread(fd, text, CGROUP_TEXT - 1, 0);
	if (n <= 0)
		return false;
	text[n] = '\0';
	return true;
}

static bool read_value(struct stats *s, enum stats_file file, enum cgroup_value what, uint64_t *ret)
{
	char text[CGROUP_TEXT];
	return read_text(s, file, text) && cgroup_parse(s->kind == LIMITS_CGROUP_V2, what, text, ret);
}

static void sample_cpu(struct stats *s, uint64_t now_ns, struct trm_sample *out)
{
	uint64_t ns;
	if (!read_value(s, STATS_CPU, CGROUP_CPU_NS, &ns))
		return;
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
	uint64_t usage, cache;
	if (!read_value(s, STATS_MEM, CGROUP_MEM, &usage))
		return;
	/* The kernel reclaims cached pages of unused files on demand, so they are not "in use". */
	if (read_value(s, STATS_MEM_STAT, CGROUP_MEM_CACHE, &cache) && cache < usage)
		usage -= cache;
	out->mem_bytes = usage;
	out->known |= TRM_METRIC_MEM;
}

/* is_still: nothing has run, so nothing was throttled. */
static void sample_stall(struct stats *s, uint64_t now_ns, bool is_still, struct trm_sample *out)
{
	struct pressure now = is_still ? s->pressure : (struct pressure){0};
	char text[CGROUP_TEXT];
	now.time_ns = now_ns;
	if (!is_still && read_text(s, STATS_CPU_STAT, text))
		pressure_parse_cpu_stat(text, &now);
	for (int i = 0; i < PRESSURE_RESOURCES; i++)
		if (read_text(s, STATS_PRESSURE_CPU + i, text))
			pressure_parse_pressure(text, (enum pressure_resource)i, &now);
	pressure_describe(&now, &s->pressure, out);
	out->pressure_is_machine = s->pressure_is_machine;
	s->pressure = now;
}

static void sample_peak(struct stats *s, struct trm_sample *out)
{
	uint64_t peak;
	if (!read_value(s, STATS_MEM_PEAK, CGROUP_MEM_PEAK, &peak))
		return;
	s->peak_bytes = peak > s->peak_bytes ? peak : s->peak_bytes;
	out->mem_peak_bytes = peak;
	out->known |= TRM_METRIC_MEM_PEAK;
}

static void sample_disk(struct stats *s, struct trm_sample *out)
{
	struct statvfs fs;
	int fd = s->fds[STATS_SPACE];
	if (fd < 0 || fstatvfs(fd, &fs) < 0 || !fs.f_blocks)
		return;
	out->disk_bytes = (uint64_t)(fs.f_blocks - fs.f_bfree) * fs.f_frsize;
	out->disk_limit_bytes = (uint64_t)fs.f_blocks * fs.f_frsize;
	out->known |= TRM_METRIC_DISK | TRM_METRIC_DISK_LIMIT;
	out->files = (uint64_t)(fs.f_files - fs.f_ffree);
	out->files_limit = (uint64_t)fs.f_files;
	if (fs.f_files)
		out->known |= TRM_METRIC_FILES;
}

static void sample_kills(struct stats *s, struct trm_sample *out)
{
	if (read_value(s, STATS_OOM, CGROUP_OOM_KILLS, &out->oom_kills))
		out->known |= TRM_METRIC_OOM_KILLS;
}

static void sample_refusals(struct stats *s, struct trm_sample *out)
{
	if (read_value(s, STATS_PIDS_EVENTS, CGROUP_PROCS_REFUSED, &out->procs_refused))
		out->known |= TRM_METRIC_PROCS_REFUSED;
}

static void sample_procs(struct stats *s, struct trm_sample *out)
{
	uint64_t v;
	if (!read_value(s, STATS_PIDS, CGROUP_PROCS, &v))
		return;
	out->procs = v > s->n_outer ? v - s->n_outer : 0;
	out->known |= TRM_METRIC_PROCS;
}

void stats_usage(struct stats *s, uint64_t now_ns, struct trm_sample *out)
{
	sample_disk(s, out);
	if (!has_groups(s))
		return;
	sample_cpu(s, now_ns, out);
	sample_memory(s, out);
}

/* Everything except values that are cheap, or that change without a process. */
static void sample_rest(struct stats *s, struct trm_sample *out)
{
	sample_memory(s, out);
	sample_peak(s, out);
	if (out->known & TRM_METRIC_MEM_PEAK)
		out->mem_peak_bytes = s->peak_bytes; /* of all time, whatever was marked */
	sample_kills(s, out);
	sample_refusals(s, out);
	sample_procs(s, out);
}

static void repeat_rest(const struct trm_sample *whole, struct trm_sample *out)
{
	out->mem_bytes = whole->mem_bytes;
	out->mem_peak_bytes = whole->mem_peak_bytes;
	out->oom_kills = whole->oom_kills;
	out->procs_refused = whole->procs_refused;
	out->procs = whole->procs;
	out->known |= whole->known
		      & (TRM_METRIC_MEM | TRM_METRIC_MEM_PEAK | TRM_METRIC_OOM_KILLS
				      | TRM_METRIC_PROCS_REFUSED | TRM_METRIC_PROCS);
}

/* Nothing inside has run, and no file has changed, since the last complete sample. The next complete
 * sample shows what the kernel has reclaimed meanwhile. */
static bool is_still(const struct stats *s, const struct trm_sample *now)
{
	return now->known & TRM_METRIC_CPU_TIME && s->whole.known && s->n_since_whole < STILL_MAX
	       && now->cpu_ns == s->inner_cpu_ns && now->disk_bytes == s->whole.disk_bytes;
}

void stats_sample(struct stats *s, uint64_t now_ns, struct trm_sample *out)
{
	sample_disk(s, out);
	const uint64_t inner_cpu_ns = out->cpu_ns;
	const bool repeats = has_groups(s) && is_still(s, out);
	sample_stall(s, now_ns, repeats, out);
	if (!has_groups(s))
		return;
	snprintf(out->source, sizeof out->source, s->kind == LIMITS_CGROUP_V2 ? "cgroup v2" : "cgroup v1");
	sample_cpu(s, now_ns, out);
	if (repeats) {
		s->n_since_whole++;
		repeat_rest(&s->whole, out);
		return;
	}
	sample_rest(s, out);
	s->whole = *out;
	s->inner_cpu_ns = inner_cpu_ns;
	s->n_since_whole = 0;
}

void stats_events(struct stats *s, struct trm_sample *out)
{
	sample_disk(s, out);
	sample_kills(s, out);
	sample_refusals(s, out);
	sample_peak(s, out);
	if (out->known & TRM_METRIC_PROCS_REFUSED && out->procs_refused) /* otherwise nobody needs it */
		sample_procs(s, out);
	if (read_value(s, STATS_MEM, CGROUP_MEM, &out->mem_bytes))
		out->known |= TRM_METRIC_MEM;
}

bool stats_mark_peak(struct stats *s)
{
	struct trm_sample before = {0};
	sample_peak(s, &before); /* otherwise the sandbox's own peak would be forgotten */
	if (!s->can_mark_peak)
		return false;
	s->can_mark_peak = pwrite(s->fds[STATS_MEM_PEAK], "0", 1, 0) == 1;
	return s->can_mark_peak;
}

/* Version 1 signals an eventfd: Documentation/admin-guide/cgroup-v1/memory.rst, "Memory thresholds". */
int stats_watch_memory(struct stats *s, const char *dir, uint64_t bytes)
{
	char text[64];
	int memory = s->fds[STATS_MEM];
	if (s->kind != LIMITS_CGROUP_V1 || memory < 0)
		return -1;
	int control = open_in(dir, "cgroup.event_control", O_WRONLY);
	int fd = control < 0 ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int n = snprintf(text, sizeof text, "%d %d %llu", fd, memory, (unsigned long long)bytes);
	bool is_set = fd >= 0 && write(control, text, (size_t)n) == n;
	if (control >= 0)
		close(control);
	if (is_set || fd < 0)
		return fd;
	close(fd);
	return -1;
}
