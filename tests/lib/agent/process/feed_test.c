/* SPDX-License-Identifier: MIT */
/* Requests that their clients never end. */
#include "lib/agent/crowd.h"

enum { LONG = 200 * 1024 }; /* more than a pipe holds */

/* Reads its requests only when it was told to on stdin. */
#define LATE_KERNEL "echo here; read -r go; " ECHO_KERNEL

static struct pair *late_pair(void **state)
{
	struct pair *pair = pair_open(*state, LATE_KERNEL, SPAWN_CONTROL | SPAWN_STDIN_OPEN | SPAWN_KEEP,
			BIG_WINDOW, BIG_WINDOW);
	link_until_text(&pair->a, &pair->tape_a, 0, "here\n");
	return pair;
}

static void send_long(struct link *link, uint32_t stream, bool is_whole)
{
	char *line = malloc(LONG);
	memset(line, 'x', LONG);
	if (is_whole)
		line[LONG - 1] = '\n';
	crowd_write(link, stream, CHANNEL_NOTE, "{\"n\":1}\n");
	link_send(link, stream, FRAME_INPUT, CHANNEL_CONTROL, line, LONG);
	free(line);
}

static void test_a_note_waits_until_the_process_has_the_whole_request(void **state)
{
	struct pair *pair = late_pair(state);
	send_long(&pair->a, 1, true);
	crowd_sync(&pair->a, &pair->tape_a);
	crowd_sync(&pair->b, &pair->tape_b);
	assert_string_equal(tape_text(&pair->tape_b, CHANNEL_NOTE), "");
	crowd_write(&pair->a, 1, CHANNEL_STDIN, "go\n");
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_CONTROL, "ok\n");
	assert_string_equal(tape_text(&pair->tape_b, CHANNEL_NOTE), "{\"n\":1}\n");
	pair_close(pair);
}

static void test_a_note_does_not_come_with_the_line_before_its_own(void **state)
{
	struct pair *pair = late_pair(state);
	char *line = malloc(LONG);
	memset(line, 'q', LONG);
	line[LONG - 1] = '\n';
	link_send(&pair->a, 1, FRAME_INPUT, CHANNEL_CONTROL, line, LONG);
	free(line);
	crowd_write(&pair->a, 1, CHANNEL_NOTE, "{\"n\":1}\n");
	crowd_write(&pair->a, 1, CHANNEL_STDIN, "go\n");
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_CONTROL, "ok\n");
	assert_string_equal(tape_text(&pair->tape_b, CHANNEL_NOTE), "");
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "one\n");
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_CONTROL, "ok\nok\n");
	assert_string_equal(tape_text(&pair->tape_b, CHANNEL_NOTE), "{\"n\":1}\n");
	pair_close(pair);
}

/* It is interrupted before the process has read it. */
static void test_a_limit_does_not_drop_the_note_before_it(void **state)
{
	static const char limit[] = "{\"ev\":\"limit\",\"id\":\"7\",\"timeout_ms\":300}\n";
	struct pair *pair = late_pair(state);
	send_long(&pair->a, 1, true);
	crowd_write(&pair->a, 1, CHANNEL_NOTE, limit);
	crowd_sync(&pair->a, &pair->tape_a);
	crowd_write(&pair->a, 1, CHANNEL_STDIN, "go\n");
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_CONTROL, "ok\n");
	assert_memory_equal(tape_text(&pair->tape_b, CHANNEL_NOTE), "{\"n\":1}\n", 8);
	assert_string_equal(tape_text(&pair->tape_b, CHANNEL_NOTE) + 8, limit);
	pair_close(pair);
}

static void test_an_answer_does_not_publish_what_is_behind_it(void **state)
{
	static const char answer[] = "{\"ev\":\"answer\",\"id\":\"7\"}\n";
	struct pair *pair = late_pair(state);
	char both[100];
	snprintf(both, sizeof both, "%s{\"n\":1}\n", answer);
	crowd_write(&pair->a, 1, CHANNEL_NOTE, both);
	crowd_sync(&pair->a, &pair->tape_a);
	crowd_sync(&pair->b, &pair->tape_b);
	assert_string_equal(tape_text(&pair->tape_b, CHANNEL_NOTE), answer);
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "one\n");
	crowd_write(&pair->a, 1, CHANNEL_STDIN, "go\n");
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_CONTROL, "ok\n");
	assert_string_equal(tape_text(&pair->tape_b, CHANNEL_NOTE), both);
	pair_close(pair);
}

/* Its client dies in the middle: the process is told to forget it, the others hear nothing, and go on at
 * once. */
static void dies_in_the_middle(void **state, bool is_whole)
{
	struct pair *pair = late_pair(state);
	send_long(&pair->a, 1, is_whole);
	crowd_sync(&pair->a, &pair->tape_a);
	shutdown(pair->a.fd, SHUT_RDWR);
	crowd_get_turn(&pair->b, &pair->tape_b);
	crowd_write(&pair->b, 9, CHANNEL_CONTROL, "mine\n");
	crowd_write(&pair->b, 9, CHANNEL_STDIN, "go\n");
	link_until_text(&pair->b, &pair->tape_b, 0, "x\x18\n=mine\n");
	assert_true(pair->tape_b.out[0].len < LONG);
	assert_string_equal(tape_text(&pair->tape_b, CHANNEL_NOTE), "");
	pair_close(pair);
}

static void test_a_request_without_its_newline_is_cut(void **state)
{
	dies_in_the_middle(state, false);
}

static void test_a_request_that_was_not_read_is_cut(void **state)
{
	dies_in_the_middle(state, true);
}

/* All of it is in the pipe: it runs, and everybody knows. */
static void test_a_request_that_was_written_runs_without_its_client(void **state)
{
	struct pair *pair = late_pair(state);
	crowd_write(&pair->a, 1, CHANNEL_NOTE, "{\"n\":1}\n");
	crowd_write(&pair->a, 1, CHANNEL_CONTROL, "one\n");
	crowd_sync(&pair->a, &pair->tape_a);
	shutdown(pair->a.fd, SHUT_RDWR);
	crowd_get_turn(&pair->b, &pair->tape_b);
	crowd_write(&pair->b, 9, CHANNEL_STDIN, "go\n");
	link_until_text(&pair->b, &pair->tape_b, 0, "=one\n");
	assert_string_equal(tape_text(&pair->tape_b, CHANNEL_NOTE), "{\"n\":1}\n");
	pair_close(pair);
}

/* Who starts a process and dies before it runs: the next one finds it, and a request that was cut does not
 * matter. */
static void test_its_starter_dies_while_it_starts(void **state)
{
	for (int round = 0; round < 20; round++) {
		struct link a = link_open(*state), b = link_open(*state);
		struct tape tape;
		tape_init(&tape, 9);
		crowd_spawn(&a, 1, ECHO_KERNEL, SPAWN_CONTROL | SPAWN_KEEP, BIG_WINDOW);
		crowd_write(&a, 1, CHANNEL_CONTROL, "half");
		link_close(&a);
		crowd_spawn(&b, 9, ECHO_KERNEL, SPAWN_CONTROL | SPAWN_KEEP, BIG_WINDOW);
		if (!crowd_started(&b, &tape).has_turn)
			crowd_get_turn(&b, &tape);
		crowd_write(&b, 9, CHANNEL_CONTROL, "mine\n");
		link_until_text(&b, &tape, 0, "=mine\n");
		link_pack(&b, 9, FRAME_SIGNAL, "ub", (uint32_t)SIGKILL, 1);
		link_exit(&b, &tape);
		tape_finish(&tape);
		link_close(&b);
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_a_note_waits_until_the_process_has_the_whole_request),
			T(test_a_note_does_not_come_with_the_line_before_its_own),
			T(test_a_limit_does_not_drop_the_note_before_it),
			T(test_an_answer_does_not_publish_what_is_behind_it),
			T(test_a_request_without_its_newline_is_cut),
			T(test_a_request_that_was_not_read_is_cut),
			T(test_a_request_that_was_written_runs_without_its_client),
			T(test_its_starter_dies_while_it_starts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
