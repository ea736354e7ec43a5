/* SPDX-License-Identifier: MIT */
#include "base/pressure.h"

#include <string.h>
#include <unistd.h>

#include "base/procstat.h"
#include "cmocka_all.h"

static void both_versions_count_throttling(void **state)
{
	struct pressure s = {0};
	(void)state;
	assert_true(pressure_parse_cpu_stat("nr_periods 10\nnr_throttled 4\nthrottled_time 5000\n", &s));
	assert_true(s.has_throttle);
	assert_int_equal(s.cpu_periods, 10);
	assert_int_equal(s.cpu_throttled, 4);
	assert_int_equal(s.throttled_ns, 5000);
	assert_true(pressure_parse_cpu_stat(
			"usage_usec 9\nuser_usec 1\nnr_periods 11\nnr_throttled 5\nthrottled_usec 7\n", &s));
	assert_int_equal(s.cpu_periods, 11);
	assert_int_equal(s.throttled_ns, 7000);
}

static void what_is_not_counted_is_not_claimed(void **state)
{
	struct pressure s = {0};
	struct trm_sample sample = {0};
	(void)state;
	assert_false(pressure_parse_cpu_stat("usage_usec 9\n", &s));
	assert_false(pressure_parse_pressure("", PRESSURE_CPU, &s));
	assert_false(pressure_parse_pressure("full avg10=0.00 total=5\n", PRESSURE_CPU, &s));
	assert_false(pressure_parse_pressure("some avg10=0.00\nfull total=5\n", PRESSURE_CPU, &s));
	pressure_describe(&s, &s, &sample);
	assert_int_equal(sample.known, 0);
}

static void rates_are_between_two_readings(void **state)
{
	struct pressure before = {.time_ns = 1000000000}, now = {.time_ns = 2000000000};
	struct trm_sample sample = {0};
	(void)state;
	assert_true(pressure_parse_pressure("some avg10=1.00 avg60=0 avg300=0 total=1000\nfull total=1\n",
			PRESSURE_MEM, &before));
	assert_true(pressure_parse_pressure("some avg10=1.00 total=251000\n", PRESSURE_MEM, &now));
	pressure_parse_cpu_stat("nr_periods 100\nnr_throttled 10\nthrottled_time 1\n", &before);
	pressure_parse_cpu_stat("nr_periods 200\nnr_throttled 35\nthrottled_time 1\n", &now);
	pressure_describe(&now, &before, &sample);
	assert_true(sample.known & TRM_METRIC_PRESSURE_MEM);
	assert_false(sample.known & TRM_METRIC_PRESSURE_CPU);
	assert_true(sample.pressure_mem_percent == 25.0);
	assert_true(sample.throttled_percent == 25.0);
	assert_int_equal(sample.cpu_throttled, 35);
}

static void a_first_reading_has_no_rate(void **state)
{
	struct pressure none = {0}, now = {.time_ns = 5};
	struct trm_sample sample = {0};
	(void)state;
	pressure_parse_cpu_stat("nr_periods 1\nnr_throttled 1\nthrottled_time 1\n", &now);
	pressure_describe(&now, &none, &sample);
	assert_true(sample.known & TRM_METRIC_THROTTLE);
	assert_false(sample.known & TRM_METRIC_THROTTLED_PERCENT);
}

static void a_process_is_known_by_its_start(void **state)
{
	struct procstat self, again;
	char command[64];
	(void)state;
	assert_true(procstat_read(getpid(), &self));
	assert_true(procstat_read(getpid(), &again));
	assert_int_equal(self.ppid, getppid());
	assert_true(self.start > 0 && self.start == again.start);
	assert_true(self.mem_bytes > 0);
	assert_non_null(strstr(procstat_command(getpid(), command, sizeof command), "pressure_test"));
	assert_false(procstat_read(0, &self));
	assert_string_equal(procstat_command(-1, command, sizeof command), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(both_versions_count_throttling),
			cmocka_unit_test(what_is_not_counted_is_not_claimed),
			cmocka_unit_test(rates_are_between_two_readings),
			cmocka_unit_test(a_first_reading_has_no_rate),
			cmocka_unit_test(a_process_is_known_by_its_start),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
