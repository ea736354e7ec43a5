/* SPDX-License-Identifier: MIT */
#include "supervisor/limits/seed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/control.h"
#include "wire/entry.h"

/* Each directory level holds three descriptors. */
enum { OPEN_FILES = 3 * ENTRY_DEPTH_MAX + 64, CHUNK = 65536 };

static bool copy_dir(int from, int to, uint32_t uid, unsigned depth);

static bool set_owner(int fd, uint32_t uid)
{
	return !uid || fchown(fd, uid, uid) == 0;
}

/* Close it, and leave errno alone. */
static bool close_seed(int fd, bool result)
{
	int error = errno;
	close(fd);
	errno = error;
	return result;
}

static bool write_whole(int to, const char *bytes, ssize_t n)
{
	for (ssize_t at = 0, done; at < n; at += done)
		if ((done = write(to, bytes + at, (size_t)(n - at))) < 0)
			return false;
	return true;
}

/* What was a hole does not become memory. */
static bool copy_bytes(int from, int to)
{
	static const char zeros[CHUNK];
	char bytes[CHUNK];
	off_t size = 0;
	ssize_t n;
	while ((n = read(from, bytes, sizeof bytes)) > 0) {
		bool is_hole = n == CHUNK && memcmp(bytes, zeros, CHUNK) == 0;
		if (is_hole ? lseek(to, n, SEEK_CUR) < 0 : !write_whole(to, bytes, n))
			return false;
		size += n;
	}
	return n == 0 && ftruncate(to, size) == 0;
}

static bool set_facts(int fd, const struct stat *st, uint32_t uid)
{
	const struct timespec times[] = {st->st_atim, st->st_mtim};
	return set_owner(fd, uid) && fchmod(fd, st->st_mode & ENTRY_MODE_MASK) == 0
	       && futimens(fd, times) == 0;
}

static bool copy_regular(int from_dir, int to_dir, const char *name, uint32_t uid)
{
	struct stat st;
	int from = openat(from_dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (from < 0)
		return false;
	int to = openat(to_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool is_copied = to >= 0 && fstat(from, &st) == 0 && copy_bytes(from, to) && set_facts(to, &st, uid);
	if (to >= 0)
		close_seed(to, true);
	return close_seed(from, is_copied);
}

static bool copy_symlink(int from_dir, int to_dir, const char *name, uint32_t uid)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(from_dir, name, target, sizeof target - 1);
	if (n <= 0)
		return false;
	target[n] = '\0';
	return symlinkat(target, to_dir, name) == 0
	       && (!uid || fchownat(to_dir, name, uid, uid, AT_SYMLINK_NOFOLLOW) == 0);
}

static bool copy_subdir(int from_dir, int to_dir, const char *name, uint32_t uid, unsigned depth)
{
	struct stat st;
	if (depth > ENTRY_DEPTH_MAX) {
		errno = ELOOP;
		return false;
	}
	int from = openat(from_dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (from < 0)
		return false;
	int to = mkdirat(to_dir, name, 0700) == 0
				 ? openat(to_dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
				 : -1;
	bool is_copied = to >= 0 && fstat(from, &st) == 0 && copy_dir(from, to, uid, depth)
			 && set_facts(to, &st, uid);
	if (to >= 0)
		close_seed(to, true);
	return close_seed(from, is_copied);
}

static bool copy_node(int from, int to, const char *name, uint32_t uid, unsigned depth)
{
	struct stat st;
	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	if (S_ISDIR(st.st_mode))
		return copy_subdir(from, to, name, uid, depth + 1);
	if (S_ISREG(st.st_mode))
		return copy_regular(from, to, name, uid);
	return !S_ISLNK(st.st_mode) || copy_symlink(from, to, name, uid);
}

static bool copy_dir(int from, int to, uint32_t uid, unsigned depth)
{
	int list = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = list < 0 ? NULL : fdopendir(list);
	struct dirent *entry;
	bool is_copied = dir;
	while (is_copied && (entry = readdir(dir)))
		if (entry_is_name(entry->d_name))
			is_copied = copy_node(from, to, entry->d_name, uid, depth);
	int error = errno;
	if (dir)
		closedir(dir);
	else if (list >= 0)
		close(list);
	errno = error;
	return is_copied;
}

/* A snapshot need not have both. */
static bool copy_place(const char *name, const char *to_path, uint32_t uid)
{
	int from = openat(SUPERVISOR_SNAPSHOT, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (from < 0)
		return errno == ENOENT;
	int to = open(to_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool is_copied = to >= 0 && copy_dir(from, to, uid, 1);
	if (to >= 0)
		close_seed(to, true);
	return close_seed(from, is_copied);
}

const char *seed_copy(const char *workspace, const char *home, uint32_t uid)
{
	struct rlimit before, wide;
	bool is_wide = getrlimit(RLIMIT_NOFILE, &before) == 0 && before.rlim_cur < OPEN_FILES;
	wide = before;
	wide.rlim_cur = before.rlim_max < OPEN_FILES ? before.rlim_max : OPEN_FILES;
	if (is_wide)
		setrlimit(RLIMIT_NOFILE, &wide);
	bool is_copied = copy_place("files/workspace", workspace, uid) && copy_place("files/home", home, uid);
	int error = errno;
	if (is_wide)
		setrlimit(RLIMIT_NOFILE, &before);
	errno = error;
	return is_copied ? NULL : "copy its files";
}
