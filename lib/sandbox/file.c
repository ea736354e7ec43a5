/* SPDX-License-Identifier: MIT */
/* Whole files into the sandbox and out of it. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "sandbox/sandbox.h"
#include "wire/message.h"

enum { PIECE_BYTES = 64 * 1024, PATH_BYTES = 4096 };

struct trm_transfer {
	struct stream stream;
	const struct trm_transfer_cb *cb;
	void *user;
	bool is_put;
	char *bytes;   /* put: a copy of all */
	uint64_t size; /* put: of the file. get: the most that may come */
	uint64_t moved;
};

#define BROKE "the agent in the sandbox broke the protocol: "

static void transfer_end(struct trm_transfer *t, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	streams_remove(&t->stream.sandbox->streams, &t->stream);
	if (t->cb->done)
		t->cb->done(t->user, why, size, mode);
	free(t->bytes);
	free(t);
}

static void finish_file(struct stream *stream, const struct trm_error *why)
{
	transfer_end((struct trm_transfer *)stream, why, 0, 0);
}

static int on_data(struct trm_transfer *t, const struct frame *frame, struct trm_error *why)
{
	int r = stream_charge(&t->stream, frame->len, why);
	if (r < 0)
		return r;
	if (t->is_put || frame->len > t->size - t->moved)
		return trm_error_set(why, TRM_EPROTO, BROKE "more file bytes than were asked for");
	t->moved += frame->len;
	if (frame->len && t->cb->data)
		t->cb->data(t->user, frame->payload, frame->len);
	stream_consume(&t->stream, frame->len);
	return 0;
}

static int on_done(struct trm_transfer *t, const struct frame *frame, struct trm_error *why)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	uint64_t size = unpack_u64(&u);
	uint32_t mode = unpack_u32(&u);
	struct trm_error none = {0};
	if (u.bad || size != t->moved || (t->is_put && size != t->size))
		return trm_error_set(why, TRM_EPROTO, BROKE "a file's size is not the number of its bytes");
	transfer_end(t, &none, size, mode & 07777);
	return 0;
}

static int on_error(struct trm_transfer *t, const struct frame *frame, struct trm_error *why)
{
	struct trm_error said;
	if (error_msg_get(frame, &said) < 0)
		return trm_error_set(why, TRM_EPROTO, BROKE "an unreadable error of a file transfer");
	if (!said.code)
		said.code = TRM_EIO;
	transfer_end(t, &said, 0, 0);
	return 0;
}

static int on_frame(struct stream *stream, const struct frame *frame, struct trm_error *why)
{
	struct trm_transfer *t = (struct trm_transfer *)stream;
	switch (frame->type) {
	case FRAME_DATA: return on_data(t, frame, why);
	case FRAME_DONE: return on_done(t, frame, why);
	case FRAME_ERROR: return on_error(t, frame, why);
	default:
		return trm_error_set(why, TRM_EPROTO, BROKE "frame type %u for a file transfer", frame->type);
	}
}

static void pump_file(struct stream *stream)
{
	struct trm_transfer *t = (struct trm_transfer *)stream;
	struct trm_sandbox *s = stream->sandbox;
	while (t->is_put && t->moved < t->size && s->out.len < SANDBOX_OUT_SOFT_BYTES && !s->is_dead) {
		size_t n = t->size - t->moved < PIECE_BYTES ? (size_t)(t->size - t->moved) : PIECE_BYTES;
		client_send(s, stream->id, FRAME_DATA, 0, t->bytes + t->moved, n);
		t->moved += n;
	}
	if (t->is_put && t->moved < t->size)
		s->wants_pump = true;
}

static const struct stream_ops TRANSFER_OPS = {.frame = on_frame, .end = finish_file, .pump = pump_file};

static int check_transfer(const struct trm_sandbox *s, const char *path, struct trm_error *reterr)
{
	if (!path || !*path)
		return trm_error_set(reterr, TRM_EINVAL, "the file in the sandbox has no name");
	if (strlen(path) >= PATH_BYTES)
		return trm_error_set(reterr, TRM_EINVAL, "the path in the sandbox is longer than %d bytes",
				PATH_BYTES - 1);
	if (!sandbox_is_open(s))
		return trm_error_set(reterr, TRM_ECLOSED, "sandbox '%s' is closed", s->name);
	return 0;
}

static int transfer_new(struct trm_sandbox *s, const struct trm_transfer_cb *cb, void *user,
		struct trm_transfer **ret, struct trm_error *reterr)
{
	static const struct trm_transfer_cb none;
	struct trm_transfer *t = calloc(1, sizeof *t);
	if (!t)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	t->stream = (struct stream){.ops = &TRANSFER_OPS, .sandbox = s, .credit = SANDBOX_WINDOW};
	t->cb = cb ? cb : &none;
	t->user = user;
	int r = streams_add(&s->streams, &t->stream, reterr);
	if (r < 0) {
		free(t);
		return r;
	}
	*ret = t;
	return 0;
}

/* PUT and GET: a path and numbers. */
static void send_request(struct trm_transfer *t, enum frame_type type, const char *path, uint32_t mode)
{
	char bytes[PATH_BYTES + 32];
	struct buf payload = {.mem = bytes, .cap = sizeof bytes, .max = sizeof bytes};
	struct pack p = {.to = &payload};
	pack_str(&p, path);
	if (type == FRAME_PUT)
		pack_u32(&p, mode);
	pack_u64(&p, t->size);
	if (type == FRAME_GET)
		pack_u32(&p, SANDBOX_WINDOW);
	client_send(t->stream.sandbox, t->stream.id, type, 0, buf_at(&payload), payload.len);
}

int trm_file_put(struct trm_sandbox *sandbox, const char *path, uint32_t mode, const void *bytes, size_t n,
		const struct trm_transfer_cb *cb, void *user, struct trm_error *reterr)
{
	struct trm_transfer *t = NULL;
	int r = check_transfer(sandbox, path, reterr);
	if (r < 0)
		return r;
	char *copy = malloc(n ? n : 1);
	if (!copy)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	if ((r = transfer_new(sandbox, cb, user, &t, reterr)) < 0) {
		free(copy);
		return r;
	}
	if (n)
		memcpy(copy, bytes, n);
	t->is_put = true;
	t->bytes = copy;
	t->size = n;
	sandbox_hold(sandbox);
	send_request(t, FRAME_PUT, path, mode & 07777);
	pump_file(&t->stream);
	sandbox_release(sandbox);
	return 0;
}

int trm_file_get(struct trm_sandbox *sandbox, const char *path, uint64_t max_bytes,
		const struct trm_transfer_cb *cb, void *user, struct trm_error *reterr)
{
	struct trm_transfer *t = NULL;
	int r = check_transfer(sandbox, path, reterr);
	if (r < 0 || (r = transfer_new(sandbox, cb, user, &t, reterr)) < 0)
		return r;
	t->size = max_bytes;
	send_request(t, FRAME_GET, path, 0);
	return 0;
}
