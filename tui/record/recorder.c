/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <terrarium/error.h>
#include <terrarium/terrarium.h>

#include "record/file.h"

static int make_file(const char *path, struct trm_error *reterr)
{
	struct stat st;
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);

	if (fd < 0)
		return trm_error_set_errno(reterr, errno, "cannot record to %s", path);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return trm_error_set(
				reterr, TRM_EINVAL, "cannot record to %s: it is not a regular file", path);
	}
	if (st.st_size > 0) {
		close(fd);
		return trm_error_set(reterr, TRM_EEXIST,
				"cannot record to %s: it already exists, and a recording replaces no file",
				path);
	}
	fchmod(fd, 0600);
	return fd;
}

static bool exists(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0;
}

int recorder_open(struct recorder *r, const char *path, uint64_t now_ns, int rows, int cols,
		struct trm_error *reterr)
{
	struct rec_header header = {.rows = rows, .cols = cols};
	time_t now = time(NULL);
	struct tm utc;
	bool is_new = !exists(path);
	int fd = make_file(path, reterr);

	if (fd < 0)
		return fd;
	*r = (struct recorder){.fd = fd, .begun_ns = now_ns};
	writer_init(&r->pending, WRITER_MAX);
	if (gmtime_r(&now, &utc))
		strftime(header.started, sizeof header.started, "%Y-%m-%dT%H:%M:%SZ", &utc);
	snprintf(header.program, sizeof header.program, "%s", trm_version());
	rec_header_encode(&header, &r->pending);
	int result = recorder_flush(r, reterr);
	if (result < 0 && is_new)
		unlink(path);
	return result;
}

static void give_up(struct recorder *r)
{
	close(r->fd);
	writer_finish(&r->pending);
	r->fd = -1;
}

void recorder_add(struct recorder *r, struct rec_event *event, uint64_t now_ns)
{
	event->t_us = (now_ns - r->begun_ns) / 1000;
	rec_event_encode(event, &r->pending);
}

/* After a partial write, keep only whole lines. */
static void cut(const struct recorder *r, size_t n_written)
{
	const char *end = n_written ? memrchr(r->pending.bytes, '\n', n_written) : NULL;
	size_t whole = end ? (size_t)(end - r->pending.bytes) + 1 : 0;
	if (whole < n_written && ftruncate(r->fd, (off_t)(r->bytes + whole)) < 0)
		return; /* readers drop an incomplete last line */
}

int recorder_flush(struct recorder *r, struct trm_error *reterr)
{
	int result = r->pending.error;
	size_t at = 0;

	if (result < 0)
		trm_error_set(reterr, result, "the recording has ended: out of memory");
	while (at < r->pending.n && result == 0) {
		ssize_t wrote = write(r->fd, r->pending.bytes + at, r->pending.n - at);
		if (wrote > 0)
			at += (size_t)wrote;
		else if (wrote < 0 && errno != EINTR)
			result = trm_error_set_errno(reterr, errno, "the recording has ended");
	}
	if (result < 0)
		cut(r, at);
	r->bytes += r->pending.n;
	writer_clear(&r->pending);
	if (result < 0)
		give_up(r);
	return result;
}

void recorder_close(struct recorder *r, uint64_t now_ns)
{
	struct rec_event end = {.kind = REC_END};

	if (!recorder_is_open(r))
		return;
	recorder_add(r, &end, now_ns);
	if (recorder_flush(r, NULL) == 0)
		give_up(r);
}
