/* SPDX-License-Identifier: MIT */
#include "backend/host/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "backend/host/spawn.h"
#include "base/err.h"
#include "sweep/sweep.h"

/* A hash that tells builds apart and detects damage. No attacker matters: only the user can write there. */
static uint64_t hash_bytes(const void *bytes, size_t n)
{
	const char *at = bytes;
	uint64_t h = 0xcbf29ce484222325u ^ n, word;
	for (; n >= sizeof word; at += sizeof word, n -= sizeof word) {
		memcpy(&word, at, sizeof word);
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	for (; n; n--)
		h = (h ^ (unsigned char)*at++) * 0x100000001b3u;
	return h;
}

static bool may_execute(int run_fd)
{
	struct statvfs fs;
	return fstatvfs(run_fd, &fs) == 0 && !(fs.f_flag & ST_NOEXEC);
}

static int open_whole(int run_fd, const char *name, unsigned mode, size_t n)
{
	struct stat st;
	int fd = openat(run_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && (size_t)st.st_size == n
			&& (st.st_mode & 07777) == mode)
		return fd;
	close(fd);
	unlinkat(run_fd, name, 0);
	return -1;
}

/* Write under another name first, so that the final name always leads to the complete file. */
static void make_program(int run_fd, const char *name, unsigned mode, const char *bytes, size_t n)
{
	char unfinished[64];
	snprintf(unfinished, sizeof unfinished, "%s.%d", name, (int)getpid());
	int fd = openat(run_fd, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0500);
	if (fd < 0)
		return;
	size_t done = 0;
	for (ssize_t r = 0; done < n && (r >= 0 || errno == EINTR); done += r > 0 ? (size_t)r : 0)
		r = write(fd, bytes + done, n - done);
	bool is_whole = done == n && fchmod(fd, mode) == 0;
	close(fd);
	if (!is_whole || renameat(run_fd, unfinished, run_fd, name) < 0)
		unlinkat(run_fd, unfinished, 0);
}

/* Make or find the file. Its name is written to `name`. Returns a descriptor; -1: impossible. */
static int open_kept(int dir_fd, const char *prefix, unsigned mode, const void *bytes, size_t n, char *name,
		size_t cap)
{
	snprintf(name, cap, "%s%016llx", prefix, (unsigned long long)hash_bytes(bytes, n));
	int fd = open_whole(dir_fd, name, mode, n);
	if (fd < 0) {
		make_program(dir_fd, name, mode, bytes, n);
		fd = open_whole(dir_fd, name, mode, n);
	}
	return fd;
}

int program_open(int run_fd, const void *bytes, size_t n, struct trm_error *reterr)
{
	char name[48];
	int fd = may_execute(run_fd) ? open_kept(run_fd, PROGRAM_PREFIX, 0500, bytes, n, name, sizeof name)
				     : -1;
	return fd >= 0 ? fd : spawn_memfd("terrarium-supervisor", bytes, n, reterr);
}

int program_keep(int dir_fd, const char *prefix, unsigned mode, const void *bytes, size_t n, char *ret_name,
		size_t cap, struct trm_error *reterr)
{
	int fd = open_kept(dir_fd, prefix, mode, bytes, n, ret_name, cap);
	if (fd < 0)
		return trm_error_set_errno(reterr, errno, "cannot keep the program %s", ret_name);
	close(fd);
	return 0;
}
