/* SPDX-License-Identifier: MIT */
#include "base/sysfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t sysfile_read_at(int dir_fd, const char *path, char *out, size_t cap)
{
	size_t n = 0;
	out[0] = '\0';
	int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	while (n < cap - 1) {
		ssize_t r = read(fd, out + n, cap - 1 - n);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			break;
		n += (size_t)r;
	}
	out[n] = '\0';
	close(fd);
	return (ssize_t)n;
}

ssize_t sysfile_read(const char *path, char *out, size_t cap)
{
	return sysfile_read_at(AT_FDCWD, path, out, cap);
}

int sysfile_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int r = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return r;
}

int sysfile_write_u64(const char *path, uint64_t value)
{
	char text[24];
	snprintf(text, sizeof text, "%llu", (unsigned long long)value);
	return sysfile_write(path, text);
}

bool sysfile_read_u64(const char *path, uint64_t *ret)
{
	char text[64], *end;
	if (sysfile_read(path, text, sizeof text) <= 0)
		return false;
	unsigned long long v = strtoull(text, &end, 10);
	if (end == text)
		return false;
	*ret = v;
	return true;
}

bool text_has_word(const char *text, const char *word)
{
	size_t n = strlen(word);
	while (*text) {
		size_t len = strcspn(text, " \n\t");
		if (len == n && !memcmp(text, word, n))
			return true;
		text += len;
		text += strspn(text, " \n\t");
	}
	return false;
}
