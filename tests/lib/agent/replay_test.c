/* SPDX-License-Identifier: MIT */
/* Who attaches later is told what has been; recent_test.c has the details. */
#include "lib/agent/crowd.h"

/* Attach and read all that is old. */
static struct started_msg read_replay(struct link *link, struct tape *tape, uint32_t flags, uint32_t window)
{
	struct started_msg msg = crowd_attach(link, tape, flags, window);
	uint64_t before = tape->bytes;
	while (tape->bytes - before < msg.replay_bytes)
		link_until(link, tape, FRAME_OUTPUT);
	assert_int_equal(tape->bytes - before, msg.replay_bytes);
	return msg;
}

static void write_run(struct link *link, struct tape *tape, const char *note, const char *line)
{
	crowd_write(link, tape->stream, CHANNEL_NOTE, note);
	crowd_write(link, tape->stream, CHANNEL_CONTROL, line);
	link_until_text(link, tape, CHANNEL_CONTROL, "ok\n");
	buf_clear(&tape->out[CHANNEL_CONTROL]);
}

static void test_recent_output_is_replayed(void **state)
{
	struct link a = link_open(*state), b = link_open(*state);
	struct tape tape_a, tape_b;
	tape_init(&tape_a, 1);
	tape_init(&tape_b, 2);
	crowd_spawn(&a, 1, "echo ready >&4; " ECHO_KERNEL, SPAWN_CONTROL, BIG_WINDOW);
	link_until_text(&a, &tape_a, CHANNEL_CONTROL, "ready\n");
	buf_clear(&tape_a.out[CHANNEL_CONTROL]);
	write_run(&a, &tape_a, "{1}\n", "one\n");
	write_run(&a, &tape_a, "{2}\n", "two\n");
	struct started_msg msg = read_replay(&b, &tape_b, SPAWN_RECENT, BIG_WINDOW);
	assert_true(msg.was_there && !msg.has_turn && !msg.is_torn);
	assert_int_equal(msg.pinned_bytes, 0);
	assert_int_equal(msg.lost_bytes, 0);
	assert_int_equal(msg.position, 6 + 2 * 5 + 2 * 3);
	tape_b.order[tape_b.n_order] = '\0';
	assert_string_equal(tape_b.order, "cnocnoc");
	assert_string_equal(tape_text(&tape_b, 0), "=one\n=two\n");
	assert_string_equal(tape_text(&tape_b, CHANNEL_NOTE), "{1}\n{2}\n");
	/* And then what is new. */
	write_run(&a, &tape_a, "{3}\n", "three\n");
	link_until_text(&b, &tape_b, 0, "=one\n=two\n=three\n");
	link_close(&a);
	link_close(&b);
	tape_finish(&tape_a);
	tape_finish(&tape_b);
}

static void test_without_recent_there_are_only_pins(void **state)
{
	struct link a = link_open(*state), b = link_open(*state);
	struct tape tape_a, tape_b;
	tape_init(&tape_a, 1);
	tape_init(&tape_b, 2);
	crowd_spawn(&a, 1,
			"echo ready >&4; while read -r line <&3; do echo '{\"ev\":\"done\"}' >&4; echo ok >&4; done",
			SPAWN_CONTROL, BIG_WINDOW);
	link_until_text(&a, &tape_a, CHANNEL_CONTROL, "ready\n");
	buf_clear(&tape_a.out[CHANNEL_CONTROL]);
	write_run(&a, &tape_a, "{1}\n", "one\n");
	crowd_spawn(&b, 2, "", SPAWN_ATTACH, BIG_WINDOW);
	struct started_msg msg;
	assert_int_equal(started_msg_get(link_until(&b, &tape_b, FRAME_STARTED), &msg), 0);
	assert_int_equal(msg.greeting_len, 5);
	assert_memory_equal(msg.greeting, "ready", 5);
	assert_int_equal(msg.pinned_bytes, msg.replay_bytes);
	assert_int_equal(msg.lost_bytes, msg.position);
	link_until_text(&b, &tape_b, CHANNEL_CONTROL, FRAME_END_MARK "}\n");
	assert_string_equal(tape_text(&tape_b, CHANNEL_NOTE), "{1}\n");
	crowd_sync(&b, &tape_b);
	assert_int_equal(tape_b.bytes, msg.replay_bytes);
	link_close(&a);
	link_close(&b);
	tape_finish(&tape_a);
	tape_finish(&tape_b);
}

/* Nobody is there; the run goes on, and what it says is kept. */
static void test_output_of_a_process_that_nobody_follows(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	struct started_msg msg;
	tape_init(&tape, 1);
	crowd_spawn(&link, 1, "read -r line <&3; seq 1 1000000; echo the end; echo done >&4; sleep 1000",
			SPAWN_CONTROL | SPAWN_KEEP, BIG_WINDOW);
	crowd_started(&link, &tape);
	crowd_write(&link, 1, CHANNEL_NOTE, "{n}\n");
	crowd_write(&link, 1, CHANNEL_CONTROL, "go\n");
	crowd_sync(&link, &tape);
	link_close(&link);
	uint64_t until_ns = rig_now_ns() + DEADLINE_MS * UINT64_C(1000000);
	do {
		tape_finish(&tape);
		tape_init(&tape, 1);
		link = link_open(*state);
		msg = read_replay(&link, &tape, SPAWN_RECENT, BIG_WINDOW);
		link_close(&link);
		assert_true(rig_now_ns() < until_ns);
	} while (!strstr(tape_text(&tape, CHANNEL_CONTROL), "done\n"));
	assert_string_equal(tape_text(&tape, CHANNEL_NOTE), "{n}\n");
	assert_int_equal(msg.position, 6888896 + 8 + 5);
	assert_int_equal(msg.lost_bytes, msg.position - tape.out[0].len - 5);
	assert_true(tape.out[0].len > FRAME_RECENT_MAX - 1024);
	assert_non_null(strstr(tape_text(&tape, 0), "999999\n1000000\nthe end\n"));
	tape_finish(&tape);
}

/* A replay obeys credit like everything else, and nothing newer overtakes it. */
static void test_replay_in_small_pieces(void **state)
{
	struct link a = link_open(*state), b = link_open(*state);
	struct tape tape_a, tape_b;
	tape_init(&tape_a, 1);
	tape_init(&tape_b, 2);
	crowd_spawn(&a, 1, "seq 1 2000; " ECHO_KERNEL, SPAWN_CONTROL, BIG_WINDOW);
	link_until_text(&a, &tape_a, 0, "\n2000\n");
	crowd_spawn(&b, 2, "", SPAWN_ATTACH | SPAWN_RECENT, 100);
	crowd_started(&b, &tape_b);
	crowd_write(&a, 1, CHANNEL_CONTROL, "new\n");
	for (uint64_t credit = 100; !strstr(tape_text(&tape_b, 0), "=new\n"); credit += 100) {
		while (tape_b.bytes < credit)
			link_until(&b, &tape_b, FRAME_OUTPUT);
		assert_int_equal(tape_b.bytes, credit);
		link_pack(&b, 2, FRAME_CREDIT, "u", (uint32_t)100);
		if (tape_b.bytes >= 8893)
			link_until_text(&b, &tape_b, 0, "=new\n");
	}
	link_until_text(&a, &tape_a, 0, "=new\n");
	assert_string_equal(tape_text(&tape_a, 0), tape_text(&tape_b, 0));
	link_close(&a);
	link_close(&b);
	tape_finish(&tape_a);
	tape_finish(&tape_b);
}

/* It ends before the one who has just come has got everything. */
static void test_the_end_waits_for_the_replay(void **state)
{
	struct link a = link_open(*state), b = link_open(*state);
	struct tape tape_a, tape_b;
	tape_init(&tape_a, 1);
	tape_init(&tape_b, 2);
	crowd_spawn(&a, 1, "seq 1 2000; read -r line <&3; exit 3", SPAWN_CONTROL, BIG_WINDOW);
	link_until_text(&a, &tape_a, 0, "\n2000\n");
	crowd_spawn(&b, 2, "", SPAWN_ATTACH | SPAWN_RECENT, 100);
	crowd_started(&b, &tape_b);
	crowd_write(&a, 1, CHANNEL_CONTROL, "\n");
	link_pack(&b, 2, FRAME_CREDIT, "u", (uint32_t)100000);
	assert_int_equal(link_exit(&b, &tape_b).exit_code, 3);
	assert_int_equal(link_exit(&a, &tape_a).exit_code, 3);
	assert_int_equal(tape_b.out[0].len, 8893);
	link_close(&a);
	link_close(&b);
	tape_finish(&tape_a);
	tape_finish(&tape_b);
}

/* Attached before it has started, while its first client is writing to it already. */
static void test_attached_before_the_start(void **state)
{
	struct link a = link_open(*state), b = link_open(*state);
	struct tape tape_a, tape_b;
	tape_init(&tape_a, 1);
	tape_init(&tape_b, 2);
	for (uint32_t round = 1; round <= 20; round++) {
		tape_a.stream = tape_b.stream = round;
		crowd_spawn(&a, round, ECHO_KERNEL, SPAWN_CONTROL, BIG_WINDOW);
		crowd_write(&a, round, CHANNEL_NOTE, "{n}\n");
		crowd_write(&a, round, CHANNEL_CONTROL, "early\n");
		crowd_spawn(&b, round, "exit 9", SPAWN_CONTROL, BIG_WINDOW);
		const struct frame *first;
		while ((first = link_next(&b, DEADLINE_MS, NULL)) && first->stream != round)
			;
		assert_int_equal(first->type, FRAME_STARTED); /* nothing before that */
		struct started_msg msg;
		assert_int_equal(started_msg_get(first, &msg), 0);
		if (!msg.was_there) {
			/* This one was first; the other is the one who has come to it. */
			link_pack(&b, round, FRAME_SIGNAL, "ub", (uint32_t)SIGKILL, 1);
		} else {
			link_until_text(&b, &tape_b, CHANNEL_NOTE, "{n}\n");
			assert_string_equal(tape_text(&tape_b, CHANNEL_NOTE), "{n}\n");
			link_pack(&a, round, FRAME_SIGNAL, "ub", (uint32_t)SIGKILL, 1);
		}
		link_exit(&a, &tape_a);
		link_exit(&b, &tape_b);
		buf_clear(&tape_b.out[CHANNEL_NOTE]);
	}
	link_close(&a);
	link_close(&b);
	tape_finish(&tape_a);
	tape_finish(&tape_b);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_recent_output_is_replayed),
			T(test_without_recent_there_are_only_pins),
			T(test_output_of_a_process_that_nobody_follows),
			T(test_replay_in_small_pieces),
			T(test_the_end_waits_for_the_replay),
			T(test_attached_before_the_start),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
