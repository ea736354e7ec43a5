/* SPDX-License-Identifier: MIT */
/* The JavaScript kernel: interrupts that come in the middle of node's own work with timers and immediates.
 * Each code was once interrupted without effect, or for ever, one time in ten to fifty. */
#include "kernel/drivers/harness.h"

enum { TIMES = 20 };

static int start(void **state)
{
	*state = driver_start(TRM_LANG_JAVASCRIPT);
	return 0;
}

static int stop(void **state)
{
	driver_stop(*state);
	return 0;
}

static void interrupt_often(struct driver *d, const char *code)
{
	for (int i = 0; i < TIMES; i++) {
		driver_send(d, code);
		driver_wait_text(d, 0, "on\n");
		driver_interrupt(d);
		driver_wait(d);
		assert_string_equal(driver_text_of(d, "status"), "interrupted");
		driver_run(d, "6 * 7"); /* what is late of the run before may be printed meanwhile */
		assert_string_equal(driver_text_of(d, "value"), "42");
	}
}

static void immediates_can_be_interrupted(void **state)
{
	interrupt_often(*state, "setImmediate(function f() { console.log('on'); setImmediate(f) }); "
				"await new Promise(() => {})");
}

static void awaits_of_immediates_can_be_interrupted(void **state)
{
	interrupt_often(*state, "console.log('on'); for (;;) await new Promise((r) => setImmediate(r))");
}

static void awaits_of_timers_can_be_interrupted(void **state)
{
	interrupt_often(*state, "console.log('on'); "
				"for (;;) { await new Promise((r) => setTimeout(r, 1)); console.log('y') }");
}

static void a_timer_can_be_interrupted_as_it_is_made(void **state)
{
	interrupt_often(*state, "console.log('on'); await new Promise(() => setTimeout(() => {}, 1e6))");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
			CASE(immediates_can_be_interrupted),
			CASE(awaits_of_immediates_can_be_interrupted),
			CASE(awaits_of_timers_can_be_interrupted),
			CASE(a_timer_can_be_interrupted_as_it_is_made),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
