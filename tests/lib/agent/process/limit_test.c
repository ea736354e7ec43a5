/* SPDX-License-Identifier: MIT */
/* The time limit of a run whose client is gone, or was stopped. */
#include "lib/agent/crowd.h"

#define READY "echo '{\"ev\":\"ready\"}' >&4; read -r line <&3; "
#define DONE "echo \"{\\\"ev\\\":\\\"done\\\",\\\"id\\\":\\\"7\\\"}\" >&4"
#define COMPILED "echo '{\"ev\":\"compiled\",\"id\":\"7\"}' >&4; "
#define COMPILING_NOTE(left_ms, code_ms) \
	"{\"ev\":\"clock\",\"id\":\"7\",\"timeout_ms\":300,\"left_ms\":" left_ms \
	",\"stops\":0,\"code_ms\":" code_ms "}\n"
#define LIMIT "{\"ev\":\"limit\",\"id\":\"7\",\"timeout_ms\":300}\n"

static void begin(struct link *link, uint32_t stream)
{
	crowd_write(link, stream, CHANNEL_NOTE,
			"{\"ev\":\"begin\",\"id\":\"7\",\"number\":3,\"at_ms\":0,\"timeout_ms\":300,\"grace_ms\":2000,\"set\":0}\n");
	crowd_write(link, stream, CHANNEL_CONTROL, "go\n");
}

static struct pair *run_pair(void **state, const char *command)
{
	struct pair *pair = pair_open(*state, command, SPAWN_CONTROL | SPAWN_KEEP, BIG_WINDOW, BIG_WINDOW);
	begin(&pair->a, 1);
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_NOTE, "\n");
	return pair;
}

/* What comes meanwhile is on the tape. */
static void wait_ms(struct link *link, struct tape *tape, uint64_t ms)
{
	uint64_t until_ns = rig_now_ns() + ms * UINT64_C(1000000), now_ns;
	while ((now_ns = rig_now_ns()) < until_ns) {
		const struct frame *frame = link_next(link, (int)((until_ns - now_ns) / 1000000) + 1, NULL);
		if (frame && frame->stream == tape->stream)
			tape_take(tape, frame);
	}
}

static void test_the_agent_keeps_the_limit_of_a_dead_client(void **state)
{
	struct pair *pair = run_pair(state, "trap '" DONE "; trap \"\" INT; exec sleep 1000' INT; " READY
					    "while :; do sleep 0.01; done");
	shutdown(pair->a.fd, SHUT_RDWR);
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_CONTROL, "done");
	assert_non_null(strstr(tape_text(&pair->tape_b, CHANNEL_NOTE), "\n" LIMIT));
	/* The run is over: nothing more happens to the process. */
	wait_ms(&pair->b, &pair->tape_b, 2500);
	assert_false(is_gone((pid_t)pair->pid));
	link_pack(&pair->b, 9, FRAME_SIGNAL, "ub", (uint32_t)SIGKILL, 1);
	link_exit(&pair->b, &pair->tape_b);
	pair_close(pair);
}

static void test_what_goes_on_is_killed(void **state)
{
	struct pair *pair = run_pair(state, "trap '' INT; " READY "while :; do sleep 0.01; done");
	shutdown(pair->a.fd, SHUT_RDWR);
	assert_int_equal(link_exit(&pair->b, &pair->tape_b).signal, SIGKILL);
	assert_non_null(strstr(tape_text(&pair->tape_b, CHANNEL_NOTE), "\n" LIMIT));
	pair_close(pair);
}

static void test_without_any_client_too(void **state)
{
	struct pair *pair = run_pair(state, "trap '' INT; " READY "while :; do sleep 0.01; done");
	shutdown(pair->a.fd, SHUT_RDWR);
	shutdown(pair->b.fd, SHUT_RDWR);
	AWAIT(is_gone((pid_t)pair->pid));
	pair_close(pair);
}

static void test_a_living_client_keeps_it_itself(void **state)
{
	struct pair *pair = run_pair(state, "trap 'exit 1' INT; " READY "while :; do sleep 0.01; done");
	wait_ms(&pair->b, &pair->tape_b, 1000);
	assert_false(is_gone((pid_t)pair->pid));
	assert_null(strstr(tape_text(&pair->tape_b, CHANNEL_NOTE), LIMIT));
	link_pack(&pair->b, 9, FRAME_SIGNAL, "ub", (uint32_t)SIGKILL, 1);
	link_exit(&pair->b, &pair->tape_b);
	pair_close(pair);
}

/* It is the only one who reads, its window is used up, and the end of the run is behind what it has not read:
 * it is let go, and the process is not killed. */
static void test_a_lone_reader_does_not_have_the_process_killed(void **state)
{
	struct pair *pair = pair_open(*state,
			"trap 'trap \"\" INT; seq 1 100000; " DONE "; exec sleep 1000' INT; " READY
			"while :; do sleep 0.01; done",
			SPAWN_CONTROL | SPAWN_KEEP, BIG_WINDOW, 1000);
	struct trm_error error;
	begin(&pair->a, 1);
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_NOTE, "\n");
	shutdown(pair->a.fd, SHUT_RDWR);
	assert_int_equal(link_error(&pair->b, 9, &error), TRM_EBUSY);
	pair->tape_b.stream = 10;
	crowd_attach(&pair->b, &pair->tape_b, SPAWN_RECENT, BIG_WINDOW);
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_CONTROL, "done");
	wait_ms(&pair->b, &pair->tape_b, 2500);
	assert_false(is_gone((pid_t)pair->pid));
	link_pack(&pair->b, 10, FRAME_SIGNAL, "ub", (uint32_t)SIGKILL, 1);
	link_exit(&pair->b, &pair->tape_b);
	pair_close(pair);
}

/* Detached as slow, but there: it keeps the limit itself, as one that follows. */
static void test_a_slow_client_keeps_it_itself(void **state)
{
	struct pair *pair = pair_open(*state,
			"trap 'exit 1' INT; " READY "seq 1 1000000; while :; do sleep 0.01; done",
			SPAWN_CONTROL | SPAWN_KEEP, 1000, BIG_WINDOW);
	struct trm_error error;
	begin(&pair->a, 1);
	while (pair->tape_b.out[0].len < 6888896)
		link_until(&pair->b, &pair->tape_b, FRAME_OUTPUT);
	assert_int_equal(link_error(&pair->a, 1, &error), TRM_EBUSY);
	wait_ms(&pair->b, &pair->tape_b, 1000);
	assert_false(is_gone((pid_t)pair->pid));
	/* Until it is gone. */
	shutdown(pair->a.fd, SHUT_RDWR);
	assert_int_equal(link_exit(&pair->b, &pair->tape_b).exit_code, 1);
	pair_close(pair);
}

/* It has been stopped, and does nothing when its time is over. */
static void test_a_silent_client_is_overruled(void **state)
{
	struct pair *pair = run_pair(state, "trap 'exit 5' INT; " READY "while :; do sleep 0.01; done");
	uint64_t begun_ns = rig_now_ns();
	assert_int_equal(link_exit(&pair->b, &pair->tape_b).exit_code, 5);
	assert_true(rig_now_ns() - begun_ns > 4 * UINT64_C(1000000000));
	assert_non_null(strstr(tape_text(&pair->tape_b, CHANNEL_NOTE), "\n" LIMIT));
	pair_close(pair);
}

/* It has begun to end the run, which it may do for 2 s, before it was stopped. */
static void test_a_client_that_falls_silent_is_overruled(void **state)
{
	struct pair *pair = run_pair(state, "trap '' INT; " READY "echo here; while :; do sleep 0.01; done");
	link_until_text(&pair->b, &pair->tape_b, 0, "here\n");
	uint64_t begun_ns = rig_now_ns();
	crowd_write(&pair->a, 1, CHANNEL_NOTE, LIMIT);
	link_pack(&pair->a, 1, FRAME_SIGNAL, "ub", (uint32_t)SIGINT, 0);
	assert_int_equal(link_exit(&pair->b, &pair->tape_b).signal, SIGKILL);
	assert_true(rig_now_ns() - begun_ns > 6 * UINT64_C(1000000000));
	pair_close(pair);
}

/* A person holds the end of the run, until the client is gone. */
static void test_a_client_may_hold_the_end(void **state)
{
	struct pair *pair = run_pair(state, "trap '' INT; " READY "while :; do sleep 0.01; done");
	crowd_write(&pair->a, 1, CHANNEL_NOTE,
			"{\"ev\":\"clock\",\"id\":\"7\",\"timeout_ms\":300,\"left_ms\":0,\"stops\":4}\n");
	wait_ms(&pair->b, &pair->tape_b, 10000);
	assert_false(is_gone((pid_t)pair->pid));
	shutdown(pair->a.fd, SHUT_RDWR);
	assert_int_equal(link_exit(&pair->b, &pair->tape_b).signal, SIGKILL);
	pair_close(pair);
}

/* Its client had extended the time before it went. */
static void test_a_clock_note_tells_what_is_left(void **state)
{
	struct pair *pair = run_pair(state, "trap 'exit 1' INT; " READY "while :; do sleep 0.01; done");
	size_t n = pair->tape_b.out[CHANNEL_NOTE].len;
	crowd_write(&pair->a, 1, CHANNEL_NOTE,
			"{\"ev\":\"clock\",\"id\":\"7\",\"timeout_ms\":300,\"left_ms\":1000000,\"stops\":0}\n");
	crowd_sync(&pair->a, &pair->tape_a);
	shutdown(pair->a.fd, SHUT_RDWR);
	wait_ms(&pair->b, &pair->tape_b, 1000);
	assert_false(is_gone((pid_t)pair->pid));
	assert_int_equal(pair->tape_b.out[CHANNEL_NOTE].len, n); /* this is for the agent alone */
	link_pack(&pair->b, 9, FRAME_SIGNAL, "ub", (uint32_t)SIGKILL, 1);
	link_exit(&pair->b, &pair->tape_b);
	pair_close(pair);
}

/* Its client is gone before the code is compiled: the limit of the code counts from then on. */
static void test_the_agent_sees_that_the_code_begins(void **state)
{
	struct pair *pair = run_pair(state, "trap 'exit 5' INT; " READY "read -r line <&3; " COMPILED
					    "while :; do sleep 0.01; done");
	crowd_write(&pair->a, 1, CHANNEL_NOTE, COMPILING_NOTE("1000000", "300"));
	crowd_sync(&pair->a, &pair->tape_a);
	shutdown(pair->a.fd, SHUT_RDWR);
	wait_ms(&pair->b, &pair->tape_b, 1000);
	assert_false(is_gone((pid_t)pair->pid));
	crowd_get_turn(&pair->b, &pair->tape_b);
	crowd_write(&pair->b, 9, CHANNEL_CONTROL, "on\n");
	assert_int_equal(link_exit(&pair->b, &pair->tape_b).exit_code, 5);
	assert_non_null(strstr(tape_text(&pair->tape_b, CHANNEL_NOTE), "\n" LIMIT));
	pair_close(pair);
}

static void test_the_compiler_may_be_quicker_than_the_note(void **state)
{
	struct pair *pair =
			run_pair(state, "trap 'exit 5' INT; " READY COMPILED "while :; do sleep 0.01; done");
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_CONTROL, "compiled");
	crowd_write(&pair->a, 1, CHANNEL_NOTE, COMPILING_NOTE("1000000", "300"));
	crowd_sync(&pair->a, &pair->tape_a);
	shutdown(pair->a.fd, SHUT_RDWR);
	assert_int_equal(link_exit(&pair->b, &pair->tape_b).exit_code, 5);
	pair_close(pair);
}

/* The code may take long, and compiling has taken too long. */
static void test_compiling_has_its_limit(void **state)
{
	struct pair *pair = run_pair(state, "trap 'exit 5' INT; " READY "while :; do sleep 0.01; done");
	crowd_write(&pair->a, 1, CHANNEL_NOTE, COMPILING_NOTE("300", "1000000"));
	crowd_sync(&pair->a, &pair->tape_a);
	shutdown(pair->a.fd, SHUT_RDWR);
	assert_int_equal(link_exit(&pair->b, &pair->tape_b).exit_code, 5);
	assert_non_null(strstr(tape_text(&pair->tape_b, CHANNEL_NOTE), ",\"compiling\":true}\n"));
	pair_close(pair);
}

/* A question is open when its client dies: time passes again when somebody has answered it. */
static void test_no_time_passes_while_a_question_is_open(void **state)
{
	struct pair *pair = run_pair(state, "trap 'exit 1' INT; " READY "while :; do sleep 0.01; done");
	crowd_write(&pair->a, 1, CHANNEL_NOTE,
			"{\"ev\":\"clock\",\"id\":\"7\",\"timeout_ms\":300,\"left_ms\":200,\"stops\":2}\n");
	crowd_sync(&pair->a, &pair->tape_a);
	shutdown(pair->a.fd, SHUT_RDWR);
	crowd_get_turn(&pair->b, &pair->tape_b);
	wait_ms(&pair->b, &pair->tape_b, 1000);
	assert_false(is_gone((pid_t)pair->pid));
	crowd_write(&pair->b, 9, CHANNEL_NOTE, "{\"ev\":\"answer\",\"id\":\"7\"}\n");
	assert_int_equal(link_exit(&pair->b, &pair->tape_b).exit_code, 1);
	pair_close(pair);
}

/* It was paused when its client died. */
static void test_a_paused_run_is_ended(void **state)
{
	struct pair *pair = run_pair(
			state, "trap 'exit 5' INT; " READY "echo here; while :; do sleep 0.01; done");
	link_until_text(&pair->b, &pair->tape_b, 0, "here\n");
	link_pack(&pair->b, 9, FRAME_SIGNAL, "ub", (uint32_t)SIGSTOP, 1);
	shutdown(pair->a.fd, SHUT_RDWR);
	assert_int_equal(link_exit(&pair->b, &pair->tape_b).exit_code, 5);
	pair_close(pair);
}

/* The answer to a question of the run: the others hear of it at once, also who comes later, and it is no run.
 */
static void test_answers_reach_the_others_at_once(void **state)
{
	static const char answer[] = "{\"ev\":\"answer\",\"id\":\"7\"}\n";
	struct pair *pair = run_pair(state, READY "echo prompt; sleep 1000");
	struct link c = link_open(*state);
	struct tape tape;
	link_until_text(&pair->b, &pair->tape_b, 0, "prompt\n");
	crowd_write(&pair->a, 1, CHANNEL_NOTE, answer);
	link_until_text(&pair->b, &pair->tape_b, CHANNEL_NOTE, answer);
	tape_init(&tape, 3);
	crowd_attach(&c, &tape, 0, BIG_WINDOW);
	link_until_text(&c, &tape, CHANNEL_NOTE, answer);
	assert_non_null(strstr(tape_text(&tape, CHANNEL_NOTE), "begin"));
	tape.order[tape.n_order] = '\0';
	assert_non_null(strchr(tape.order, 'o'));
	assert_non_null(strchr(strchr(tape.order, 'o'), 'n'));
	tape_finish(&tape);
	link_close(&c);
	link_pack(&pair->b, 9, FRAME_SIGNAL, "ub", (uint32_t)SIGKILL, 1);
	link_exit(&pair->b, &pair->tape_b);
	pair_close(pair);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_the_agent_keeps_the_limit_of_a_dead_client),
			T(test_what_goes_on_is_killed),
			T(test_without_any_client_too),
			T(test_a_living_client_keeps_it_itself),
			T(test_a_lone_reader_does_not_have_the_process_killed),
			T(test_a_slow_client_keeps_it_itself),
			T(test_a_silent_client_is_overruled),
			T(test_a_client_that_falls_silent_is_overruled),
			T(test_a_client_may_hold_the_end),
			T(test_a_clock_note_tells_what_is_left),
			T(test_the_agent_sees_that_the_code_begins),
			T(test_the_compiler_may_be_quicker_than_the_note),
			T(test_compiling_has_its_limit),
			T(test_no_time_passes_while_a_question_is_open),
			T(test_a_paused_run_is_ended),
			T(test_answers_reach_the_others_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
