/* SPDX-License-Identifier: MIT */
#include "lib/agent/crowd.h"

static struct pair *echo_pair(void **state)
{
	return pair_open(*state, ECHO_KERNEL, SPAWN_CONTROL | SPAWN_STDIN_OPEN, BIG_WINDOW, BIG_WINDOW);
}

static void test_input_without_the_turn_is_thrown_away(void **state)
{
	struct pair *pair = echo_pair(state);
	char big[FRAME_INPUT_WINDOW / 4];
	memset(big, 'x', sizeof big);
	crowd_write(&pair->b, 9, CHANNEL_CONTROL, "not taken\n");
	link_send(&pair->b, 9, FRAME_INPUT, CHANNEL_CONTROL, big, sizeof big);
	link_send(&pair->b, 9, FRAME_INPUT, CHANNEL_NOTE, big, sizeof big);
	crowd_sync(&pair->b, &pair->tape_b);
	/* Its credit comes back all the same. */
	assert_int_equal(pair->tape_b.input_credit, 10 + 2 * sizeof big);
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "taken\n");
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_CONTROL, "ok\n");
	assert_string_equal(tape_text(&pair->tape_b, 0), "=taken\n");
	pair_close(pair);
}

static bool leaves_unread(struct rig *rig, const char *command, const char *until, const char *control)
{
	struct link link = link_open(rig);
	struct tape tape;
	tape_init(&tape, 1);
	crowd_spawn(&link, 1, command, SPAWN_CONTROL | SPAWN_STDIN_OPEN, BIG_WINDOW);
	link_until_text(&link, &tape, 0, until);
	crowd_write(&link, 1, CHANNEL_CONTROL, control);
	crowd_write(&link, 1, CHANNEL_STDIN, "go\n");
	bool has_unread = link_exit(&link, &tape).has_unread;
	tape_finish(&tape);
	link_close(&link);
	return has_unread;
}

static void test_what_is_never_read_is_reported(void **state)
{
	const char *reader = "echo here; read -r line <&3; read -r go";
	assert_false(leaves_unread(*state, reader, "here\n", "one\n"));
	assert_true(leaves_unread(*state, reader, "here\n", "one\ntwo\n"));
	assert_true(leaves_unread(*state, "exec 3<&-; echo deaf; read -r go", "deaf\n", "one\n"));
}

static void test_turn_goes_from_hand_to_hand(void **state)
{
	struct pair *pair = echo_pair(state);
	crowd_say(&pair->b, 9, TURN_WANT);
	assert_int_equal(crowd_word(&pair->a, &pair->tape_a), TURN_WANTED);
	/* It may finish what it is at. */
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "one\n");
	crowd_say(&pair->a, 1, TURN_RELEASE);
	assert_int_equal(crowd_word(&pair->b, &pair->tape_b), TURN_YOURS);
	crowd_write(&pair->b, 9, CHANNEL_CONTROL, "two\n");
	link_until_text(&pair->a, &pair->tape_a, 0, "=one\n=two\n");
	/* Who has it and asks hears nothing: an answer would come after it has given up this turn, and would
	 * be taken for the next one. */
	crowd_say(&pair->b, 9, TURN_WANT);
	crowd_say(&pair->b, 9, TURN_TAKE);
	crowd_say(&pair->a, 1, TURN_WANT);
	assert_int_equal(crowd_word(&pair->b, &pair->tape_b), TURN_WANTED);
	pair_close(pair);
}

static void test_those_who_wait_are_served_in_order(void **state)
{
	enum { N = 16 };
	struct rig *rig = *state;
	struct link links[N];
	struct tape tapes[N];
	for (uint32_t i = 0; i < N; i++) {
		links[i] = link_open(rig);
		tape_init(&tapes[i], i + 1);
		crowd_spawn(&links[i], i + 1, ECHO_KERNEL, SPAWN_CONTROL, BIG_WINDOW);
		assert_int_equal(crowd_started(&links[i], &tapes[i]).has_turn, i == 0);
	}
	for (uint32_t i = N - 1; i > 0; i--) {
		crowd_say(&links[i], i + 1, TURN_WANT);
		crowd_sync(&links[i], &tapes[i]);
	}
	crowd_say(&links[0], 1, TURN_RELEASE);
	for (uint32_t i = N - 1; i > 0; i--) {
		char line[20];
		assert_int_equal(crowd_word(&links[i], &tapes[i]), TURN_YOURS);
		if (i > 1)
			assert_int_equal(crowd_word(&links[i], &tapes[i]), TURN_WANTED);
		snprintf(line, sizeof line, "%u\n", i);
		crowd_write(&links[i], i + 1, CHANNEL_CONTROL, line);
		crowd_say(&links[i], i + 1, TURN_RELEASE);
	}
	for (uint32_t i = 0; i < N; i++) {
		link_until_text(&links[i], &tapes[i], 0, "=1\n");
		assert_string_equal(tape_text(&tapes[i], 0), tape_text(&tapes[0], 0));
		assert_int_equal(strncmp(tape_text(&tapes[i], 0), "=15\n=14\n", 8), 0);
	}
	for (uint32_t i = 0; i < N; i++) {
		tape_finish(&tapes[i]);
		link_close(&links[i]);
	}
}

static void test_one_who_waits_may_think_better_of_it(void **state)
{
	struct pair *pair = echo_pair(state);
	crowd_say(&pair->b, 9, TURN_WANT);
	assert_int_equal(crowd_word(&pair->a, &pair->tape_a), TURN_WANTED);
	crowd_say(&pair->b, 9, TURN_RELEASE);
	crowd_sync(&pair->b, &pair->tape_b);
	crowd_say(&pair->a, 1, TURN_RELEASE);
	crowd_get_turn(&pair->a, &pair->tape_a);
	pair_close(pair);
}

static void test_who_goes_leaves_the_turn(void **state)
{
	struct pair *pair = echo_pair(state);
	crowd_say(&pair->b, 9, TURN_WANT);
	assert_int_equal(crowd_word(&pair->a, &pair->tape_a), TURN_WANTED);
	/* Dead in mid-line and in mid-note: neither harms the next one. */
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "torn");
	crowd_write(&pair->a, 1, CHANNEL_NOTE, "{\"ev\":\"be");
	crowd_sync(&pair->a, &pair->tape_a);
	shutdown(pair->a.fd, SHUT_RDWR);
	assert_int_equal(crowd_word(&pair->b, &pair->tape_b), TURN_YOURS);
	crowd_write(&pair->b, 9, CHANNEL_CONTROL, "whole\n");
	link_until_text(&pair->b, &pair->tape_b, 0, "=torn\x18\n=whole\n");
	assert_string_equal(tape_text(&pair->tape_b, CHANNEL_NOTE), "");
	pair_close(pair);
}

static void test_release_in_mid_line_ends_the_line(void **state)
{
	struct pair *pair = echo_pair(state);
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "whole\ntorn");
	crowd_write(&pair->a, 1, CHANNEL_NOTE, "torn too");
	crowd_say(&pair->a, 1, TURN_RELEASE);
	crowd_sync(&pair->a, &pair->tape_a);
	crowd_get_turn(&pair->b, &pair->tape_b);
	crowd_write(&pair->b, 9, CHANNEL_NOTE, "{}\n");
	crowd_write(&pair->b, 9, CHANNEL_CONTROL, "next\n");
	link_until_text(&pair->a, &pair->tape_a, 0, "=whole\n=torn\x18\n=next\n");
	link_until_text(&pair->a, &pair->tape_a, CHANNEL_NOTE, "{}\n");
	pair_close(pair);
}

/* The one that has the turn does not answer: it is stopped. */
static void test_turn_is_taken_from_one_that_sleeps(void **state)
{
	struct pair *pair = echo_pair(state);
	struct link c = link_open(*state);
	struct tape tape_c;
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "torn");
	crowd_sync(&pair->a, &pair->tape_a);
	/* Not at once: it has not even heard that somebody waits. */
	crowd_say(&pair->b, 9, TURN_TAKE);
	assert_int_equal(crowd_word(&pair->a, &pair->tape_a), TURN_WANTED);
	uint64_t asked_ns = rig_now_ns();
	while (rig_now_ns() - asked_ns < 2 * FRAME_TAKE_AFTER_MS * UINT64_C(1000000))
		crowd_sync(&pair->b, &pair->tape_b);
	assert_int_equal(pair->tape_b.n_words, 0);
	crowd_say(&pair->b, 9, TURN_TAKE);
	assert_int_equal(crowd_word(&pair->b, &pair->tape_b), TURN_YOURS);
	assert_int_equal(crowd_word(&pair->a, &pair->tape_a), TURN_TAKEN);
	crowd_write(&pair->b, 9, CHANNEL_CONTROL, "mine\n");
	link_until_text(&pair->b, &pair->tape_b, 0, "=torn\x18\n=mine\n");
	/* Two that wait cannot take it from each other. */
	tape_init(&tape_c, 3);
	crowd_attach(&c, &tape_c, 0, BIG_WINDOW);
	crowd_say(&c, 3, TURN_TAKE);
	crowd_sync(&c, &tape_c);
	assert_int_equal(tape_c.n_words, 0);
	crowd_write(&pair->b, 9, CHANNEL_CONTROL, "still mine\n");
	link_until_text(&pair->b, &pair->tape_b, 0, "=still mine\n");
	tape_finish(&tape_c);
	link_close(&c);
	pair_close(pair);
}

/* It has begun something meanwhile: that must not be thrown away, or it would be done twice. */
static void test_turn_is_not_taken_from_one_that_stirs(void **state)
{
	struct pair *pair = echo_pair(state);
	crowd_say(&pair->b, 9, TURN_WANT);
	assert_int_equal(crowd_word(&pair->a, &pair->tape_a), TURN_WANTED);
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "one\n");
	uint64_t asked_ns = rig_now_ns();
	while (rig_now_ns() - asked_ns < 2 * FRAME_TAKE_AFTER_MS * UINT64_C(1000000))
		crowd_sync(&pair->b, &pair->tape_b);
	crowd_say(&pair->b, 9, TURN_TAKE);
	crowd_sync(&pair->b, &pair->tape_b);
	assert_int_equal(pair->tape_b.n_words, 0);
	/* But asked again it has to stir again. */
	assert_int_equal(crowd_word(&pair->a, &pair->tape_a), TURN_WANTED);
	while (!pair->tape_b.n_words) {
		crowd_say(&pair->b, 9, TURN_TAKE);
		crowd_sync(&pair->b, &pair->tape_b);
	}
	assert_int_equal(crowd_word(&pair->a, &pair->tape_a), TURN_TAKEN);
	pair_close(pair);
}

/* What the loser has sent and the process has not read is dropped, and its credit comes back. */
static void test_taking_drops_what_is_queued(void **state)
{
	struct pair *pair = pair_open(*state, "read -r line <&3; kill -STOP $$; " ECHO_KERNEL, SPAWN_CONTROL,
			BIG_WINDOW, BIG_WINDOW);
	char big[200 * 1024];
	memset(big, 'x', sizeof big);
	big[sizeof big - 1] = '\n';
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "go\n");
	link_send(&pair->a, 1, FRAME_INPUT, CHANNEL_CONTROL, big, sizeof big);
	crowd_sync(&pair->a, &pair->tape_a);
	crowd_say(&pair->b, 9, TURN_WANT);
	assert_int_equal(crowd_word(&pair->a, &pair->tape_a), TURN_WANTED);
	while (!pair->tape_b.n_words) {
		crowd_say(&pair->b, 9, TURN_TAKE);
		crowd_sync(&pair->b, &pair->tape_b);
	}
	crowd_write(&pair->b, 9, CHANNEL_CONTROL, "mine\n");
	/* More than once: it may not have stopped yet. */
	while (!strstr(tape_text(&pair->tape_b, 0), "\n=mine\n")) {
		link_pack(&pair->b, 9, FRAME_SIGNAL, "ub", (uint32_t)SIGCONT, 0);
		crowd_sync(&pair->b, &pair->tape_b);
	}
	assert_true(pair->tape_b.out[0].len < 100 * 1024); /* a pipe's worth of it had been written */
	crowd_sync(&pair->a, &pair->tape_a);
	assert_true(pair->tape_a.input_credit >= 150 * 1024);
	pair_close(pair);
}

static void test_a_run_whose_author_is_gone_can_be_given_input(void **state)
{
	struct pair *pair =
			pair_open(*state, "read -r line <&3; read -r name; echo \"hello $name\"; sleep 1000",
					SPAWN_CONTROL | SPAWN_STDIN_OPEN, BIG_WINDOW, BIG_WINDOW);
	crowd_write(&pair->a, 1, CHANNEL_NOTE, "{}\n");
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "go\n");
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_NOTE, "{}\n");
	crowd_write(&pair->b, 9, CHANNEL_STDIN, "a stranger\n");
	crowd_sync(&pair->b, &pair->tape_b);
	link_pack(&pair->a, 1, FRAME_CLOSE, "");
	crowd_sync(&pair->a, &pair->tape_a);
	crowd_write(&pair->b, 9, CHANNEL_STDIN, "friend\n");
	link_until_text(&pair->b, &pair->tape_b, 0, "hello friend\n");
	pair_close(pair);
}

/* A slow client that came back has lost the turn, but the run is still its own: it answers, and no other. */
static void test_a_slow_author_that_came_back_gives_input(void **state)
{
	struct pair *pair = pair_open(*state,
			"read -r line <&3; seq 1 1000000; read -r name; echo \"hello $name\"; sleep 1000",
			SPAWN_CONTROL | SPAWN_STDIN_OPEN, 1000, BIG_WINDOW);
	struct trm_error error;
	crowd_write(&pair->a, 1, CHANNEL_NOTE, "{}\n");
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "go\n");
	while (pair->tape_b.out[0].len < 6888896)
		link_until(&pair->b, &pair->tape_b, FRAME_OUTPUT);
	assert_int_equal(link_error(&pair->a, 1, &error), TRM_EBUSY);
	pair->tape_a.stream = 2;
	assert_false(crowd_attach(&pair->a, &pair->tape_a, SPAWN_RESUMED, BIG_WINDOW).has_turn);
	crowd_write(&pair->b, 9, CHANNEL_STDIN, "a stranger\n");
	crowd_sync(&pair->b, &pair->tape_b);
	crowd_write(&pair->a, 2, CHANNEL_STDIN, "friend\n");
	link_until_text(&pair->a, &pair->tape_a, 0, "hello friend\n");
	pair_close(pair);
}

/* Another session of that program knows nothing of the run: it is abandoned. */
static void test_who_attaches_anew_is_no_author(void **state)
{
	struct pair *pair = pair_open(*state,
			"read -r line <&3; seq 1 1000000; read -r name; echo \"hello $name\"; sleep 1000",
			SPAWN_CONTROL | SPAWN_STDIN_OPEN, 1000, BIG_WINDOW);
	struct trm_error error;
	crowd_write(&pair->a, 1, CHANNEL_NOTE, "{}\n");
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "go\n");
	while (pair->tape_b.out[0].len < 6888896)
		link_until(&pair->b, &pair->tape_b, FRAME_OUTPUT);
	assert_int_equal(link_error(&pair->a, 1, &error), TRM_EBUSY);
	pair->tape_a.stream = 2;
	crowd_attach(&pair->a, &pair->tape_a, 0, BIG_WINDOW);
	crowd_write(&pair->b, 9, CHANNEL_STDIN, "friend\n");
	link_until_text(&pair->b, &pair->tape_b, 0, "hello friend\n");
	pair_close(pair);
}

static void test_anybody_may_interrupt(void **state)
{
	struct pair *pair = pair_open(*state,
			"trap 'echo caught; exit' INT; echo set; while :; do sleep 0.01; done", SPAWN_CONTROL,
			BIG_WINDOW, BIG_WINDOW);
	link_until_text(&pair->a, &pair->tape_a, 0, "set\n");
	link_pack(&pair->b, 9, FRAME_SIGNAL, "ub", (uint32_t)SIGINT, 0);
	link_until_text(&pair->a, &pair->tape_a, 0, "caught\n");
	link_exit(&pair->a, &pair->tape_a);
	link_exit(&pair->b, &pair->tape_b);
	pair_close(pair);
}

static void test_notes_go_to_the_others_in_order(void **state)
{
	struct pair *pair = echo_pair(state);
	crowd_write(&pair->a, 1, CHANNEL_NOTE, "{\"n\":1}\n");
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "one\n");
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_CONTROL, "ok\n");
	/* In pieces, and more than one at a time. */
	crowd_write(&pair->a, 1, CHANNEL_NOTE, "{\"n\"");
	crowd_write(&pair->a, 1, CHANNEL_NOTE, ":2}\n{\"n\":3}\n{");
	crowd_write(&pair->a, 1, CHANNEL_NOTE, "}\n");
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "tw");
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "o\n");
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_CONTROL, "ok\nok\n");
	assert_string_equal(tape_text(&pair->tape_b, CHANNEL_NOTE), "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{}\n");
	pair->tape_b.order[pair->tape_b.n_order] = '\0';
	assert_string_equal(pair->tape_b.order, "nocnnnoc");
	/* Its author has heard all but these. */
	link_until_text(&pair->a, &pair->tape_a, CHANNEL_CONTROL, "ok\nok\n");
	assert_string_equal(tape_text(&pair->tape_a, CHANNEL_NOTE), "");
	pair_close(pair);
}

static void test_a_note_without_its_request_announces_nothing(void **state)
{
	struct pair *pair = echo_pair(state);
	crowd_write(&pair->a, 1, CHANNEL_NOTE, "{\"ev\":\"begin\"}\n");
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "half a requ");
	crowd_sync(&pair->a, &pair->tape_a);
	shutdown(pair->a.fd, SHUT_RDWR);
	crowd_get_turn(&pair->b, &pair->tape_b);
	crowd_write(&pair->b, 9, CHANNEL_CONTROL, "mine\n");
	link_until_text(&pair->b, &pair->tape_b, 0, "=half a requ\x18\n=mine\n");
	assert_string_equal(tape_text(&pair->tape_b, CHANNEL_NOTE), "");
	pair_close(pair);
}

static void send_note(struct link *link, struct tape *tape, size_t n, bool has_end)
{
	char *note = malloc(n);
	memset(note, 'n', n);
	if (has_end)
		note[n - 1] = '\n';
	uint64_t sent = tape->input_credit;
	for (size_t at = 0, part; at < n; at += part) {
		part = n - at < FRAME_INPUT_WINDOW / 2 ? n - at : FRAME_INPUT_WINDOW / 2;
		link_send(link, tape->stream, FRAME_INPUT, CHANNEL_NOTE, note + at, part);
		crowd_sync(link, tape);
	}
	assert_true(tape->input_credit - sent + FRAME_INPUT_WINDOW / 4 >= n);
	free(note);
}

static void test_the_longest_note(void **state)
{
	struct pair *pair = echo_pair(state);
	send_note(&pair->a, &pair->tape_a, FRAME_NOTE_MAX, true);
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "\n");
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_NOTE, "\n");
	assert_int_equal(pair->tape_b.out[CHANNEL_NOTE].len, FRAME_NOTE_MAX);
	pair_close(pair);
}

static void test_a_note_without_an_end_breaks_the_protocol(void **state)
{
	struct pair *pair = echo_pair(state);
	struct trm_error error;
	send_note(&pair->a, &pair->tape_a, FRAME_NOTE_MAX, false);
	crowd_write(&pair->a, 1, CHANNEL_NOTE, "x");
	assert_int_equal(link_error(&pair->a, 0, &error), TRM_EPROTO);
	crowd_get_turn(&pair->b, &pair->tape_b);
	pair_close(pair);
}

static void test_words_that_no_client_says(void **state)
{
	static const uint8_t words[] = {0, TURN_TAKE + 1, TURN_YOURS, TURN_WANTED, TURN_TAKEN, 255};
	for (size_t i = 0; i < sizeof words; i++) {
		struct link link = link_open(*state);
		struct trm_error error;
		crowd_spawn(&link, 1, "sleep 1000", 0, BIG_WINDOW);
		link_send(&link, 1, FRAME_TURN, 0, &words[i], 1);
		assert_int_equal(link_error(&link, 0, &error), TRM_EPROTO);
		link_close(&link);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_input_without_the_turn_is_thrown_away),
			T(test_what_is_never_read_is_reported),
			T(test_turn_goes_from_hand_to_hand),
			T(test_those_who_wait_are_served_in_order),
			T(test_one_who_waits_may_think_better_of_it),
			T(test_who_goes_leaves_the_turn),
			T(test_release_in_mid_line_ends_the_line),
			T(test_turn_is_taken_from_one_that_sleeps),
			T(test_turn_is_not_taken_from_one_that_stirs),
			T(test_taking_drops_what_is_queued),
			T(test_a_run_whose_author_is_gone_can_be_given_input),
			T(test_a_slow_author_that_came_back_gives_input),
			T(test_who_attaches_anew_is_no_author),
			T(test_anybody_may_interrupt),
			T(test_notes_go_to_the_others_in_order),
			T(test_a_note_without_its_request_announces_nothing),
			T(test_the_longest_note),
			T(test_a_note_without_an_end_breaks_the_protocol),
			T(test_words_that_no_client_says),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
