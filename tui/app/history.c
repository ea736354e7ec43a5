/* SPDX-License-Identifier: MIT */
/* The history file: $XDG_STATE_HOME/terrarium/history.jsonl, readable only by its owner. Several workbenches
 * append to it. Each line is one write under a lock. A workbench that finds the file too long replaces it
 * with its newer half. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "app/app_internal.h"
#include "text/bytes.h"

#ifndef HISTORY_MAX
#define HISTORY_MAX (4 << 20) /* bytes; a longer file is cut in half */
#endif

/* The path of the file. False: there is no place for it. With `makes_folders` missing folders are created. */
static bool history_path(char out[PATH_MAX], bool makes_folders)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n;

	if (state && state[0] == '/')
		n = snprintf(out, PATH_MAX, "%s/terrarium/history.jsonl", state);
	else if (home && home[0] == '/')
		n = snprintf(out, PATH_MAX, "%s/.local/state/terrarium/history.jsonl", home);
	else
		return false;
	if (n < 0 || n >= PATH_MAX)
		return false;
	for (char *slash = strchr(out + 1, '/'); makes_folders && slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(out, 0700); /* if this fails, opening the file fails and reports it */
		*slash = '/';
	}
	return true;
}

/* Open and lock the file. Another workbench may replace the file before the lock is granted. */
static int open_locked(const char *path)
{
	for (int tries = 0; tries < 10; tries++) {
		struct stat ours, current;
		int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0)
			return -1;
		if (flock(fd, LOCK_EX) == 0 && fstat(fd, &ours) == 0 && S_ISREG(ours.st_mode)
				&& stat(path, &current) == 0 && ours.st_ino == current.st_ino)
			return fd;
		close(fd);
	}
	errno = EBUSY;
	return -1;
}

/* Read the file, or its end if it is very long. NULL: it is empty, or out of memory. */
static char *read_all(int fd, size_t *ret_n)
{
	struct stat st;
	*ret_n = 0;
	if (fstat(fd, &st) < 0 || st.st_size <= 0)
		return NULL;
	off_t from = st.st_size > 2 * (off_t)HISTORY_MAX ? st.st_size - 2 * (off_t)HISTORY_MAX : 0;
	size_t size = (size_t)(st.st_size - from);
	char *text = malloc(size + 1);
	ssize_t n;
	while (text && *ret_n < size
			&& (n = pread(fd, text + *ret_n, size - *ret_n, from + (off_t)*ret_n)) > 0)
		*ret_n += (size_t)n;
	return text;
}

/* Replace the file with its newer half, while the lock on the old file is held. */
static void shorten_history_file(int fd, const char *path)
{
	char other[PATH_MAX + 8];
	size_t n, at;
	char *text = read_all(fd, &n);

	snprintf(other, sizeof other, "%s.new", path);
	for (at = n / 2; at < n && text[at - 1] != '\n';)
		at++;
	int to = text ? open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
	bool is_written = to >= 0 && write_fully(to, text + at, n - at) == 0;
	if (to >= 0)
		close(to);
	if (!is_written || rename(other, path) < 0)
		unlink(other);
	free(text);
}

/* The folders usually exist. */
static int open_history(char path[PATH_MAX])
{
	path[0] = '\0';
	if (!history_path(path, false))
		return -1;
	int fd = open_locked(path);
	return fd < 0 && errno == ENOENT && history_path(path, true) ? open_locked(path) : fd;
}

static void report_fault(struct app *a, const char *path, int error)
{
	char text[PATH_MAX + 100];

	if (a->has_reported_history)
		return;
	snprintf(text, sizeof text, "runs are not remembered: %.300s: %s", path, strerror(error));
	a->has_reported_history = true;
	app_notify(a, MSG_NOTICE, text);
}

void app_remember(struct app *a, const struct effect *effect)
{
	char *lines = NULL, *before = a->unwritten;

	if (asprintf(&lines, "%s{\"time\":%lld,%s\n", before ? before : "", (long long)time(NULL),
			    effect->text.bytes + 1)
			< 0)
		return;
	free(before);
	a->unwritten = lines;
}

/* Append all lines or nothing, because an incomplete line would also damage the next one. */
static bool append_history_lines(int fd, const char *lines)
{
	off_t end = lseek(fd, 0, SEEK_END);
	if (end >= 0 && write_fully(fd, lines, strlen(lines)) == 0)
		return true;
	int error = errno;
	if (end >= 0 && ftruncate(fd, end) < 0)
		return false;
	errno = error;
	return false;
}

void app_flush_history(struct app *a)
{
	char path[PATH_MAX], *lines = a->unwritten;
	struct stat st;

	if (!lines)
		return;
	a->unwritten = NULL;
	int fd = open_history(path);
	bool is_written = fd >= 0 && append_history_lines(fd, lines);
	int error = errno;
	if (is_written && fstat(fd, &st) == 0 && st.st_size > HISTORY_MAX)
		shorten_history_file(fd, path);
	if (fd >= 0)
		close(fd);
	free(lines);
	if (!is_written && *path)
		report_fault(a, path, error);
}

void app_read_history(struct app *a)
{
	char path[PATH_MAX], *text = NULL;
	size_t n = 0;

	app_flush_history(a);
	int fd = history_path(path, false) ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		flock(fd, LOCK_SH);
		text = read_all(fd, &n);
		close(fd);
	}
	app_send(a, &(struct msg){.type = MSG_HISTORY,
				    .history.bytes = text,
				    .history.len = n,
				    .history.now_s = time(NULL)});
	free(text);
}
