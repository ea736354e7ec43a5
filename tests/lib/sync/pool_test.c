/* SPDX-License-Identifier: MIT */
/* Pools with calls that wait, on the fake backend. */
#include "cmocka_all.h"

#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <terrarium/terrarium.h>

enum { LIMIT_MS = 20000 };

static struct trm_sync_pool *pool;
static struct trm_pool_opts opts;
static struct trm_error why;

static int begin(void **state)
{
	(void)state;
	trm_pool_opts_default(&opts);
	opts.sandbox.backend = "fake";
	opts.sandbox.name = "lab";
	opts.max = 2;
	opts.when_empty = TRM_POOL_FAIL;
	return 0;
}

static struct trm_pool_stats stats(void)
{
	struct trm_pool_stats now;
	trm_sync_pool_stats(pool, &now);
	return now;
}

static void gives_sandboxes_that_are_started(void **state)
{
	struct trm_sync *first, *second, *third = NULL;
	struct trm_execution done;
	(void)state;
	opts.min_idle = 2;
	assert_int_equal(trm_sync_pool_open(&opts, &pool, &why), 0);
	assert_int_equal(trm_sync_pool_fill(pool, LIMIT_MS, &why), 0);
	assert_int_equal(stats().idle, 2);
	assert_int_equal(trm_sync_pool_take(pool, NULL, &first, &why), 0);
	assert_int_equal(trm_sync_pool_take(pool, NULL, &second, &why), 0);
	assert_true(trm_sync_is_started(first) && trm_sync_is_started(second));
	assert_memory_equal(trm_sync_name(first), "lab-", 4);
	assert_string_not_equal(trm_sync_name(first), trm_sync_name(second));
	assert_int_equal(trm_sync_pool_take(pool, NULL, &third, &why), TRM_EBUSY);
	assert_null(third);
	assert_int_equal(trm_sync_run(first, "print hello", &done, &why), 0);
	trm_execution_finish(&done);
	trm_sync_destroy(first);
	assert_int_equal(stats().taken, 1);
	assert_true(trm_sync_is_started(second));
	trm_sync_destroy(second);
	assert_int_equal(trm_sync_pool_fill(pool, LIMIT_MS, &why), 0);
	trm_sync_pool_close(pool);
}

/* A stopped one may be started again, and is nobody else's. */
static void starts_another_one_after_a_stop(void **state)
{
	struct trm_sync *s;
	(void)state;
	assert_int_equal(trm_sync_pool_open(&opts, &pool, &why), 0);
	assert_int_equal(trm_sync_pool_fill(pool, LIMIT_MS, &why), 0);
	assert_int_equal(trm_sync_pool_take(pool, NULL, &s, &why), 0);
	assert_int_equal(trm_sync_stop(s, &why), 0);
	assert_false(trm_sync_is_started(s));
	assert_int_equal(stats().taken, 0);
	assert_int_equal(trm_sync_start(s, &why), 0);
	assert_true(trm_sync_is_started(s));
	trm_sync_destroy(s);
	trm_sync_pool_close(pool);
}

static void waits_can_be_interrupted_and_end(void **state)
{
	struct trm_sync_opts own;
	struct trm_sync *s = NULL, *waiting = NULL;
	(void)state;
	opts.max = 1;
	opts.when_empty = TRM_POOL_WAIT;
	opts.wait_timeout_ms = 50;
	assert_int_equal(trm_sync_pool_open(&opts, &pool, &why), 0);
	assert_int_equal(trm_sync_pool_fill(pool, LIMIT_MS, &why), 0);
	assert_int_equal(trm_sync_pool_take(pool, NULL, &s, &why), 0);
	assert_int_equal(trm_sync_pool_take(pool, NULL, &waiting, &why), TRM_ETIMEDOUT);
	assert_int_equal(trm_sync_pool_fill(pool, 1, &why), TRM_ETIMEDOUT);
	trm_sync_opts_default(&own);
	own.interrupt_fd = eventfd(1, EFD_CLOEXEC);
	assert_int_equal(trm_sync_pool_take(pool, &own, &waiting, &why), TRM_ECANCELED);
	assert_int_equal(stats().waiting, 0);
	close(own.interrupt_fd);
	trm_sync_destroy(s);
	trm_sync_pool_close(pool);
}

static void refuses_bad_options(void **state)
{
	(void)state;
	opts.sandbox.keep = true;
	assert_int_equal(trm_sync_pool_open(&opts, &pool, &why), TRM_EINVAL);
	trm_sync_pool_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup(gives_sandboxes_that_are_started, begin),
			cmocka_unit_test_setup(starts_another_one_after_a_stop, begin),
			cmocka_unit_test_setup(waits_can_be_interrupted_and_end, begin),
			cmocka_unit_test_setup(refuses_bad_options, begin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
