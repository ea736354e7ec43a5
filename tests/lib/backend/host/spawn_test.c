/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

#include <terrarium/error.h>

#include "backend/host/spawn.h"

enum { WANTED = 3, MOST = 64 };

/* However few descriptors are left, those of the program that we are in stay open, and none more. */
static void what_cannot_be_started_closes_nothing(void **state)
{
	int fds[WANTED] = {0, 0, 0};
	struct rlimit before, few;
	bool were_open[MOST];
	struct trm_error why;
	(void)state;
	int program = spawn_memfd("nothing", "", 0, &why);
	assert_true(program >= 0);
	for (int fd = 0; fd < MOST; fd++)
		were_open[fd] = fcntl(fd, F_GETFD) >= 0;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	for (rlim_t n = WANTED + 1; n < WANTED + 1 + WANTED + 1; n++) {
		few = (struct rlimit){.rlim_cur = n, .rlim_max = before.rlim_max};
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
		assert_true(spawn_program(program, "nothing", fds, WANTED, &why) < 0);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
		for (int fd = 0; fd < MOST; fd++)
			assert_int_equal(fcntl(fd, F_GETFD) >= 0, were_open[fd]);
	}
	close(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(what_cannot_be_started_closes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
