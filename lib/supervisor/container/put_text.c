/* SPDX-License-Identifier: MIT */
#include "supervisor/container/put_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUPERVISOR_MARK "\\u0001supervisor\\u0001"

enum { TEXT_MAX = 8 << 20 };

/* The whole file, ended by a NUL; NULL: it is too long, or there is no memory. */
static char *read_text(int fd, size_t *ret_n)
{
	struct stat st;
	if (fstat(fd, &st) < 0 || st.st_size <= 0 || st.st_size > TEXT_MAX)
		return NULL;
	const size_t n = (size_t)st.st_size;
	char *text = malloc(n + 1);
	if (text && pread(fd, text, n, 0) != (ssize_t)n) {
		free(text);
		return NULL;
	}
	if (text)
		text[n] = '\0';
	*ret_n = n;
	return text;
}

static int write_text(int fd, const char *text, size_t n)
{
	for (ssize_t done; n; text += done, n -= (size_t)done)
		if ((done = write(fd, text, n)) < 0)
			return -errno;
	return 0;
}

static int write_filled(int fd, const char *text, const char *supervisor)
{
	const size_t mark = strlen(SUPERVISOR_MARK);
	int r = 0;
	for (const char *at; r == 0 && (at = strstr(text, SUPERVISOR_MARK)); text = at + mark) {
		r = write_text(fd, text, (size_t)(at - text));
		r = r == 0 ? write_text(fd, supervisor, strlen(supervisor)) : r;
	}
	return r == 0 ? write_text(fd, text, strlen(text)) : r;
}

int put_text_open(const struct step_facts *facts, int fd, unsigned nth)
{
	size_t n, at = 0;
	char *text = read_text(fd, &n);
	if (!text)
		return -EIO;
	while (nth-- && at < n)
		at += strlen(text + at) + 1;
	int file = at < n ? memfd_create("terrarium-put", MFD_CLOEXEC) : -1;
	int r = at >= n ? -ENOENT : file < 0 ? -errno : write_filled(file, text + at, facts->supervisor);
	free(text);
	if (r == 0)
		return file;
	if (file >= 0)
		close(file);
	return r;
}

bool put_text_is_refused(const struct step *s)
{
	static const char *const signs[] = {"violates PodSecurity", " denied ", "denied the request"};
	return step_has_failed_with(s, signs, sizeof signs / sizeof *signs);
}
