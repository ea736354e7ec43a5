/* SPDX-License-Identifier: MIT */
#include "base/procstat.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

static void children_are_those_of_a_process(void **state)
{
	(void)state;
	pid_t children[4] = {0}, made[3];
	assert_int_equal(procstat_children(getpid(), getpid(), children, 4), 0);
	for (size_t i = 0; i < 3; i++)
		if (!(made[i] = fork())) {
			pause();
			_exit(0);
		}
	assert_int_equal(procstat_children(getpid(), getpid(), children, 4), 3);
	assert_memory_equal(children, made, sizeof made);
	assert_int_equal(procstat_children(getpid(), getpid(), children, 2), 2); /* no room for more */
	for (size_t i = 0; i < 3; i++) {
		kill(made[i], SIGKILL);
		waitpid(made[i], NULL, 0);
	}
	assert_int_equal(procstat_children(made[0], made[0], children, 4), -1);
	assert_int_equal(procstat_children(0, 0, children, 4), -1);
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
			cmocka_unit_test(children_are_those_of_a_process),
			cmocka_unit_test(the_umask_is_read_without_a_change),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
