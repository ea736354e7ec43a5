/* SPDX-License-Identifier: MIT */
#include "sandbox/tree.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/err.h"
#include "wire/message.h"

#define BROKE "the agent in the sandbox broke the protocol: "

enum { SOCKET_BYTES = 2 << 20 };

struct tree {
	struct stream stream;
	const struct tree_cb *cb;
	void *user;
	bool is_put, wants_pump;
	bool is_wide;             /* PUT: the socket's buffer has been enlarged */
	size_t arrived;           /* bytes not yet consumed */
	struct entry_check check; /* of the incoming tree */
	struct entry entry;
	struct tree_sum sum; /* PUT: what the agent had taken before it failed */
};

static void end_tree(struct tree *t, const struct trm_error *why, const struct tree_sum *sum)
{
	streams_remove(&t->stream.sandbox->streams, &t->stream);
	t->cb->done(t->user, why, sum);
	free(t);
}

/* Name the sandbox in the error, because several may take part. */
static void finish_tree(struct stream *stream, const struct trm_error *why)
{
	struct trm_error announced = *why;
	if (!strstr(announced.msg, "sandbox '"))
		err_wrap(&announced, announced.code, "sandbox '%s'", stream->sandbox->name);
	end_tree((struct tree *)stream, &announced, NULL);
}

/* Our side cannot go on. */
static int fail_tree(struct tree *t, const struct trm_error *why)
{
	client_send(t->stream.sandbox, t->stream.id, FRAME_CLOSE, 0, NULL, 0);
	end_tree(t, why, NULL);
	return 0;
}

static int broke(struct trm_error *why)
{
	return err_wrap(why, TRM_EPROTO, "the agent in the sandbox broke the protocol");
}

static int on_note(struct tree *t, struct trm_error *why)
{
	struct trm_error said = {.code = t->entry.code};
	if (t->entry.kind == ENTRY_TOTAL) {
		t->sum = (struct tree_sum){.files = t->entry.files, .bytes = t->entry.size};
		return 0;
	}
	if (t->entry.kind != ENTRY_NOTE)
		return trm_error_set(why, TRM_EPROTO, BROKE "files that were not requested");
	memcpy(said.msg, t->entry.text, sizeof said.msg);
	if (t->cb->refused)
		t->cb->refused(t->user, &said);
	return 0;
}

static int on_entry(struct tree *t, const struct frame *frame, struct trm_error *why)
{
	if (entry_get(frame, &t->entry, why) < 0)
		return broke(why);
	if (t->is_put)
		return on_note(t, why);
	int r = stream_charge(&t->stream, frame->len, why);
	if (r < 0)
		return r;
	t->arrived += frame->len;
	r = entry_check(&t->check, &t->entry, why);
	if (r == TRM_EPROTO)
		return broke(why);
	if (r == 0)
		r = t->cb->entry(t->user, &t->entry, why);
	return r < 0 ? fail_tree(t, why) : 0;
}

static int on_data(struct tree *t, const struct frame *frame, struct trm_error *why)
{
	int r = stream_charge(&t->stream, frame->len, why);
	if (r < 0)
		return r;
	t->arrived += frame->len;
	r = t->is_put ? trm_error_set(why, TRM_EPROTO, "bytes that nobody asked for")
		      : entry_check_data(&t->check, frame->len, why);
	if (r == TRM_EPROTO)
		return broke(why);
	if (r == 0 && frame->len)
		r = t->cb->data(t->user, frame->payload, frame->len, why);
	return r < 0 ? fail_tree(t, why) : 0;
}

static int on_done(struct tree *t, const struct frame *frame, struct trm_error *why)
{
	struct tree_sum sum;
	struct trm_error none = {.code = TRM_OK};
	if (tree_sum_get(frame, &sum) < 0)
		return trm_error_set(why, TRM_EPROTO, BROKE "an unreadable end of a file tree");
	if (!t->is_put && !t->check.is_over)
		return trm_error_set(why, TRM_EPROTO, BROKE "a file tree ends in the middle");
	end_tree(t, &none, &sum);
	return 0;
}

static int on_error(struct tree *t, const struct frame *frame, struct trm_error *why)
{
	struct trm_error said;
	if (error_msg_get(frame, &said) < 0)
		return trm_error_set(why, TRM_EPROTO, BROKE "an unreadable error of a file tree");
	if (!said.code)
		said.code = TRM_EIO;
	end_tree(t, &said, &t->sum);
	return 0;
}

static int on_frame(struct stream *stream, const struct frame *frame, struct trm_error *why)
{
	struct tree *t = (struct tree *)stream;
	switch (frame->type) {
	case FRAME_ENTRY: return on_entry(t, frame, why);
	case FRAME_DATA: return on_data(t, frame, why);
	case FRAME_DONE: return on_done(t, frame, why);
	case FRAME_ERROR: return on_error(t, frame, why);
	default: return trm_error_set(why, TRM_EPROTO, BROKE "frame type %u for a file tree", frame->type);
	}
}

static void pump_tree(struct stream *stream)
{
	struct tree *t = (struct tree *)stream;
	struct trm_error why;
	if (!t->wants_pump)
		return;
	if (tree_is_full(t)) {
		stream->sandbox->wants_pump = true;
		return;
	}
	t->wants_pump = false;
	if (!t->is_wide) /* as the agent does for a GET */
		setsockopt(stream->sandbox->fd, SOL_SOCKET, SO_SNDBUF, &(int){SOCKET_BYTES}, sizeof(int));
	t->is_wide = true;
	if (t->cb->pump(t->user, &why) < 0)
		fail_tree(t, &why);
}

static const struct stream_ops TREE_OPS = {.frame = on_frame, .end = finish_tree, .pump = pump_tree};

static int send_request(
		struct tree *t, enum frame_type type, const struct tree_msg *msg, struct trm_error *reterr)
{
	struct trm_sandbox *s = t->stream.sandbox;
	struct buf whole;
	struct tree_msg own = *msg;
	own.window = TREE_WINDOW;
	buf_init(&whole, FRAME_HEADER + FRAME_MAX_PAYLOAD);
	int r = tree_msg_put(&whole, t->stream.id, type, &own);
	if (r == 0)
		client_send(s, t->stream.id, type, 0, buf_at(&whole) + FRAME_HEADER,
				whole.len - FRAME_HEADER);
	buf_finish(&whole);
	return r < 0 ? trm_error_set(reterr, r, "out of memory") : 0;
}

static int check_paths(const struct trm_sandbox *s, const struct tree_msg *msg, struct trm_error *reterr)
{
	enum { PATH_BYTES = 4096 };
	if (!msg->path || !*msg->path)
		return trm_error_set(reterr, TRM_EINVAL, "the file in the sandbox has no name");
	if (strlen(msg->path) >= PATH_BYTES || (msg->base && strlen(msg->base) > ENTRY_NAME_MAX))
		return trm_error_set(reterr, TRM_EINVAL, "%.60s…: this path is too long", msg->path);
	return sandbox_is_open(s) ? 0 : trm_error_set(reterr, TRM_ECLOSED, "sandbox '%s' is closed", s->name);
}

int tree_open(struct trm_sandbox *sandbox, enum frame_type type, const struct tree_msg *msg,
		const struct tree_cb *cb, void *user, struct tree **ret, struct trm_error *reterr)
{
	int r = check_paths(sandbox, msg, reterr);
	if (r < 0)
		return r;
	struct tree *t = calloc(1, sizeof *t);
	if (!t)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	t->stream = (struct stream){.ops = &TREE_OPS, .sandbox = sandbox, .credit = TREE_WINDOW};
	t->cb = cb;
	t->user = user;
	t->is_put = type == FRAME_TREE_PUT;
	t->check = (struct entry_check){.max_bytes = msg->max_bytes,
			.max_files = msg->max_files,
			.is_list = msg->flags & TREE_LIST};
	r = streams_add(&sandbox->streams, &t->stream, reterr);
	if (r < 0) {
		free(t);
		return r;
	}
	sandbox_hold(sandbox);
	r = send_request(t, type, msg, reterr);
	if (r < 0)
		tree_close(t);
	else
		*ret = t;
	sandbox_release(sandbox);
	return r;
}

void tree_close(struct tree *t)
{
	if (!t)
		return;
	if (t->stream.id) {
		client_send(t->stream.sandbox, t->stream.id, FRAME_CLOSE, 0, NULL, 0);
		streams_remove(&t->stream.sandbox->streams, &t->stream);
	}
	free(t);
}

void tree_consume(struct tree *t)
{
	stream_consume(&t->stream, t->arrived);
	t->arrived = 0;
}

struct buf *tree_out(struct tree *t)
{
	return &t->stream.sandbox->out;
}

uint32_t tree_id(const struct tree *t)
{
	return t->stream.id;
}

bool tree_is_full(const struct tree *t)
{
	const struct trm_sandbox *s = t->stream.sandbox;
	return s->out.len >= SANDBOX_OUT_SOFT_BYTES || s->is_dead;
}

void tree_wants_pump(struct tree *t)
{
	t->wants_pump = true;
	t->stream.sandbox->wants_pump = true;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

void tree_path_init(struct buf *path)
{
	buf_init(path, (ENTRY_DEPTH_MAX + 1) * (ENTRY_NAME_MAX + 1) + 1);
}

/* The NUL at the end is not counted. */
static int end_path(struct buf *path, struct trm_error *why)
{
	int r = buf_append(path, "", 1);
	path->len -= r == 0;
	return r < 0 ? trm_error_set(why, r, "out of memory") : 0;
}

int tree_path_enter(struct buf *path, const char *name, struct trm_error *why)
{
	int r = path->len ? buf_append(path, "/", 1) : 0;
	if (r == 0)
		r = buf_append(path, name, strlen(name));
	return r < 0 ? trm_error_set(why, r, "out of memory") : end_path(path, why);
}

void tree_path_leave(struct buf *path)
{
	const char *text = buf_at(path), *slash = path->len ? memrchr(text, '/', path->len) : NULL;
	path->len = slash ? (size_t)(slash - text) : 0;
}

struct trm_file tree_describe(const struct entry *entry, const char *name)
{
	static const enum trm_file_kind kinds[] = {
			[ENTRY_DIR] = TRM_FILE_DIR,
			[ENTRY_FILE] = TRM_FILE_REGULAR,
			[ENTRY_LINK] = TRM_FILE_LINK,
			[ENTRY_OTHER] = TRM_FILE_OTHER,
			[ENTRY_FAIL] = TRM_FILE_OTHER,
	};
	return (struct trm_file){.name = name,
			.kind = kinds[entry->kind],
			.mode = entry->mode,
			.size = entry->kind == ENTRY_FILE ? entry->size : 0,
			.mtime_s = entry->mtime_s,
			.mtime_ns = entry->mtime_ns,
			.target = entry->kind == ENTRY_LINK ? entry->text : ""};
}
