/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text/bytes.h"

int write_fully(int fd, const void *bytes, size_t n)
{
	for (const char *p = bytes; n > 0;) {
		ssize_t done = write(fd, p, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

int write_file(const char *path, int flags, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
	if (fd < 0)
		return -errno;
	int r = write_fully(fd, bytes, n);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r < 0 && flags & O_EXCL)
		unlink(path);
	return r;
}

int make_dirs(const char *path, mode_t mode)
{
	char part[PATH_MAX];
	struct stat st;
	size_t n = strlen(path);
	if (n >= sizeof part)
		return -ENAMETOOLONG;
	for (size_t i = 1; i <= n; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, mode) == 0)
			continue;
		int why = errno;
		if (stat(part, &st) < 0)
			return -why;
	}
	return stat(path, &st) < 0 ? -errno : S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}

size_t base64_digits(char *out, const void *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *p = bytes;
	size_t len = 0;
	for (size_t i = 0; i < n; i += 3) {
		size_t left = n - i;
		uint32_t group = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0)
				 | (left > 2 ? p[i + 2] : 0);
		out[len++] = digits[group >> 18];
		out[len++] = digits[group >> 12 & 63];
		out[len++] = left > 1 ? digits[group >> 6 & 63] : '=';
		out[len++] = left > 2 ? digits[group & 63] : '=';
	}
	return len;
}
