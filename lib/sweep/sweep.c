/* SPDX-License-Identifier: MIT */
#include "sweep/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/procstat.h"
#include "base/sysfile.h"
#include "wire/control.h"
#include "wire/plan.h"
#include "wire/pool_note.h"

enum { PATH = 512, NOTE_BYTES = 8 * (PATH + 1) };

/* ---- groups ------------------------------------------------------------------------ */

bool sweep_is_group(const char *name)
{
	size_t n = strlen(SWEEP_GROUP_PREFIX);
	return !strncmp(name, SWEEP_GROUP_PREFIX, n) && name[n]
	       && strspn(name + n, "0123456789") == strlen(name + n);
}

void sweep_kill_group(const char *dir)
{
	char path[PATH + 64], pids[4096];
	snprintf(path, sizeof path, "%s/cgroup.kill", dir);
	sysfile_write(path, "1"); /* version 2 only */
	snprintf(path, sizeof path, "%s/cgroup.procs", dir);
	sysfile_read(path, pids, sizeof pids);
	for (char *at = pids, *end; *at; at = *end ? end + 1 : end) {
		long pid = strtol(at, &end, 10);
		if (end == at)
			return;
		if (pid > 1)
			kill((pid_t)pid, SIGKILL);
	}
}

/* Does the supervisor of this group live? The name of the group contains its process id. A note may be a
 * copy, or the id may have been reused: a group with a living supervisor is not a leftover. */
static bool has_supervisor(const char *name)
{
	struct procstat stat;
	pid_t pid = (pid_t)strtol(name + strlen(SWEEP_GROUP_PREFIX), NULL, 10);
	return procstat_read(pid, &stat) && stat.state != 'Z'
	       && strncmp(stat.name, SWEEP_SUPERVISOR_NAME, sizeof stat.name - 1) == 0;
}

bool sweep_groups(int entry_fd)
{
	char note[NOTE_BYTES], *rest;
	bool is_done = true;
	sysfile_read_at(entry_fd, GROUPS_FILE, note, sizeof note);
	for (char *path = strtok_r(note, "\n", &rest); path; path = strtok_r(NULL, "\n", &rest)) {
		const char *base = strrchr(path, '/');
		if (strncmp(path, CGROUP_ROOT "/", strlen(CGROUP_ROOT "/")) || strstr(path, "/../")
				|| !sweep_is_group(base + 1) || has_supervisor(base + 1))
			continue;
		if (rmdir(path) == 0 || errno == ENOENT)
			continue;
		sweep_kill_group(path); /* the supervisor is dead, so nobody else will */
		is_done &= rmdir(path) == 0;
	}
	return is_done;
}

/* ---- entries ----------------------------------------------------------------------- */

static void remove_files(int entry_fd)
{
	static const char *const files[] = {AGENT_FILE, CONTROL_FILE, GROUPS_FILE, FOLDER_FILE, INFO_FILE,
			INFO_FILE ".new", STATE_FILE, NET_DIR "/" NET_SOCKET, SHARE_DIR "/" SHARE_SOCKET};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		unlinkat(entry_fd, files[i], 0);
	unlinkat(entry_fd, NET_DIR, AT_REMOVEDIR);
	unlinkat(entry_fd, SHARE_DIR, AT_REMOVEDIR);
}

bool sweep_is_held(int entry_fd)
{
	if (flock(entry_fd, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	flock(entry_fd, LOCK_UN);
	return false;
}

bool sweep_held(int run_fd, int entry_fd, const char *name)
{
	if (!sweep_groups(entry_fd) || !sweep_folder(entry_fd))
		return false;
	remove_files(entry_fd);
	return unlinkat(run_fd, name, AT_REMOVEDIR) == 0;
}

bool sweep_entry(int run_fd, const char *name)
{
	int fd = openat(run_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool is_gone = flock(fd, LOCK_EX | LOCK_NB) == 0 && sweep_held(run_fd, fd, name);
	close(fd);
	return is_gone;
}

size_t sweep_each(int dir_fd, const char *prefix, sweep_name_fn *fn)
{
	size_t n = 0;
	int copy = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;
	while (dir && (entry = readdir(dir)))
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 && (*prefix || *entry->d_name != '.'))
			n += fn(dir_fd, entry->d_name);
	if (dir)
		closedir(dir);
	return n;
}

static bool remove_name(int run_fd, const char *name)
{
	return unlinkat(run_fd, name, 0) == 0;
}

/* Locks of users (user.c) have a colon. */
static bool is_sandbox(int run_fd, const char *name)
{
	(void)run_fd;
	return !strchr(name, ':');
}

/* ---- sandboxes that have ended ------------------------------------------------------ */

static bool remove_old_end(int run_fd, const char *name)
{
	enum { WEEK_S = 7 * 24 * 60 * 60 };
	struct stat st;
	return fstatat(run_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_mtime + WEEK_S < time(NULL)
	       && remove_name(run_fd, name);
}

void sweep_note_end(int run_fd, const char *name, const char *backend, const char *words)
{
	char file[ENDED_NAME];
	snprintf(file, sizeof file, ENDED_PREFIX "%.64s", name);
	sweep_each(run_fd, ENDED_PREFIX, remove_old_end);
	int fd = openat(run_fd, file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	bool is_written = dprintf(fd, "%.64s\n%.500s", backend, words) > 0;
	close(fd);
	if (!is_written)
		unlinkat(run_fd, file, 0);
}

void sweep_forget_end(int run_fd, const char *name)
{
	char file[ENDED_NAME];
	snprintf(file, sizeof file, ENDED_PREFIX "%.64s", name);
	unlinkat(run_fd, file, 0);
}

/* ---- pools ------------------------------------------------------------------------------ */

/* A new one is empty until it is locked. */
static bool remove_left_note(int run_fd, const char *name)
{
	struct stat st;
	int fd = openat(run_fd, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	bool is_left = fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0 && flock(fd, LOCK_SH | LOCK_NB) == 0;
	if (fd >= 0)
		close(fd);
	return is_left && remove_name(run_fd, name);
}

void sweep_pool_notes(int run_fd)
{
	sweep_each(run_fd, POOL_NOTE_PREFIX, remove_left_note);
}

/* A process that starts from one of the supervisor's programs keeps the file open. */
void sweep_directory(int run_fd, const char *run_path)
{
	sweep_pool_notes(run_fd);
	if (!sweep_each(run_fd, "", is_sandbox))
		sweep_each(run_fd, PROGRAM_PREFIX, remove_name);
	rmdir(run_path);
}

size_t sweep_all(int run_fd)
{
	return sweep_each(run_fd, "", sweep_entry);
}

static bool is_leftover(int run_fd, const char *name)
{
	int fd = openat(run_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool is = fd >= 0 && !sweep_is_held(fd);
	if (fd >= 0)
		close(fd);
	return is;
}

size_t sweep_left(int run_fd)
{
	return sweep_each(run_fd, "", is_leftover);
}
