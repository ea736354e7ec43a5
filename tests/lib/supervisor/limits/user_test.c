/* SPDX-License-Identifier: MIT */

/* The supervisor is a program of its own, so its parts are built into this test. */

#include "supervisor/limits/user.c"

#include <sys/wait.h>

#include "cmocka_all.h"

static void the_first_user_namespace_holds_all(void **state)
{
	const char *map = "         0          0 4294967295\n";
	(void)state;
	assert_true(user_map_holds(map, USER_FIRST, USER_COUNT));
	assert_true(user_map_holds(map, USER_MORE_FIRST, USER_MORE_COUNT));
	assert_false(user_map_moves_root(map));
}

static void a_rootless_container_holds_few(void **state)
{
	const char *map = "         0       1000          1\n         1     100000      60000\n";
	(void)state;
	assert_false(user_map_holds(map, USER_FIRST, USER_COUNT));
	assert_true(user_map_holds(map, 1, 60000));
	assert_false(user_map_holds(map, 1, 60001));
	assert_true(user_map_moves_root(map));
	assert_false(user_map_moves_root(""));
	assert_false(user_map_holds("x\n", 0, 1));
}

static void each_gets_another(void **state)
{
	struct user a, b;
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(user_take(&a), 0);
	assert_int_equal(user_take(&b), 0);
	assert_int_not_equal(a.uid, b.uid);
	if (first_of(USER_COUNT + USER_MORE_COUNT) == 0)
		assert_in_range(a.uid, USER_FIRST, USER_FIRST + USER_COUNT - 1);
	else /* in a container */
		assert_in_range(a.uid, USER_MORE_FIRST, USER_MORE_FIRST + USER_MORE_COUNT - 1);
	user_release(&a);
	user_release(&b);
	user_release(&b); /* a second time does nothing */
}

/* Take a user, and find that nobody else has him, again and again. */
static _Noreturn void come_and_go(int taken_fd)
{
	enum { TIMES = 300 };
	struct user u;
	char name[16];
	for (int i = 0; i < TIMES; i++) {
		if (user_take(&u) < 0)
			_exit(1);
		snprintf(name, sizeof name, "%u", u.uid);
		if (mkdirat(taken_fd, name, 0700) < 0)
			_exit(2);
		unlinkat(taken_fd, name, AT_REMOVEDIR);
		user_release(&u);
	}
	_exit(0);
}

/* The first to come makes the directory of locks, and the last to leave removes it. */
static void no_two_have_the_same_whoever_comes_and_goes(void **state)
{
	enum { WORKERS = 4 };
	char dir[] = "/tmp/terrarium-user-XXXXXX";
	int status[WORKERS];
	pid_t pids[WORKERS];
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_non_null(mkdtemp(dir));
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < WORKERS; i++)
		if ((pids[i] = fork()) == 0)
			come_and_go(fd);
	for (int i = 0; i < WORKERS; i++)
		assert_int_equal(waitpid(pids[i], &status[i], 0), pids[i]);
	close(fd);
	rmdir(dir);
	for (int i = 0; i < WORKERS; i++)
		assert_int_equal(status[i], 0);
}

static void there_are_enough_for_a_busy_server(void **state)
{
	enum { MANY = USER_COUNT + 20 };
	struct user users[MANY];
	unsigned more = 0;
	(void)state;
	if (geteuid() != 0)
		skip();
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(user_take(&users[i]), 0);
		more += users[i].uid >= USER_MORE_FIRST;
	}
	assert_true(more >= 20);
	for (int i = 0; i < MANY; i++)
		user_release(&users[i]);
}

static void the_second_range_is_gone_round_first(void **state)
{
	enum { COUNT = USER_COUNT + USER_MORE_COUNT, LAST = COUNT - 1 };
	(void)state;
	assert_int_equal(nth(0, 0), USER_FIRST);
	assert_int_equal(nth(0, USER_COUNT), USER_MORE_FIRST);
	assert_int_equal(nth(LAST, 0), USER_MORE_FIRST + USER_MORE_COUNT - 1);
	assert_int_equal(nth(LAST, 1), USER_MORE_FIRST);
	assert_int_equal(nth(LAST, USER_MORE_COUNT), USER_FIRST);
	assert_int_equal(nth(LAST, LAST), USER_FIRST + USER_COUNT - 1);
}

static void an_ordinary_user_gets_none(void **state)
{
	struct user u;
	(void)state;
	if (geteuid() == 0)
		skip();
	assert_int_equal(user_take(&u), 0);
	assert_int_equal(u.uid, 0);
	user_release(&u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(the_first_user_namespace_holds_all),
			cmocka_unit_test(a_rootless_container_holds_few),
			cmocka_unit_test(each_gets_another),
			cmocka_unit_test(no_two_have_the_same_whoever_comes_and_goes),
			cmocka_unit_test(there_are_enough_for_a_busy_server),
			cmocka_unit_test(the_second_range_is_gone_round_first),
			cmocka_unit_test(an_ordinary_user_gets_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
