/* SPDX-License-Identifier: MIT */
/* Clients that break the protocol, and code that goes for the agent. */
#include "lib/agent/rig.h"

/* The connection must end, with an ERROR on stream 0 if it was told why, and others must live on. */
static void expect_end(struct rig *rig, struct link *link, const char *reason)
{
	struct trm_error error = {0};
	const struct frame *frame;
	bool end = false;
	while ((frame = link_next(link, DEADLINE_MS, &end)))
		if (frame->type == FRAME_ERROR && frame->stream == 0)
			assert_int_equal(error_msg_get(frame, &error), 0);
	assert_true(end);
	assert_int_equal(error.code, TRM_EPROTO);
	if (!strstr(error.msg, reason))
		fail_msg("'%s' does not say '%s'", error.msg, reason);
	link_close(link);
	struct link other = link_open(rig);
	link_send(&other, 0, FRAME_PING, 0, "", 0);
	assert_int_equal(link_next(&other, DEADLINE_MS, NULL)->type, FRAME_PONG);
	link_close(&other);
}

static void test_greeting(void **state)
{
	struct link link = link_connect(*state);
	link_pack(&link, 0, FRAME_HELLO, "uuu", (uint32_t)0x12345678, (uint32_t)FRAME_VERSION, (uint32_t)0);
	expect_end(*state, &link, "magic");
	link = link_connect(*state);
	link_pack(&link, 0, FRAME_HELLO, "uuu", FRAME_MAGIC, (uint32_t)99, (uint32_t)0);
	expect_end(*state, &link, "version 99");
	link = link_connect(*state);
	link_pack(&link, 0, FRAME_HELLO, "");
	expect_end(*state, &link, "magic");
	link = link_connect(*state);
	link_send(&link, 0, FRAME_PING, 0, "", 0);
	expect_end(*state, &link, "HELLO");
	link = link_open(*state);
	link_pack(&link, 0, FRAME_HELLO, "uuu", FRAME_MAGIC, (uint32_t)FRAME_VERSION, (uint32_t)0);
	expect_end(*state, &link, "second HELLO");
}

static void test_broken_headers(void **state)
{
	struct link link = link_open(*state);
	link_write(&link, "\xff\xff\xff\x7f\x01\0\0\0\x02\0\0\0", 12);
	expect_end(*state, &link, "header");
	link = link_open(*state);
	link_write(&link, "\0\0\0\0\0\0\0\0\x0c\0\1\0", 12);
	expect_end(*state, &link, "header");
}

static void test_frames_that_no_client_sends(void **state)
{
	static const int types[] = {
			0, 14, 63, 67, FRAME_WELCOME, FRAME_OUTPUT, FRAME_EXITED, FRAME_ERROR, 255};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		struct link link = link_open(*state);
		link_send(&link, 1, (enum frame_type)types[i], 0, "abc", 3);
		expect_end(*state, &link, "may not be sent by a client");
	}
}

static void test_wrong_streams(void **state)
{
	struct link link = link_open(*state);
	link_send(&link, 3, FRAME_PING, 0, "", 0);
	expect_end(*state, &link, "stream 3");
	link = link_open(*state);
	link_pack(&link, 0, FRAME_GET, "squ", "/etc/passwd", (uint64_t)1, (uint32_t)1);
	expect_end(*state, &link, "stream 0");
	link = link_open(*state);
	link_shell(&link, 1, "sleep 100", 0, 1);
	link_shell(&link, 1, "sleep 100", 0, 1);
	expect_end(*state, &link, "in use");
}

static void test_broken_payloads(void **state)
{
	static const int with_stream[] = {FRAME_SPAWN, FRAME_PUT, FRAME_GET};
	for (size_t i = 0; i < sizeof with_stream / sizeof *with_stream; i++) {
		struct link link = link_open(*state);
		link_send(&link, 1, (enum frame_type)with_stream[i], 0, "\xff\xff\xff\xff too long", 13);
		expect_end(*state, &link, "does not fit");
	}
	static const int on_process[] = {FRAME_STDIN, FRAME_SIGNAL, FRAME_RESIZE, FRAME_CREDIT};
	for (size_t i = 0; i < sizeof on_process / sizeof *on_process; i++) {
		struct link link = link_open(*state);
		link_shell(&link, 1, "sleep 100", 0, 1);
		link_send(&link, 1, (enum frame_type)on_process[i], 0, "", 0);
		expect_end(*state, &link, "does not fit");
	}
	struct link link = link_open(*state);
	link_shell(&link, 1, "sleep 100", 0, 1);
	link_pack(&link, 1, FRAME_SIGNAL, "ub", (uint32_t)65, 0);
	expect_end(*state, &link, "does not fit");
	link = link_open(*state);
	link_send(&link, 0, FRAME_PING, 0, (char[65]){0}, 65);
	expect_end(*state, &link, "does not fit");
	link = link_open(*state);
	link_send(&link, 0, FRAME_WATCH, 0, "", 0);
	expect_end(*state, &link, "does not fit");
}

static void test_input_where_none_goes(void **state)
{
	struct link link = link_open(*state);
	link_shell(&link, 1, "sleep 100", 0, 1);
	link_send(&link, 1, FRAME_INPUT, CHANNEL_CONTROL, "x", 1);
	expect_end(*state, &link, "INPUT");
	link = link_open(*state);
	link_shell(&link, 1, "sleep 100", 0, 1);
	link_send(&link, 1, FRAME_INPUT, 7, "x", 1);
	expect_end(*state, &link, "INPUT");
	link = link_open(*state);
	link_shell(&link, 1, "sleep 100", 0, 1);
	link_send(&link, 1, FRAME_DATA, 0, "x", 1);
	expect_end(*state, &link, "DATA");
}

static void test_frames_for_ended_streams_are_ignored(void **state)
{
	struct link link = link_open(*state);
	static const int types[] = {FRAME_INPUT, FRAME_STDIN, FRAME_SIGNAL, FRAME_RESIZE, FRAME_CREDIT,
			FRAME_CLOSE, FRAME_DATA};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		link_send(&link, 5, (enum frame_type)types[i], 0, "\1\0\0\0\0", 5);
	link_send(&link, 0, FRAME_PING, 0, "", 0);
	assert_int_equal(link_next(&link, DEADLINE_MS, NULL)->type, FRAME_PONG);
	link_close(&link);
}

static void test_too_many_streams(void **state)
{
	struct link link = link_open(*state);
	struct buf all;
	char path[] = "/tmp/terrarium-test-XXXXXX";
	int fd = mkstemp(path);
	assert_true(write(fd, "x", 1) == 1);
	close(fd);
	buf_init(&all, 1 << 20);
	/* GETs without a window stay open. */
	for (uint32_t i = 1; i <= FRAME_MAX_STREAMS + 1; i++) {
		size_t mark;
		struct pack pack = {.to = &all};
		frame_begin(&all, i, FRAME_GET, 0, &mark);
		pack_str(&pack, path);
		pack_u64(&pack, 100);
		pack_u32(&pack, 0);
		frame_end(&all, mark);
	}
	link_write(&link, buf_at(&all), all.len);
	/* With few descriptors allowed the agent runs out of these first, and says so on each stream. */
	const struct frame *frame;
	struct trm_error error = {0};
	while ((frame = link_next(&link, DEADLINE_MS, NULL))
			&& !(frame->type == FRAME_ERROR && frame->stream == 0))
		;
	assert_true(!frame || error_msg_get(frame, &error) == 0);
	if (frame)
		assert_non_null(strstr(error.msg, "1024"));
	unlink(path);
	buf_finish(&all);
	link_close(&link);
}

static bool is_welcome(struct rig *rig)
{
	struct link link = link_connect(rig);
	const struct frame *frame = link_next(&link, 50, NULL); /* a refusal comes unasked */
	link_close(&link);
	return !frame;
}

static void test_too_many_clients(void **state)
{
	struct link links[70];
	struct trm_error error;
	for (int i = 0; i < 64; i++)
		links[i] = link_open(*state);
	for (int i = 64; i < 70; i++) {
		links[i] = link_connect(*state);
		link_error(&links[i], 0, &error);
		assert_non_null(strstr(error.msg, "64 clients"));
	}
	for (int i = 0; i < 70; i++)
		link_close(&links[i]);
	/* Once they have gone there is room again. */
	AWAIT(is_welcome(*state));
}

/* Who asks and asks and never listens is not listened to either; memory stays bounded. */
static void test_deaf_client_is_throttled(void **state)
{
	struct rig *rig = *state;
	struct link deaf = link_open(rig), other = link_open(rig);
	struct buf burst;
	char command[80];
	long kib = 0;
	size_t sent = 0;
	buf_init(&burst, 1 << 20);
	for (int i = 0; i < 4000; i++) {
		frame_put(&burst, 0, FRAME_WATCH, 0, "\0\0\1\0\1", 5);
		frame_put(&burst, 0, FRAME_PING, 0, (char[64]){0}, 64);
	}
	fcntl(deaf.fd, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 200; i++) {
		size_t at = sent % burst.len;
		ssize_t n = send(deaf.fd, buf_at(&burst) + at, burst.len - at, MSG_NOSIGNAL);
		if (n > 0)
			sent += (size_t)n;
		else
			poll(NULL, 0, 1);
	}
	link_send(&other, 0, FRAME_PING, 0, "", 0);
	assert_int_equal(link_next(&other, DEADLINE_MS, NULL)->type, FRAME_PONG);
	snprintf(command, sizeof command, "grep VmRSS /proc/%d/status | tr -dc 0-9", (int)rig->agent);
	FILE *lines = popen(command, "r");
	assert_int_equal(fscanf(lines, "%ld", &kib), 1);
	pclose(lines);
	if (!strstr(AGENT_PROGRAM, "checked"))
		assert_true(kib < 6 * 1024);
	buf_finish(&burst);
	link_close(&deaf);
	link_close(&other);
}

/* Any bytes at all after the greeting. */
static void test_noise(void **state)
{
	uint32_t seed = 12345;
	for (int round = 0; round < 300; round++) {
		struct link link = round % 2 ? link_open(*state) : link_connect(*state);
		struct buf out;
		buf_init(&out, 1 << 20);
		for (int i = 0; i < 10; i++) {
			char payload[40];
			for (size_t j = 0; j < sizeof payload; j++) {
				seed = seed * 1664525 + 1013904223;
				payload[j] = (char)(seed >> 24 & (j % 4 ? 0x03 : 0xff));
			}
			/* No SHUTDOWN: it would be obeyed. */
			enum frame_type type = (enum frame_type)(seed >> 16 & 0x0f);
			type = type == FRAME_SHUTDOWN ? FRAME_DATA : type;
			frame_put(&out, seed >> 8 & 3, type, (uint8_t)(seed >> 12), payload, seed >> 20 & 31);
		}
		send(link.fd, buf_at(&out), out.len, MSG_NOSIGNAL);
		buf_finish(&out);
		link_close(&link);
	}
	struct link link = link_open(*state);
	link_close(&link);
}

/* Another process of the same user, as code in the sandbox is. */
static int spy(pid_t agent, const char *what, int flags)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)agent, what);
	return open(path, flags) >= 0 ? 0 : errno;
}

static void test_same_user_cannot_look_into_the_agent(void **state)
{
	enum { SOMEBODY = 61999 };
	struct link link = link_open(*state); /* it has begun */
	if (geteuid() != 0) {
		assert_int_equal(spy(((struct rig *)*state)->agent, "mem", O_RDONLY), EACCES);
		assert_int_equal(spy(((struct rig *)*state)->agent, "fd", O_RDONLY | O_DIRECTORY), EACCES);
		link_close(&link);
		return;
	}
	link_close(&link);
	/* Root may look everywhere, so both become somebody else. */
	pid_t child = fork();
	if (child == 0) {
		if (setgid(SOMEBODY) < 0 || setuid(SOMEBODY) < 0)
			_exit(1);
		/* This would be looked into, were it not the agent: the check checks something. */
		pid_t open_one = fork();
		if (open_one == 0) {
			execlp("sleep", "sleep", "100", (char *)NULL);
			_exit(1);
		}
		uint64_t until = rig_now_ns() + DEADLINE_MS * 1000000ull;
		while (spy(open_one, "fd", O_RDONLY | O_DIRECTORY) != 0 && rig_now_ns() < until)
			poll(NULL, 0, 2);
		bool control = spy(open_one, "fd", O_RDONLY | O_DIRECTORY) == 0;
		kill(open_one, SIGKILL);
		void *inner;
		if (!control || rig_setup(&inner) != 0)
			_exit(2);
		struct rig *rig = inner;
		struct link inside = link_open(rig);
		bool safe = spy(rig->agent, "mem", O_RDONLY) == EACCES
			    && spy(rig->agent, "fd", O_RDONLY | O_DIRECTORY) == EACCES
			    && spy(rig->agent, "environ", O_RDONLY) == EACCES;
		link_close(&inside);
		_exit(rig_teardown(&inner) == 0 && safe ? 0 : 3);
	}
	int status = 0;
	waitpid(child, &status, 0);
	if (status == 2 << 8 && access(AGENT_PROGRAM, X_OK) == 0)
		skip(); /* somebody else cannot reach the build directory */
	assert_int_equal(status, 0);
}

/* Where the kernel has Landlock's scopes, user code cannot signal the agent. */
static void test_user_code_cannot_signal_the_agent(void **state)
{
	struct rig *rig = *state;
	struct link link = link_open(rig);
	struct tape tape;
	char command[120];
	if (syscall(444, NULL, 0, 1) < 6) {
		link_close(&link);
		skip();
	}
	tape_init(&tape, 1);
	snprintf(command, sizeof command, "kill -0 $$ && ! kill -0 %d 2>/dev/null && ! kill -9 %d",
			(int)rig->agent, (int)rig->agent);
	link_shell(&link, 1, command, 0, BIG_WINDOW);
	assert_int_equal(link_exit(&link, &tape).exit_code, 0);
	tape_finish(&tape);
	link_close(&link);
}

/* Only who made the socket is let in. */
static void test_another_user_is_not_let_in(void **state)
{
	const struct rig *rig = *state;
	enum { NOBODY = 65534, SHUT_OUT = 3 };
	int status;
	char byte;
	if (geteuid() != 0)
		skip(); /* only root can be somebody else */
	pid_t other = fork();
	if (other == 0) {
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);
		bool is_in = setresuid(NOBODY, NOBODY, NOBODY) == 0
			     && connect(fd, (const struct sockaddr *)&rig->address, rig->address_len) == 0;
		alarm(DEADLINE_MS / 1000);
		_exit(is_in && read(fd, &byte, 1) == 0 ? SHUT_OUT : 0);
	}
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), SHUT_OUT);
	struct link link = link_open(rig);
	link_close(&link);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_greeting),
			T(test_broken_headers),
			T(test_frames_that_no_client_sends),
			T(test_wrong_streams),
			T(test_broken_payloads),
			T(test_input_where_none_goes),
			T(test_frames_for_ended_streams_are_ignored),
			T(test_too_many_streams),
			T(test_too_many_clients),
			T(test_deaf_client_is_throttled),
			T(test_noise),
			T(test_another_user_is_not_let_in),
			T(test_same_user_cannot_look_into_the_agent),
			T(test_user_code_cannot_signal_the_agent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
