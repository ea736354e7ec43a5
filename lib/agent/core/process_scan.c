/* SPDX-License-Identifier: MIT */
/* Scans of /proc: of all processes, or again of the known ones. */
#include "agent/core/process_tree.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "base/procstat.h"

enum {
	FIRST_ROWS = 64,
	SUPERVISED_MAX = 32, /* descriptors; with more processes, all of /proc is read each time */
	AGAIN_MAX = 16,      /* attempts for a complete scan: pids can wrap around within a second */
	PROC_TYPE = 0x9FA0,  /* linux/magic.h */
	NOT_KEPT = -1
};

static bool parse_stat(char *text, struct tree_row *row)
{
	struct procstat stat;
	if (!procstat_parse(text, row->pid, &stat))
		return false;
	memcpy(row->name, stat.name, sizeof row->name);
	row->state = stat.state;
	row->ppid = stat.ppid;
	row->session = stat.session;
	row->threads = stat.threads;
	row->start_ticks = stat.start;
	row->reaped_ns = stat.waited_cpu_ns;
	row->mem_bytes = stat.mem_bytes;
	return true;
}

/* Use the process's CPU clock. The clock id is computed as clock_getcpuclockid(3) does, but without its
 * check that the process exists. */
static uint64_t cpu_clock_ns(pid_t pid)
{
	enum { SCHEDULED = 2, BITS = 3 };
	struct timespec now;
	clockid_t clock = (clockid_t)(~(unsigned)pid << BITS | SCHEDULED);
	if (clock_gettime(clock, &now) < 0)
		return 0;
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Returns false if the process has ended. */
static bool read_stat(int fd, struct tree_row *row)
{
	char text[1024];
	/* First: if the process runs meanwhile, the next scan notices that. */
	row->cpu_ns = cpu_clock_ns(row->pid);
	ssize_t n = pread(fd, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	return parse_stat(text, row);
}

static bool make_room(struct tree *tree)
{
	if (tree->n < tree->cap)
		return true;
	size_t cap = tree->cap ? tree->cap * 2 : FIRST_ROWS;
	struct tree_row *rows = realloc(tree->rows, cap * sizeof *rows);
	if (!rows)
		return false;
	tree->rows = rows;
	tree->cap = cap;
	return true;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void drop_kept(struct tree *tree)
{
	for (size_t i = 0; i < tree->n; i++)
		if (tree->rows[i].stat_fd != NOT_KEPT)
			close(tree->rows[i].stat_fd);
	tree->n = 0;
	tree->is_kept = false;
}

static void add_row(struct tree *tree, const char *pid, bool keeps)
{
	struct tree_row *row = &tree->rows[tree->n];
	char path[32];
	snprintf(path, sizeof path, "%.16s/stat", pid);
	int fd = openat(dirfd(tree->dir), path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	*row = (struct tree_row){.pid = (pid_t)strtol(pid, NULL, 10), .stat_fd = NOT_KEPT};
	bool is_there = read_stat(fd, row);
	if (is_there && keeps && row->pid != getpid())
		row->stat_fd = fd;
	else
		close(fd);
	tree->n += is_there;
}

static int scan(struct tree *tree, bool keeps)
{
	struct dirent *entry;
	drop_kept(tree);
	if (tree->dir)
		rewinddir(tree->dir);
	else if (!(tree->dir = opendir("/proc")))
		return TRM_EIO;
	while ((entry = readdir(tree->dir))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		if (!make_room(tree))
			return TRM_ENOMEM;
		add_row(tree, entry->d_name, keeps && tree->n < SUPERVISED_MAX);
	}
	tree->is_kept = keeps && tree->n < SUPERVISED_MAX;
	return 0;
}

int tree_scan(struct tree *tree)
{
	return scan(tree, false);
}

/* ---- once more ----------------------------------------------------------------------------- */

/* The newest pid of a process or thread, alive or not: the last number in /proc/loadavg, see proc(5). 0:
 * unknown, because another file may be mounted in its place (lxcfs). */
static pid_t newest_pid(struct tree *tree)
{
	struct statfs fs;
	char text[128];
	if (!tree->has_loadavg) {
		tree->has_loadavg = true;
		tree->loadavg_fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
		if (tree->loadavg_fd >= 0 && (fstatfs(tree->loadavg_fd, &fs) < 0 || fs.f_type != PROC_TYPE)) {
			close(tree->loadavg_fd);
			tree->loadavg_fd = -1;
		}
	}
	ssize_t n = tree->loadavg_fd < 0 ? -1 : pread(tree->loadavg_fd, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	const char *last = strrchr(text, ' ');
	return last ? (pid_t)strtol(last, NULL, 10) : 0;
}

/* A process that has not run has not changed. */
static bool has_anybody_run(const struct tree *tree)
{
	for (size_t i = 0; i < tree->n; i++) {
		const struct tree_row *row = &tree->rows[i];
		if (row->stat_fd != NOT_KEPT && (!row->cpu_ns || cpu_clock_ns(row->pid) != row->cpu_ns))
			return true;
	}
	return false;
}

/* There are no new processes: read the known ones that still exist. The agent's own row stays as it is. */
static void read_kept(struct tree *tree)
{
	size_t n = 0;
	for (size_t i = 0; i < tree->n; i++) {
		struct tree_row row = tree->rows[i];
		if (row.stat_fd != NOT_KEPT && !read_stat(row.stat_fd, &row))
			close(row.stat_fd);
		else
			tree->rows[n++] = row;
	}
	tree->n = n;
}

int tree_scan_again(struct tree *tree)
{
	/* Before the scan, so that the next scan finds processes that start meanwhile. */
	pid_t newest = newest_pid(tree);
	if (newest > 0 && newest == tree->newest && tree->is_kept && tree->n_again < AGAIN_MAX) {
		tree->n_again++;
		if (has_anybody_run(tree))
			read_kept(tree);
		for (size_t i = 0; i < tree->n; i++)
			tree->rows[i].selected = false;
		return 0;
	}
	tree->n_again = 0;
	tree->newest = newest;
	return scan(tree, newest > 0);
}

void tree_finish(struct tree *tree)
{
	drop_kept(tree);
	free(tree->rows);
	if (tree->dir)
		closedir(tree->dir);
	if (tree->has_loadavg && tree->loadavg_fd >= 0)
		close(tree->loadavg_fd);
	*tree = (struct tree){0};
}
