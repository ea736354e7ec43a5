/* SPDX-License-Identifier: MIT */
#include "lib/agent/rig.h"

static void credit(struct link *link, uint32_t stream, uint32_t n)
{
	link_pack(link, stream, FRAME_CREDIT, "u", n);
}

/* Frames of the stream for a while, until none comes any more. */
static void collect(struct link *link, struct tape *tape, int quiet_ms)
{
	const struct frame *frame;
	while ((frame = link_next(link, quiet_ms, NULL)))
		if (frame->stream == tape->stream)
			tape_take(tape, frame);
}

static void test_control_comes_after_what_was_written_before(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	tape_init(&tape, 1);
	link_shell(&link, 1,
			"head -c 400000 /dev/zero | tr '\\0' x; head -c 100000 /dev/zero | tr '\\0' y >&2;"
			"echo done >&4; sleep 0.05; echo later",
			SPAWN_CONTROL, 1000);
	for (uint64_t given = 1000; tape.out[CHANNEL_CONTROL].len == 0;) {
		if (tape.bytes == given) {
			credit(&link, 1, 20000);
			given += 20000;
		}
		link_until(&link, &tape, FRAME_OUTPUT);
		assert_true(tape.bytes <= given);
	}
	assert_int_equal(tape.out[CHANNEL_STDERR].len, 100000);
	assert_int_equal(tape.out[CHANNEL_STDOUT].len, 400000);
	credit(&link, 1, 1000000);
	link_exit(&link, &tape);
	assert_string_equal(tape_text(&tape, CHANNEL_CONTROL), "done\n");
	assert_string_equal(tape_text(&tape, CHANNEL_STDOUT) + 400000, "later\n");
	tape_finish(&tape);
	link_close(&link);
}

static size_t count_lines(const char *text)
{
	size_t n = 0;
	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

static void test_barrier_covers_spare_sets(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	char **argv = STRV("sh", "-c",
			"for i in 1 2 3 4 5 6 7 8 9 10; do "
			"head -c 20000 /dev/zero >&1; printf a >/proc/self/fd/10; printf b "
			">/proc/self/fd/13; echo $i >&4; done");
	tape_init(&tape, 1);
	link_spawn(&link, 1,
			(struct spawn_msg){.flags = SPAWN_CONTROL,
					.spare_sets = 2,
					.window = BIG_WINDOW,
					.argv = argv});
	for (size_t lines = 0; lines < 10;) {
		link_until(&link, &tape, FRAME_OUTPUT);
		lines = count_lines(tape_text(&tape, CHANNEL_CONTROL));
		assert_true(tape.out[CHANNEL_STDOUT].len >= lines * 20000);
		assert_true(tape.out[2].len >= lines);
		assert_true(tape.out[5].len >= lines);
	}
	link_exit(&link, &tape);
	assert_string_equal(tape_text(&tape, 2), "aaaaaaaaaa");
	assert_string_equal(tape_text(&tape, 5), "bbbbbbbbbb");
	tape_finish(&tape);
	link_close(&link);
}

static void test_script_control_and_stdin_are_separate(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	size_t n = 200000; /* more than a pipe takes */
	char *script = malloc(n + 1);
	memset(script, 's', n);
	script[n] = '\0';
	tape_init(&tape, 1);
	link_spawn(&link, 1,
			(struct spawn_msg){.flags = SPAWN_CONTROL | SPAWN_STDIN_OPEN,
					.window = BIG_WINDOW,
					.argv = STRV("sh", "-c",
							"wc -c <&5 >&4; read line; read request <&3; echo "
							"$line $request >&4; cat <&3 >&4"),
					.script = script,
					.script_len = n});
	link_until_text(&link, &tape, CHANNEL_CONTROL, "200000\n");
	link_send(&link, 1, FRAME_INPUT, CHANNEL_CONTROL, "request\nrest\n", 13);
	link_send(&link, 1, FRAME_INPUT, CHANNEL_STDIN, "line\n", 5);
	link_until_text(&link, &tape, CHANNEL_CONTROL, "line request\n");
	link_pack(&link, 1, FRAME_CLOSE, "");
	free(script);
	tape_finish(&tape);
	link_close(&link);
}

static void test_stdin_ends_and_begins_again(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	tape_init(&tape, 1);
	link_shell(&link, 1, "for i in 1 2 3 4; do cat; echo \"<$i>\"; read go <&3; done", SPAWN_CONTROL,
			BIG_WINDOW);
	link_until_text(&link, &tape, 0, "<1>"); /* not opened: ends at once */
	link_pack(&link, 1, FRAME_STDIN, "b", STDIN_OPEN);
	link_send(&link, 1, FRAME_INPUT, CHANNEL_CONTROL, "go\n", 3);
	link_send(&link, 1, FRAME_INPUT, CHANNEL_STDIN, "abc", 3);
	link_until_text(&link, &tape, 0, "abc");
	link_pack(&link, 1, FRAME_STDIN, "b", STDIN_EOF);
	link_until_text(&link, &tape, 0, "<2>");
	/* Opened, filled, and reset before anybody reads: nothing of it may be seen. */
	link_pack(&link, 1, FRAME_STDIN, "b", STDIN_OPEN);
	char *junk = calloc(1, 200000);
	link_send(&link, 1, FRAME_INPUT, CHANNEL_STDIN, junk, 200000);
	link_pack(&link, 1, FRAME_STDIN, "b", STDIN_RESET);
	link_send(&link, 1, FRAME_INPUT, CHANNEL_CONTROL, "go\n", 3);
	link_until_text(&link, &tape, 0, "<3>");
	assert_true(tape.input_credit >= 150000); /* what was thrown away counts as taken */
	link_pack(&link, 1, FRAME_STDIN, "b", STDIN_OPEN);
	link_send(&link, 1, FRAME_INPUT, CHANNEL_CONTROL, "go\n", 3);
	link_send(&link, 1, FRAME_INPUT, CHANNEL_STDIN, "def", 3);
	link_pack(&link, 1, FRAME_STDIN, "b", STDIN_EOF);
	link_until_text(&link, &tape, 0, "<4>");
	link_send(&link, 1, FRAME_INPUT, CHANNEL_CONTROL, "go\n", 3);
	link_exit(&link, &tape);
	assert_string_equal(tape_text(&tape, 0), "<1>\nabc<2>\n<3>\ndef<4>\n");
	free(junk);
	tape_finish(&tape);
	link_close(&link);
}

/* A million bytes through `cat`, as credit for input comes back. */
static void test_input_flows_by_credit(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	enum { TOTAL = 1000000, PIECE = 10000 };
	char piece[PIECE];
	uint64_t sent = 0;
	tape_init(&tape, 1);
	link_shell(&link, 1, "cat", SPAWN_STDIN_OPEN, BIG_WINDOW);
	memset(piece, 'i', sizeof piece);
	while (sent < TOTAL) {
		while (sent < TOTAL && sent + PIECE <= FRAME_INPUT_WINDOW + tape.input_credit) {
			link_send(&link, 1, FRAME_INPUT, CHANNEL_STDIN, piece, PIECE);
			sent += PIECE;
		}
		if (sent < TOTAL)
			link_until(&link, &tape, FRAME_INPUT_CREDIT);
	}
	link_pack(&link, 1, FRAME_STDIN, "b", STDIN_EOF);
	link_exit(&link, &tape);
	assert_int_equal(tape.out[0].len, TOTAL);
	tape_finish(&tape);
	link_close(&link);
}

static void test_input_beyond_credit_breaks_the_connection(void **state)
{
	struct link link = link_open(*state);
	struct trm_error error;
	char *piece = calloc(1, FRAME_INPUT_WINDOW);
	link_shell(&link, 1, "sleep 100", SPAWN_STDIN_OPEN, BIG_WINDOW);
	link_send(&link, 1, FRAME_INPUT, CHANNEL_STDIN, piece, FRAME_INPUT_WINDOW);
	link_send(&link, 1, FRAME_INPUT, CHANNEL_STDIN, piece, FRAME_INPUT_WINDOW);
	assert_int_equal(link_error(&link, 0, &error), TRM_EPROTO);
	free(piece);
	link_close(&link);
}

static void test_flood_waits_for_credit_and_a_signal_does_not(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	tape_init(&tape, 1);
	link_shell(&link, 1, "exec yes", 0, 100000);
	collect(&link, &tape, 100);
	assert_int_equal(tape.bytes, 100000);
	credit(&link, 1, 5000);
	collect(&link, &tape, 50);
	assert_int_equal(tape.bytes, 105000);
	link_send(&link, 0, FRAME_PING, 0, "here?", 5);
	const struct frame *pong = link_next(&link, DEADLINE_MS, NULL);
	assert_int_equal(pong->type, FRAME_PONG);
	assert_memory_equal(pong->payload, "here?", 5);
	link_pack(&link, 1, FRAME_SIGNAL, "ub", (uint32_t)SIGINT, 0);
	collect(&link, &tape, 100);
	assert_int_equal(tape.bytes, 105000); /* the rest waits for credit, and EXITED for the rest */
	credit(&link, 1, BIG_WINDOW);
	assert_int_equal(link_exit(&link, &tape).signal, SIGINT);
	tape_finish(&tape);
	link_close(&link);
}

/* With credit without end and nobody reading, memory stays bounded and signals still arrive. */
static void test_unread_flood_is_bounded(void **state)
{
	struct rig *rig = *state;
	struct link link = link_open(rig), other = link_open(rig);
	struct tape tape;
	char path[40], text[200];
	long pages = 0;
	tape_init(&tape, 1);
	link_shell(&link, 1, "exec yes", 0, UINT32_MAX);
	link_until(&link, &tape, FRAME_STARTED);
	poll(NULL, 0, 200); /* let it run full: there is no event to wait for when nothing happens */
	snprintf(path, sizeof path, "/proc/%d/statm", (int)rig->agent);
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	assert_true(n > 0);
	text[n] = '\0';
	assert_int_equal(sscanf(text, "%*d %ld", &pages), 1);
	if (!strstr(AGENT_PROGRAM, "checked"))
		assert_true(pages * 4096 < 6 * 1024 * 1024);
	link_send(&other, 0, FRAME_PING, 0, "", 0);
	assert_int_equal(link_next(&other, DEADLINE_MS, NULL)->type, FRAME_PONG);
	link_pack(&link, 1, FRAME_SIGNAL, "ub", (uint32_t)SIGKILL, 0);
	assert_int_equal(link_exit(&link, &tape).signal, SIGKILL);
	assert_true(tape.bytes < 4 * 1024 * 1024);
	tape_finish(&tape);
	link_close(&link);
	link_close(&other);
}

static void test_each_stream_keeps_its_order(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	tape_init(&tape, 1);
	link_shell(&link, 1, "for i in $(seq 500); do echo o$i; echo e$i >&2; done", 0, BIG_WINDOW);
	link_exit(&link, &tape);
	const char *at[2] = {tape_text(&tape, 0), tape_text(&tape, 1)};
	for (int i = 1; i <= 500; i++)
		for (int channel = 0; channel < 2; channel++) {
			char line[16];
			size_t n = (size_t)snprintf(line, sizeof line, "%c%d\n", channel ? 'e' : 'o', i);
			assert_memory_equal(at[channel], line, n);
			at[channel] += n;
		}
	tape_finish(&tape);
	link_close(&link);
}

static void test_control_bigger_than_everything(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	tape_init(&tape, 1);
	link_shell(&link, 1, "seq 1 300000 >&4; echo out", SPAWN_CONTROL, 10000);
	while (tape.out[CHANNEL_CONTROL].len < 1988895) {
		collect(&link, &tape, 1);
		credit(&link, 1, 100000);
	}
	link_exit(&link, &tape);
	assert_memory_equal(tape_text(&tape, CHANNEL_CONTROL) + 1988895 - 7, "300000\n", 7);
	assert_string_equal(tape_text(&tape, 0), "out\n");
	tape_finish(&tape);
	link_close(&link);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_control_comes_after_what_was_written_before),
			T(test_barrier_covers_spare_sets),
			T(test_script_control_and_stdin_are_separate),
			T(test_stdin_ends_and_begins_again),
			T(test_input_flows_by_credit),
			T(test_input_beyond_credit_breaks_the_connection),
			T(test_flood_waits_for_credit_and_a_signal_does_not),
			T(test_unread_flood_is_bounded),
			T(test_each_stream_keeps_its_order),
			T(test_control_bigger_than_everything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
