/* SPDX-License-Identifier: MIT */
/* Who attaches later is told what has been; history_test.c has the details. */
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

/* One that has ended is there for who asks for the past, and only tells that. */
static void test_the_past_of_one_that_has_ended(void **state)
{
	struct link a = link_open(*state), b = link_open(*state);
	struct tape tape_a, tape_b;
	struct started_msg msg;
	tape_init(&tape_a, 1);
	tape_init(&tape_b, 2);
	crowd_spawn(&a, 1, "read -r line <&3; seq 1 2000; printf torn >&4; exit 3",
			SPAWN_CONTROL | SPAWN_KEEP, BIG_WINDOW);
	crowd_write(&a, 1, CHANNEL_NOTE, "{1}\n");
	crowd_write(&a, 1, CHANNEL_CONTROL, "go\n");
	assert_int_equal(link_exit(&a, &tape_a).exit_code, 3);
	crowd_spawn(&b, 2, "", SPAWN_ATTACH | SPAWN_RECENT, BIG_WINDOW);
	assert_int_equal(link_next(&b, DEADLINE_MS, NULL)->type, FRAME_SHARED);
	const struct frame *none = link_next(&b, DEADLINE_MS, NULL);
	assert_int_equal(none->type, FRAME_ERROR);
	/* What is sent to it is thrown away, a turn it has none, and it tells as much as is paid for. */
	crowd_spawn(&b, 2, "", SPAWN_ATTACH | SPAWN_RECENT | SPAWN_PAST, 100);
	crowd_write(&b, 2, CHANNEL_NOTE, "{x}\n");
	crowd_write(&b, 2, CHANNEL_CONTROL, "x\n");
	crowd_write(&b, 2, CHANNEL_STDIN, "x\n");
	link_pack(&b, 2, FRAME_STDIN, "b", STDIN_EOF);
	crowd_say(&b, 2, TURN_WANT);
	msg = crowd_started(&b, &tape_b);
	assert_int_equal(msg.pid, 0);
	assert_true(msg.was_there && !msg.has_turn && !msg.greeting_len);
	assert_int_equal(msg.position, 8893 + 4);
	crowd_sync(&b, &tape_b);
	assert_int_equal(tape_b.bytes, 100);
	assert_int_equal(tape_b.n_words, 0);
	/* Another takes its place meanwhile. */
	tape_finish(&tape_a);
	tape_init(&tape_a, 3);
	crowd_spawn(&a, 3, "echo ready >&4; " ECHO_KERNEL, SPAWN_CONTROL | SPAWN_KEEP, BIG_WINDOW);
	msg = crowd_started(&a, &tape_a);
	assert_int_equal(msg.position, 8893 + 4);
	assert_int_equal(msg.replay_bytes, 0);
	write_run(&a, &tape_a, "{2}\n", "two\n");
	link_pack(&b, 2, FRAME_CREDIT, "u", (uint32_t)BIG_WINDOW);
	while ((none = link_next(&b, DEADLINE_MS, NULL)) && none->type != FRAME_ERROR)
		if (none->type == FRAME_OUTPUT)
			tape_take(&tape_b, none);
	assert_non_null(none);
	assert_string_equal(tape_text(&tape_b, CHANNEL_NOTE), "{1}\n");
	assert_string_equal(tape_text(&tape_b, CHANNEL_CONTROL), "torn");
	assert_string_equal(tape_text(&tape_b, CHANNEL_ENDED), "\003");
	assert_int_equal(tape_b.out[0].len, 8893);
	tape_finish(&tape_b);
	tape_init(&tape_b, 4);
	msg = read_replay(&b, &tape_b, SPAWN_RECENT, BIG_WINDOW);
	assert_int_equal(msg.lost_bytes, 8893 + 4);
	assert_string_equal(tape_text(&tape_b, CHANNEL_NOTE), "{2}\n");
	assert_string_equal(tape_text(&tape_b, 0), "=two\n");
	link_pack(&b, 4, FRAME_CLOSE, "");
	tape_finish(&tape_b);
	tape_init(&tape_b, 5);
	msg = read_replay(&b, &tape_b, SPAWN_RECENT | SPAWN_PAST, BIG_WINDOW);
	assert_int_equal(msg.lost_bytes, 0);
	assert_string_equal(tape_text(&tape_b, CHANNEL_NOTE), "{1}\n{2}\n");
	assert_string_equal(tape_text(&tape_b, CHANNEL_ENDED), "\003");
	link_close(&a);
	link_close(&b);
	tape_finish(&tape_a);
	tape_finish(&tape_b);
}

/* One that cannot be started loses nothing of it, and of too many the oldest goes. */
static void test_pasts_are_kept_for_some(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	tape_init(&tape, 0);
	for (uint32_t i = 1; i <= 10; i++) {
		char key[8];
		snprintf(key, sizeof key, "key%u", i);
		tape.stream = i;
		link_spawn(&link, i,
				(struct spawn_msg){.key = key,
						.flags = SPAWN_KEEP,
						.window = BIG_WINDOW,
						.argv = STRV("sh", "-c", "echo was")});
		link_exit(&link, &tape);
	}
	link_spawn(&link, 20,
			(struct spawn_msg){.key = (char *)(uintptr_t) "key9",
					.flags = SPAWN_KEEP,
					.window = BIG_WINDOW,
					.argv = STRV("/nowhere/at/all")});
	while (link_next(&link, DEADLINE_MS, NULL)->type != FRAME_ERROR)
		;
	link_close(&link);
	link = link_open(*state);
	unsigned n = 0;
	bool has_oldest = false, has_failed = false;
	link_send(&link, 0, FRAME_PING, 0, "", 0);
	for (const struct frame *frame; (frame = link_next(&link, DEADLINE_MS, NULL))->type != FRAME_PONG;
			n++) {
		char *key;
		assert_int_equal(shared_msg_get(frame, &key), 0);
		has_oldest |= strcmp(key, "key1") == 0;
		has_failed |= strcmp(key, "key9") == 0;
		free(key);
	}
	assert_int_equal(n, 8);
	assert_true(has_failed && !has_oldest);
	link_close(&link);
	tape_finish(&tape);
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
			T(test_the_past_of_one_that_has_ended),
			T(test_pasts_are_kept_for_some),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
