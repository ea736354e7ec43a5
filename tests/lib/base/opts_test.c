/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <string.h>

#include "base/opts.h"

struct known {
	size_t size;
	int first;
	int second;
};

static const struct known DEFAULTS = {sizeof(struct known), 1, 2};

struct shorter {
	size_t size;
	int first;
};

struct longer {
	struct known known;
	long more[2];
};

static void what_a_shorter_struct_lacks_is_the_default(void **state)
{
	struct known own = DEFAULTS;
	const struct shorter given = {offsetof(struct known, second), 7};
	(void)state;
	assert_int_equal(opts_take(&own, sizeof own, &given, NULL), 0);
	assert_int_equal(own.first, 7);
	assert_int_equal(own.second, 2);
	assert_int_equal(own.size, sizeof own);
	assert_int_equal(opts_take(&own, sizeof own, NULL, NULL), 0);
	assert_int_equal(own.first, 7);
}

static void a_longer_struct_may_not_ask_for_the_unknown(void **state)
{
	struct known own = DEFAULTS;
	struct longer given = {{sizeof given, 3, 4}, {0}};
	struct trm_error why;
	(void)state;
	assert_int_equal(opts_take(&own, sizeof own, &given, &why), 0);
	assert_int_equal(own.second, 4);
	given.more[1] = 1;
	assert_int_equal(opts_take(&own, sizeof own, &given, &why), TRM_ENOTSUP);
	assert_non_null(strstr(why.msg, "too old to know"));
}

static void a_size_that_was_not_set_is_refused(void **state)
{
	struct known own = DEFAULTS;
	struct known given = {0};
	struct trm_error why;
	(void)state;
	assert_int_equal(opts_take(&own, sizeof own, &given, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "_INIT"));
	given.size = SIZE_MAX;
	assert_int_equal(opts_take(&own, sizeof own, &given, &why), TRM_EINVAL);
	assert_int_equal(own.first, 1);
}

static void defaults_fill_what_the_caller_has(void **state)
{
	struct longer all;
	struct shorter some = {0, 9};
	(void)state;
	memset(&all, 0xff, sizeof all);
	opts_fill(&all, sizeof all, &DEFAULTS, sizeof DEFAULTS);
	assert_int_equal(all.known.size, sizeof all);
	assert_int_equal(all.known.second, 2);
	assert_int_equal(all.more[1], 0);
	opts_fill(&some, offsetof(struct known, second), &DEFAULTS, sizeof DEFAULTS);
	assert_int_equal(some.size, offsetof(struct known, second));
	assert_int_equal(some.first, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(what_a_shorter_struct_lacks_is_the_default),
			cmocka_unit_test(a_longer_struct_may_not_ask_for_the_unknown),
			cmocka_unit_test(a_size_that_was_not_set_is_refused),
			cmocka_unit_test(defaults_fill_what_the_caller_has),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
