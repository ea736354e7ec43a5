/* SPDX-License-Identifier: MIT */
#include "base/dirsize.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum { DEEPEST = 64, SHARE = 20, BLOCK_BYTES = 512 };

static uint64_t add_below(int fd, unsigned depth);

/* A file with several names counts once for each: a sandbox has few of them. */
static uint64_t add_entry(int dir_fd, const char *name, unsigned depth)
{
	struct stat st;
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	uint64_t bytes = (uint64_t)st.st_blocks * BLOCK_BYTES;
	if (!S_ISDIR(st.st_mode) || depth == DEEPEST)
		return bytes;
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? bytes : bytes + add_below(fd, depth + 1);
}

/* Takes the descriptor. */
static uint64_t add_below(int fd, unsigned depth)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	uint64_t bytes = 0;
	if (!dir) {
		close(fd);
		return 0;
	}
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			bytes += add_entry(dirfd(dir), entry->d_name, depth);
	closedir(dir);
	return bytes;
}

static uint64_t clock_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void dirsize_init(struct dirsize *d, int fd)
{
	*d = (struct dirsize){.fd = fd};
}

bool dirsize_look(struct dirsize *d, uint64_t now_ns, uint64_t *ret_bytes)
{
	struct statvfs fs;
	if (d->fd < 0 || fstatvfs(d->fd, &fs) < 0)
		return false;
	uint64_t free_bytes = (uint64_t)fs.f_bfree * fs.f_frsize;
	bool has_changed = !d->next_ns || free_bytes != d->free_bytes;
	if (has_changed && now_ns >= d->next_ns) {
		uint64_t start_ns = clock_ns();
		int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			return false;
		d->bytes = add_below(fd, 0);
		d->free_bytes = free_bytes;
		d->next_ns = now_ns + SHARE * (clock_ns() - start_ns) + 1;
	}
	*ret_bytes = d->bytes;
	return true;
}
