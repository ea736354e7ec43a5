/* SPDX-License-Identifier: MIT */
#include "supervisor/limits/unnamed.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A file beyond the first MOST_SEEN is counted once for each process that holds it. */
enum { BLOCK_BYTES = 512, MOST_SEEN = 512 };

struct sum {
	dev_t dev;
	uint64_t bytes;
	ino_t seen[MOST_SEEN];
	size_t n_seen;
};

static bool is_seen(struct sum *s, ino_t ino)
{
	for (size_t i = 0; i < s->n_seen; i++)
		if (s->seen[i] == ino)
			return true;
	if (s->n_seen < MOST_SEEN)
		s->seen[s->n_seen++] = ino;
	return false;
}

static void add_process(struct sum *s, pid_t pid)
{
	char path[40];
	snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	DIR *dir = opendir(path);
	struct dirent *entry;
	struct stat st;
	while (dir && (entry = readdir(dir)))
		if (fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && S_ISREG(st.st_mode) && !st.st_nlink
				&& st.st_dev == s->dev && !is_seen(s, st.st_ino))
			s->bytes += (uint64_t)st.st_blocks * BLOCK_BYTES;
	if (dir)
		closedir(dir);
}

static uint64_t add_all(int folder_fd, const pid_t *pids, size_t n)
{
	struct stat st;
	struct sum s = {0};
	if (fstat(folder_fd, &st) < 0)
		return 0;
	s.dev = st.st_dev;
	for (size_t i = 0; i < n; i++)
		add_process(&s, pids[i]);
	return s.bytes;
}

static _Noreturn void report_bytes_as(uint32_t uid, int to, int folder_fd, const pid_t *pids, size_t n)
{
	if (setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
		_exit(1);
	uint64_t bytes = add_all(folder_fd, pids, n);
	_exit(write(to, &bytes, sizeof bytes) != sizeof bytes);
}

uint64_t unnamed_bytes(int folder_fd, uint32_t uid, const pid_t *pids, size_t n)
{
	int line[2];
	uint64_t bytes = 0;
	if (!uid)
		return add_all(folder_fd, pids, n);
	if (pipe2(line, O_CLOEXEC) < 0)
		return 0;
	pid_t pid = fork();
	if (pid == 0)
		report_bytes_as(uid, line[1], folder_fd, pids, n);
	close(line[1]);
	if (pid < 0 || read(line[0], &bytes, sizeof bytes) != sizeof bytes)
		bytes = 0;
	close(line[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return bytes;
}
