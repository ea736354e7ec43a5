/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cachedir.h"
#include "base/err.h"
#include "install/install.h"

/* Open the folder in which `name`, a relative path, lies, making what is not there. A code or a descriptor.
 */
static int open_parent(const char *folder, const char *name, bool makes, struct trm_error *reterr)
{
	char path[CACHEDIR_PATH], parts[300];
	int fd = cachedir_open("packages", path, reterr);
	if (fd < 0)
		return fd;
	int n = snprintf(parts, sizeof parts, "%s/%s", folder, name);
	if (n < 0 || (size_t)n >= sizeof parts) {
		close(fd);
		return trm_error_set(reterr, TRM_ETOOBIG, "a name is too long for the cache");
	}
	char *part = parts, *slash;
	for (; fd >= 0 && (slash = strchr(part, '/')); part = slash + 1) {
		*slash = '\0';
		if (makes)
			mkdirat(fd, part, 0755);
		int next = openat(fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int saved_errno = errno;
		close(fd);
		fd = next;
		if (fd < 0)
			return trm_error_set_errno(
					reterr, saved_errno, "cannot use %s in the cache %.150s", part, path);
	}
	return fd;
}

static const char *last_part(const char *name)
{
	const char *slash = strrchr(name, '/');
	return slash ? slash + 1 : name;
}

bool cache_has(const char *folder, const char *name)
{
	struct trm_error why;
	struct stat st;
	int dir_fd = open_parent(folder, name, false, &why);
	bool has = dir_fd >= 0 && fstatat(dir_fd, last_part(name), &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (dir_fd >= 0)
		close(dir_fd);
	return has;
}

int cache_file_begin(struct cache_file *file, const char *folder, const char *name, struct trm_error *reterr)
{
	static atomic_uint count; /* tells the files of one process apart */
	*file = (struct cache_file){.dir_fd = -1, .fd = -1};
	snprintf(file->name, sizeof file->name, "%s", last_part(name));
	snprintf(file->temporary, sizeof file->temporary, ".new-%ld-%u", (long)getpid(),
			atomic_fetch_add(&count, 1));
	int r = open_parent(folder, name, true, reterr);
	if (r < 0)
		return r;
	file->dir_fd = r;
	file->fd = openat(file->dir_fd, file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (file->fd >= 0)
		return 0;
	r = trm_error_set_errno(reterr, errno, "cannot write into the cache");
	close(file->dir_fd);
	file->dir_fd = -1;
	return r;
}

int cache_file_write(struct cache_file *file, const void *bytes, size_t n, struct trm_error *reterr)
{
	const char *at = bytes;
	while (n) {
		ssize_t done = write(file->fd, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return trm_error_set_errno(reterr, errno, "cannot write into the cache");
		at += done;
		n -= (size_t)done;
	}
	return 0;
}

int cache_file_end(struct cache_file *file, bool keep, struct trm_error *reterr)
{
	int r = 0;
	if (file->fd < 0)
		return 0;
	/* A file that a crash has emptied would stay, and be taken for what its name says. */
	if (keep
			&& (fchmod(file->fd, 0444) < 0 || fsync(file->fd) < 0
					|| renameat(file->dir_fd, file->temporary, file->dir_fd, file->name)
							   < 0))
		r = trm_error_set_errno(reterr, errno, "cannot keep %.100s in the cache", file->name);
	if (!keep || r < 0)
		unlinkat(file->dir_fd, file->temporary, 0);
	close(file->fd);
	close(file->dir_fd);
	file->fd = file->dir_fd = -1;
	return r;
}
