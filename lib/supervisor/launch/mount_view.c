/* SPDX-License-Identifier: MIT */
#include "supervisor/launch/mount_view.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/launch/bind_mounts.h"
#include "supervisor/net/userns.h"
#include "wire/control.h"

static uint64_t inodes_for(uint64_t disk_bytes)
{
	/* An inode costs kernel memory that no size option counts. */
	uint64_t n = disk_bytes / 4096;
	return n < 1024 ? 1024 : n > 1048576 ? 1048576 : n;
}

static bool fill(uint32_t uid)
{
	static const struct {
		const char *path;
		mode_t mode;
	} dirs[] = {
			{SPACE_PATH "/workspace", 0755},
			{SPACE_PATH "/home", 0700},
			{SPACE_PATH "/tmp", 01777},
			{SPACE_PATH "/shm", 01777},
			{WORKDIR_SOURCE, 0755},
	};
	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		if (mkdir(dirs[i].path, 0700) < 0)
			return false;
		if (uid && chown(dirs[i].path, uid, uid) < 0)
			return false;
		if (chmod(dirs[i].path, dirs[i].mode) < 0)
			return false;
	}
	return true;
}

/* The folder was opened before the tmpfs was mounted, because the tmpfs may cover it. */
static void bind_cache(int fd)
{
	char path[40];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (mkdir(CACHE_SOURCE, 0755) == 0 && fd >= 0)
		mount(path, CACHE_SOURCE, NULL, MS_BIND, NULL);
	if (fd >= 0)
		close(fd);
}

static bool mount_tmpfs(uint64_t disk_bytes)
{
	char options[96];
	snprintf(options, sizeof options, "mode=0755,size=%llu,nr_inodes=%llu",
			(unsigned long long)disk_bytes, (unsigned long long)inodes_for(disk_bytes));
	return mount("tmpfs", SPACE_PATH, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
}

static bool mount_space(uint32_t uid, const struct spec_msg *spec, struct mount_view_failure *ret)
{
	struct bind_mounts bind_mounts;
	int cache_fd = *spec->cache ? open(spec->cache, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	ret->what = bind_mounts_open(&bind_mounts, spec, &ret->which);
	ret->error = errno;
	if (ret->what)
		return false;
	if (!mount_tmpfs(spec->disk_bytes)) {
		if (cache_fd >= 0)
			close(cache_fd);
		return false;
	}
	bind_cache(cache_fd);
	bool is_filled = fill(uid);
	if (is_filled)
		ret->what = bind_mounts_make(&bind_mounts, uid, &ret->which);
	ret->error = errno;
	if (is_filled && !ret->what)
		return true;
	umount2(SPACE_PATH, MNT_DETACH);
	return false;
}

bool mount_view_make(bool is_root, uint32_t uid, const struct spec_msg *spec, struct mount_view_failure *ret)
{
	*ret = (struct mount_view_failure){0};
	if (!is_root)
		return userns_enter(CLONE_NEWNS, getuid(), getgid()) && mount_space(0, spec, ret);
	if (unshare(CLONE_NEWNS) < 0)
		return false;
	/* Mounts made from here on must not propagate to the host. */
	return mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0 && mount_space(uid, spec, ret);
}
