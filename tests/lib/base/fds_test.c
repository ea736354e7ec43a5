/* SPDX-License-Identifier: MIT */
#include "base/fds.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka_all.h"

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* In a child, whose exit code is the number of the step that failed. */
static int in_child(int (*steps)(void))
{
	int status;
	pid_t pid = fork();
	if (pid == 0)
		_exit(steps());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int place_two(void)
{
	int p[2];
	char bytes[2] = "";
	if (pipe(p) < 0)
		return 1;
	const int fds[] = {p[1], p[0]}; /* the other way around, where they may overwrite each other */
	if (dup2(p[0], 50) < 0 || !fds_place(fds, 2))
		return 2;
	if (write(0, "x", 1) != 1 || read(1, bytes, 1) != 1 || bytes[0] != 'x')
		return 3;
	return is_open(2) || is_open(50) || is_open(p[0]) || is_open(p[1]) ? 4 : 0;
}

static int place_missing(void)
{
	const int fds[] = {0, 999};
	return fds_place(fds, 2) || fds_place(fds, FDS_PLACE_MAX + 1) ? 1 : 0;
}

static int keep_one(void)
{
	if (dup2(2, 7) < 0 || dup2(2, 8) < 0 || dup2(2, 9) < 0)
		return 1;
	fds_close_all_but(8);
	if (!is_open(8) || is_open(0) || is_open(7) || is_open(9))
		return 2;
	fds_close_from(8);
	return is_open(8) ? 3 : 0;
}

static void descriptors_are_placed(void **state)
{
	(void)state;
	assert_int_equal(in_child(place_two), 0);
	assert_int_equal(in_child(place_missing), 0);
}

static void all_others_are_closed(void **state)
{
	(void)state;
	assert_int_equal(in_child(keep_one), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(descriptors_are_placed),
			cmocka_unit_test(all_others_are_closed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
