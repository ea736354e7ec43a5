/* SPDX-License-Identifier: MIT */
/* A carrier whose agent is this test: it says what no honest agent says. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

#include "base/err.h"
#include "lib/sandbox/puppet.h"
#include "sandbox/sandbox.h"
#include "wire/message.h"

/* ---- the bench ---------------------------------------------------------------------- */

struct bench {
	struct trm_loop *loop;
	struct trm_sandbox *sandbox;
	struct trm_proc *proc;
	uint32_t stream;  /* of proc */
	struct buf out;   /* what the agent will say */
	struct buf heard; /* what the host said */
	bool is_ready, is_closed, has_exited, is_transferred;
	struct trm_error why, exit_why, transfer_why;
	struct trm_exit exit;
	size_t n_output, n_drained, n_data;
	bool closes_in_output, closes_proc_in_output;
	char order[64]; /* of the last callbacks, one letter each */
};

static void note(struct bench *b, char letter)
{
	size_t n = strlen(b->order);
	if (n + 1 < sizeof b->order)
		b->order[n] = letter;
}

static void on_ready(void *user, struct trm_sandbox *s)
{
	struct bench *b = user;
	(void)s;
	b->is_ready = true;
}

static void on_closed(void *user, struct trm_sandbox *s, const struct trm_error *why)
{
	struct bench *b = user;
	(void)s;
	assert_false(b->is_closed);
	b->is_closed = true;
	b->why = *why;
	note(b, 'c');
}

static const struct trm_sandbox_cb CB = {.ready = on_ready, .closed = on_closed};

static void on_output(void *user, struct trm_proc *p, unsigned channel, const void *bytes, size_t n)
{
	struct bench *b = user;
	(void)channel;
	(void)bytes;
	b->n_output += n;
	if (b->closes_proc_in_output)
		trm_proc_close(p);
	if (b->closes_in_output)
		trm_sandbox_close(b->sandbox);
}

static void on_drained(void *user, struct trm_proc *p)
{
	struct bench *b = user;
	(void)p;
	b->n_drained++;
}

static void on_exited(
		void *user, struct trm_proc *p, const struct trm_exit *status, const struct trm_error *why)
{
	struct bench *b = user;
	(void)p;
	assert_false(b->has_exited);
	b->has_exited = true;
	b->exit_why = *why;
	if (status)
		b->exit = *status;
	b->proc = NULL;
	note(b, 'x');
}

static const struct trm_proc_cb PROC_CB = {.output = on_output, .drained = on_drained, .exited = on_exited};

static void on_data(void *user, const void *bytes, size_t n)
{
	struct bench *b = user;
	(void)bytes;
	b->n_data += n;
}

static void on_transferred(void *user, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	struct bench *b = user;
	(void)size;
	(void)mode;
	assert_false(b->is_transferred);
	b->is_transferred = true;
	b->transfer_why = *why;
	note(b, 't');
}

static const struct trm_transfer_cb TRANSFER_CB = {.data = on_data, .done = on_transferred};

static int turn_ms = 1;

static void turns(struct bench *b, int n)
{
	while (n--)
		assert_true(trm_loop_step(b->loop, turn_ms) >= 0);
}

/* Take in what the host has sent. */
static void hear(struct bench *b)
{
	char bytes[65536];
	ssize_t n;
	while (puppet && (n = recv(puppet->fds[1], bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
		assert_int_equal(buf_append(&b->heard, bytes, (size_t)n), 0);
}

static bool next_frame(struct bench *b, struct frame *ret)
{
	/* A big frame takes the host several turns. */
	for (int i = 0; i < 8; i++) {
		hear(b);
		if (frame_next(&b->heard, ret) == 1)
			return true;
		turns(b, 1);
	}
	return false;
}

static struct frame expect(struct bench *b, enum frame_type type)
{
	struct frame f;
	assert_true(next_frame(b, &f));
	assert_int_equal(f.type, type);
	frame_done(&b->heard, &f); /* the bytes stay where they are until more is heard */
	return f;
}

static void say(struct bench *b)
{
	while (b->out.len) {
		ssize_t n = send(puppet->fds[1], buf_at(&b->out), b->out.len, MSG_NOSIGNAL);
		if (n > 0)
			buf_take(&b->out, (size_t)n);
		turns(b, 1);
		if (!puppet)
			return;
	}
	turns(b, 3);
}

static void say_u32(struct bench *b, uint32_t stream, enum frame_type type, uint8_t channel, uint32_t v)
{
	char bytes[4] = {(char)v, (char)(v >> 8), (char)(v >> 16), (char)(v >> 24)};
	frame_put(&b->out, stream, type, channel, bytes, 4);
	say(b);
}

static void say_output(struct bench *b, uint8_t channel, size_t n)
{
	static char bytes[FRAME_MAX_PAYLOAD];
	frame_put(&b->out, b->stream, FRAME_OUTPUT, channel, bytes, n);
	say(b);
}

static void say_started(struct bench *b)
{
	const struct started_msg msg = {.pid = 7, .has_turn = true};
	started_msg_put(&b->out, b->stream, &msg);
	say(b);
}

static void begin(struct bench *b)
{
	struct trm_sandbox_opts opts;
	struct trm_error why;
	*b = (struct bench){0};
	never_connects = false;
	buf_init(&b->out, 64 << 20);
	buf_init(&b->heard, 64 << 20);
	assert_int_equal(trm_loop_create(&b->loop, &why), 0);
	trm_sandbox_opts_default(&opts);
	assert_int_equal(trm_sandbox_open(b->loop, &opts, &CB, b, &b->sandbox, &why), 0);
}

static void welcome(struct bench *b)
{
	turns(b, 2);
	expect(b, FRAME_HELLO);
	welcome_msg_put(&b->out, "test", 1, NULL, 0);
	say(b);
	assert_true(b->is_ready);
}

static void spawn(struct bench *b, bool manual_credit)
{
	static const char *const ARGV[] = {"prog", NULL};
	struct trm_proc_opts opts = {.size = sizeof(struct trm_proc_opts),
			.argv = ARGV,
			.control = true,
			.stdin_open = true,
			.manual_credit = manual_credit};
	struct trm_error why;
	assert_int_equal(trm_proc_spawn(b->sandbox, &opts, &PROC_CB, b, &b->proc, &why), 0);
}

static void begin_with_proc(struct bench *b, bool manual_credit)
{
	begin(b);
	welcome(b);
	spawn(b, manual_credit);
	b->stream = expect(b, FRAME_SPAWN).stream;
	say_started(b);
	assert_false(b->is_closed);
}

static void end(struct bench *b)
{
	if (!b->is_closed)
		trm_sandbox_close(b->sandbox);
	for (int i = 0; i < 1000 && !b->is_closed; i++)
		turns(b, 1);
	assert_true(b->is_closed);
	trm_loop_destroy(b->loop);
	buf_finish(&b->out);
	buf_finish(&b->heard);
}

static void assert_broken(struct bench *b, const char *part)
{
	turns(b, 5);
	assert_true(b->is_closed);
	assert_int_equal(b->why.code, TRM_EPROTO);
	if (!strstr(b->why.msg, part))
		fail_msg("'%s' is not in '%s'", part, b->why.msg);
	end(b);
}

/* ---- cases ---------------------------------------------------------------------------- */

static void requests_do_not_wait_for_the_greeting(void **state)
{
	struct bench b;
	(void)state;
	begin(&b);
	spawn(&b, false);
	trm_proc_write(b.proc, TRM_CONTROL, "now\n", 4, NULL);
	trm_file_put(b.sandbox, "f", 0644, "bytes", 5, &TRANSFER_CB, &b, NULL);
	turns(&b, 2);
	struct frame frame = expect(&b, FRAME_HELLO);
	struct hello_msg hello;
	assert_int_equal(hello_msg_get(&frame, &hello), 0);
	assert_int_equal(hello.magic, FRAME_MAGIC);
	assert_int_equal(hello.nproc, 77);
	frame = expect(&b, FRAME_SPAWN);
	struct spawn_msg msg;
	assert_int_equal(spawn_msg_get(&frame, &msg), 0);
	assert_string_equal(msg.argv[0], "prog");
	spawn_msg_finish(&msg);
	expect(&b, FRAME_INPUT);
	expect(&b, FRAME_PUT);
	expect(&b, FRAME_DATA);
	end(&b);
	assert_int_equal(b.exit_why.code, TRM_ECANCELED);
	assert_int_equal(b.transfer_why.code, TRM_ECANCELED);
	assert_int_equal(b.why.code, TRM_OK);
	assert_int_equal(b.order[2], 'c'); /* after both ends */
}

/* Who compares the counters before and after a run looks at them in time. */
static void check_nothing_was_sent(void *user)
{
	struct bench *b = user;
	hear(b);
	assert_int_equal(b->heard.len, 0);
	note(b, 'o');
}

static void observers_are_reported_before_anything_is_sent(void **state)
{
	struct bench b;
	struct sandbox_observer observer = {.connected = check_nothing_was_sent, .user = &b};
	(void)state;
	begin(&b);
	sandbox_observe(b.sandbox, &observer);
	spawn(&b, false);
	turns(&b, 2);
	assert_string_equal(b.order, "o");
	expect(&b, FRAME_HELLO);
	expect(&b, FRAME_SPAWN);
	sandbox_unobserve(b.sandbox, &observer);
	end(&b);
}

static void an_unknown_stream_breaks(void **state)
{
	struct bench b;
	(void)state;
	begin_with_proc(&b, false);
	b.stream = 77;
	say_output(&b, 0, 10);
	assert_broken(&b, "unknown stream 77");
}

static void a_stream_that_was_there_is_ignored(void **state)
{
	struct bench b;
	(void)state;
	begin_with_proc(&b, false);
	trm_proc_close(b.proc);
	say_output(&b, 0, 10);
	assert_true(b.has_exited);
	assert_int_equal(b.exit_why.code, TRM_ECANCELED);
	assert_int_equal(b.n_output, 0);
	assert_false(b.is_closed);
	end(&b);
}

static void frames_before_the_greeting_break(void **state)
{
	struct bench b;
	(void)state;
	begin(&b);
	spawn(&b, false);
	turns(&b, 2);
	expect(&b, FRAME_HELLO);
	b.stream = expect(&b, FRAME_SPAWN).stream;
	say_started(&b);
	assert_int_equal(b.exit_why.code, TRM_EPROTO);
	assert_broken(&b, "before the greeting");
}

static void output_before_started_breaks(void **state)
{
	struct bench b;
	(void)state;
	begin(&b);
	welcome(&b);
	spawn(&b, false);
	b.stream = expect(&b, FRAME_SPAWN).stream;
	say_output(&b, 0, 1);
	assert_broken(&b, "output");
}

static void an_unknown_channel_breaks(void **state)
{
	struct bench b;
	(void)state;
	begin_with_proc(&b, false);
	say_output(&b, 2, 1);
	assert_broken(&b, "channel 2");
}

static void overrunning_credit_breaks(void **state)
{
	struct bench b;
	(void)state;
	begin_with_proc(&b, true);
	for (int i = 0; i < 4; i++)
		say_output(&b, 0, FRAME_MAX_PAYLOAD);
	assert_false(b.is_closed);
	assert_int_equal(b.n_output, 1 << 20);
	say_output(&b, 0, 1);
	assert_broken(&b, "credit");
}

static void credit_comes_back_in_halves(void **state)
{
	struct bench b;
	struct frame f;
	(void)state;
	begin_with_proc(&b, true);
	say_output(&b, 0, FRAME_MAX_PAYLOAD);
	say_output(&b, 1, FRAME_MAX_PAYLOAD);
	trm_proc_consumed(b.proc, FRAME_MAX_PAYLOAD);
	assert_false(next_frame(&b, &f));
	trm_proc_consumed(b.proc, 100 * FRAME_MAX_PAYLOAD); /* no more than was delivered counts */
	f = expect(&b, FRAME_CREDIT);
	struct unpack u = {.at = f.payload, .left = f.len};
	assert_int_equal(unpack_u32(&u), 2 * FRAME_MAX_PAYLOAD);
	for (int i = 0; i < 4; i++)
		say_output(&b, 0, FRAME_MAX_PAYLOAD);
	assert_false(b.is_closed);
	end(&b);
}

static void input_waits_for_credit(void **state)
{
	struct bench b;
	struct frame f;
	size_t n = 0;
	(void)state;
	begin_with_proc(&b, false);
	char *bytes = calloc(1, 1000000);
	assert_int_equal(trm_proc_write(b.proc, TRM_STDIN, bytes, 1000000, NULL), 0);
	trm_proc_close_stdin(b.proc);
	while (next_frame(&b, &f)) {
		assert_int_equal(f.type, FRAME_INPUT);
		n += f.len;
		frame_done(&b.heard, &f);
	}
	assert_int_equal(n, FRAME_INPUT_WINDOW);
	assert_int_equal(trm_proc_queued(b.proc), 1000000);
	while (n < 1000000) {
		size_t before = n;
		say_u32(&b, b.stream, FRAME_INPUT_CREDIT, 0, 100000);
		while (next_frame(&b, &f) && f.type == FRAME_INPUT) {
			n += f.len;
			frame_done(&b.heard, &f);
		}
		assert_true(n - before <= 100000 && n > before);
		assert_int_equal(b.n_drained, 0);
	}
	assert_int_equal(*expect(&b, FRAME_STDIN).payload, STDIN_EOF);
	say_u32(&b, b.stream, FRAME_INPUT_CREDIT, 0, (uint32_t)trm_proc_queued(b.proc));
	assert_int_equal(b.n_drained, 1);
	assert_int_equal(trm_proc_write(b.proc, TRM_STDIN, bytes, 1 << 10, NULL), 0);
	free(bytes);
	end(&b);
}

static void too_much_input_is_refused(void **state)
{
	struct bench b;
	struct trm_error why;
	(void)state;
	begin_with_proc(&b, false);
	size_t n = 65u << 20;
	char *bytes = calloc(1, n);
	assert_int_equal(trm_proc_write(b.proc, TRM_STDIN, bytes, n, &why), TRM_ETOOBIG);
	assert_int_equal(trm_proc_queued(b.proc), 0);
	free(bytes);
	end(&b);
}

static void credit_for_nothing_breaks(void **state)
{
	struct bench b;
	(void)state;
	begin_with_proc(&b, false);
	trm_proc_write(b.proc, TRM_STDIN, "abc", 3, NULL);
	say_u32(&b, b.stream, FRAME_INPUT_CREDIT, 0, 4);
	assert_broken(&b, "never sent");
}

static void a_lying_length_breaks(void **state)
{
	struct bench b;
	(void)state;
	begin_with_proc(&b, false);
	buf_append(&b.out, "\xff\xff\xff\x7f\0\0\0\0\0\0\0\0", 12);
	say(&b);
	assert_broken(&b, "malformed");
}

static void an_unreadable_exit_breaks(void **state)
{
	struct bench b;
	(void)state;
	begin_with_proc(&b, false);
	frame_put(&b.out, b.stream, FRAME_EXITED, 0, "\1", 1);
	say(&b);
	assert_broken(&b, "exit");
}

static void an_error_names_its_reason(void **state)
{
	struct bench b;
	(void)state;
	begin_with_proc(&b, false);
	error_msg_put(&b.out, b.stream, TRM_ENOENT, "no such\x1b[31m program");
	say(&b);
	assert_true(b.has_exited);
	assert_int_equal(b.exit_why.code, TRM_ENOENT);
	assert_null(strchr(b.exit_why.msg, 0x1b));
	assert_false(b.is_closed);
	end(&b);
}

static void more_file_than_asked_for_breaks(void **state)
{
	struct bench b;
	char bytes[100] = {0};
	(void)state;
	begin(&b);
	welcome(&b);
	assert_int_equal(trm_file_get(b.sandbox, "f", 50, &TRANSFER_CB, &b, NULL), 0);
	b.stream = expect(&b, FRAME_GET).stream;
	frame_put(&b.out, b.stream, FRAME_DATA, 0, bytes, 100);
	say(&b);
	assert_int_equal(b.n_data, 0);
	assert_true(b.is_transferred);
	assert_broken(&b, "more file bytes");
}

static void a_file_that_is_not_whole_breaks(void **state)
{
	struct bench b;
	char done[12] = {100};
	(void)state;
	begin(&b);
	welcome(&b);
	assert_int_equal(trm_file_get(b.sandbox, "f", 500, &TRANSFER_CB, &b, NULL), 0);
	b.stream = expect(&b, FRAME_GET).stream;
	frame_put(&b.out, b.stream, FRAME_DATA, 0, done, 10);
	frame_put(&b.out, b.stream, FRAME_DONE, 0, done, sizeof done);
	say(&b);
	assert_broken(&b, "size");
}

static void callbacks_may_close(void **state)
{
	struct bench b;
	(void)state;
	for (int i = 0; i < 4; i++) {
		begin_with_proc(&b, i & 1);
		b.closes_in_output = i < 2;
		b.closes_proc_in_output = i != 1;
		frame_put(&b.out, b.stream, FRAME_OUTPUT, 0, "ab", 2);
		frame_put(&b.out, b.stream, FRAME_OUTPUT, 0, "cd", 2);
		say(&b);
		turns(&b, 5);
		assert_int_equal(b.n_output, 2);
		assert_true(b.has_exited);
		assert_int_equal(b.exit_why.code, TRM_ECANCELED);
		end(&b);
	}
}

static void a_silent_agent_is_not_waited_for(void **state)
{
	struct bench b;
	struct trm_sandbox_opts opts;
	struct trm_error why;
	(void)state;
	for (int i = 0; i < 2; i++) {
		b = (struct bench){0};
		never_connects = i;
		assert_int_equal(trm_loop_create(&b.loop, &why), 0);
		trm_sandbox_opts_default(&opts);
		opts.start_timeout_ms = 30;
		assert_int_equal(trm_sandbox_open(b.loop, &opts, &CB, &b, &b.sandbox, &why), 0);
		spawn(&b, false);
		for (int t = 0; t < 2000 && !b.is_closed; t++)
			turns(&b, 1);
		assert_true(b.is_closed);
		assert_int_equal(b.why.code, TRM_ETIMEDOUT);
		assert_int_equal(b.exit_why.code, TRM_ETIMEDOUT);
		end(&b);
	}
}

/* After its greeting. Who answers, or says anything else, may have nothing to say for as long as he likes. */
static void one_that_falls_silent_is_given_up(void **state)
{
	enum { SILENCE_MS = 40, LONG_MS = 5 * SILENCE_MS };
	struct bench b;
	(void)state;
	begin_with_proc(&b, false);
	b.sandbox->silence_ms = SILENCE_MS;
	client_probe(b.sandbox);
	for (int answers = 0, t = 0; answers < LONG_MS / (SILENCE_MS / 4) && t < 5000; t++) {
		struct frame frame;
		turns(&b, 1);
		hear(&b);
		while (frame_next(&b.heard, &frame) == 1) {
			if (frame.type == FRAME_PING) {
				frame_put(&b.out, 0, FRAME_PONG, 0, frame.payload, frame.len);
				answers++;
			}
			frame_done(&b.heard, &frame);
		}
		say(&b);
		assert_false(b.is_closed);
	}
	for (int t = 0; t < 5000 && !b.is_closed; t++)
		turns(&b, 1);
	assert_true(b.is_closed);
	assert_int_equal(b.why.code, TRM_ETIMEDOUT);
	assert_non_null(strstr(b.why.msg, "has been silent for 0.04 s"));
	assert_int_equal(b.exit_why.code, TRM_ETIMEDOUT);
	end(&b);
}

static void a_hang_up_is_reported(void **state)
{
	struct bench b;
	(void)state;
	begin_with_proc(&b, false);
	close(puppet->fds[1]);
	puppet->fds[1] = -1;
	for (int t = 0; t < 5000 && !b.is_closed; t++)
		turns(&b, 1);
	assert_int_equal(b.why.code, TRM_ECLOSED);
	assert_non_null(strstr(b.why.msg, "agent"));
	end(&b);
}

/* It may take longer than is waited for one who says nothing. */
static void who_finds_out_why_is_waited_for(void **state)
{
	struct bench b;
	(void)state;
	begin_with_proc(&b, false);
	close(puppet->fds[1]);
	puppet->fds[1] = -1;
	turns(&b, 3);
	puppet->base.cb->progress(puppet->base.user, "asking for its state");
	const uint64_t due_ns = trm_loop_now_ns(b.loop) + UINT64_C(3000000000);
	while (trm_loop_now_ns(b.loop) < due_ns)
		turns(&b, 1);
	assert_false(b.is_closed);
	end(&b);
}

static void bad_options_are_refused(void **state)
{
	static const char *const NAMES[] = {"", "a/b", "..", "-x", "a b", "\xC3\xA4",
			"0123456789012345678901234567890123456789012345678901234567890123456789"};
	struct trm_sandbox_opts opts;
	struct trm_sandbox *s;
	struct trm_error why;
	struct trm_loop *loop;
	(void)state;
	assert_int_equal(trm_loop_create(&loop, &why), 0);
	for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
		trm_sandbox_opts_default(&opts);
		opts.name = NAMES[i];
		assert_int_equal(trm_sandbox_open(loop, &opts, &CB, NULL, &s, &why), TRM_EINVAL);
	}
	trm_sandbox_opts_default(&opts);
	opts.metrics_interval_ms = 199;
	assert_int_equal(trm_sandbox_open(loop, &opts, &CB, NULL, &s, &why), TRM_EINVAL);
	trm_sandbox_opts_default(&opts);
	opts.limits.cpus = 0;
	assert_int_equal(trm_sandbox_open(loop, &opts, &CB, NULL, &s, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "CPU"));
	trm_limits_default(&opts.limits);
	opts.limits.mem_bytes = 1 << 20;
	assert_int_equal(trm_limits_check(&opts.limits, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "memory"));
	trm_limits_default(&opts.limits);
	opts.limits.procs = 0;
	assert_int_equal(trm_limits_check(&opts.limits, &why), TRM_EINVAL);
	trm_limits_default(&opts.limits);
	assert_int_equal(trm_limits_check(&opts.limits, &why), 0);
	trm_loop_destroy(loop);
}

static void options_may_be_missing_or_shorter(void **state)
{
	struct trm_sandbox_opts opts;
	struct trm_sandbox *s;
	struct trm_error why;
	struct trm_loop *loop;
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct bench b = {0};
		assert_int_equal(trm_loop_create(&loop, &why), 0);
		/* Of a program that was compiled before the last fields existed: they are anything. */
		memset(&opts, 0xa5, sizeof opts);
		trm_sandbox_opts_init(&opts, offsetof(struct trm_sandbox_opts, from));
		memset(&opts.from, 0xa5, sizeof opts - offsetof(struct trm_sandbox_opts, from));
		assert_int_equal(trm_sandbox_open(loop, i ? &opts : NULL, &CB, &b, &s, &why), 0);
		trm_sandbox_close(s);
		while (!b.is_closed)
			assert_true(trm_loop_step(loop, turn_ms) >= 0);
		trm_loop_destroy(loop);
	}
}

static void names_are_made_up(void **state)
{
	struct bench b;
	(void)state;
	begin(&b);
	const char *name = trm_sandbox_name(b.sandbox);
	assert_int_equal(strlen(name), 16);
	assert_memory_equal(name, "sandbox-", 8);
	assert_int_equal(strspn(name + 8, "0123456789abcdef"), 8);
	end(&b);
}

static void many_streams_come_and_go(void **state)
{
	static const char *const ARGV[] = {"prog", NULL};
	struct trm_proc_opts opts = {.size = sizeof(struct trm_proc_opts), .argv = ARGV};
	struct trm_proc *procs[1024], *one;
	struct trm_error why;
	struct bench b;
	(void)state;
	begin(&b);
	welcome(&b);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < 1024; i++)
			assert_int_equal(trm_proc_spawn(b.sandbox, &opts, NULL, NULL, &procs[i], &why), 0);
		assert_int_equal(trm_proc_spawn(b.sandbox, &opts, NULL, NULL, &one, &why), TRM_EBUSY);
		for (size_t i = 0; i < 1024; i++)
			trm_proc_close(procs[i]);
		hear(&b);
		buf_clear(&b.heard);
		turns(&b, 5);
		hear(&b);
		buf_clear(&b.heard);
	}
	end(&b);
}

/* Whatever bytes come: an end with a reason, or none; never a crash. */
static void noise_ends_well(void **state)
{
	uint32_t seed = 42;
	(void)state;
	turn_ms = 0;
	for (int round = 0; round < 300; round++) {
		struct bench b;
		begin_with_proc(&b, round & 1);
		trm_file_get(b.sandbox, "f", 1000, &TRANSFER_CB, &b, NULL);
		uint32_t get = expect(&b, FRAME_GET).stream;
		for (int i = 0; i < 20 && puppet && !puppet->is_stopping; i++) {
			char bytes[64];
			for (size_t k = 0; k < sizeof bytes; k++) {
				seed = seed * 1664525 + 1013904223;
				bytes[k] = (char)(seed >> 24);
			}
			static const uint8_t TYPES[] = {64, 128, 129, 130, 131, 132, 133, 134, 135, 136, 9};
			uint32_t streams[] = {0, b.stream, get, seed};
			frame_put(&b.out, streams[(seed >> 8) % 4], TYPES[(seed >> 12) % 11],
					(uint8_t)((seed >> 16) % 3), bytes, (seed >> 20) % 64);
			say(&b);
		}
		end(&b);
	}
	turn_ms = 1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(requests_do_not_wait_for_the_greeting),
			cmocka_unit_test(observers_are_reported_before_anything_is_sent),
			cmocka_unit_test(an_unknown_stream_breaks),
			cmocka_unit_test(a_stream_that_was_there_is_ignored),
			cmocka_unit_test(frames_before_the_greeting_break),
			cmocka_unit_test(output_before_started_breaks),
			cmocka_unit_test(an_unknown_channel_breaks),
			cmocka_unit_test(overrunning_credit_breaks),
			cmocka_unit_test(credit_comes_back_in_halves),
			cmocka_unit_test(input_waits_for_credit),
			cmocka_unit_test(too_much_input_is_refused),
			cmocka_unit_test(credit_for_nothing_breaks),
			cmocka_unit_test(a_lying_length_breaks),
			cmocka_unit_test(an_unreadable_exit_breaks),
			cmocka_unit_test(an_error_names_its_reason),
			cmocka_unit_test(more_file_than_asked_for_breaks),
			cmocka_unit_test(a_file_that_is_not_whole_breaks),
			cmocka_unit_test(callbacks_may_close),
			cmocka_unit_test(a_silent_agent_is_not_waited_for),
			cmocka_unit_test(one_that_falls_silent_is_given_up),
			cmocka_unit_test(a_hang_up_is_reported),
			cmocka_unit_test(who_finds_out_why_is_waited_for),
			cmocka_unit_test(bad_options_are_refused),
			cmocka_unit_test(options_may_be_missing_or_shorter),
			cmocka_unit_test(names_are_made_up),
			cmocka_unit_test(many_streams_come_and_go),
			cmocka_unit_test(noise_ends_well),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
