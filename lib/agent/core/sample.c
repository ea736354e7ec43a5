/* SPDX-License-Identifier: MIT */
#include "agent/core/sample.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "agent/core/agent.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "wire/message.h"

enum {
	/* A younger sample is used again, so that two watchers cause one sample. */
	FRESH_NS = 20 * 1000 * 1000,
	TMPFS_TYPE = 0x01021994, /* linux/magic.h */
	SELDOM = 16,
};

/* Kept of a process between two samples. */
struct sampled {
	pid_t pid;
	uint64_t start_ticks;
	uint64_t cpu_ns;
	/* If it has changed, the process has executed another program, and the command is read again. */
	char name[16];
	struct trm_process row;
};

/* True in a container with its own PID namespace. The machine's namespace has this number
 * (include/linux/proc_ns.h: PROC_PID_INIT_INO). */
static bool is_in_container(void)
{
	static const char machine[] = "pid:[4026531836]";
	char here[64];
	ssize_t n = readlink("/proc/self/ns/pid", here, sizeof here);
	return n > 0 && ((size_t)n != sizeof machine - 1 || memcmp(here, machine, (size_t)n) != 0);
}

static int open_space(void)
{
	int fd = open("/workspace", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 ? fd : open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void sampler_init(struct sampler *sampler)
{
	*sampler = (struct sampler){
			.start_ns = clock_ns(), .is_alone = is_in_container(), .space_fd = open_space()};
	dirsize_init(&sampler->folder, -1);
}

void sampler_measure(struct sampler *sampler, const char *folder)
{
	if (sampler->space_fd >= 0)
		close(sampler->space_fd);
	sampler->space_fd = -1;
	sampler->is_alone = false; /* the container has other processes */
	dirsize_init(&sampler->folder, open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

void sampler_finish(struct sampler *sampler)
{
	tree_finish(&sampler->tree);
	if (sampler->space_fd >= 0)
		close(sampler->space_fd);
	if (sampler->folder.fd >= 0)
		close(sampler->folder.fd);
	free(sampler->seen);
	free(sampler->fresh);
	free(sampler->table);
	*sampler = (struct sampler){0};
}

static uint64_t dead_cpu_ns(void)
{
	struct rusage usage;
	if (getrusage(RUSAGE_CHILDREN, &usage) < 0)
		return 0;
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * UINT64_C(1000000000)
	       + (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

static ssize_t read_command(pid_t pid, char *to, size_t cap)
{
	char path[40];
	snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = read(fd, to, cap);
	close(fd);
	return n;
}

static void set_command(struct trm_process *row, const struct tree_row *from)
{
	char raw[sizeof row->command];
	ssize_t n = read_command(from->pid, raw, sizeof raw);
	while (n > 0 && raw[n - 1] == '\0')
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (raw[i] == '\0')
			raw[i] = ' ';
	if (n > 0)
		trm_text_clean_line(row->command, sizeof row->command, raw, (size_t)n);
	else
		trm_text_clean_line(row->command, sizeof row->command, from->name, strlen(from->name));
}

static const struct sampled *find_seen(const struct sampler *sampler, const struct tree_row *row)
{
	size_t low = 0, high = sampler->n_seen;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (sampler->seen[mid].pid < row->pid)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == sampler->n_seen)
		return NULL;
	const struct sampled *found = &sampler->seen[low];
	return found->pid == row->pid && found->start_ticks == row->start_ticks ? found : NULL;
}

static struct sampled sample_one(
		const struct sampler *sampler, const struct tree_row *row, uint64_t passed_ns)
{
	const struct sampled *before = find_seen(sampler, row);
	struct sampled now = {.pid = row->pid, .start_ticks = row->start_ticks, .cpu_ns = row->cpu_ns};
	memcpy(now.name, row->name, sizeof now.name);
	if (before && memcmp(before->name, now.name, sizeof now.name) == 0)
		now.row = before->row;
	else
		set_command(&now.row, row);
	now.row.pid = (uint32_t)row->pid;
	now.row.ppid = (uint32_t)row->ppid;
	now.row.state = row->state;
	now.row.mem_bytes = row->mem_bytes;
	now.row.threads = row->threads;
	now.row.cpu_ns = now.cpu_ns;
	now.row.start = row->start_ticks;
	now.row.has_cpu = before && passed_ns;
	if (before && passed_ns && now.cpu_ns > before->cpu_ns)
		now.row.cpu_percent = 100.0 * (double)(now.cpu_ns - before->cpu_ns) / (double)passed_ns;
	else
		now.row.cpu_percent = 0;
	return now;
}

static bool make_room(struct sampler *sampler)
{
	size_t n = sampler->tree.n;
	if (!sampler->table)
		sampler->table = calloc(METRICS_MAX_PROCESSES, sizeof *sampler->table);
	if (!sampler->table)
		return false;
	if (n <= sampler->fresh_cap)
		return true;
	struct sampled *fresh = realloc(sampler->fresh, n * sizeof *fresh);
	if (!fresh)
		return false;
	sampler->fresh = fresh;
	sampler->fresh_cap = n;
	return true;
}

/* Sorts by CPU, then by memory, in descending order. */
static int by_weight(const void *a, const void *b)
{
	const struct trm_process *x = &((const struct sampled *)a)->row,
				 *y = &((const struct sampled *)b)->row;
	if (x->cpu_percent != y->cpu_percent)
		return x->cpu_percent < y->cpu_percent ? 1 : -1;
	if (x->mem_bytes != y->mem_bytes)
		return x->mem_bytes < y->mem_bytes ? 1 : -1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static int by_pid(const void *a, const void *b)
{
	pid_t x = ((const struct sampled *)a)->pid, y = ((const struct sampled *)b)->pid;
	return x < y ? -1 : x > y;
}

/* Fill the table. The new rows become the old ones. */
static void keep_rows(struct sampler *sampler, size_t n)
{
	struct sampled *fresh = sampler->fresh;
	size_t cap = sampler->fresh_cap, rows = n < METRICS_MAX_PROCESSES ? n : METRICS_MAX_PROCESSES;
	qsort(fresh, n, sizeof *fresh, by_weight);
	for (size_t i = 0; i < rows; i++)
		sampler->table[i] = fresh[i].row;
	qsort(fresh, n, sizeof *fresh, by_pid);
	sampler->fresh = sampler->seen;
	sampler->fresh_cap = sampler->seen_cap;
	sampler->seen = fresh;
	sampler->seen_cap = cap;
	sampler->n_seen = n;
	sampler->metrics.processes = sampler->table;
	sampler->metrics.n_processes = rows;
	sampler->metrics.has_processes = true;
}

static void select_rows(struct sampler *sampler, bool is_init)
{
	struct tree *tree = &sampler->tree;
	const bool has_all = is_init || sampler->is_alone;
	if (!has_all)
		tree_select(tree, getpid(), false);
	for (size_t i = 0; has_all && i < tree->n; i++)
		tree->rows[i].selected = tree->rows[i].pid != getpid();
}

static void sample_disk(struct sampler *sampler, struct trm_sample *sample)
{
	struct statfs fs;
	if (dirsize_poll(&sampler->folder, clock_ns(), &sample->disk_bytes))
		sample->known |= TRM_METRIC_DISK;
	if (sampler->space_fd < 0 || fstatfs(sampler->space_fd, &fs) < 0)
		return;
	if (fs.f_type != TMPFS_TYPE || !fs.f_blocks)
		return;
	sample->disk_bytes = (uint64_t)(fs.f_blocks - fs.f_bfree) * (uint64_t)fs.f_bsize;
	sample->disk_limit_bytes = (uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize;
	sample->known |= TRM_METRIC_DISK | TRM_METRIC_DISK_LIMIT;
}

/* Sums over all devices but the loopback. Without any there is no network. The file has two header lines,
 * then "name: rx_bytes 7 numbers tx_bytes …": see proc(5). */
static void sample_net(struct trm_sample *sample)
{
	char text[4096], name[32];
	unsigned long long rx, tx;
	int fd = open("/proc/net/dev", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	for (char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
		if (sscanf(line + 1, " %31[^: ]: %llu %*u %*u %*u %*u %*u %*u %*u %llu", name, &rx, &tx) != 3
				|| strcmp(name, "lo") == 0)
			continue;
		sample->net_rx_bytes += rx;
		sample->net_tx_bytes += tx;
		sample->known |= TRM_METRIC_NET;
	}
}

/* A missing device or group seldom appears later, so skip most checks for it. */
static bool rests(unsigned *rest)
{
	if (!*rest)
		return false;
	--*rest;
	return true;
}

static void overlay_net(struct sampler *sampler, struct trm_sample *sample)
{
	if (rests(&sampler->net_rest))
		return;
	sample_net(sample);
	if (!(sample->known & TRM_METRIC_NET))
		sampler->net_rest = SELDOM;
}

static void overlay_cgroup(struct sampler *sampler, struct trm_sample *sample, uint64_t now_ns)
{
	struct pressure pressure = {.time_ns = now_ns};
	/* Without namespaces the visible group is that of the whole container, not of the sandbox. */
	if (sampler->folder.fd >= 0 || rests(&sampler->cgroup_rest))
		return;
	if (cgroup_overlay(sample)) {
		cgroup_pressure(&pressure);
		pressure_describe(&pressure, &sampler->pressure, sample);
	} else {
		sampler->cgroup_rest = SELDOM;
	}
	sampler->pressure = pressure;
}

/* Sums over the processes; sampler->metrics holds the previous ones. Returns the number of processes. */
static size_t sample_all(struct sampler *sampler, struct trm_sample *sample, uint64_t passed_ns)
{
	size_t n = 0;
	sample->cpu_ns = dead_cpu_ns();
	for (size_t i = 0; i < sampler->tree.n; i++) {
		const struct tree_row *row = &sampler->tree.rows[i];
		if (!row->selected)
			continue;
		sampler->fresh[n] = sample_one(sampler, row, passed_ns);
		sample->cpu_ns += sampler->fresh[n].cpu_ns + row->reaped_ns;
		sample->mem_bytes += row->mem_bytes;
		n++;
	}
	sample->procs = n;
	sample->known |= TRM_METRIC_CPU_TIME | TRM_METRIC_MEM | TRM_METRIC_PROCS;
	return n;
}

static void rate(struct trm_sample *sample, const struct trm_sample *before, uint64_t passed_ns)
{
	/* Ticks are coarser than clocks: time must not run backwards when a process is reaped. */
	if (sample->cpu_ns < before->cpu_ns)
		sample->cpu_ns = before->cpu_ns;
	if (!passed_ns)
		return;
	sample->cpu_percent = 100.0 * (double)(sample->cpu_ns - before->cpu_ns) / (double)passed_ns;
	sample->known |= TRM_METRIC_CPU_PERCENT;
}

const struct trm_metrics *sampler_take(struct sampler *sampler, bool is_init, uint32_t nproc)
{
	uint64_t now_ns = clock_ns(), passed_ns = sampler->last_ns ? now_ns - sampler->last_ns : 0;
	if (sampler->last_ns && passed_ns < FRESH_NS)
		return &sampler->metrics;
	if (tree_scan_again(&sampler->tree) < 0 || !make_room(sampler))
		return NULL;
	struct trm_sample sample = {.source = "/proc", .procs_limit = nproc};
	select_rows(sampler, is_init);
	size_t n = sample_all(sampler, &sample, passed_ns);
	sample_disk(sampler, &sample);
	overlay_cgroup(sampler, &sample, now_ns);
	if (is_init || sample.source[0] == 'c') /* else the network may be the machine's */
		overlay_net(sampler, &sample);
	rate(&sample, &sampler->metrics.sample, passed_ns);
	sample.uptime_ms = (now_ns - sampler->start_ns) / 1000000;
	sample.known |= TRM_METRIC_UPTIME;
	if (nproc && !(sample.known & TRM_METRIC_PROCS_LIMIT))
		sample.known |= TRM_METRIC_PROCS_LIMIT;
	keep_rows(sampler, n);
	sampler->metrics.sample = sample;
	sampler->last_ns = now_ns;
	return &sampler->metrics;
}
