/* SPDX-License-Identifier: MIT */
/* When an installation counts as waiting for an index that hangs. The sandbox is none: its samples come from
 * here. */
#include "cmocka_all.h"

#include "install/install.h"

enum { KNOWN = TRM_METRIC_CPU_TIME | TRM_METRIC_NET };
static const uint64_t SECOND_NS = 1000000000;

static struct trm_sandbox sandbox;
static struct stall stall;
static unsigned n_stalled;

static void on_stalled(void *user)
{
	assert_ptr_equal(user, &stall);
	n_stalled++;
}

static int begin(void **state)
{
	(void)state;
	sandbox = (struct trm_sandbox){.state = SANDBOX_CLOSING}; /* nothing is sent to anybody */
	n_stalled = 0;
	stall_begin(&stall, &sandbox, on_stalled, &stall);
	return 0;
}

static int end(void **state)
{
	(void)state;
	stall_end(&stall);
	stall_end(&stall);
	assert_null(sandbox.observers);
	return 0;
}

static void tell(const struct trm_sample *sample)
{
	sandbox.observers->sample(sandbox.observers->user, sample);
}

/* A minute and a bit, with so much of each in every second. */
static void pass(uint32_t known, uint64_t rx_bytes, uint64_t disk_bytes, uint64_t cpu_ns)
{
	for (unsigned s = 1; s <= STALL_S + 10; s += 5)
		tell(&(struct trm_sample){.time_ns = s * SECOND_NS,
				.known = known,
				.net_rx_bytes = s * rx_bytes,
				.disk_bytes = s * disk_bytes,
				.cpu_ns = s * cpu_ns});
}

static void one_that_ends_leaves_the_other_its_samples(void **state)
{
	struct stall other;
	(void)state;
	stall_begin(&other, &sandbox, on_stalled, &stall);
	stall_end(&other);
	assert_int_not_equal(sandbox.needed_interval_ms, 0);
	stall_end(&stall);
	assert_int_equal(sandbox.needed_interval_ms, 0);
}

static void silence_is_a_stall(void **state)
{
	(void)state;
	pass(KNOWN, 0, 0, 0);
	assert_true(n_stalled >= 2); /* told again, so that the tool can be killed */
}

static void a_byte_now_and_then_is_one_as_well(void **state)
{
	(void)state;
	pass(KNOWN, 50, 0, 1000000);
	assert_true(n_stalled > 0);
}

static void a_slow_line_is_none(void **state)
{
	(void)state;
	pass(KNOWN, 5000, 0, 0);
	assert_int_equal(n_stalled, 0);
}

static void computing_is_none(void **state)
{
	(void)state;
	pass(KNOWN, 0, 0, 500000000);
	assert_int_equal(n_stalled, 0);
}

static void files_count_as_well(void **state)
{
	(void)state;
	pass(TRM_METRIC_CPU_TIME | TRM_METRIC_DISK, 0, 5000, 0);
	pass(KNOWN | TRM_METRIC_DISK, 0, 5000, 0);
	assert_int_equal(n_stalled, 0);
	pass(TRM_METRIC_CPU_TIME | TRM_METRIC_DISK, 0, 0, 0);
	assert_true(n_stalled > 0);
}

static void nobody_is_ended_for_what_is_not_known(void **state)
{
	(void)state;
	pass(TRM_METRIC_CPU_TIME, 0, 0, 0);
	pass(TRM_METRIC_NET, 0, 0, 0);
	pass(0, 0, 0, 0);
	assert_int_equal(n_stalled, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(
					one_that_ends_leaves_the_other_its_samples, begin, end),
			cmocka_unit_test_setup_teardown(silence_is_a_stall, begin, end),
			cmocka_unit_test_setup_teardown(a_byte_now_and_then_is_one_as_well, begin, end),
			cmocka_unit_test_setup_teardown(a_slow_line_is_none, begin, end),
			cmocka_unit_test_setup_teardown(computing_is_none, begin, end),
			cmocka_unit_test_setup_teardown(files_count_as_well, begin, end),
			cmocka_unit_test_setup_teardown(nobody_is_ended_for_what_is_not_known, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
