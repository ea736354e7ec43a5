/* SPDX-License-Identifier: MIT */
/* Removes the folder of a sandbox without namespaces. Hostile code made its contents: links are not followed,
 * directories may be locked, and they may be nested to any depth. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sysfile.h"
#include "sweep/sweep.h"
#include "wire/control.h"
#include "wire/folder.h"

/* A round may move nothing because code has used all the names; the next round finds them free. */
enum { DEEPEST = 64, MOST_ROUNDS = 100000, QUIET_ROUNDS = 3, PATH = 512 };

/* Progress of a removal. */
struct removal {
	int top_fd;
	unsigned n_moved; /* directories that lay too deep: they are now directly in the folder */
	unsigned n_names; /* for these, some of which code may have used */
};

static void remove_below(struct removal *r, int dir_fd, const char *name, unsigned depth);

/* In linux/openat2.h, which a musl toolchain need not have. The number is the same on all architectures. */
enum { CALL_OPENAT2 = 437, RESOLVE_ON_THIS_MOUNT = 1 };
struct open_how {
	uint64_t flags, mode, resolve;
};

/* File systems that somebody has mounted in the folder stay. Kernels before 5.6 and some filters lack the
 * call. */
static int open_below(int dir_fd, const char *name, int flags)
{
	struct open_how how = {(uint64_t)flags, 0, dir_fd == AT_FDCWD ? 0 : RESOLVE_ON_THIS_MOUNT};
	int fd = (int)syscall(CALL_OPENAT2, dir_fd, name, &how, sizeof how);
	return fd < 0 && (errno == ENOSYS || errno == EPERM) ? openat(dir_fd, name, flags) : fd;
}

/* Open a directory. Its owner, who may be the caller, may have removed his own rights. Code that still runs
 * may put a link in its place at any moment. */
static int open_dir(int dir_fd, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = open_below(dir_fd, name, flags);
	struct stat st;
	if (fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 0700) == 0700)
		return fd;
	if (fd >= 0) {
		fchmod(fd, 0700);
		return fd;
	}
	if (errno != EACCES || fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode)
			|| fchmodat(dir_fd, name, 0700, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	return open_below(dir_fd, name, flags);
}

static void empty_dir(struct removal *r, int fd, unsigned depth)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	if (!dir) {
		close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			remove_below(r, dirfd(dir), entry->d_name, depth);
	closedir(dir);
}

/* Move a directory directly into the folder. Its owner needs rights in it for that. */
static void move_up(struct removal *r, int dir_fd, const char *name)
{
	char moved[32];
	int fd = open_dir(dir_fd, name);
	snprintf(moved, sizeof moved, ".deep-%u", r->n_names++);
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && renameat(dir_fd, name, r->top_fd, moved) == 0)
		r->n_moved++;
}

static void remove_below(struct removal *r, int dir_fd, const char *name, unsigned depth)
{
	if (unlinkat(dir_fd, name, 0) == 0 || unlinkat(dir_fd, name, AT_REMOVEDIR) == 0)
		return;
	if (depth == DEEPEST) {
		move_up(r, dir_fd, name);
		return;
	}
	int fd = open_dir(dir_fd, name);
	if (fd < 0)
		return;
	empty_dir(r, fd, depth + 1);
	unlinkat(dir_fd, name, AT_REMOVEDIR);
}

/* Is this FOLDER_PREFIX and 8 letters or digits, in a path without ".."? */
static bool is_folder(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t n = strlen(FOLDER_PREFIX);
	return path[0] == '/' && name && !strstr(path, "/../") && !strncmp(name + 1, FOLDER_PREFIX, n)
	       && strspn(name + 1 + n, FOLDER_LETTERS) == 8 && !name[1 + n + 8];
}

/* The folder is in a directory that all users share. Once it is gone, somebody else may take its name. */
static bool is_ours(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode)
	       && (st.st_uid == geteuid() || (geteuid() == 0 && folder_is_user(st.st_uid)));
}

bool sweep_tree(const char *path)
{
	unsigned n_before, n_quiet = 0;
	struct removal r = {.top_fd = -1};
	if (rmdir(path) == 0 || errno == ENOENT)
		return true;
	r.top_fd = open_dir(AT_FDCWD, path);
	if (r.top_fd < 0)
		return false;
	do {
		n_before = r.n_moved;
		empty_dir(&r, openat(r.top_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 1);
		n_quiet = r.n_moved == n_before ? n_quiet + 1 : 0;
	} while (r.n_names && n_quiet < QUIET_ROUNDS && r.n_moved < MOST_ROUNDS);
	close(r.top_fd);
	return rmdir(path) == 0;
}

bool sweep_folder(int entry_fd)
{
	char path[PATH];
	if (sysfile_read_at(entry_fd, FOLDER_FILE, path, sizeof path) <= 0)
		return true;
	return !is_folder(path) || !is_ours(path) || sweep_tree(path);
}
