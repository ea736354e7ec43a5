/* SPDX-License-Identifier: MIT */
#include "supervisor/launch/bind_mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sysfile.h"

/* From linux/mount.h and linux/openat2.h, which a musl toolchain need not have; the numbers of the calls are
 * the same on all architectures. */
enum {
	CALL_OPEN_TREE = 428,
	CALL_MOVE_MOUNT = 429,
	CALL_OPENAT2 = 437,
	CALL_MOUNT_SETATTR = 442,
	TREE_CLONE = 1,
	ALL_BELOW = 0x8000, /* AT_RECURSIVE */
	AT_THE_DESCRIPTOR = 0x1000,
	MOVE_FROM_DESCRIPTOR = 4,
	RESOLVE_WITHOUT_MAGIC = 2,
	RESOLVE_WITHOUT_LINKS = 4,
	ATTR_READ_ONLY = 1,
	ATTR_NO_SETUID = 2,
	ATTR_NO_DEVICES = 4,
	ATTR_MAPPED = 0x100000,
};

struct open_how {
	uint64_t flags, mode, resolve;
};

struct attributes {
	uint64_t set, clear, propagation, userns_fd;
};

/* ---- the same again, in this namespace -------------------------------------------------------- */

static bool is_same(int a, int b)
{
	struct stat x, y;
	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int open_without_links(const char *path)
{
	struct open_how how = {
			O_PATH | O_CLOEXEC | O_NOFOLLOW, 0, RESOLVE_WITHOUT_LINKS | RESOLVE_WITHOUT_MAGIC};
	return (int)syscall(CALL_OPENAT2, AT_FDCWD, path, &how, sizeof how);
}

/* A file that is moved meanwhile may be missed, and a file that replaces it is found in its place. So try
 * some more times, and then refuse. */
static int open_again(int fd)
{
	enum { TRIES = 20 };
	char link[40], path[4096];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	for (int i = 0; i < TRIES; i++) {
		ssize_t n = readlink(link, path, sizeof path);
		if (n <= 0 || n >= (ssize_t)sizeof path)
			return -1;
		path[n] = '\0';
		int found = open_without_links(path);
		if (found >= 0 && is_same(found, fd))
			return found;
		if (found >= 0)
			close(found);
		else if (errno == ENOSYS || errno == EACCES)
			return -1;
	}
	errno = ESTALE;
	return -1;
}

const char *bind_mounts_open(struct bind_mounts *b, const struct spec_msg *spec, uint32_t *ret_which)
{
	*b = (struct bind_mounts){.writable = spec->writable_mounts};
	for (; b->n < spec->n_mounts; b->n++) {
		*ret_which = b->n;
		b->fds[b->n] = open_again(SUPERVISOR_MOUNTS + (int)b->n);
		if (b->fds[b->n] < 0)
			return errno == ESTALE ? "find it again where it was: it is being moved or exchanged"
					       : "open it in the sandbox's own view of files";
	}
	return NULL;
}

/* ---- whose files are whose ------------------------------------------------------------------------ */

static bool map_one(pid_t pid, const char *file, uint32_t on_disk, uint32_t here)
{
	char path[48], text[48];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	snprintf(text, sizeof text, "%u %u 1", on_disk, here);
	return sysfile_write(path, text) == 0;
}

/* Returns the descriptor of a user namespace that maps the owner of `st` to `uid`. The namespace exists
 * while the descriptor is open. -1: see errno. */
static int open_map(const struct stat *st, uint32_t uid)
{
	int line[2], fd = -1;
	char path[48], byte;
	if (pipe2(line, O_CLOEXEC) < 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		close(line[0]);
		if (unshare(CLONE_NEWUSER) == 0 && write(line[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(line[1]);
	if (pid > 0 && read(line[0], &byte, 1) == 1 && map_one(pid, "uid_map", st->st_uid, uid)
			&& map_one(pid, "gid_map", st->st_gid, uid)) {
		snprintf(path, sizeof path, "/proc/%d/ns/user", (int)pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	int error = errno;
	close(line[0]);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	errno = error;
	return fd;
}

/* Without a mapping, the sandbox's user has only the rights of others. */
static bool is_open_to_others(const struct stat *st, bool is_writable)
{
	mode_t want = (S_ISDIR(st->st_mode) ? S_IROTH | S_IXOTH : S_IROTH) | (is_writable ? S_IWOTH : 0);
	return (st->st_mode & want) == want;
}

static bool set_attributes(int tree, uint64_t set, int userns_fd, int flags)
{
	struct attributes a = {.set = set, .userns_fd = (uint64_t)userns_fd};
	return syscall(CALL_MOUNT_SETATTR, tree, "", AT_THE_DESCRIPTOR | flags, &a, sizeof a) == 0;
}

/* Map the owner, with all submounts, or only of the mount itself if a submount cannot be mapped. */
static bool map_owner(int tree, const struct stat *st, uint32_t uid)
{
	int map = open_map(st, uid);
	bool is_mapped = map >= 0
			 && (set_attributes(tree, ATTR_MAPPED, map, ALL_BELOW)
					 || set_attributes(tree, ATTR_MAPPED, map, 0));
	if (map >= 0)
		close(map);
	return is_mapped;
}

/* ---- mounting ---------------------------------------------------------------------------------------- */

static bool make_point(const char *path, const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return mkdir(path, 0755) == 0;
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static const char *make_one(int fd, uint32_t index, bool is_writable, uint32_t uid)
{
	char path[48];
	struct stat st;
	snprintf(path, sizeof path, MOUNT_SOURCE "/%u", index);
	if (fstat(fd, &st) < 0 || !make_point(path, &st))
		return "make a place for it";
	int tree = (int)syscall(
			CALL_OPEN_TREE, fd, "", TREE_CLONE | ALL_BELOW | O_CLOEXEC | AT_THE_DESCRIPTOR);
	if (tree < 0)
		return "take a copy of the mount";
	const char *failed = NULL;
	if (uid && !map_owner(tree, &st, uid) && !is_open_to_others(&st, is_writable)) {
		errno = EACCES;
		failed = is_writable ? "lend its owner's rights on this file system, and others may not write there"
				     : "lend its owner's rights on this file system, and others may not read it";
	}
	if (!failed
			&& !set_attributes(tree,
					ATTR_NO_SETUID | ATTR_NO_DEVICES | (is_writable ? 0 : ATTR_READ_ONLY),
					-1, ALL_BELOW))
		failed = "protect it";
	if (!failed && syscall(CALL_MOVE_MOUNT, tree, "", AT_FDCWD, path, MOVE_FROM_DESCRIPTOR) < 0)
		failed = "put it into its place";
	int error = errno;
	close(tree);
	errno = error;
	return failed;
}

const char *bind_mounts_make(struct bind_mounts *b, uint32_t uid, uint32_t *ret_which)
{
	const char *failed = b->n && mkdir(MOUNT_SOURCE, 0755) < 0 ? "make a place for it" : NULL;
	*ret_which = 0;
	for (uint32_t i = 0; i < b->n && !failed; i++) {
		*ret_which = i;
		failed = make_one(b->fds[i], i, b->writable >> i & 1, uid);
	}
	int error = errno;
	for (uint32_t i = 0; i < b->n; i++)
		close(b->fds[i]);
	b->n = 0;
	errno = error;
	return failed;
}
