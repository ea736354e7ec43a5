/* SPDX-License-Identifier: MIT */
#include "lib/agent/rig.h"

enum { AGE_MS = 1, OLD_MS = 100 }; /* the start of a process is known to some ten milliseconds */

static uint64_t boot_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* A shell on stream 1 whose child is OLD_MS old when this returns. */
static pid_t start_a_parent(struct link *link, struct tape *tape)
{
	tape_init(tape, 1);
	link_shell(link, 1, "sleep 1000 & echo $!; wait; echo gone; sleep 1000", 0, BIG_WINDOW);
	link_until_text(link, tape, 0, "\n");
	pid_t child = (pid_t)atoi(tape_text(tape, 0));
	uint64_t seen_ms = boot_ms();
	AWAIT(boot_ms() >= seen_ms + OLD_MS);
	return child;
}

static void wait_until_read(struct link *link)
{
	link_send(link, 0, FRAME_PING, 0, "", 0);
	assert_int_equal(link_next(link, DEADLINE_MS, NULL)->type, FRAME_PONG);
}

/* The agent may have been kept waiting for the processor: what counts is when it was asked. */
static void test_age_is_counted_from_when_it_was_sent(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	uint64_t before_ms = boot_ms();
	pid_t child = start_a_parent(&link, &tape);
	link_pack(&link, 0, FRAME_LEFTOVERS, "uuq", 1, AGE_MS, boot_ms());
	wait_until_read(&link);
	assert_false(is_gone(child));
	link_pack(&link, 0, FRAME_LEFTOVERS, "uuq", 1, AGE_MS, before_ms);
	link_until_text(&link, &tape, 0, "gone\n");
	assert_true(is_gone(child));
	tape_finish(&tape);
	link_close(&link);
}

/* Of a machine that has started long ago, or later than this one. */
static void test_another_machines_clock_does_not_count(void **state)
{
	struct link link = link_open(*state);
	struct tape tape;
	pid_t child = start_a_parent(&link, &tape);
	link_pack(&link, 0, FRAME_LEFTOVERS, "uuq", 1, AGE_MS, UINT64_C(1));
	link_pack(&link, 0, FRAME_LEFTOVERS, "uuq", 1, AGE_MS, UINT64_MAX);
	wait_until_read(&link);
	assert_false(is_gone(child));
	tape_finish(&tape);
	link_close(&link);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
			T(test_age_is_counted_from_when_it_was_sent),
			T(test_another_machines_clock_does_not_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
