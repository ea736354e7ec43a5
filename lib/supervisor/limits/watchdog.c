/* SPDX-License-Identifier: MIT */
#include "supervisor/limits/watchdog.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/procstat.h"
#include "base/sysfile.h"
#include "supervisor/limits/folder.h"
#include "supervisor/limits/shm.h"
#include "supervisor/limits/unnamed.h"

/* Append the children of a process to the list. A child belongs to the thread that made it. */
static size_t add_children_of(pid_t pid, pid_t *pids, size_t n, size_t cap)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	struct dirent *entry;
	while (dir && (entry = readdir(dir))) {
		ssize_t more = entry->d_name[0] == '.' ? 0
						       : procstat_children(pid, (pid_t)atol(entry->d_name),
								       pids + n, cap - n);
		n += more > 0 ? (size_t)more : 0;
	}
	if (dir)
		closedir(dir);
	return n;
}

size_t watchdog_children(pid_t pid, pid_t *pids, size_t cap)
{
	return add_children_of(pid, pids, 0, cap);
}

/* Processes below `root`, children after their parents; at most `cap`. */
static size_t watchdog_descendants(pid_t root, pid_t *pids, size_t cap)
{
	size_t n = add_children_of(root, pids, 0, cap);
	for (size_t i = 0; i < n; i++)
		n = add_children_of(pids[i], pids, n, cap);
	return n;
}

static uint64_t resident_bytes(pid_t pid)
{
	char path[64], text[128];
	unsigned long long pages = 0;
	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	if (sysfile_read(path, text, sizeof text) <= 0 || sscanf(text, "%*u %llu", &pages) != 1)
		return 0;
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The proportional set size, or the whole resident size if we may not read the former. */
static uint64_t proportional_bytes(pid_t pid)
{
	char path[64], text[2048];
	snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
	sysfile_read(path, text, sizeof text);
	const char *at = strstr(text, "\nPss:");
	return at ? strtoull(at + 5, NULL, 10) * 1024 : resident_bytes(pid);
}

static uint64_t file_bytes(int space_fd)
{
	struct statvfs fs;
	if (space_fd < 0 || fstatvfs(space_fd, &fs) < 0)
		return 0;
	return (uint64_t)(fs.f_blocks - fs.f_bfree) * fs.f_frsize;
}

/* With bubblewrap the agent is the first descendant. It is never killed. */
static size_t first_victim(const struct watchdog *w)
{
	return w->has_bwrap ? 1 : 0;
}

static uint64_t sum(const struct watchdog *w, uint64_t (*measure)(pid_t), const pid_t *pids, size_t n,
		pid_t *ret_biggest)
{
	uint64_t total = 0, biggest = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t bytes = measure(pids[i]);
		total += bytes;
		if (i >= first_victim(w) && bytes > biggest) {
			biggest = bytes;
			*ret_biggest = pids[i];
		}
	}
	return total;
}

/* The pid may belong to another process by now, so open a pidfd and check again. */
static bool kill_descendant(const struct watchdog *w, pid_t pid)
{
	pid_t pids[WATCHDOG_MAX_PIDS];
	bool killed = false;
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	size_t n = pidfd < 0 ? 0 : watchdog_descendants(w->root, pids, WATCHDOG_MAX_PIDS);
	for (size_t i = first_victim(w); i < n && !killed; i++)
		killed = pids[i] == pid && syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) == 0;
	if (pidfd >= 0)
		close(pidfd);
	return killed;
}

void watchdog_init(struct watchdog *w, pid_t bwrap, int space_fd, uint64_t mem_bytes)
{
	*w = (struct watchdog){.root = bwrap,
			.has_bwrap = true,
			.space_fd = space_fd,
			.mem_bytes = mem_bytes,
			.period_ms = WATCHDOG_PERIOD_MS,
			.folder.fd = -1};
}

void watchdog_init_bare(struct watchdog *w, pid_t agent, int folder_fd, bool is_in_memory, uint64_t mem_bytes)
{
	watchdog_init(w, agent, -1, mem_bytes);
	w->has_bwrap = false;
	w->is_in_memory = is_in_memory;
	dirsize_init(&w->folder, folder_fd);
	w->folder.unlocks = true;
}

void watchdog_limit_disk(struct watchdog *w, uint32_t uid, uint64_t disk_bytes, uint64_t file_bytes)
{
	w->uid = uid;
	w->disk_bytes = disk_bytes;
	w->file_bytes = file_bytes;
}

uint64_t watchdog_next_ms(const struct watchdog *w)
{
	return w->mem_bytes || w->disk_bytes ? w->next_ms : UINT64_MAX;
}

static bool kill_biggest(struct watchdog *w, const pid_t *pids, size_t n, uint64_t files)
{
	pid_t biggest = 0;
	if (sum(w, proportional_bytes, pids, n, &biggest) + files <= w->mem_bytes || !biggest)
		return false;
	if (!kill_descendant(w, biggest))
		return false;
	w->kills++;
	return true;
}

/* Only the soft limit: an ordinary user could not raise the hard limit again. */
static void limit_files_of(const struct watchdog *w, pid_t pid)
{
	struct rlimit now;
	const rlim_t soft = w->is_frozen ? 0 : w->file_bytes;
	if (prlimit(pid, RLIMIT_FSIZE, NULL, &now) < 0)
		return;
	const struct rlimit want = {soft < now.rlim_max ? soft : now.rlim_max, now.rlim_max};
	prlimit(pid, RLIMIT_FSIZE, &want, NULL);
}

/* Limit the agent, so that new processes inherit the limit, and all other processes. Only a process of the
 * same user may do that: in a container not even root may. */
static void limit_files(const struct watchdog *w, const pid_t *pids, size_t n)
{
	pid_t child = w->uid ? fork() : 0;
	if (child == 0 && w->uid
			&& (setresgid(w->uid, w->uid, w->uid) < 0 || setresuid(w->uid, w->uid, w->uid) < 0))
		_exit(1);
	if (child == 0)
		limit_files_of(w, w->root);
	for (size_t i = 0; child == 0 && i < n; i++)
		limit_files_of(w, pids[i]);
	if (child == 0 && w->uid)
		_exit(0);
	if (child > 0)
		waitpid(child, NULL, 0);
}

/* Data that was written while the limit was being set is tolerated. Growth after the following sample comes
 * from code that has removed the limit. */
static void watch_overrun(struct watchdog *w, uint64_t bytes)
{
	const uint64_t in_flight = 1 << 20;
	w->frozen_looks = w->is_frozen ? w->frozen_looks + 1 : 0;
	if (w->frozen_looks == 2)
		w->frozen_bytes = bytes;
	if (bytes > 2 * w->disk_bytes || (w->frozen_looks > 2 && bytes > w->frozen_bytes + in_flight))
		w->overrun_bytes = bytes;
}

static void watch_disk(struct watchdog *w, uint64_t bytes, const pid_t *pids, size_t n)
{
	w->is_frozen = bytes > w->disk_bytes || w->hidden_looks;
	/* The second sample also covers processes that started during the first. */
	if (w->is_frozen)
		w->limit_looks = 2;
	if (w->is_frozen || w->limit_looks > 0)
		limit_files(w, pids, n);
	if (!w->is_frozen && w->limit_looks > 0)
		w->limit_looks--;
	watch_overrun(w, bytes);
}

/* Others may have made many files there: looks take a twentieth of the time, as in base/dirsize.c. */
static uint64_t poll_shm(struct watchdog *w, uint64_t now_ns)
{
	enum { SHARE = 20 };
	if (now_ns >= w->shm_next_ns) {
		uint64_t start_ns = clock_ns();
		w->shm_bytes = shm_bytes(w->uid);
		w->shm_next_ns = now_ns + SHARE * (clock_ns() - start_ns);
	}
	return w->shm_bytes;
}

/* The size of the files, or 0 if it is not limited. */
static uint64_t folder_bytes(struct watchdog *w, uint64_t now_ms, const pid_t *pids, size_t n)
{
	uint64_t bytes = 0, before_ns = w->folder.next_ns;
	bool is_known = w->folder.fd < 0 || dirsize_poll(&w->folder, now_ms * 1000000, &bytes);
	w->hidden_looks = is_known ? 0 : w->hidden_looks + 1;
	if (w->folder.next_ns != before_ns)
		w->unnamed_bytes = unnamed_bytes(w->folder.fd, w->uid, pids, n);
	return bytes + w->unnamed_bytes + poll_shm(w, now_ms * 1000000);
}

static void plan_next(struct watchdog *w, uint64_t now_ms, uint64_t bytes, bool is_alone)
{
	bool rests = is_alone && bytes == w->seen_bytes;
	w->period_ms = rests ? w->period_ms * 2 : WATCHDOG_PERIOD_MS;
	if (w->period_ms > WATCHDOG_REST_MS)
		w->period_ms = WATCHDOG_REST_MS;
	w->next_ms = now_ms + w->period_ms;
	w->seen_bytes = bytes;
}

bool watchdog_poll(struct watchdog *w, uint64_t now_ms, bool is_alone)
{
	pid_t pids[WATCHDOG_MAX_PIDS], biggest = 0;
	if (now_ms < watchdog_next_ms(w))
		return false;
	size_t n = watchdog_descendants(w->root, pids, WATCHDOG_MAX_PIDS);
	uint64_t folder = folder_bytes(w, now_ms, pids, n);
	uint64_t files = w->is_in_memory ? folder : file_bytes(w->space_fd);
	uint64_t bytes = sum(w, resident_bytes, pids, n, &biggest) + files;
	plan_next(w, now_ms, bytes + folder, is_alone);
	if (w->disk_bytes)
		watch_disk(w, folder, pids, n);
	return w->mem_bytes && bytes > w->mem_bytes && kill_biggest(w, pids, n, files);
}

uint64_t watchdog_cpu_ns(const struct watchdog *w)
{
	pid_t pids[WATCHDOG_MAX_PIDS];
	uint64_t ns = 0;
	size_t n = watchdog_descendants(w->root, pids, WATCHDOG_MAX_PIDS);
	for (size_t i = 0; i < n; i++) {
		struct procstat stat;
		if (procstat_read(pids[i], &stat))
			ns += stat.cpu_ns + stat.waited_cpu_ns;
	}
	return ns;
}
