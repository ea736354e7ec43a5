/* SPDX-License-Identifier: MIT */
#include "lib/agent/rig.h"

static void spawn_keyed(
		struct link *link, uint32_t stream, const char *command, uint32_t flags, uint32_t window)
{
	link_spawn(link, stream,
			(struct spawn_msg){.key = (char *)(uintptr_t) "kernel",
					.flags = flags,
					.window = window,
					.argv = STRV("sh", "-c", command)});
}

static uint32_t started(struct link *link, struct tape *tape, bool *ret_attached)
{
	const struct frame *frame = link_until(link, tape, FRAME_STARTED);
	struct unpack fields = {.at = frame->payload, .left = frame->len};
	uint32_t pid = unpack_u32(&fields);
	*ret_attached = unpack_u8(&fields);
	return pid;
}

struct pair {
	struct link a, b;
	struct tape tape_a, tape_b;
	uint32_t pid;
};

static struct pair *pair_open(struct rig *rig, const char *command, uint32_t flags, uint32_t window_b)
{
	struct pair *pair = calloc(1, sizeof *pair);
	bool attached;
	pair->a = link_open(rig);
	pair->b = link_open(rig);
	tape_init(&pair->tape_a, 1);
	tape_init(&pair->tape_b, 9);
	spawn_keyed(&pair->a, 1, command, flags, BIG_WINDOW);
	pair->pid = started(&pair->a, &pair->tape_a, &attached);
	assert_false(attached);
	spawn_keyed(&pair->b, 9, "something else", flags, window_b);
	assert_int_equal(started(&pair->b, &pair->tape_b, &attached), pair->pid);
	assert_true(attached);
	return pair;
}

static void pair_close(struct pair *pair)
{
	tape_finish(&pair->tape_a);
	tape_finish(&pair->tape_b);
	link_close(&pair->a);
	link_close(&pair->b);
	free(pair);
}

static void test_two_clients_see_one_process(void **state)
{
	struct pair *pair = pair_open(*state,
			"while read line <&3; do echo \"=$line\"; echo ok >&4; done; exit 6", SPAWN_CONTROL,
			BIG_WINDOW);
	link_send(&pair->a, 1, FRAME_INPUT, CHANNEL_CONTROL, "one\n", 4);
	link_until_text(&pair->a, &pair->tape_a, CHANNEL_CONTROL, "ok\n");
	link_send(&pair->b, 9, FRAME_INPUT, CHANNEL_CONTROL, "two\n", 4);
	link_until_text(&pair->a, &pair->tape_a, CHANNEL_CONTROL, "ok\nok\n");
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_CONTROL, "ok\nok\n");
	assert_string_equal(tape_text(&pair->tape_a, 0), "=one\n=two\n");
	assert_string_equal(tape_text(&pair->tape_b, 0), "=one\n=two\n");
	link_pack(&pair->b, 9, FRAME_SIGNAL, "ub", (uint32_t)SIGTERM, 0);
	assert_int_equal(link_exit(&pair->a, &pair->tape_a).signal, SIGTERM);
	assert_int_equal(link_exit(&pair->b, &pair->tape_b).signal, SIGTERM);
	pair_close(pair);
}

static void test_requests_of_two_clients_do_not_mix(void **state)
{
	struct pair *pair = pair_open(
			*state, "while read line <&3; do echo \"=$line\"; done", SPAWN_CONTROL, BIG_WINDOW);
	link_send(&pair->a, 1, FRAME_INPUT, CHANNEL_CONTROL, "half", 4);
	link_send(&pair->a, 0, FRAME_PING, 0, "", 0);
	assert_int_equal(link_next(&pair->a, DEADLINE_MS, NULL)->type, FRAME_PONG);
	link_send(&pair->b, 9, FRAME_INPUT, CHANNEL_CONTROL, "other\n", 6);
	link_send(&pair->b, 0, FRAME_PING, 0, "", 0);
	assert_int_equal(link_next(&pair->b, DEADLINE_MS, NULL)->type, FRAME_PONG);
	link_send(&pair->a, 1, FRAME_INPUT, CHANNEL_CONTROL, " done\n", 6);
	link_until_text(&pair->a, &pair->tape_a, 0, "=half done\n=other\n");
	/* Whoever leaves in mid-line does not spoil the next one's. */
	link_send(&pair->a, 1, FRAME_INPUT, CHANNEL_CONTROL, "torn", 4);
	link_pack(&pair->a, 1, FRAME_CLOSE, "");
	link_send(&pair->a, 0, FRAME_PING, 0, "", 0);
	while (link_next(&pair->a, DEADLINE_MS, NULL)->type != FRAME_PONG)
		;
	link_send(&pair->b, 9, FRAME_INPUT, CHANNEL_CONTROL, "whole\n", 6);
	link_until_text(&pair->b, &pair->tape_b, 0, "=torn\n=whole\n");
	pair_close(pair);
}

static void test_leaving_keeps_it_for_the_other_and_the_last_one_ends_it(void **state)
{
	struct pair *pair = pair_open(
			*state, "setsid sleep 1000 & echo $!; while :; do sleep 0.01; done", 0, BIG_WINDOW);
	int child = 0;
	link_until_text(&pair->a, &pair->tape_a, 0, "\n");
	assert_int_equal(sscanf(tape_text(&pair->tape_a, 0), "%d", &child), 1);
	link_pack(&pair->a, 1, FRAME_CLOSE, "");
	link_send(&pair->a, 0, FRAME_PING, 0, "", 0);
	while (link_next(&pair->a, DEADLINE_MS, NULL)->type != FRAME_PONG)
		;
	assert_false(is_gone((pid_t)pair->pid));
	shutdown(pair->b.fd, SHUT_RDWR);
	AWAIT(is_gone((pid_t)pair->pid));
	AWAIT(is_gone(child));
	pair_close(pair);
}

static void test_kept_process_survives_and_its_output_does_not_block_it(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	bool attached;
	tape_init(&tape, 1);
	spawn_keyed(&link, 1, "x=41; while read line <&3; do x=$((x+1)); echo $line $x; done;",
			SPAWN_KEEP | SPAWN_CONTROL, BIG_WINDOW);
	uint32_t pid = started(&link, &tape, &attached);
	link_close(&link);
	link = link_open(*state);
	spawn_keyed(&link, 1, "", SPAWN_KEEP | SPAWN_CONTROL, BIG_WINDOW);
	assert_int_equal(started(&link, &tape, &attached), pid);
	assert_true(attached);
	link_send(&link, 1, FRAME_INPUT, CHANNEL_CONTROL, "x\n", 2);
	link_until_text(&link, &tape, 0, "x 42\n");
	link_pack(&link, 1, FRAME_SIGNAL, "ub", (uint32_t)SIGKILL, 1);
	link_exit(&link, &tape);
	/* Dead, so the key makes a new one. */
	spawn_keyed(&link, 2, "exit 8", 0, BIG_WINDOW);
	tape.stream = 2;
	assert_int_equal(link_exit(&link, &tape).exit_code, 8);
	tape_finish(&tape);
	link_close(&link);
}

static void test_flood_goes_on_without_readers(void **state)
{
	struct link link = link_open(*state), other = link_open(*state);
	struct tape tape;
	char path[] = "/tmp/terrarium-test-XXXXXX", command[200];
	bool attached;
	close(mkstemp(path));
	unlink(path);
	snprintf(command, sizeof command, "seq 1 1000000; echo x > %s; sleep 100", path);
	tape_init(&tape, 1);
	spawn_keyed(&link, 1, command, SPAWN_KEEP, 4096);
	started(&link, &tape, &attached);
	link_close(&link);
	AWAIT(access(path, F_OK) == 0);
	unlink(path);
	tape_finish(&tape);
	link_close(&other);
}

static void test_slow_second_client_is_let_go(void **state)
{
	struct pair *pair = pair_open(*state, "read line <&3; seq 1 1000000; echo end", SPAWN_CONTROL, 1000);
	struct trm_error error;
	link_send(&pair->a, 1, FRAME_INPUT, CHANNEL_CONTROL, "go\n", 3);
	link_until_text(&pair->a, &pair->tape_a, 0, "end\n");
	assert_int_equal(link_error(&pair->b, 9, &error), TRM_ECLOSED);
	link_exit(&pair->a, &pair->tape_a);
	assert_int_equal(pair->tape_a.out[0].len, 6888896 + 4);
	pair_close(pair);
}

static void test_paced_second_client_gets_everything(void **state)
{
	struct pair *pair = pair_open(*state, "read line <&3; seq 1 100000; echo end", SPAWN_CONTROL, 200000);
	uint64_t seen = 0;
	link_send(&pair->a, 1, FRAME_INPUT, CHANNEL_CONTROL, "go\n", 3);
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

static void test_same_client_may_not_attach_twice(void **state)
{
	struct link link = link_open(*state);
	struct trm_error error;
	spawn_keyed(&link, 1, "sleep 100", 0, BIG_WINDOW);
	spawn_keyed(&link, 2, "sleep 100", 0, BIG_WINDOW);
	assert_int_equal(link_error(&link, 2, &error), TRM_EBUSY);
	link_close(&link);
}

/* While the old one is being killed its key is free: the new one is not its follower. */
static void test_key_is_free_as_soon_as_the_last_one_leaves(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	bool attached;
	for (uint32_t round = 1; round <= 20; round++) {
		tape_init(&tape, round);
		spawn_keyed(&link, round, "echo here; exec sleep 1000", 0, BIG_WINDOW);
		started(&link, &tape, &attached);
		assert_false(attached);
		link_until_text(&link, &tape, 0, "here\n");
		link_pack(&link, round, FRAME_CLOSE, "");
		tape_finish(&tape);
	}
	link_close(&link);
}

static void test_shutdown_ends_all(void **state)
{
	struct rig *rig = *state;
	struct link link = link_open(rig);
	struct tape tape;
	bool attached, end = false;
	int child = 0, status;
	tape_init(&tape, 1);
	spawn_keyed(&link, 1, "setsid sleep 1000 & echo $!; wait", SPAWN_KEEP, BIG_WINDOW);
	uint32_t pid = started(&link, &tape, &attached);
	link_until_text(&link, &tape, 0, "\n");
	assert_int_equal(sscanf(tape_text(&tape, 0), "%d", &child), 1);
	link_pack(&link, 0, FRAME_SHUTDOWN, "");
	assert_int_equal(waitpid(rig->agent, &status, 0), rig->agent);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	AWAIT(is_gone((pid_t)pid));
	AWAIT(is_gone(child));
	while (link_next(&link, DEADLINE_MS, &end))
		;
	assert_true(end);
	tape_finish(&tape);
	link_close(&link);
	rig->agent = 0;
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_two_clients_see_one_process),
			T(test_requests_of_two_clients_do_not_mix),
			T(test_leaving_keeps_it_for_the_other_and_the_last_one_ends_it),
			T(test_kept_process_survives_and_its_output_does_not_block_it),
			T(test_flood_goes_on_without_readers),
			T(test_slow_second_client_is_let_go),
			T(test_paced_second_client_gets_everything),
			T(test_same_client_may_not_attach_twice),
			T(test_key_is_free_as_soon_as_the_last_one_leaves),
			T(test_shutdown_ends_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
