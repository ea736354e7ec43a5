/* SPDX-License-Identifier: MIT */
/* Makes directories, and removes files and trees. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/files/tree_transfer.h"
#include "base/err.h"

static int remove_below(int dir_fd, const char *name, unsigned depth);

/* Takes the descriptor. 0 or an errno. */
static int empty_dir(int fd, unsigned depth)
{
	DIR *dir = fdopendir(fd);
	struct dirent *row;
	int error = 0;
	if (!dir) {
		error = errno;
		close(fd);
		return error;
	}
	while (!error && (row = readdir(dir)))
		if (entry_is_name(row->d_name))
			error = remove_below(fd, row->d_name, depth);
	closedir(dir);
	return error;
}

/* Never follows a link: its target stays. */
static int remove_below(int dir_fd, const char *name, unsigned depth)
{
	if (unlinkat(dir_fd, name, 0) == 0)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return errno;
	if (unlinkat(dir_fd, name, AT_REMOVEDIR) == 0)
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return errno;
	if (depth == ENTRY_DEPTH_MAX)
		return ELOOP;
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int error = fd < 0 ? errno : empty_dir(fd, depth + 1);
	if (!error && unlinkat(dir_fd, name, AT_REMOVEDIR) < 0)
		error = errno;
	return error;
}

static int make_dir(const char *path, uint32_t mode)
{
	if (mkdir(path, 0700) < 0)
		return errno;
	return chmod(path, mode & ENTRY_MODE_MASK) < 0 ? errno : 0;
}

static int remove_one(const char *path)
{
	if (unlink(path) == 0)
		return 0;
	return errno == EISDIR && rmdir(path) == 0 ? 0 : errno;
}

int file_op_do(enum file_op op, const char *path, uint32_t mode, struct trm_error *why)
{
	int error = EINVAL;
	switch (op) {
	case FILE_OP_MKDIR: error = make_dir(path, mode); break;
	case FILE_OP_REMOVE: error = remove_one(path); break;
	case FILE_OP_REMOVE_TREE: error = remove_below(AT_FDCWD, path, 0); break;
	}
	if (!error)
		return 0;
	return trm_error_set_errno(
			why, error, "%s: cannot be %s", path, op == FILE_OP_MKDIR ? "made" : "removed");
}
