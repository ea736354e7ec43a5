/* SPDX-License-Identifier: MIT */
/* One-shot requests: one frame to the agent, answered by DONE or ERROR. One of them is a signal to a
 * process that somebody else in the sandbox has started. */
#include <stdlib.h>

#include "base/err.h"
#include "sandbox/sandbox.h"
#include "wire/message.h"

#define BROKE "the agent in the sandbox broke the protocol: "

struct errand {
	struct stream stream;
	trm_done_fn *fn;
	void *user;
};

static void finish_signal(struct stream *stream, const struct trm_error *why)
{
	struct errand *e = (struct errand *)stream;
	streams_remove(&stream->sandbox->streams, stream);
	if (e->fn)
		e->fn(e->user, why);
	free(e);
}

static int on_frame(struct stream *stream, const struct frame *frame, struct trm_error *why)
{
	struct trm_error said = {0};
	if (frame->type == FRAME_ERROR && error_msg_get(frame, &said) < 0)
		return trm_error_set(why, TRM_EPROTO, BROKE "an unreadable error");
	if (frame->type != FRAME_ERROR && frame->type != FRAME_DONE)
		return trm_error_set(why, TRM_EPROTO, BROKE "frame type %u for an answer", frame->type);
	if (frame->type == FRAME_ERROR && !said.code)
		said.code = TRM_EIO;
	finish_signal(stream, &said);
	return 0;
}

static const struct stream_ops ERRAND_OPS = {.frame = on_frame, .end = finish_signal};

int errand_send(struct trm_sandbox *sandbox, enum frame_type type, const struct buf *payload, trm_done_fn *fn,
		void *user, struct trm_error *reterr)
{
	if (!sandbox_is_open(sandbox))
		return trm_error_set(reterr, TRM_ECLOSED, "sandbox '%s' is closed", sandbox->name);
	struct errand *e = calloc(1, sizeof *e);
	if (!e)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	*e = (struct errand){.stream = {.ops = &ERRAND_OPS, .sandbox = sandbox}, .fn = fn, .user = user};
	int r = streams_add(&sandbox->streams, &e->stream, reterr);
	if (r < 0) {
		free(e);
		return r;
	}
	client_send(sandbox, e->stream.id, type, 0, buf_at(payload), payload->len);
	return 0;
}

int trm_sandbox_signal(struct trm_sandbox *sandbox, uint32_t pid, uint64_t start, int signo, bool has_tree,
		trm_done_fn *fn, void *user, struct trm_error *reterr)
{
	char bytes[FRAME_HEADER + 32];
	struct buf whole = {.mem = bytes, .cap = sizeof bytes, .max = sizeof bytes};
	if (signo < 1 || signo > 64)
		return trm_error_set(reterr, TRM_EINVAL, "there is no signal %d", signo);
	const struct signal_pid_msg msg = {pid, start, (uint32_t)signo, has_tree};
	signal_pid_msg_put(&whole, 1, &msg);
	buf_take(&whole, FRAME_HEADER);
	return errand_send(sandbox, FRAME_SIGNAL_PID, &whole, fn, user, reterr);
}
