/* SPDX-License-Identifier: MIT */
/* A pool on the fake backend: who gets what, and when. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/terrarium.h>

enum { LIMIT_MS = 20000, TAKERS = 8 };

struct taker {
	struct trm_sandbox *sandbox;
	int n_answers, n_closed;
	struct trm_error why;
};

static struct trm_loop *loop;
static struct trm_pool *pool;
static struct trm_pool_opts opts;
static struct taker takers[TAKERS];
static bool is_closed;
static struct trm_error why;

static void on_closed(void *user, struct trm_sandbox *sandbox, const struct trm_error *reason)
{
	struct taker *taker = user;
	(void)sandbox;
	(void)reason;
	taker->sandbox = NULL;
	taker->n_closed++;
}

static const struct trm_sandbox_cb SANDBOX_CB = {.closed = on_closed};

static void on_taken(void *user, struct trm_sandbox *sandbox, const struct trm_error *reason)
{
	struct taker *taker = user;
	taker->sandbox = sandbox;
	taker->why = *reason;
	taker->n_answers++;
}

static void on_pool_closed(void *user)
{
	(void)user;
	is_closed = true;
}

static void take(size_t i)
{
	assert_int_equal(trm_pool_take(pool, &SANDBOX_CB, &takers[i], on_taken, &takers[i], &why), 0);
	assert_int_equal(takers[i].n_answers, 0);
}

static struct trm_pool_stats stats(void)
{
	struct trm_pool_stats now;
	trm_pool_stats(pool, &now);
	return now;
}

/* Step the loop until the condition holds. */
#define WAIT_UNTIL(condition) \
	do { \
		uint64_t end = trm_loop_now_ns(loop) + (uint64_t)LIMIT_MS * 1000000; \
		while (!(condition) && trm_loop_now_ns(loop) < end) \
			trm_loop_step(loop, 50); \
		assert_true(condition); \
	} while (0)

static void open_pool(void)
{
	if (trm_pool_open(loop, &opts, &pool, &why) < 0)
		fail_msg("%s", why.msg);
}

static int begin(void **state)
{
	(void)state;
	memset(takers, 0, sizeof takers);
	is_closed = false;
	pool = NULL;
	trm_pool_opts_default(&opts);
	opts.sandbox.backend = "fake";
	opts.spare_memory_bytes = 0;
	return trm_loop_create(&loop, &why);
}

static int finish(void **state)
{
	(void)state;
	trm_pool_close(pool, on_pool_closed, NULL);
	for (size_t i = 0; i < TAKERS; i++)
		if (takers[i].sandbox)
			trm_sandbox_close(takers[i].sandbox);
	while (pool && !is_closed)
		trm_loop_step(loop, -1);
	for (size_t i = 0; i < TAKERS; i++)
		while (takers[i].sandbox)
			trm_loop_step(loop, -1);
	trm_loop_destroy(loop);
	return 0;
}

static void fills_up_and_gives_one_away(void **state)
{
	(void)state;
	opts.min_idle = 3;
	opts.sandbox.name = "lab";
	open_pool();
	WAIT_UNTIL(stats().idle == 3);
	take(0);
	WAIT_UNTIL(takers[0].n_answers);
	assert_non_null(takers[0].sandbox);
	assert_true(trm_sandbox_is_ready(takers[0].sandbox));
	assert_memory_equal(trm_sandbox_name(takers[0].sandbox), "lab-", 4);
	assert_int_equal(stats().n_at_once, 1);
	WAIT_UNTIL(stats().idle == 3);
	assert_int_equal(stats().taken, 1);
	assert_int_equal(stats().n_started, 4);
}

static void never_gives_a_used_one(void **state)
{
	(void)state;
	char first[65];
	open_pool();
	take(0);
	WAIT_UNTIL(takers[0].sandbox);
	strcpy(first, trm_sandbox_name(takers[0].sandbox));
	trm_sandbox_close(takers[0].sandbox);
	WAIT_UNTIL(takers[0].n_closed);
	take(1);
	WAIT_UNTIL(takers[1].sandbox);
	assert_string_not_equal(trm_sandbox_name(takers[1].sandbox), first);
	assert_int_equal(stats().taken, 1);
}

static void waits_in_order_up_to_max(void **state)
{
	(void)state;
	opts.max = 2;
	open_pool();
	for (size_t i = 0; i < 4; i++)
		take(i);
	WAIT_UNTIL(takers[0].sandbox && takers[1].sandbox);
	assert_int_equal(stats().waiting, 2);
	trm_sandbox_close(takers[1].sandbox);
	WAIT_UNTIL(takers[2].sandbox);
	assert_int_equal(takers[3].n_answers, 0);
	trm_pool_withdraw(pool, &takers[3]);
	assert_int_equal(stats().waiting, 0);
}

static void a_wait_has_a_limit(void **state)
{
	(void)state;
	opts.max = 1;
	opts.wait_timeout_ms = 50;
	open_pool();
	WAIT_UNTIL(stats().idle == 1);
	take(0);
	take(1);
	WAIT_UNTIL(takers[1].n_answers);
	assert_non_null(takers[0].sandbox);
	assert_null(takers[1].sandbox);
	assert_int_equal(takers[1].why.code, TRM_ETIMEDOUT);
	assert_int_equal(stats().n_refused, 1);
}

static void fails_or_makes_a_temporary_one(void **state)
{
	(void)state;
	opts.max = 1;
	opts.when_empty = TRM_POOL_FAIL;
	open_pool();
	WAIT_UNTIL(stats().idle == 1);
	take(0);
	take(1);
	WAIT_UNTIL(takers[1].n_answers);
	assert_int_equal(takers[1].why.code, TRM_EBUSY);
	finish(NULL);
	begin(NULL);
	opts.max = 1;
	opts.when_empty = TRM_POOL_TEMPORARY;
	open_pool();
	for (size_t i = 0; i < 3; i++)
		take(i);
	WAIT_UNTIL(takers[0].sandbox && takers[1].sandbox && takers[2].sandbox);
	assert_int_equal(stats().taken, 3);
	assert_int_equal(stats().idle + stats().starting, 0);
}

static void replaces_old_ones(void **state)
{
	(void)state;
	opts.idle_timeout_ms = 20;
	open_pool();
	WAIT_UNTIL(stats().n_expired >= 2);
	take(0);
	WAIT_UNTIL(takers[0].sandbox);
	assert_int_equal(stats().n_failed, 0);
}

static void starts_none_without_memory(void **state)
{
	(void)state;
	opts.spare_memory_bytes = UINT64_MAX;
	open_pool();
	WAIT_UNTIL(stats().is_short_of_memory);
	assert_int_equal(stats().n_started, 0);
	take(0);
	WAIT_UNTIL(takers[0].sandbox);
	assert_int_equal(stats().n_at_once, 0);
}

static void a_failed_start_tells_why(void **state)
{
	(void)state;
	opts.sandbox.backend = "nowhere";
	open_pool();
	take(0);
	WAIT_UNTIL(takers[0].n_answers);
	assert_null(takers[0].sandbox);
	assert_non_null(strstr(takers[0].why.msg, "nowhere"));
	assert_int_equal(stats().why.code, takers[0].why.code);
	assert_int_equal(stats().n_started, stats().n_failed);
}

static void closing_leaves_what_was_given_away(void **state)
{
	(void)state;
	opts.max = 1;
	open_pool();
	take(0);
	take(1);
	WAIT_UNTIL(takers[0].sandbox);
	trm_pool_close(pool, on_pool_closed, NULL);
	WAIT_UNTIL(is_closed);
	assert_int_equal(takers[1].why.code, TRM_ECANCELED);
	assert_true(trm_sandbox_is_ready(takers[0].sandbox));
	pool = NULL;
}

static void refuses_bad_options(void **state)
{
	(void)state;
	opts.sandbox.keep = true;
	assert_int_equal(trm_pool_open(loop, &opts, &pool, &why), TRM_EINVAL);
	opts.sandbox.keep = false;
	opts.min_idle = 3;
	opts.max = 2;
	assert_int_equal(trm_pool_open(loop, &opts, &pool, &why), TRM_EINVAL);
	opts.max = 0;
	opts.libraries = (const char *const[]){"six", NULL};
	assert_int_equal(trm_pool_open(loop, &opts, &pool, &why), TRM_EINVAL);
	opts.libraries = NULL;
	opts.sandbox.name = "a/b";
	assert_int_equal(trm_pool_open(loop, &opts, &pool, &why), TRM_EINVAL);
	pool = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(fills_up_and_gives_one_away, begin, finish),
			cmocka_unit_test_setup_teardown(never_gives_a_used_one, begin, finish),
			cmocka_unit_test_setup_teardown(waits_in_order_up_to_max, begin, finish),
			cmocka_unit_test_setup_teardown(a_wait_has_a_limit, begin, finish),
			cmocka_unit_test_setup_teardown(fails_or_makes_a_temporary_one, begin, finish),
			cmocka_unit_test_setup_teardown(replaces_old_ones, begin, finish),
			cmocka_unit_test_setup_teardown(starts_none_without_memory, begin, finish),
			cmocka_unit_test_setup_teardown(a_failed_start_tells_why, begin, finish),
			cmocka_unit_test_setup_teardown(closing_leaves_what_was_given_away, begin, finish),
			cmocka_unit_test_setup_teardown(refuses_bad_options, begin, finish),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
