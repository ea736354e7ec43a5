/* SPDX-License-Identifier: MIT */
#include "agent/files/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/core/agent.h"
#include "base/clock.h"
#include "base/err.h"
#include "wire/pack.h"

enum {
	CHUNK = 128 * 1024,
	TEMP_TRIES = 100,
	MODE_MASK = 0777, /* no set-id bits from outside */
};

struct transfer {
	struct stream stream;
	int fd;
	char *path;      /* as the client named it */
	char *temp_path; /* PUT: the bytes go here until the end; NULL for GET */
	uint32_t mode;
	uint64_t size; /* PUT: announced; GET: the most it may be */
	uint64_t done;
	uint64_t credit; /* GET */
};

static void transfer_close(struct stream *stream);
static void put_credit(struct stream *stream, uint32_t n);
static void get_credit(struct stream *stream, uint32_t n);
static void put_room(struct stream *stream);
static void get_room(struct stream *stream);

static const struct stream_ops put_ops = {.close = transfer_close, .credit = put_credit, .room = put_room};
static const struct stream_ops get_ops = {.close = transfer_close, .credit = get_credit, .room = get_room};

static void transfer_destroy(struct transfer *transfer)
{
	if (!transfer)
		return;
	if (transfer->fd >= 0)
		close(transfer->fd);
	if (transfer->temp_path)
		unlink(transfer->temp_path);
	free(transfer->temp_path);
	free(transfer->path);
	free(transfer);
}

/* fd -1, no stream yet. NULL: no memory. */
static struct transfer *transfer_create(const char *path)
{
	struct transfer *transfer = calloc(1, sizeof *transfer);
	if (!transfer)
		return NULL;
	transfer->fd = -1;
	transfer->path = strdup(path);
	if (transfer->path)
		return transfer;
	free(transfer);
	return NULL;
}

static void transfer_close(struct stream *stream)
{
	stream_remove(stream);
	transfer_destroy(OWNER_OF(stream, struct transfer, stream));
}

/* Messages for errors that strerror() describes badly. */
static const struct {
	int error, code;
	const char *text;
} refusals[] = {
		{EISDIR, TRM_EINVAL, "this is a directory, and only files are copied"},
		{EINVAL, TRM_EINVAL, "this is not a regular file, and only regular files are copied"},
		{EFBIG, TRM_ETOOBIG, "the file is bigger than allowed"},
		{EAGAIN, TRM_EINVAL, "reading this file would block"},
};

static void fail(struct transfer *transfer, int error)
{
	struct trm_error sentence = {.code = TRM_OK};
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		if (refusals[i].error == error)
			trm_error_set(&sentence, refusals[i].code, "%s: %s", transfer->path,
					refusals[i].text);
	if (!sentence.code)
		trm_error_set_errno(&sentence, error, "%s: cannot be %s", transfer->path,
				transfer->stream.ops == &put_ops ? "written" : "read");
	client_error(transfer->stream.client, transfer->stream.id, sentence.code, "%s", sentence.msg);
	transfer_close(&transfer->stream);
}

static void finish(struct transfer *transfer)
{
	struct client *client = transfer->stream.client;
	struct buf payload;
	buf_init(&payload, 64);
	struct pack pack = {.to = &payload};
	pack_u64(&pack, transfer->done);
	pack_u32(&pack, transfer->mode);
	agent_client_send(client, transfer->stream.id, FRAME_DONE, 0, buf_at(&payload), payload.len);
	buf_finish(&payload);
	transfer_close(&transfer->stream);
}

/* ---- PUT ---- */

static int open_temp(struct transfer *transfer)
{
	const char *slash = strrchr(transfer->path, '/');
	int dir_len = slash ? (int)(slash - transfer->path) + 1 : 0;
	size_t cap = (size_t)dir_len + 48;
	transfer->temp_path = malloc(cap);
	if (!transfer->temp_path)
		return -1;
	for (int i = 0; i < TEMP_TRIES && transfer->fd < 0; i++) {
		snprintf(transfer->temp_path, cap, "%.*s.terrarium-%llx.tmp", dir_len, transfer->path,
				(unsigned long long)clock_ns());
		transfer->fd = open(transfer->temp_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				0600);
		if (transfer->fd < 0 && errno != EEXIST)
			break;
	}
	if (transfer->fd >= 0)
		return 0;
	int error = errno;
	free(transfer->temp_path); /* not ours to unlink */
	transfer->temp_path = NULL;
	errno = error;
	return -1;
}

static void put_finish(struct transfer *transfer)
{
	struct stat target;
	if (stat(transfer->path, &target) == 0 && S_ISDIR(target.st_mode)) {
		fail(transfer, EISDIR);
		return;
	}
	if (fchmod(transfer->fd, transfer->mode) < 0 || rename(transfer->temp_path, transfer->path) < 0) {
		fail(transfer, errno);
		return;
	}
	free(transfer->temp_path);
	transfer->temp_path = NULL;
	finish(transfer);
}

void transfer_put(struct client *client, uint32_t stream, const char *path, uint32_t mode, uint64_t size)
{
	struct transfer *transfer = transfer_create(path);
	if (!transfer) {
		client_error(client, stream, TRM_ENOMEM, "the agent is out of memory");
		return;
	}
	stream_add(&transfer->stream, &put_ops, client, stream);
	transfer->mode = mode & MODE_MASK;
	transfer->size = size;
	if (open_temp(transfer) < 0)
		fail(transfer, errno);
	else if (!size)
		put_finish(transfer);
}

static int write_whole(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t done = write(fd, bytes, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		bytes += done;
		n -= (size_t)done;
	}
	return 0;
}

int transfer_data(struct stream *stream, const char *bytes, size_t n)
{
	if (stream->ops != &put_ops)
		return TRM_EPROTO;
	struct transfer *transfer = OWNER_OF(stream, struct transfer, stream);
	if (n > transfer->size - transfer->done)
		return TRM_EPROTO;
	if (write_whole(transfer->fd, bytes, n) < 0) {
		fail(transfer, errno);
		return 0;
	}
	transfer->done += n;
	if (transfer->done == transfer->size)
		put_finish(transfer);
	return 0;
}

static void put_credit(struct stream *stream, uint32_t n)
{
	(void)stream, (void)n; /* a PUT sends nothing that needs credit */
}

static void put_room(struct stream *stream)
{
	(void)stream;
}

/* ---- GET ---- */

static bool is_at_end(const struct transfer *transfer)
{
	char byte;
	return pread(transfer->fd, &byte, 1, (off_t)transfer->done) == 0;
}

/* Send one piece. Returns false if it has to wait, or has ended and is freed. */
static bool send_piece(struct transfer *transfer)
{
	struct client *client = transfer->stream.client;
	size_t max = transfer->credit < CHUNK ? (size_t)transfer->credit : CHUNK;
	if (!max) {
		if (is_at_end(transfer))
			finish(transfer); /* the end needs no credit */
		return false;
	}
	char *at = buf_reserve(&client->out, FRAME_HEADER + max);
	ssize_t n = -1;
	errno = ENOMEM;
	if (at)
		n = read(transfer->fd, at + FRAME_HEADER, max);
	if (n == 0) {
		finish(transfer);
		return false;
	}
	if (n < 0 || (uint64_t)n > transfer->size - transfer->done) {
		fail(transfer, n < 0 ? errno : EFBIG);
		return false;
	}
	frame_put_header(&client->out, transfer->stream.id, FRAME_DATA, 0, (size_t)n);
	buf_fill(&client->out, (size_t)n);
	transfer->done += (uint64_t)n;
	transfer->credit -= (uint64_t)n;
	return true;
}

/* Fills the client's queue at most. get_room() sends the rest. */
static void send_pieces(struct transfer *transfer)
{
	while (client_has_room(transfer->stream.client) && send_piece(transfer))
		;
}

static void get_credit(struct stream *stream, uint32_t n)
{
	struct transfer *transfer = OWNER_OF(stream, struct transfer, stream);
	transfer->credit += n;
	send_pieces(transfer);
}

static void get_room(struct stream *stream)
{
	send_pieces(OWNER_OF(stream, struct transfer, stream));
}

/* 0, or an errno. */
static int open_regular(struct transfer *transfer)
{
	struct stat status;
	transfer->fd = open(transfer->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (transfer->fd < 0 || fstat(transfer->fd, &status) < 0)
		return errno;
	if (S_ISDIR(status.st_mode))
		return EISDIR;
	if (!S_ISREG(status.st_mode))
		return EINVAL;
	if (!agent_may_show(transfer->stream.client->agent, transfer->fd))
		return EACCES;
	transfer->mode = status.st_mode & 07777;
	return status.st_size >= 0 && (uint64_t)status.st_size > transfer->size ? EFBIG : 0;
}

void transfer_get(
		struct client *client, uint32_t stream, const char *path, uint64_t max_bytes, uint32_t window)
{
	struct transfer *transfer = transfer_create(path);
	if (!transfer) {
		client_error(client, stream, TRM_ENOMEM, "the agent is out of memory");
		return;
	}
	stream_add(&transfer->stream, &get_ops, client, stream);
	transfer->size = max_bytes;
	transfer->credit = window;
	int error = open_regular(transfer);
	if (error)
		fail(transfer, error);
	else
		send_pieces(transfer);
}
