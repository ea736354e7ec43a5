/* SPDX-License-Identifier: MIT */
#include "tree/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { TEMP_TRIES = 100 };

static void temp_name(char *out, size_t cap)
{
	snprintf(out, cap, ".terrarium-%llx.tmp", (unsigned long long)clock_ns());
}

static int open_named(struct tree_file *file)
{
	for (int i = 0; i < TEMP_TRIES; i++) {
		temp_name(file->temp, sizeof file->temp);
		file->fd = openat(file->dir_fd, file->temp,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (file->fd >= 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	file->temp[0] = '\0';
	return errno;
}

/* A file without a name gets its name through /proc; without /proc it never would. */
static bool has_proc(int fd)
{
	char path[40];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return faccessat(AT_FDCWD, path, F_OK, 0) == 0;
}

int tree_file_open(struct tree_file *file, int dir_fd, bool *unnamed)
{
	*file = (struct tree_file){.fd = -1, .dir_fd = dir_fd};
	if (*unnamed) {
		file->fd = openat(dir_fd, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
		if (file->fd >= 0 && has_proc(file->fd))
			return 0;
		int error = errno;
		if (file->fd >= 0)
			close(file->fd);
		else if (error != EOPNOTSUPP && error != EISDIR && error != EINVAL && error != ENOENT)
			return error;
		*unnamed = false;
	}
	return open_named(file);
}

int tree_file_write(struct tree_file *file, const char *bytes, size_t n)
{
	while (n) {
		ssize_t done = write(file->fd, bytes, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? errno : EIO;
		bytes += done;
		n -= (size_t)done;
		file->size += (uint64_t)done;
		file->ends_in_hole = false;
	}
	return 0;
}

int tree_file_skip(struct tree_file *file, uint64_t n)
{
	if (!n)
		return 0;
	file->size += n;
	file->ends_in_hole = true;
	return lseek(file->fd, (off_t)file->size, SEEK_SET) < 0 ? errno : 0;
}

int tree_place_check(int dir_fd, const char *name)
{
	struct stat there;
	if (fstatat(dir_fd, name, &there, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : errno;
	if (S_ISDIR(there.st_mode))
		return EISDIR;
	return S_ISREG(there.st_mode) || S_ISLNK(there.st_mode) ? 0 : EEXIST;
}

/* Move it from its temporary name to its final one. */
static int move_into_place(int dir_fd, const char *temp, const char *name)
{
	int error = tree_place_check(dir_fd, name);
	if (!error && renameat(dir_fd, temp, dir_fd, name) < 0)
		error = errno;
	if (error)
		unlinkat(dir_fd, temp, 0);
	return error;
}

static int give_name(const struct tree_file *file, const char *name)
{
	char path[40];
	snprintf(path, sizeof path, "/proc/self/fd/%d", file->fd);
	return linkat(AT_FDCWD, path, file->dir_fd, name, AT_SYMLINK_FOLLOW) < 0 ? errno : 0;
}

static int publish(struct tree_file *file, const char *name)
{
	if (!file->temp[0]) {
		int error = give_name(file, name);
		if (error != EEXIST)
			return error;
		for (int i = 0; i < TEMP_TRIES && error == EEXIST; i++) {
			temp_name(file->temp, sizeof file->temp);
			error = give_name(file, file->temp);
		}
		if (error)
			file->temp[0] = '\0';
		if (error)
			return error;
	}
	int error = move_into_place(file->dir_fd, file->temp, name);
	file->temp[0] = '\0';
	return error;
}

static void times_of(const struct entry *entry, struct timespec times[2])
{
	times[0] = (struct timespec){.tv_nsec = UTIME_OMIT};
	times[1] = (struct timespec){.tv_sec = (time_t)entry->mtime_s, .tv_nsec = entry->mtime_ns};
}

int tree_file_finish(struct tree_file *file, const struct entry *entry)
{
	struct timespec times[2];
	int error = 0;
	times_of(entry, times);
	if ((file->ends_in_hole && ftruncate(file->fd, (off_t)file->size) < 0)
			|| fchmod(file->fd, entry->mode & ENTRY_MODE_MASK) < 0)
		error = errno;
	futimens(file->fd, times); /* if the file system cannot store the time, keep the file anyway */
	if (!error)
		error = publish(file, entry->name);
	tree_file_drop(file);
	return error;
}

void tree_file_drop(struct tree_file *file)
{
	if (file->fd < 0)
		return;
	close(file->fd);
	file->fd = -1;
	if (file->temp[0])
		unlinkat(file->dir_fd, file->temp, 0);
}

int tree_link_make(int dir_fd, const struct entry *entry)
{
	char temp[48];
	struct timespec times[2];
	int error = 0;
	times_of(entry, times);
	if (symlinkat(entry->text, dir_fd, entry->name) == 0) {
		utimensat(dir_fd, entry->name, times, AT_SYMLINK_NOFOLLOW);
		return 0;
	}
	if (errno != EEXIST)
		return errno;
	do {
		temp_name(temp, sizeof temp);
		error = symlinkat(entry->text, dir_fd, temp) < 0 ? errno : 0;
	} while (error == EEXIST);
	if (error)
		return error;
	utimensat(dir_fd, temp, times, AT_SYMLINK_NOFOLLOW);
	return move_into_place(dir_fd, temp, entry->name);
}
