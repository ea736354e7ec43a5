/* SPDX-License-Identifier: MIT */
/* Who comes back to a process that is as it was left need not ask for the turn, nor be told anything. */
#include <signal.h>

#include "lib/agent/crowd.h"

#define ENDING_KERNEL \
	"while read -r line <&3; do echo \"=$line\"; echo '{\"ev\":\"done\"}' >&4; echo ok >&4; done"

struct scene {
	struct link a, b;
	struct tape tape_a, tape_b;
	uint32_t pid;
	uint64_t position; /* after one run of a's */
};

static void run(struct link *link, struct tape *tape, const char *note, const char *line)
{
	crowd_write(link, tape->stream, CHANNEL_NOTE, note);
	crowd_write(link, tape->stream, CHANNEL_CONTROL, line);
	link_until_text(link, tape, CHANNEL_CONTROL, "ok\n");
	buf_clear(&tape->out[CHANNEL_CONTROL]);
}

static struct scene *scene_open(struct rig *rig)
{
	struct scene *s = calloc(1, sizeof *s);
	s->a = link_open(rig);
	s->b = link_open(rig);
	tape_init(&s->tape_a, 1);
	tape_init(&s->tape_b, 2);
	crowd_spawn(&s->a, 1, ENDING_KERNEL, SPAWN_CONTROL | SPAWN_KEEP, BIG_WINDOW);
	s->pid = crowd_started(&s->a, &s->tape_a).pid;
	run(&s->a, &s->tape_a, "{1}\n", "one\n");
	s->position = s->tape_a.bytes;
	return s;
}

static void scene_close(struct scene *s)
{
	link_close(&s->a);
	link_close(&s->b);
	tape_finish(&s->tape_a);
	tape_finish(&s->tape_b);
	free(s);
}

/* b comes, and sends a run right along. */
static struct started_msg come(struct scene *s, uint32_t pid, uint64_t position)
{
	link_spawn(&s->b, 2,
			(struct spawn_msg){.key = (char *)(uintptr_t) "kernel",
					.flags = SPAWN_ATTACH,
					.window = BIG_WINDOW,
					.argv = STRV("x"),
					.known_position = position,
					.known_pid = pid});
	crowd_write(&s->b, 2, CHANNEL_NOTE, "{2}\n");
	crowd_write(&s->b, 2, CHANNEL_CONTROL, "two\n");
	return crowd_started(&s->b, &s->tape_b);
}

static void expect_stranger(struct scene *s, const struct started_msg *msg)
{
	assert_true(msg->was_there && !msg->has_turn);
	assert_true(msg->replay_bytes > 0);
	/* And what it has sent was thrown away. */
	crowd_sync(&s->b, &s->tape_b);
	assert_null(strstr(tape_text(&s->tape_b, 0), "two"));
}

static void test_as_it_was_left(void **state)
{
	struct scene *s = scene_open(*state);
	crowd_say(&s->a, 1, TURN_RELEASE);
	crowd_sync(&s->a, &s->tape_a);
	struct started_msg msg = come(s, s->pid, s->position);
	assert_true(msg.was_there && msg.has_turn);
	assert_int_equal(msg.pinned_bytes + msg.replay_bytes, 0);
	assert_int_equal(msg.lost_bytes, s->position);
	link_until_text(&s->b, &s->tape_b, CHANNEL_CONTROL, "ok\n");
	assert_string_equal(tape_text(&s->tape_b, 0), "=two\n");
	link_until_text(&s->a, &s->tape_a, CHANNEL_NOTE, "{2}\n");
	scene_close(s);
}

/* The answer waits for what comes of the run, but not for ever. */
static void test_a_run_that_says_nothing(void **state)
{
	struct scene *s = scene_open(*state);
	crowd_say(&s->a, 1, TURN_RELEASE);
	crowd_sync(&s->a, &s->tape_a);
	assert_int_equal(kill((pid_t)s->pid, SIGSTOP), 0);
	struct started_msg msg = come(s, s->pid, s->position);
	assert_true(msg.was_there && msg.has_turn);
	assert_int_equal(kill((pid_t)s->pid, SIGCONT), 0);
	link_until_text(&s->b, &s->tape_b, CHANNEL_CONTROL, "ok\n");
	assert_string_equal(tape_text(&s->tape_b, 0), "=two\n");
	scene_close(s);
}

static void test_others_have_run_since(void **state)
{
	struct scene *s = scene_open(*state);
	run(&s->a, &s->tape_a, "{3}\n", "three\n");
	crowd_say(&s->a, 1, TURN_RELEASE);
	crowd_sync(&s->a, &s->tape_a);
	struct started_msg msg = come(s, s->pid, s->position);
	expect_stranger(s, &msg);
	scene_close(s);
}

static void test_another_process_is_there(void **state)
{
	struct scene *s = scene_open(*state);
	crowd_say(&s->a, 1, TURN_RELEASE);
	crowd_sync(&s->a, &s->tape_a);
	struct started_msg msg = come(s, s->pid + 1, s->position);
	expect_stranger(s, &msg);
	scene_close(s);
}

static void test_somebody_has_the_turn(void **state)
{
	struct scene *s = scene_open(*state);
	struct started_msg msg = come(s, s->pid, s->position);
	expect_stranger(s, &msg);
	scene_close(s);
}

/* Whose author has gone, and which has not printed anything yet. */
static void test_something_is_under_way(void **state)
{
	struct scene *s = scene_open(*state);
	assert_int_equal(kill((pid_t)s->pid, SIGSTOP), 0);
	crowd_write(&s->a, 1, CHANNEL_NOTE, "{3}\n");
	crowd_write(&s->a, 1, CHANNEL_CONTROL, "three\n");
	crowd_say(&s->a, 1, TURN_RELEASE);
	crowd_sync(&s->a, &s->tape_a);
	struct started_msg msg = come(s, s->pid, s->position);
	expect_stranger(s, &msg);
	assert_int_equal(kill((pid_t)s->pid, SIGCONT), 0);
	scene_close(s);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_as_it_was_left),
			T(test_a_run_that_says_nothing),
			T(test_others_have_run_since),
			T(test_another_process_is_there),
			T(test_somebody_has_the_turn),
			T(test_something_is_under_way),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
