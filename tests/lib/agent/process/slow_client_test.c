/* SPDX-License-Identifier: MIT */
/* One client of a process must not harm the others, whatever it does or does not. */
#include "lib/agent/crowd.h"

#define FLOOD "read -r line <&3; seq 1 1000000; echo end"
enum { FLOOD_BYTES = 6888896 + 4 };

static void go(struct pair *pair)
{
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "go\n");
}

/* The bytes are counted and not searched for the end each time: a reader that is slow is let go. */
static void expect_whole_flood(struct link *link, struct tape *tape)
{
	while (tape->out[0].len < FLOOD_BYTES)
		link_until(link, tape, FRAME_OUTPUT);
	assert_int_equal(tape->out[0].len, FLOOD_BYTES);
	assert_memory_equal(tape_text(tape, 0) + FLOOD_BYTES - 4, "end\n", 4);
}

/* Both read at the same time, or one would hold up the other. */
static void expect_two_whole_floods(struct pair *pair)
{
	uint64_t until_ns = rig_now_ns() + DEADLINE_MS * UINT64_C(1000000);
	while (pair->tape_a.out[0].len < FLOOD_BYTES || pair->tape_b.out[0].len < FLOOD_BYTES) {
		const struct frame *frame;
		while ((frame = link_next(&pair->a, 1, NULL)))
			tape_take(&pair->tape_a, frame);
		while ((frame = link_next(&pair->b, 1, NULL)))
			tape_take(&pair->tape_b, frame);
		assert_true(rig_now_ns() < until_ns);
	}
}

static void test_one_that_takes_nothing_is_let_go(void **state)
{
	struct pair *pair = pair_open(*state, FLOOD, SPAWN_CONTROL, BIG_WINDOW, 1000);
	struct trm_error error;
	go(pair);
	expect_whole_flood(&pair->a, &pair->tape_a);
	assert_int_equal(link_error(&pair->b, 9, &error), TRM_EBUSY);
	link_exit(&pair->a, &pair->tape_a);
	pair_close(pair);
}

/* Also if it was there first: but with the turn it is given more time. */
static void test_the_oldest_is_no_exception(void **state)
{
	struct pair *pair = pair_open(*state, FLOOD, SPAWN_CONTROL, 1000, BIG_WINDOW);
	struct trm_error error;
	go(pair);
	uint64_t start_ns = rig_now_ns();
	expect_whole_flood(&pair->b, &pair->tape_b);
	assert_true(rig_now_ns() - start_ns >= (FRAME_TURN_TIMEOUT_MS - 100) * UINT64_C(1000000));
	assert_int_equal(link_error(&pair->a, 1, &error), TRM_EBUSY);
	link_exit(&pair->b, &pair->tape_b);
	pair_close(pair);
}

/* It does not read its socket any more, whatever credit it gave: as if it were stopped. */
static void test_one_that_is_stopped_is_let_go(void **state)
{
	struct pair *pair = pair_open(*state, FLOOD, SPAWN_CONTROL, BIG_WINDOW, BIG_WINDOW);
	struct trm_error error;
	go(pair);
	expect_whole_flood(&pair->a, &pair->tape_a);
	link_exit(&pair->a, &pair->tape_a);
	/* Awake again it reads how it ended, and may see what it has missed. */
	assert_int_equal(link_error(&pair->b, 9, &error), TRM_EBUSY);
	pair_close(pair);
}

/* A byte of credit now and then is no excuse. */
static void test_one_that_trickles_is_let_go(void **state)
{
	struct pair *pair = pair_open(*state, FLOOD, SPAWN_CONTROL, BIG_WINDOW, 1000);
	const struct frame *frame = NULL;
	struct trm_error error;
	go(pair);
	uint64_t until_ns = rig_now_ns() + DEADLINE_MS * UINT64_C(1000000);
	while (!frame || frame->type != FRAME_ERROR) {
		link_pack(&pair->b, 9, FRAME_CREDIT, "u", (uint32_t)1);
		link_until(&pair->a, &pair->tape_a, FRAME_OUTPUT);
		frame = link_next(&pair->b, 100, NULL);
		assert_true(rig_now_ns() < until_ns);
	}
	assert_int_equal(error_msg_get(frame, &error), 0);
	assert_int_equal(error.code, TRM_EBUSY);
	expect_whole_flood(&pair->a, &pair->tape_a);
	pair_close(pair);
}

static void test_one_that_keeps_pace_gets_everything(void **state)
{
	struct pair *pair = pair_open(*state, "read -r line <&3; seq 1 100000; echo end", SPAWN_CONTROL,
			BIG_WINDOW, 200000);
	uint64_t seen = 0;
	go(pair);
	while (!strstr(tape_text(&pair->tape_b, 0), "end\n")) {
		link_until(&pair->b, &pair->tape_b, FRAME_OUTPUT);
		link_pack(&pair->b, 9, FRAME_CREDIT, "u", (uint32_t)(pair->tape_b.bytes - seen));
		seen = pair->tape_b.bytes;
	}
	link_exit(&pair->a, &pair->tape_a);
	assert_int_equal(pair->tape_a.out[0].len, pair->tape_b.out[0].len);
	assert_memory_equal(
			buf_at(&pair->tape_a.out[0]), buf_at(&pair->tape_b.out[0]), pair->tape_a.out[0].len);
	pair_close(pair);
}

/* A window that is used up harms nobody while nothing is written. */
static void test_a_silent_process_is_not_held_up(void **state)
{
	struct pair *pair = pair_open(*state,
			"read -r line <&3; printf 12345; read -r line <&3; echo; echo more; exit 4",
			SPAWN_CONTROL, BIG_WINDOW, 5);
	go(pair);
	link_until_text(&pair->b, &pair->tape_b, 0, "12345");
	uint64_t start_ns = rig_now_ns();
	while (rig_now_ns() - start_ns < 2 * FRAME_SLOW_MS * UINT64_C(1000000))
		crowd_sync(&pair->a, &pair->tape_a);
	go(pair);
	link_pack(&pair->b, 9, FRAME_CREDIT, "u", (uint32_t)100);
	link_until_text(&pair->b, &pair->tape_b, 0, "more\n");
	assert_int_equal(link_exit(&pair->b, &pair->tape_b).exit_code, 4);
	pair_close(pair);
}

/* Nobody else waits: it may take as long as it likes. */
static void test_a_lone_client_holds_it_up(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	tape_init(&tape, 1);
	crowd_spawn(&link, 1, "seq 1 1000000; echo end", SPAWN_CONTROL, 1000);
	crowd_started(&link, &tape);
	while (tape.bytes < 1000)
		link_until(&link, &tape, FRAME_OUTPUT);
	assert_null(link_next(&link, 2 * FRAME_SLOW_MS, NULL));
	link_pack(&link, 1, FRAME_CREDIT, "u", (uint32_t)BIG_WINDOW);
	expect_whole_flood(&link, &tape);
	link_close(&link);
	tape_finish(&tape);
}

/* Two that sleep both: neither holds up the other. */
static void test_all_asleep_is_peace(void **state)
{
	struct pair *pair = pair_open(*state, FLOOD, SPAWN_CONTROL, 1000, 1000);
	go(pair);
	while (pair->tape_b.bytes < 1000)
		link_until(&pair->b, &pair->tape_b, FRAME_OUTPUT);
	assert_null(link_next(&pair->b, 2 * FRAME_SLOW_MS, NULL));
	link_pack(&pair->b, 9, FRAME_CREDIT, "u", (uint32_t)BIG_WINDOW);
	link_pack(&pair->a, 1, FRAME_CREDIT, "u", (uint32_t)BIG_WINDOW);
	expect_two_whole_floods(pair);
	pair_close(pair);
}

/* Who was let go comes back and learns how much is missing. */
static void test_coming_back(void **state)
{
	struct pair *pair = pair_open(*state, FLOOD "; sleep 1000", SPAWN_CONTROL, BIG_WINDOW, 1000);
	struct trm_error error;
	go(pair);
	expect_whole_flood(&pair->a, &pair->tape_a);
	assert_int_equal(link_error(&pair->b, 9, &error), TRM_EBUSY);
	pair->tape_b.stream = 10;
	struct started_msg msg = crowd_attach(&pair->b, &pair->tape_b, SPAWN_RECENT, BIG_WINDOW);
	assert_int_equal(msg.position, FLOOD_BYTES);
	link_until_text(&pair->b, &pair->tape_b, 0, "end\n");
	assert_int_equal(pair->tape_b.out[0].len, msg.position - msg.lost_bytes);
	pair_close(pair);
}

/* Notes alone can make one that never reads fall behind: what is kept for it has an end. */
static void test_notes_to_one_that_never_reads(void **state)
{
	struct rig *rig = *state;
	struct pair *pair =
			pair_open(rig, "while read -r line <&3; do :; done", SPAWN_CONTROL, BIG_WINDOW, 10);
	char *note = malloc(200000), command[80];
	long kib = 0;
	memset(note, 'n', 200000);
	note[199999] = '\n';
	for (int i = 0; i < 60; i++) {
		link_send(&pair->a, 1, FRAME_INPUT, CHANNEL_NOTE, note, 200000);
		crowd_write(&pair->a, 1, CHANNEL_CONTROL, "x\n");
		crowd_sync(&pair->a, &pair->tape_a);
	}
	struct trm_error error;
	assert_int_equal(link_error(&pair->b, 9, &error), TRM_EBUSY);
	snprintf(command, sizeof command, "grep VmHWM /proc/%d/status | tr -dc 0-9", (int)rig->agent);
	FILE *lines = popen(command, "r");
	assert_int_equal(fscanf(lines, "%ld", &kib), 1);
	pclose(lines);
	if (!strstr(AGENT_PROGRAM, "checked"))
		assert_true(kib < 16 * 1024);
	free(note);
	pair_close(pair);
}

/* Sixteen of all kinds; those that do as they should get every byte. */
static void test_a_crowd(void **state)
{
	enum { N = 16 };
	struct link links[N];
	struct tape tapes[N];
	for (uint32_t i = 0; i < N; i++) {
		links[i] = link_open(*state);
		tape_init(&tapes[i], 1);
		/* Every fourth gives no credit, every fourth never reads. */
		crowd_spawn(&links[i], 1, FLOOD, SPAWN_CONTROL, i % 4 == 2 ? 500 : BIG_WINDOW);
		crowd_started(&links[i], &tapes[i]);
	}
	link_write(&links[15], "\5\0\0\0\1\0", 6); /* dead in the middle of a frame */
	close(links[15].fd);
	crowd_write(&links[0], 1, CHANNEL_CONTROL, "go\n");
	pid_t reader = 0;
	for (uint32_t i = 0; i < N; i += 4) {
		/* They must read at the same time, or they hold up each other. */
		if (i && (reader = fork()) == 0) {
			expect_whole_flood(&links[i], &tapes[i]);
			_exit(0);
		}
	}
	expect_whole_flood(&links[0], &tapes[0]);
	for (int i = 0, status; i < 3; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	(void)reader;
	for (uint32_t i = 0; i < N; i++) {
		tape_finish(&tapes[i]);
		if (i != 15)
			close(links[i].fd);
		buf_finish(&links[i].in);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_one_that_takes_nothing_is_let_go),
			T(test_the_oldest_is_no_exception),
			T(test_one_that_is_stopped_is_let_go),
			T(test_one_that_trickles_is_let_go),
			T(test_one_that_keeps_pace_gets_everything),
			T(test_a_silent_process_is_not_held_up),
			T(test_a_lone_client_holds_it_up),
			T(test_all_asleep_is_peace),
			T(test_coming_back),
			T(test_notes_to_one_that_never_reads),
			T(test_a_crowd),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
