/* SPDX-License-Identifier: MIT */
/* Timers that are long due, without waiting: the loop's time is set. */
#include "loop/loop.h"

#include <terrarium/loop.h>

#include "base/clock.h"
#include "cmocka_all.h"

#define SECOND UINT64_C(1000000000)

struct fixture {
	struct trm_loop *loop;
	struct trm_timer *timer;
	int calls;
};

static void count(void *user)
{
	((struct fixture *)user)->calls++;
}

static void open_loop(struct fixture *f)
{
	*f = (struct fixture){0};
	assert_int_equal(trm_loop_create(&f->loop, NULL), 0);
	assert_int_equal(trm_loop_add_timer(f->loop, count, f, &f->timer, NULL), 0);
}

static void close_loop(struct fixture *f)
{
	trm_timer_remove(f->timer);
	trm_loop_destroy(f->loop);
}

/* Each step takes long, and each one finds input. */
static void a_late_timer_is_put_off_once(void **state)
{
	struct fixture f;
	(void)state;
	open_loop(&f);
	for (int i = 1; i <= 2; i++) {
		trm_timer_start(f.timer, 1, 0);
		f.loop->now_ns = clock_ns() + 2 * SECOND;
		assert_int_equal(timers_run(f.loop, true), 0);
		f.loop->now_ns += 2 * SECOND;
		assert_int_equal(timers_run(f.loop, true), 1);
		assert_int_equal(f.calls, i);
	}
	close_loop(&f);
}

static void each_tick_is_put_off_once(void **state)
{
	struct fixture f;
	(void)state;
	open_loop(&f);
	trm_timer_start(f.timer, 100, 100);
	f.loop->now_ns = clock_ns();
	for (int i = 0; i < 6; i++) {
		f.loop->now_ns += 2 * SECOND;
		timers_run(f.loop, true);
	}
	assert_int_equal(f.calls, 3);
	close_loop(&f);
}

static void one_without_delay_is_never_late(void **state)
{
	struct fixture f;
	(void)state;
	open_loop(&f);
	trm_timer_start(f.timer, 0, 0); /* the loop's time is that of its last step */
	f.loop->now_ns += 2 * SECOND;
	assert_int_equal(timers_run(f.loop, true), 1);
	close_loop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_late_timer_is_put_off_once),
			cmocka_unit_test(each_tick_is_put_off_once),
			cmocka_unit_test(one_without_delay_is_never_late),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
