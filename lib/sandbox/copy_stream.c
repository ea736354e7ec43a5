/* SPDX-License-Identifier: MIT */
/* "-": a descriptor of the caller as one of the halves. Pipes and terminals are watched. A descriptor
 * that cannot be watched is a regular file, which is always ready. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "sandbox/copy.h"

enum { PIECE = 64 * 1024, MODE_OF_NO_FILE = 0644 };

/* 0 with a watch, or without one if none is needed. */
static int watch_descriptor(struct trm_copy *copy, int fd, trm_watch_fn *fn, struct trm_error *why)
{
	int r = trm_loop_add_fd(copy->loop, fd, 0, fn, copy, &copy->job.watch, why);
	return r == TRM_ENOTSUP ? 0 : r;
}

/* ---- in --------------------------------------------------------------------------------- */

static int put_entry(struct job *job, const struct entry *entry, struct trm_error *why)
{
	int r = entry_put(tree_out(job->to), tree_id(job->to), entry);
	return r < 0 ? trm_error_set(why, r, "out of memory") : 0;
}

/* Read once. 1: there may be more; 0: not now, or this was the end. */
static int read_piece(struct trm_copy *copy, struct trm_error *why)
{
	struct job *job = &copy->job;
	struct buf *out = tree_out(job->to);
	char *to = buf_reserve(out, FRAME_HEADER + PIECE);
	if (!to)
		return trm_error_set(why, TRM_ENOMEM, "out of memory");
	ssize_t n = read(copy->opts.in_fd, to + FRAME_HEADER, PIECE);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0)
		return trm_error_set_errno(why, errno, "standard input cannot be read");
	if (n > 0) {
		frame_put_header(out, tree_id(job->to), FRAME_DATA, 0, (size_t)n);
		buf_fill(out, (size_t)n);
		job->sum.bytes += (uint64_t)n;
		return 1;
	}
	const struct entry end = {.kind = ENTRY_END, .size = job->sum.bytes};
	job->whole = job->sum;
	job->is_complete = true;
	trm_watch_remove(job->watch);
	job->watch = NULL;
	return put_entry(job, &end, why);
}

static void on_readable(void *user, int fd, uint32_t events)
{
	struct trm_copy *copy = user;
	struct job *job = &copy->job;
	struct trm_error why;
	(void)fd;
	(void)events;
	if (job->is_over || !job->to)
		return;
	struct trm_sandbox *s = job->to_box->sandbox;
	sandbox_hold(s);
	if (read_piece(copy, &why) < 0) {
		job_over(copy, &why);
	} else if (job->watch && tree_is_full(job->to)) {
		trm_watch_set_events(job->watch, 0);
		tree_wants_pump(job->to);
	}
	sandbox_release(s);
}

int stream_in_pump(struct trm_copy *copy, struct trm_error *why)
{
	struct job *job = &copy->job;
	int r = 1;
	if (job->watch)
		trm_watch_set_events(job->watch, TRM_READ);
	while (!job->watch && !job->is_complete && r > 0 && !tree_is_full(job->to))
		r = read_piece(copy, why);
	if (!job->watch && !job->is_complete && r >= 0)
		tree_wants_pump(job->to);
	return r < 0 ? r : 0;
}

int stream_in_start(struct trm_copy *copy, struct trm_error *why)
{
	struct entry entry = {.kind = ENTRY_FILE, .mode = MODE_OF_NO_FILE};
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	entry.mtime_s = now.tv_sec;
	entry.mtime_ns = (uint32_t)now.tv_nsec;
	int r = watch_descriptor(copy, copy->opts.in_fd, on_readable, why);
	if (r < 0 || (r = put_entry(&copy->job, &entry, why)) < 0)
		return r;
	copy->job.sum.files = 1;
	return stream_in_pump(copy, why);
}

/* ---- out ----------------------------------------------------------------------------------- */

/* Write as much as possible. The rest stays in the backlog. */
static int write_some(struct trm_copy *copy, struct trm_error *why)
{
	struct buf *backlog = &copy->job.backlog;
	while (backlog->len) {
		ssize_t n = write(copy->opts.out_fd, buf_at(backlog), backlog->len);
		if (n > 0)
			buf_take(backlog, (size_t)n);
		else if (n < 0 && errno == EAGAIN)
			break;
		else if (n == 0 || errno != EINTR)
			return trm_error_set_errno(why, errno, "standard output cannot be written");
	}
	return 0;
}

static void on_writable(void *user, int fd, uint32_t events)
{
	struct trm_copy *copy = user;
	struct job *job = &copy->job;
	struct trm_error why;
	(void)fd;
	(void)events;
	if (job->is_over)
		return;
	if (write_some(copy, &why) < 0) {
		job_over(copy, &why);
	} else if (!job->backlog.len) {
		trm_watch_set_events(job->watch, 0);
		if (job->from)
			tree_consume(job->from);
		else
			job_over(copy, NULL);
	}
}

/* What has been appended goes out, or the rest of it as soon as there is room. */
static int flush_backlog(struct trm_copy *copy, struct trm_error *why)
{
	struct job *job = &copy->job;
	int r = write_some(copy, why);
	if (r < 0 || !job->backlog.len)
		return r;
	if (!job->watch)
		return trm_error_set(why, TRM_EIO, "standard output is closed");
	trm_watch_set_events(job->watch, TRM_WRITE);
	return 0;
}

static int archive_entry(struct trm_copy *copy, const struct entry *entry, struct trm_error *why)
{
	struct job *job = &copy->job;
	int r = copy_tar_entry(&job->tar, &job->backlog, entry, why);
	if (r == COPY_TAR_REFUSED && !job->tar.depth)
		return why->code; /* the source itself */
	if (r == COPY_TAR_REFUSED) {
		job->sum.refused++;
		copy_report_skipped(copy, job->from_box, why);
	}
	return r < 0 ? r : flush_backlog(copy, why);
}

static bool begins_archive(const struct trm_copy *copy, const struct entry *entry)
{
	return entry->kind == ENTRY_DIR || (copy->opts.is_archive && entry->kind == ENTRY_FILE);
}

int stream_out_entry(struct trm_copy *copy, const struct entry *entry, struct trm_error *why)
{
	const struct endpoint *source = copy->job.source;
	char base[ENTRY_NAME_MAX + 1];
	if (!copy->job.is_tar && begins_archive(copy, entry)) {
		copy->job.is_tar = true;
		endpoint_base(source, base);
		copy_tar_init(&copy->job.tar, base);
	}
	if (copy->job.is_tar)
		return archive_entry(copy, entry, why);
	switch (entry->kind) {
	case ENTRY_TOTAL:
	case ENTRY_FILE:
	case ENTRY_END: return 0;
	case ENTRY_FAIL:
		return trm_error_set(why, entry->code, "%s:%s: %s", source->name, source->path, entry->text);
	default:
		return trm_error_set(
				why, TRM_EPROTO, "the agent in the sandbox sent data that was not requested");
	}
}

int stream_out_data(struct trm_copy *copy, const void *bytes, size_t n, struct trm_error *why)
{
	struct job *job = &copy->job;
	int r = job->is_tar ? copy_tar_data(&job->tar, &job->backlog, bytes, n, why)
			    : buf_append(&job->backlog, bytes, n);
	if (r < 0 && !job->is_tar)
		trm_error_set(why, r, "out of memory");
	return r < 0 ? r : flush_backlog(copy, why);
}

int stream_out_start(struct trm_copy *copy, struct trm_error *why)
{
	return watch_descriptor(copy, copy->opts.out_fd, on_writable, why);
}
