/* SPDX-License-Identifier: MIT */
/* Processes in the sandbox. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/opts.h"
#include "sandbox/sandbox.h"
#include "wire/message.h"

#ifndef PROC_QUEUE_MAX
#define PROC_QUEUE_MAX (64u * 1024 * 1024)
#endif

/* Bytes for the process on one channel. */
struct input {
	struct buf queue;   /* waits for credit */
	uint32_t in_flight; /* sent, and not yet read by the process */
	uint8_t channel;
};

struct trm_proc {
	struct stream stream;
	const struct trm_proc_cb *cb;
	void *user;
	bool is_started, is_pty, has_control, has_manual_credit;
	bool has_unread;    /* it ended with unread requests */
	bool is_closed;     /* by the caller: only `exited` follows */
	bool wants_eof;     /* once the queue for stdin is empty */
	bool owes_drained;  /* input has queued up: report when it is gone */
	unsigned n_outputs; /* channels 0 to n_outputs-1 carry output */
	size_t unconsumed;  /* with manual credit: delivered, but the caller has not consumed it yet */
	struct input in, control, note;
	const struct proc_share *share; /* NULL: the process is ours alone */
	struct flood flood;
	bool tells_limit;
	struct trm_sample began; /* with tells_limit: the limit counters at the start */
	struct said last_words;  /* with tells_limit: the end of its stderr, or terminal output */
};

#define BROKE "the agent in the sandbox broke the protocol: "

static void proc_free(struct trm_proc *p)
{
	flood_finish(&p->flood);
	said_finish(&p->last_words);
	buf_finish(&p->in.queue);
	buf_finish(&p->control.queue);
	buf_finish(&p->note.queue);
	free(p);
}

/* ---- from the agent ------------------------------------------------------------ */

static int on_started(struct trm_proc *p, const struct frame *frame, struct trm_error *why)
{
	struct started_msg msg;
	if (p->is_started || started_msg_get(frame, &msg) < 0)
		return trm_error_set(why, TRM_EPROTO, BROKE "a process that starts twice");
	p->is_started = true;
	if (p->tells_limit)
		metrics_events_now(p->stream.sandbox, false, &p->began, NULL);
	if (p->cb->started)
		p->cb->started(p->user, p, msg.pid);
	if (p->share && !p->is_closed)
		p->share->started(p->user, &msg);
	return 0;
}

static int on_turn(struct trm_proc *p, const struct frame *frame, struct trm_error *why)
{
	enum turn_word word;
	if (!p->share || turn_msg_get(frame, &word) < 0 || word < TURN_YOURS)
		return trm_error_set(why, TRM_EPROTO, BROKE "an unreadable word about a turn");
	p->share->turn(p->user, word == TURN_YOURS    ? PROC_TURN_OURS
				: word == TURN_WANTED ? PROC_TURN_WANTED
						      : PROC_TURN_TAKEN);
	return 0;
}

static int on_output(struct trm_proc *p, const struct frame *frame, struct trm_error *why)
{
	bool is_control =
			(frame->channel == CHANNEL_CONTROL && p->has_control)
			|| (p->share && (frame->channel == CHANNEL_NOTE || frame->channel == CHANNEL_ENDED));
	if (!p->is_started || (!is_control && frame->channel >= p->n_outputs))
		return trm_error_set(why, TRM_EPROTO,
				BROKE "output on channel %u of a process that has none there",
				frame->channel);
	int r = stream_charge(&p->stream, frame->len, why);
	if (r == 0 && !frame->len && frame->channel == CHANNEL_CONTROL && p->cb->hung_up)
		p->cb->hung_up(p->user, p);
	if (r < 0 || !frame->len)
		return r;
	size_t n = is_control ? frame->len : flood_admit(&p->flood, p, frame->len);
	if (p->has_manual_credit)
		p->unconsumed += n;
	if (p->tells_limit && n && frame->channel == (p->is_pty ? CHANNEL_STDOUT : CHANNEL_STDERR))
		said_note(&p->last_words, frame->payload, n);
	if (p->cb->output && n)
		p->cb->output(p->user, p, is_control ? frame->channel : TRM_STDOUT + frame->channel,
				frame->payload, n);
	stream_consume(&p->stream, p->has_manual_credit ? frame->len - n : frame->len);
	return 0;
}

static void pump_input(struct trm_proc *p, struct input *in)
{
	while (in->queue.len && in->in_flight < FRAME_INPUT_WINDOW) {
		size_t n = FRAME_INPUT_WINDOW - in->in_flight;
		if (n > in->queue.len)
			n = in->queue.len;
		client_send(p->stream.sandbox, p->stream.id, FRAME_INPUT, in->channel, buf_at(&in->queue), n);
		in->in_flight += (uint32_t)n;
		buf_take(&in->queue, n);
	}
}

static void send_stdin_state(struct trm_proc *p, enum stdin_state state)
{
	uint8_t byte = (uint8_t)state;
	client_send(p->stream.sandbox, p->stream.id, FRAME_STDIN, 0, &byte, 1);
}

static void send_eof_when_empty(struct trm_proc *p)
{
	if (!p->wants_eof || p->in.queue.len)
		return;
	p->wants_eof = false;
	send_stdin_state(p, STDIN_EOF);
}

static int on_input_credit(struct trm_proc *p, const struct frame *frame, struct trm_error *why)
{
	struct unpack u = {.at = frame->payload, .left = frame->len};
	uint32_t n = unpack_u32(&u);
	struct input *in = frame->channel == CHANNEL_STDIN  ? &p->in
			   : frame->channel == CHANNEL_NOTE ? &p->note
							    : &p->control;
	if (u.bad || frame->channel != in->channel || n > in->in_flight)
		return trm_error_set(why, TRM_EPROTO, BROKE "credit for input that was never sent");
	in->in_flight -= n;
	pump_input(p, in);
	send_eof_when_empty(p);
	if (p->owes_drained && trm_proc_queued(p) <= FRAME_INPUT_WINDOW / 2) {
		p->owes_drained = false;
		if (p->cb->drained)
			p->cb->drained(p->user, p);
	}
	return 0;
}

static void tell_limit(struct trm_proc *p, struct trm_exit *status)
{
	struct limit_report limit_report = {
			.sandbox = p->stream.sandbox,
			.before = p->began,
			.last_words = said_text(&p->last_words),
	};
	limit_report_by_process(&limit_report, status, status->limit, sizeof status->limit);
}

static int on_exited(struct trm_proc *p, const struct frame *frame, struct trm_error *why)
{
	struct exited_msg msg;
	if (!p->is_started || exited_msg_get(frame, &msg) < 0)
		return trm_error_set(why, TRM_EPROTO, BROKE "an unreadable exit of a process");
	struct trm_exit status = {
			.exit_code = msg.signal ? -1 : msg.exit_code,
			.signal = (int)msg.signal,
			.user_us = msg.user_us,
			.system_us = msg.system_us,
			.max_rss_bytes = msg.max_rss_bytes,
			.oom_kills = msg.oom_kills,
			.over_output_bytes = p->flood.is_over ? p->flood.max_bytes : 0,
			.is_by_other = msg.by_client && msg.by_client != p->stream.sandbox->client,
	};
	if (status.is_by_other)
		status.by_pid = msg.by_pid;
	if (p->tells_limit)
		tell_limit(p, &status);
	struct trm_error none = {0};
	p->has_unread = msg.has_unread;
	streams_remove(&p->stream.sandbox->streams, &p->stream);
	if (p->cb->exited)
		p->cb->exited(p->user, p, &status, &none);
	proc_free(p);
	return 0;
}

static void finish_proc(struct stream *stream, const struct trm_error *why)
{
	struct trm_proc *p = (struct trm_proc *)stream;
	if (p->cb->exited)
		p->cb->exited(p->user, p, NULL, why);
	proc_free(p);
}

static int on_error(struct trm_proc *p, const struct frame *frame, struct trm_error *why)
{
	struct trm_error said;
	if (error_msg_get(frame, &said) < 0)
		return trm_error_set(why, TRM_EPROTO, BROKE "an unreadable error of a process");
	if (!said.code)
		said.code = TRM_EIO;
	streams_remove(&p->stream.sandbox->streams, &p->stream);
	finish_proc(&p->stream, &said);
	return 0;
}

static int on_frame(struct stream *stream, const struct frame *frame, struct trm_error *why)
{
	struct trm_proc *p = (struct trm_proc *)stream;
	switch (frame->type) {
	case FRAME_OUTPUT: return on_output(p, frame, why);
	case FRAME_INPUT_CREDIT: return on_input_credit(p, frame, why);
	case FRAME_STARTED: return on_started(p, frame, why);
	case FRAME_TURN: return on_turn(p, frame, why);
	case FRAME_EXITED: return on_exited(p, frame, why);
	case FRAME_ERROR: return on_error(p, frame, why);
	default: return trm_error_set(why, TRM_EPROTO, BROKE "frame type %u for a process", frame->type);
	}
}

static const struct stream_ops PROC_OPS = {.frame = on_frame, .end = finish_proc};

/* ---- starting ---------------------------------------------------------------------- */

static int check_opts(const struct trm_proc_opts *o, struct trm_error *reterr)
{
	if (!o->argv || !o->argv[0] || !o->argv[0][0])
		return trm_error_set(reterr, TRM_EINVAL, "there is no command to start");
	if (!o->control && (o->script_len || o->spare_channels))
		return trm_error_set(
				reterr, TRM_EINVAL, "a script and spare channels need the control pipes");
	if (o->control && o->pty)
		return trm_error_set(reterr, TRM_EINVAL, "a process has either control pipes or a terminal");
	if (o->spare_channels > SPARE_SETS_MAX)
		return trm_error_set(reterr, TRM_EINVAL, "a process has at most %d spare channels",
				SPARE_SETS_MAX);
	if (o->label && strlen(o->label) > SPAWN_LABEL_MAX)
		return trm_error_set(reterr, TRM_EINVAL, "the label of a process has at most %d bytes",
				SPAWN_LABEL_MAX);
	if (o->pty && (!o->rows || !o->cols))
		return trm_error_set(reterr, TRM_EINVAL, "a terminal needs rows and columns");
	return 0;
}

static uint32_t spawn_flags(const struct trm_proc_opts *o, const struct proc_share *share)
{
	return (o->pty ? SPAWN_PTY : 0u) | (o->cwd ? 0u : SPAWN_ELSEWHERE) | (o->control ? SPAWN_CONTROL : 0u)
	       | (o->stdin_open ? SPAWN_STDIN_OPEN : 0u) | (share ? SPAWN_KEEP : 0u)
	       | (share && share->attaches ? SPAWN_ATTACH : 0u)
	       | (share && share->wants_recent ? SPAWN_RECENT : 0u)
	       | (share && share->is_resumed ? SPAWN_RESUMED : 0u)
	       | (share && share->wants_past ? SPAWN_PAST : 0u);
}

static int send_spawn(struct trm_proc *p, const struct trm_proc_opts *o, struct trm_error *reterr)
{
	struct trm_sandbox *s = p->stream.sandbox;
	bool is_new = !p->share || !p->share->attaches;
	char by[ANNOUNCED_BY_MAX + 1];
	snprintf(by, sizeof by, "%s", o->reported_by ? o->reported_by : "");
	struct spawn_msg msg = {
			.key = (char *)(p->share ? p->share->key : NULL),
			.flags = spawn_flags(o, p->share),
			.rows = o->rows,
			.cols = o->cols,
			.spare_sets = o->spare_channels,
			.window = SANDBOX_WINDOW,
			.argv = (char **)o->argv,
			.env = is_new ? (char **)o->env : NULL,
			.cwd = (char *)(o->cwd ? o->cwd : s->workdir),
			.script = is_new ? o->script : NULL,
			.script_len = is_new ? o->script_len : 0,
			.label = (char *)o->label,
			.by = by,
	};
	int r = spawn_msg_put(&s->out, p->stream.id, &msg);
	if (r < 0)
		return trm_error_set(reterr, r,
				"the command '%.80s' with its arguments, environment and script is too long",
				o->argv[0]);
	return 0;
}

static struct trm_proc *proc_new(struct trm_sandbox *s, const struct trm_proc_opts *o,
		const struct trm_proc_cb *cb, void *user)
{
	static const struct trm_proc_cb none;
	struct trm_proc *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->stream = (struct stream){.ops = &PROC_OPS, .sandbox = s, .credit = SANDBOX_WINDOW};
	p->cb = cb ? cb : &none;
	p->user = user;
	p->is_pty = o->pty;
	p->has_control = o->control;
	p->has_manual_credit = o->manual_credit;
	p->n_outputs = o->pty ? 1 : 2 + 2 * o->spare_channels;
	p->in.channel = CHANNEL_STDIN;
	p->control.channel = CHANNEL_CONTROL;
	p->note.channel = CHANNEL_NOTE;
	buf_init(&p->note.queue, PROC_QUEUE_MAX);
	buf_init(&p->in.queue, PROC_QUEUE_MAX);
	buf_init(&p->control.queue, PROC_QUEUE_MAX);
	return p;
}

int proc_spawn_shared(struct trm_sandbox *sandbox, const struct trm_proc_opts *opts,
		const struct proc_share *share, const struct trm_proc_cb *cb, void *user,
		struct trm_proc **ret_proc, struct trm_error *reterr)
{
	int r = check_opts(opts, reterr);
	if (r < 0)
		return r;
	if (!sandbox_is_open(sandbox))
		return trm_error_set(reterr, TRM_ECLOSED, "sandbox '%s' is closed", sandbox->name);
	struct trm_proc *p = proc_new(sandbox, opts, cb, user);
	if (!p)
		return trm_error_set(reterr, TRM_ENOMEM, "out of memory");
	p->share = share;
	p->tells_limit = opts->tells_limit;
	sandbox_hold(sandbox);
	if ((r = flood_init(&p->flood, p, sandbox->loop, opts->output_max_bytes, reterr)) < 0
			|| (r = streams_add(&sandbox->streams, &p->stream, reterr)) < 0
			|| (r = send_spawn(p, opts, reterr)) < 0) {
		streams_remove(&sandbox->streams, &p->stream);
		proc_free(p);
	} else {
		*ret_proc = p;
	}
	sandbox_release(sandbox);
	return r;
}

int trm_proc_spawn(struct trm_sandbox *sandbox, const struct trm_proc_opts *opts,
		const struct trm_proc_cb *cb, void *user, struct trm_proc **ret_proc,
		struct trm_error *reterr)
{
	struct trm_proc_opts own = TRM_PROC_OPTS_INIT;
	int r = opts_take(&own, sizeof own, opts, reterr);
	return r < 0 ? r : proc_spawn_shared(sandbox, &own, NULL, cb, user, ret_proc, reterr);
}

/* ---- the caller's requests ------------------------------------------------------------------ */

static bool is_over(const struct trm_proc *p)
{
	return p->is_closed || !p->stream.id;
}

static int check_room(const struct input *in, size_t n, struct trm_error *reterr)
{
	if (n > PROC_QUEUE_MAX - in->queue.len)
		return trm_error_set(reterr, TRM_ETOOBIG,
				"more than %u MiB of input is already waiting for the process",
				PROC_QUEUE_MAX / 1024 / 1024);
	return 0;
}

int proc_check_room(const struct trm_proc *proc, size_t n, struct trm_error *reterr)
{
	return check_room(&proc->in, n, reterr);
}

/* Bytes that fit the window are sent at once, without a copy. */
static int write_input(
		struct trm_proc *p, struct input *in, const char *bytes, size_t n, struct trm_error *reterr)
{
	size_t now = 0;
	int r = check_room(in, n, reterr);
	if (r < 0)
		return r;
	if (!in->queue.len)
		now = n < FRAME_INPUT_WINDOW - in->in_flight ? n : FRAME_INPUT_WINDOW - in->in_flight;
	r = buf_append(&in->queue, bytes + now, n - now);
	if (r < 0)
		return trm_error_set(reterr, r, "out of memory");
	if (now) {
		in->in_flight += (uint32_t)now;
		client_send(p->stream.sandbox, p->stream.id, FRAME_INPUT, in->channel, bytes, now);
	}
	return 0;
}

int trm_proc_write(struct trm_proc *proc, unsigned channel, const void *bytes, size_t n,
		struct trm_error *reterr)
{
	if (is_over(proc))
		return trm_error_set(reterr, TRM_ECLOSED, "the process has ended");
	if (channel != TRM_STDIN && !(channel == TRM_CONTROL && proc->has_control))
		return trm_error_set(reterr, TRM_EINVAL, "the process takes no input on channel %u", channel);
	int r = write_input(proc, channel == TRM_STDIN ? &proc->in : &proc->control, bytes, n, reterr);
	if (r == 0 && channel == TRM_STDIN && trm_proc_queued(proc) > FRAME_INPUT_WINDOW / 2)
		proc->owes_drained = true;
	return r;
}

int proc_send_note(struct trm_proc *proc, const void *bytes, size_t n, struct trm_error *reterr)
{
	if (is_over(proc))
		return trm_error_set(reterr, TRM_ECLOSED, "the process has ended");
	return write_input(proc, &proc->note, bytes, n, reterr);
}

static void send_turn(struct trm_proc *proc, enum turn_word word)
{
	const uint8_t byte = (uint8_t)word;
	if (!is_over(proc))
		client_send(proc->stream.sandbox, proc->stream.id, FRAME_TURN, 0, &byte, 1);
}

void proc_want_turn(struct trm_proc *proc)
{
	send_turn(proc, TURN_WANT);
}

void proc_take_turn(struct trm_proc *proc)
{
	send_turn(proc, TURN_TAKE);
}

void proc_release_turn(struct trm_proc *proc)
{
	send_turn(proc, TURN_RELEASE);
}

bool proc_has_unread(const struct trm_proc *proc)
{
	return proc->has_unread;
}

void proc_drop_input(struct trm_proc *proc)
{
	buf_clear(&proc->in.queue);
	buf_clear(&proc->control.queue);
	buf_clear(&proc->note.queue);
	proc->wants_eof = proc->owes_drained = false;
}

size_t trm_proc_queued(const struct trm_proc *proc)
{
	return proc->in.queue.len + proc->in.in_flight;
}

void trm_proc_open_stdin(struct trm_proc *proc)
{
	if (is_over(proc) || proc->is_pty)
		return;
	if (proc->wants_eof)
		proc->wants_eof = false; /* not sent yet */
	else
		send_stdin_state(proc, STDIN_OPEN);
}

void trm_proc_close_stdin(struct trm_proc *proc)
{
	if (is_over(proc))
		return;
	proc->wants_eof = true;
	send_eof_when_empty(proc);
}

void trm_proc_reset_stdin(struct trm_proc *proc)
{
	if (is_over(proc))
		return;
	buf_clear(&proc->in.queue);
	proc->wants_eof = proc->owes_drained = false;
	send_stdin_state(proc, STDIN_RESET);
}

int trm_proc_signal(struct trm_proc *proc, int signo, enum trm_signal_scope scope)
{
	unsigned char payload[5] = {(unsigned char)signo, [4] = scope == TRM_SIGNAL_TREE};
	if (signo < 1 || signo > SIGRTMAX)
		return TRM_EINVAL;
	if (is_over(proc))
		return TRM_ECLOSED;
	client_send(proc->stream.sandbox, proc->stream.id, FRAME_SIGNAL, 0, payload, sizeof payload);
	return 0;
}

void proc_ask_kill_leftovers(struct trm_sandbox *sandbox, const struct trm_proc *proc, uint32_t age_ms)
{
	char payload[16];
	struct timespec now;
	clock_gettime(CLOCK_BOOTTIME, &now);
	uint64_t now_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	frame_store_u32(payload, proc && !is_over(proc) ? proc->stream.id : 0);
	frame_store_u32(payload + 4, age_ms);
	frame_store_u32(payload + 8, (uint32_t)now_ms);
	frame_store_u32(payload + 12, (uint32_t)(now_ms >> 32));
	client_send(sandbox, 0, FRAME_LEFTOVERS, 0, payload, sizeof payload);
}

void trm_proc_resize(struct trm_proc *proc, uint16_t rows, uint16_t cols)
{
	const unsigned char payload[4] = {(unsigned char)rows, (unsigned char)(rows >> 8),
			(unsigned char)cols, (unsigned char)(cols >> 8)};
	if (!is_over(proc) && proc->is_pty && rows && cols)
		client_send(proc->stream.sandbox, proc->stream.id, FRAME_RESIZE, 0, payload, sizeof payload);
}

void trm_proc_consumed(struct trm_proc *proc, size_t n)
{
	if (n > proc->unconsumed)
		n = proc->unconsumed;
	proc->unconsumed -= n;
	if (!is_over(proc))
		stream_consume(&proc->stream, n);
}

void trm_proc_close(struct trm_proc *proc)
{
	if (is_over(proc))
		return;
	proc->is_closed = true;
	client_send(proc->stream.sandbox, proc->stream.id, FRAME_CLOSE, 0, NULL, 0);
	stream_defer_end(&proc->stream);
}

void proc_forget(struct trm_proc *proc)
{
	static const struct trm_proc_cb none;
	proc->cb = &none;
	trm_proc_close(proc);
}
