/* SPDX-License-Identifier: MIT */
#include "lib/agent/crowd.h"

static void test_two_clients_see_one_process(void **state)
{
	struct pair *pair = pair_open(*state, ECHO_KERNEL, SPAWN_CONTROL, BIG_WINDOW, BIG_WINDOW);
	link_send(&pair->a, 1, FRAME_INPUT, CHANNEL_CONTROL, "one\n", 4);
	link_until_text(&pair->a, &pair->tape_a, CHANNEL_CONTROL, "ok\n");
	crowd_say(&pair->a, 1, TURN_RELEASE);
	crowd_sync(&pair->a, &pair->tape_a);
	crowd_get_turn(&pair->b, &pair->tape_b);
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

static void test_leaving_keeps_it_for_the_other_and_the_last_one_ends_it(void **state)
{
	struct pair *pair = pair_open(*state, "setsid sleep 1000 & echo $!; while :; do sleep 0.01; done", 0,
			BIG_WINDOW, BIG_WINDOW);
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
	tape_init(&tape, 1);
	crowd_spawn(&link, 1, "x=41; while read line <&3; do x=$((x+1)); echo $line $x; done;",
			SPAWN_KEEP | SPAWN_CONTROL, BIG_WINDOW);
	uint32_t pid = crowd_started(&link, &tape).pid;
	link_close(&link);
	link = link_open(*state);
	crowd_spawn(&link, 1, "", SPAWN_KEEP | SPAWN_CONTROL, BIG_WINDOW);
	struct started_msg msg = crowd_started(&link, &tape);
	assert_true(msg.pid == pid && msg.was_there && !msg.has_turn);
	crowd_get_turn(&link, &tape);
	link_send(&link, 1, FRAME_INPUT, CHANNEL_CONTROL, "x\n", 2);
	link_until_text(&link, &tape, 0, "x 42\n");
	link_pack(&link, 1, FRAME_SIGNAL, "ub", (uint32_t)SIGKILL, 1);
	assert_int_not_equal(link_exit(&link, &tape).by_client, 0); /* all are told who it was */
	/* Dead, so the key makes a new one. */
	crowd_spawn(&link, 2, "exit 8", 0, BIG_WINDOW);
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
	close(mkstemp(path));
	unlink(path);
	snprintf(command, sizeof command, "seq 1 1000000; echo x > %s; sleep 100", path);
	tape_init(&tape, 1);
	crowd_spawn(&link, 1, command, SPAWN_KEEP, 4096);
	crowd_started(&link, &tape);
	link_close(&link);
	AWAIT(access(path, F_OK) == 0);
	unlink(path);
	tape_finish(&tape);
	link_close(&other);
}

static void test_same_client_may_not_attach_twice(void **state)
{
	struct link link = link_open(*state);
	struct trm_error error;
	crowd_spawn(&link, 1, "sleep 100", 0, BIG_WINDOW);
	crowd_spawn(&link, 2, "sleep 100", 0, BIG_WINDOW);
	assert_int_equal(link_error(&link, 2, &error), TRM_EBUSY);
	link_close(&link);
}

/* While the old one is being killed its key is free: the new one is not its follower. */
static void test_key_is_free_as_soon_as_the_last_one_leaves(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	for (uint32_t round = 1; round <= 20; round++) {
		tape_init(&tape, round);
		crowd_spawn(&link, round, "echo here; exec sleep 1000", 0, BIG_WINDOW);
		assert_false(crowd_started(&link, &tape).was_there);
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
	bool end = false;
	int child = 0, status;
	tape_init(&tape, 1);
	crowd_spawn(&link, 1, "setsid sleep 1000 & echo $!; wait", SPAWN_KEEP, BIG_WINDOW);
	uint32_t pid = crowd_started(&link, &tape).pid;
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

static uint32_t client_number(struct rig *rig, struct link *ret)
{
	struct welcome_msg msg;
	*ret = link_connect(rig);
	link_pack(ret, 0, FRAME_HELLO, "uuu", FRAME_MAGIC, (uint32_t)FRAME_VERSION, (uint32_t)0);
	assert_int_equal(welcome_msg_get(link_next(ret, DEADLINE_MS, NULL), &msg), 0);
	return msg.client;
}

static void test_client_numbers_are_never_given_twice(void **state)
{
	struct link one, two, three;
	uint32_t first = client_number(*state, &one);
	assert_int_not_equal(first, 0);
	link_close(&one);
	uint32_t second = client_number(*state, &two), third = client_number(*state, &three);
	assert_true(second > first && third > second);
	link_close(&two);
	link_close(&three);
}

static void await_crowd(struct link *link, uint32_t n)
{
	uint64_t until_ns = rig_now_ns() + DEADLINE_MS * UINT64_C(1000000);
	while (link->crowd != n && rig_now_ns() < until_ns)
		assert_null(link_next(link, 10, NULL));
	assert_int_equal(link->crowd, n);
}

static void test_clients_are_counted(void **state)
{
	struct link one = link_open(*state);
	await_crowd(&one, 1);
	struct link mute = link_connect(*state), two = link_open(*state);
	await_crowd(&two, 2);
	await_crowd(&one, 2);
	link_close(&two);
	await_crowd(&one, 1);
	link_close(&mute);
	link_close(&one);
}

static void expect_announcement(struct link *link, const char *key)
{
	char *said;
	const struct frame *frame = link_next(link, DEADLINE_MS, NULL);
	assert_non_null(frame);
	assert_int_equal(frame->type, FRAME_SHARED);
	assert_int_equal(shared_msg_get(frame, &said), 0);
	assert_string_equal(said, key);
	free(said);
}

static void test_shared_processes_are_announced(void **state)
{
	struct link owner = link_open(*state), early = link_open(*state);
	struct tape tape;
	tape_init(&tape, 1);
	crowd_spawn(&owner, 1, "sleep 1000", 0, BIG_WINDOW);
	crowd_started(&owner, &tape);
	expect_announcement(&early, "kernel");
	struct link late = link_open(*state);
	expect_announcement(&late, "kernel");
	/* A process without a key is nobody else's business. */
	link_shell(&owner, 2, "sleep 1000", 0, BIG_WINDOW);
	tape.stream = 2;
	link_until(&owner, &tape, FRAME_STARTED);
	/* Nor does it interest whoever follows it already, or that it has ended. */
	tape.stream = 1;
	link_pack(&owner, 1, FRAME_SIGNAL, "ub", (uint32_t)SIGKILL, 1);
	link_exit(&owner, &tape);
	struct link latest = link_open(*state), *const all[] = {&owner, &early, &late, &latest};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		link_send(all[i], 0, FRAME_PING, 0, "", 0);
		assert_int_equal(link_next(all[i], DEADLINE_MS, NULL)->type, FRAME_PONG);
	}
	/* A second one of that key. */
	crowd_spawn(&early, 7, "sleep 1000", 0, BIG_WINDOW);
	expect_announcement(&owner, "kernel");
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		link_close(all[i]);
	tape_finish(&tape);
}

static void test_attaching_starts_nothing(void **state)
{
	struct link link = link_open(*state);
	struct trm_error error;
	crowd_spawn(&link, 1, "echo started", SPAWN_ATTACH, BIG_WINDOW);
	assert_int_equal(link_error(&link, 1, &error), TRM_ENOENT);
	assert_non_null(strstr(error.msg, "kernel"));
	link_spawn(&link, 2, (struct spawn_msg){.flags = SPAWN_ATTACH});
	assert_int_equal(link_error(&link, 2, &error), TRM_ENOENT);
	link_close(&link);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_two_clients_see_one_process),
			T(test_leaving_keeps_it_for_the_other_and_the_last_one_ends_it),
			T(test_kept_process_survives_and_its_output_does_not_block_it),
			T(test_flood_goes_on_without_readers),
			T(test_same_client_may_not_attach_twice),
			T(test_key_is_free_as_soon_as_the_last_one_leaves),
			T(test_shutdown_ends_all),
			T(test_client_numbers_are_never_given_twice),
			T(test_clients_are_counted),
			T(test_shared_processes_are_announced),
			T(test_attaching_starts_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
