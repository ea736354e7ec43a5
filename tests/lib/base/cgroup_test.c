/* SPDX-License-Identifier: MIT */
#include "base/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmocka_all.h"

static void both_versions_have_a_file_for_each_value(void **state)
{
	(void)state;
	for (int i = 0; i < CGROUP_VALUES; i++) {
		assert_non_null(cgroup_controller((enum cgroup_value)i));
		assert_non_null(cgroup_file(false, (enum cgroup_value)i));
		assert_non_null(cgroup_file(true, (enum cgroup_value)i));
	}
	assert_string_equal(cgroup_file(false, CGROUP_MEM), "memory.usage_in_bytes");
	assert_string_equal(cgroup_file(true, CGROUP_MEM), "memory.current");
}

static void processor_time_is_in_nanoseconds(void **state)
{
	uint64_t ns;
	(void)state;
	assert_true(cgroup_parse(false, CGROUP_CPU_NS, "7000\n", &ns));
	assert_int_equal(ns, 7000);
	assert_true(cgroup_parse(true, CGROUP_CPU_NS, "usage_usec 9\nuser_usec 1\n", &ns));
	assert_int_equal(ns, 9000);
}

static void keys_are_whole_words(void **state)
{
	uint64_t n;
	(void)state;
	assert_true(cgroup_parse(true, CGROUP_OOM_KILLS, "oom 1\noom_group_kill 2\noom_kill 3\n", &n));
	assert_int_equal(n, 3);
	assert_true(cgroup_parse(
			false, CGROUP_OOM_KILLS, "oom_kill_disable 1\nunder_oom 0\noom_kill 4\n", &n));
	assert_int_equal(n, 4);
	assert_true(cgroup_parse(false, CGROUP_MEM_CACHE, "inactive_file 1\ntotal_inactive_file 5\n", &n));
	assert_int_equal(n, 5);
	assert_false(cgroup_parse(true, CGROUP_PROCS_REFUSED, "min 1\n", &n));
}

static void no_limit_is_no_number(void **state)
{
	static const char *const none[] = {
			"", "max\n", "max 100000\n", "-1\n", "9223372036854771712\n", " 5"};
	uint64_t n = 1;
	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_false(cgroup_number(none[i], &n));
	assert_int_equal(n, 1);
	assert_true(cgroup_number("50000 100000\n", &n));
	assert_int_equal(n, 50000);
	assert_true(cgroup_number("0\n", &n));
	assert_int_equal(n, 0);
}

static void files_are_read_where_the_group_is(void **state)
{
	char dir[] = "/tmp/terrarium-test-XXXXXX", path[64];
	uint64_t n;
	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_false(cgroup_read(dir, true, CGROUP_PROCS, &n));
	snprintf(path, sizeof path, "%s/pids.current", dir);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs("12\n", file);
	fclose(file);
	assert_true(cgroup_read(dir, true, CGROUP_PROCS, &n));
	assert_int_equal(n, 12);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(both_versions_have_a_file_for_each_value),
			cmocka_unit_test(processor_time_is_in_nanoseconds),
			cmocka_unit_test(keys_are_whole_words),
			cmocka_unit_test(no_limit_is_no_number),
			cmocka_unit_test(files_are_read_where_the_group_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
