/* SPDX-License-Identifier: MIT */
#include "state/dir.h"
#include "text/bytes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool state_path(const char *name, char out[STATE_PATH])
{
	const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	const char *slash = *name ? "/" : "";
	int n;

	if (xdg && xdg[0] == '/')
		n = snprintf(out, STATE_PATH, "%s/terrarium%s%s", xdg, slash, name);
	else if (home && home[0] == '/')
		n = snprintf(out, STATE_PATH, "%s/.local/state/terrarium%s%s", home, slash, name);
	else
		return false;
	return n > 0 && n < STATE_PATH;
}

int state_make_dir(const char *path)
{
	int error = make_dirs(path, 0700);

	return error ? error : access(path, W_OK | X_OK) < 0 ? -errno : 0;
}

int state_lock(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		int err = errno;
		close(fd);
		return -err;
	}
	return fd;
}

int state_write(const char *path, const char *bytes, size_t n)
{
	char temp[STATE_PATH + 8];

	snprintf(temp, sizeof temp, "%s.new", path);
	int fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	int r = write_fully(fd, bytes, n);
	close(fd);
	if (r == 0 && rename(temp, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(temp);
	return r;
}

char *state_read(const char *path, size_t most, size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	size_t len = 0;
	char *bytes = NULL;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size <= most)
		bytes = malloc((size_t)st.st_size + 1);
	while (bytes && len < (size_t)st.st_size) {
		ssize_t n = read(fd, bytes + len, (size_t)st.st_size - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	if (bytes) {
		bytes[len] = '\0';
		*ret_len = len;
	}
	return bytes;
}

void state_remove_dir(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *entry;

	if (!d)
		return;
	while ((entry = readdir(d)) != NULL)
		unlinkat(dirfd(d), entry->d_name, 0);
	closedir(d);
	rmdir(path);
}
