/* SPDX-License-Identifier: MIT */
#include "tree/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

static int open_dir(const char *path, struct target *ret, struct trm_error *reterr)
{
	ret->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return ret->fd < 0 ? trm_error_set_errno(reterr, errno, "%s", path) : 0;
}

/* Those of the path that are not there. What fails shows when the last one is opened. */
static void make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0777);
		*slash = '/';
	}
	mkdir(path, 0777);
}

/* `path` without its last component, which goes to `name`: they name something that is no directory. */
static int split_path(const char *path, bool makes_parents, struct target *ret, struct trm_error *reterr)
{
	char parent[PATH_MAX + 1];
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	size_t start = n;
	while (start && path[start - 1] != '/')
		start--;
	if (n >= sizeof parent || n - start > ENTRY_NAME_MAX)
		return trm_error_set_errno(reterr, ENAMETOOLONG, "%.100s…", path);
	memcpy(ret->name, path + start, n - start);
	ret->name[n - start] = '\0';
	memcpy(parent, start ? path : ".", start ? start : 1);
	parent[start ? start : 1] = '\0';
	if (!entry_is_name(ret->name))
		return trm_error_set_errno(reterr, ENOENT, "%s", path);
	if (makes_parents)
		make_folders(parent);
	return open_dir(parent, ret, reterr);
}

static int into_dir(
		const char *path, const char *base, bool is_dir, struct target *ret, struct trm_error *reterr)
{
	if (!base[0] && !is_dir)
		return trm_error_set(reterr, TRM_EINVAL, "%s: this is a directory: name the file too", path);
	memcpy(ret->name, base, strlen(base) + 1);
	ret->is_below = true;
	return open_dir(path, ret, reterr);
}

/* A file replaces the file that a link leads to, not the link. */
static int onto_file(const char *path, struct target *ret, struct trm_error *reterr)
{
	char *real = realpath(path, NULL);
	int r = real ? split_path(real, false, ret, reterr) : trm_error_set_errno(reterr, errno, "%s", path);
	free(real);
	return r;
}

int target_find(const char *path, const char *base, bool must_be_dir, bool is_dir, bool makes_parents,
		struct target *ret, struct trm_error *reterr)
{
	struct stat status;
	size_t n = strlen(path);
	if (stat(path, &status) == 0) {
		if (S_ISDIR(status.st_mode))
			return into_dir(path, base, is_dir, ret, reterr);
		if (must_be_dir)
			return trm_error_set(reterr, TRM_EINVAL,
					"%s: this is not a directory, but several sources need one", path);
		if (is_dir)
			return trm_error_set(reterr, TRM_EINVAL,
					"%s: this is not a directory, and a directory cannot be copied onto it",
					path);
		if (!S_ISREG(status.st_mode))
			return trm_error_set(reterr, TRM_EINVAL,
					"%s: this is a device, a FIFO or a socket, and not overwritten",
					path);
		return onto_file(path, ret, reterr);
	}
	if (errno != ENOENT)
		return trm_error_set_errno(reterr, errno, "%s", path);
	if (must_be_dir || (!is_dir && n && path[n - 1] == '/'))
		return trm_error_set(reterr, TRM_ENOENT, "%s: there is no such directory", path);
	if (lstat(path, &status) == 0)
		return trm_error_set(reterr, TRM_ENOENT, "%s: this is a link that leads nowhere", path);
	return split_path(path, makes_parents, ret, reterr);
}
