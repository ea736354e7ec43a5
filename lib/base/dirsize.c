/* SPDX-License-Identifier: MIT */
#include "base/dirsize.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"

/* ENTRY_BYTES: a file or directory also takes memory that no file system counts in blocks. */
enum { DEEPEST = 256, SHARE = 20, BLOCK_BYTES = 512, ENTRY_BYTES = 4096 };

struct walk {
	uint64_t bytes;
	bool unlocks, is_whole;
};

static void add_below(struct walk *w, int fd, unsigned depth);

/* chmod() by way of the descriptor changes this directory, even if another one has taken its name. */
static void add_locked(struct walk *w, int dir_fd, const char *name, mode_t mode, unsigned depth)
{
	char path[40];
	int fd = openat(dir_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int open_fd = fd >= 0 && w->unlocks && chmod(path, 0700) == 0
				      ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
				      : -1;
	if (open_fd >= 0)
		add_below(w, open_fd, depth);
	else
		w->is_whole = false;
	if (fd < 0)
		return;
	if (w->unlocks)
		chmod(path, mode & 07777);
	close(fd);
}

static void add_dir(struct walk *w, int dir_fd, const char *name, mode_t mode, unsigned depth)
{
	bool is_locked = geteuid() != 0 && (mode & 0500) != 0500;
	int fd = is_locked ? -1 : openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		add_below(w, fd, depth);
	else if (is_locked || errno == EACCES)
		add_locked(w, dir_fd, name, mode, depth);
	else if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP) /* it has been replaced */
		w->is_whole = false;
}

/* A file with several names counts once for each name. Sandboxes have few such files. */
static void add_entry(struct walk *w, int dir_fd, const char *name, unsigned depth)
{
	struct stat st;
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		w->is_whole &= errno == ENOENT;
		return;
	}
	uint64_t bytes = (uint64_t)st.st_blocks * BLOCK_BYTES;
	w->bytes += bytes > ENTRY_BYTES ? bytes : ENTRY_BYTES;
	if (S_ISDIR(st.st_mode) && depth < DEEPEST)
		add_dir(w, dir_fd, name, st.st_mode, depth + 1);
	else if (S_ISDIR(st.st_mode))
		w->is_whole = false;
}

/* Closes the descriptor. */
static void add_below(struct walk *w, int fd, unsigned depth)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	if (!dir) {
		w->is_whole = false;
		close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			add_entry(w, dirfd(dir), entry->d_name, depth);
	closedir(dir);
}

void dirsize_init(struct dirsize *d, int fd)
{
	*d = (struct dirsize){.fd = fd};
}

bool dirsize_poll(struct dirsize *d, uint64_t now_ns, uint64_t *ret_bytes)
{
	struct statvfs fs;
	if (d->fd < 0 || fstatvfs(d->fd, &fs) < 0)
		return false;
	uint64_t free_bytes = (uint64_t)fs.f_bfree * fs.f_frsize;
	bool has_changed = !d->next_ns || free_bytes != d->free_bytes || fs.f_ffree != d->free_files;
	if (has_changed && now_ns >= d->next_ns) {
		uint64_t start_ns = clock_ns();
		int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			return false;
		struct walk walk = {.unlocks = d->unlocks, .is_whole = true};
		add_below(&walk, fd, 0);
		d->bytes = walk.bytes;
		d->is_whole = walk.is_whole;
		d->free_bytes = free_bytes;
		d->free_files = fs.f_ffree;
		d->next_ns = now_ns + SHARE * (clock_ns() - start_ns) + 1;
	}
	*ret_bytes = d->bytes;
	return d->is_whole;
}
