/* SPDX-License-Identifier: MIT */
#include "base/procstat.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka_all.h"

static void a_line_of_the_status_is_read(void **state)
{
	(void)state;
	char value[64];
	assert_true(procstat_status(getpid(), "Pid", value, sizeof value));
	assert_int_equal(atoi(value), getpid());
	assert_true(procstat_status(getpid(), "Threads", value, sizeof value));
	assert_string_equal(value, "1");
}

static void a_key_is_a_whole_word(void **state)
{
	(void)state;
	char value[64] = "x";
	assert_false(procstat_status(getpid(), "Thread", value, sizeof value));
	assert_string_equal(value, "");
	assert_false(procstat_status(getpid(), "hreads", value, sizeof value));
}

static void of_a_process_that_is_not_there_nothing_is_known(void **state)
{
	(void)state;
	char value[64] = "x";
	assert_false(procstat_status(0, "Uid", value, sizeof value));
	assert_string_equal(value, "");
}

static void a_long_value_is_cut(void **state)
{
	(void)state;
	char value[4];
	assert_true(procstat_status(getpid(), "CapBnd", value, sizeof value));
	assert_int_equal(strlen(value), 3);
}

static void the_umask_is_read_without_a_change(void **state)
{
	(void)state;
	mode_t old = umask(027);
	assert_int_equal(procstat_umask(), 027);
	umask(old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_line_of_the_status_is_read),
			cmocka_unit_test(a_key_is_a_whole_word),
			cmocka_unit_test(of_a_process_that_is_not_there_nothing_is_known),
			cmocka_unit_test(a_long_value_is_cut),
			cmocka_unit_test(the_umask_is_read_without_a_change),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
