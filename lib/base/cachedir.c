/* SPDX-License-Identifier: MIT */
#include "base/cachedir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <terrarium/error.h>

static int find_folder(const char *folder, char path[CACHEDIR_PATH], struct trm_error *reterr)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n = -1;
	if (cache && *cache == '/')
		n = snprintf(path, CACHEDIR_PATH, "%s/terrarium/%s", cache, folder);
	else if (home && *home == '/')
		n = snprintf(path, CACHEDIR_PATH, "%s/.cache/terrarium/%s", home, folder);
	if (n < 0 || n >= CACHEDIR_PATH)
		return trm_error_set(reterr, TRM_ENOENT,
				"there is no folder for a cache: neither XDG_CACHE_HOME nor HOME names a folder");
	return 0;
}

/* Make every folder of the path with mode 0700, as the XDG specification demands. */
static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, geteuid() ? 0700 : 0711); /* what fails here shows in the end */
		*slash = '/';
	}
}

int cachedir_open(const char *folder, char path[CACHEDIR_PATH], struct trm_error *reterr)
{
	struct stat st;
	int r = find_folder(folder, path, reterr);
	if (r < 0)
		return r;
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT) {
		make_parents(path);
		mkdir(path, 0755);
		fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	}
	if (fd < 0)
		return trm_error_set_errno(reterr, errno, "cannot use the cache %.150s", path);
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 0022))
		return fd;
	close(fd);
	return trm_error_set(reterr, TRM_EPERM, "the cache %.150s is not used: other users may write into it",
			path);
}

/* Sandboxes of root run as another user. */
static bool is_reachable(const char *path)
{
	char part[CACHEDIR_PATH];
	struct stat st;
	snprintf(part, sizeof part, "%s", path);
	for (char *slash = strrchr(part, '/'); slash && slash > part; slash = strrchr(part, '/')) {
		if (stat(part, &st) < 0 || !(st.st_mode & 0001))
			return false;
		*slash = '\0';
	}
	return true;
}

bool cachedir_has(const char *folder, char path[CACHEDIR_PATH])
{
	struct stat st;
	return find_folder(folder, path, NULL) >= 0 && lstat(path, &st) == 0 && S_ISDIR(st.st_mode)
	       && st.st_uid == geteuid() && !(st.st_mode & 0022) && (geteuid() || is_reachable(path));
}
