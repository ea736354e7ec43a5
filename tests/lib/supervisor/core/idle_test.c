/* SPDX-License-Identifier: MIT */

/* The supervisor is a program of its own, so its parts are built into this test. */

#include "supervisor/core/idle.c"

#include "cmocka_all.h"

enum { HOUR_MS = 3600 * 1000 };
#define MS_OF_CPU UINT64_C(1000000)

/* Looks as the supervisor does, with a sandbox that uses `percent` of a core, until the time-out or
 * `most_ms`. */
static uint64_t live(
		struct idle *idle, uint64_t from_ms, uint64_t most_ms, double percent, unsigned *ret_looks)
{
	uint64_t now = from_ms;
	*ret_looks = 0;
	while (!idle_is_over(idle, now) && now - from_ms < most_ms) {
		now = idle_next_ms(idle);
		idle_sample(idle, now, (uint64_t)((double)(now - from_ms) * 1e6 * percent / 100));
		++*ret_looks;
	}
	return now - from_ms;
}

static void nothing_happens(void **state)
{
	struct idle idle;
	unsigned looks;
	(void)state;
	idle_init(&idle, 8 * HOUR_MS, 1000);
	assert_int_equal(live(&idle, 1000, UINT64_MAX, 0, &looks), 8 * HOUR_MS);
	assert_true(looks <= 8 * 12 + 1); /* every five minutes */
}

static void an_interpreter_that_wakes_up_now_and_then_is_idle(void **state)
{
	struct idle idle;
	unsigned looks;
	(void)state;
	idle_init(&idle, HOUR_MS, 0);
	assert_int_equal(live(&idle, 0, UINT64_MAX, 0.5, &looks), HOUR_MS);
}

static void a_computation_is_not(void **state)
{
	struct idle idle;
	unsigned looks;
	(void)state;
	idle_init(&idle, HOUR_MS, 0);
	assert_true(live(&idle, 0, 100 * (uint64_t)HOUR_MS, 5, &looks) >= 100 * (uint64_t)HOUR_MS);
	/* When it is done, the time begins. */
	uint64_t now = idle.since_ms, cpu = idle.cpu_ns;
	while (!idle_is_over(&idle, now)) {
		now = idle_next_ms(&idle);
		idle_sample(&idle, now, cpu);
	}
	assert_int_equal(now - idle.since_ms, HOUR_MS);
}

static void what_has_ended_was_active(void **state)
{
	struct idle idle;
	(void)state;
	idle_init(&idle, HOUR_MS, 0);
	idle_touch(&idle, 10, 500 * MS_OF_CPU);
	assert_true(idle_sample(&idle, 1000, 100 * MS_OF_CPU)); /* less than before: no group counts */
	assert_int_equal(idle.since_ms, 1000);
	assert_false(idle_sample(&idle, 2000, 100 * MS_OF_CPU));
}

static void a_visit_counts(void **state)
{
	struct idle idle;
	(void)state;
	idle_init(&idle, HOUR_MS, 0);
	idle_touch(&idle, HOUR_MS - 1, 7 * MS_OF_CPU);
	assert_false(idle_is_over(&idle, HOUR_MS + 1));
	assert_true(idle_is_over(&idle, 2 * HOUR_MS - 1));
}

static void never(void **state)
{
	struct idle idle;
	(void)state;
	idle_init(&idle, 0, 5);
	assert_true(idle_next_ms(&idle) == UINT64_MAX);
	assert_false(idle_is_over(&idle, UINT64_MAX - 1));
}

static void short_ones_are_looked_at_often_enough(void **state)
{
	struct idle idle;
	unsigned looks;
	(void)state;
	idle_init(&idle, 100, 0);
	assert_int_equal(live(&idle, 0, UINT64_MAX, 0, &looks), 100);
	assert_true(looks <= 100 / IDLE_LOOK_MIN_MS + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(nothing_happens),
			cmocka_unit_test(an_interpreter_that_wakes_up_now_and_then_is_idle),
			cmocka_unit_test(a_computation_is_not),
			cmocka_unit_test(what_has_ended_was_active),
			cmocka_unit_test(a_visit_counts),
			cmocka_unit_test(never),
			cmocka_unit_test(short_ones_are_looked_at_often_enough),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
