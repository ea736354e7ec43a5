/* SPDX-License-Identifier: MIT */
/* Code cannot make directories in /dev/shm, but it can make files in those where everybody may, wherever it
 * can get: below those that everybody may enter. Folders of sandboxes are left out: the sandbox that
 * owns a folder counts and removes all files in it. */
#include "supervisor/limits/shm.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/folder.h"

#ifndef SHM_PLACE
#define SHM_PLACE "/dev/shm/."
#endif

#ifndef SHM_MOST
#define SHM_MOST (1 << 18) /* a tenth of a second */
#endif

/* A user of the machine who makes more than SHM_MOST entries in directories, or deeper ones, can hide files
 * behind them. They could as well write these themselves. */
struct shm_walk {
	uint32_t uid;
	dev_t dev; /* what is mounted there is not of /dev/shm */
	uint64_t most, bytes;
	bool removes;
};

static void take_file(struct shm_walk *w, int dir_fd, const char *name, const struct stat *st)
{
	enum { BLOCK_BYTES = 512, ENTRY_BYTES = 4096 }; /* as in base/dirsize.c */
	uint64_t bytes = (uint64_t)st->st_blocks * BLOCK_BYTES;
	w->bytes += bytes > ENTRY_BYTES ? bytes : ENTRY_BYTES;
	if (w->removes)
		unlinkat(dir_fd, name, 0);
}

/* A file of the sandbox is always taken: its limit bounds their number. So is each one directly in /dev/shm,
 * where directories come after it. */
static void take_files(struct shm_walk *w, DIR *dir, bool is_top)
{
	struct dirent *entry;
	struct stat st;
	while ((is_top || w->most) && (entry = readdir(dir))) {
		if (entry->d_type == DT_DIR
				|| fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (st.st_uid == w->uid && !S_ISDIR(st.st_mode))
			take_file(w, dirfd(dir), entry->d_name, &st);
		else if (!is_top)
			w->most--;
	}
}

static void walk(struct shm_walk *w, int dir_fd, const char *name, unsigned depth)
{
	enum { MOST_DEPTH = 256 };
	int fd = depth < MOST_DEPTH ? openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
				    : -1;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat st;
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	take_files(w, dir, depth == 0);
	rewinddir(dir);
	while (w->most && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || strcmp(entry->d_name, ".") == 0
				|| strcmp(entry->d_name, "..") == 0)
			continue;
		w->most--;
		if (fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_dev == w->dev
				&& st.st_mode & S_IXOTH && !folder_is_user(st.st_uid))
			walk(w, fd, entry->d_name, depth + 1);
	}
	closedir(dir);
}

static uint64_t walk_all(uint32_t uid, bool removes)
{
	struct stat st;
	if (!uid || stat(SHM_PLACE, &st) < 0)
		return 0;
	struct shm_walk w = {.uid = uid, .dev = st.st_dev, .most = SHM_MOST, .removes = removes};
	walk(&w, AT_FDCWD, SHM_PLACE, 0);
	return w.bytes;
}

uint64_t shm_bytes(uint32_t uid)
{
	return walk_all(uid, false);
}

void shm_clear(uint32_t uid)
{
	walk_all(uid, true);
}
