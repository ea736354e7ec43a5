/* SPDX-License-Identifier: MIT */
/* Stopping a run step by step: interrupt, SIGTERM, kill; on the fake backend. */
#include <string.h>

#include "cmocka_all.h"
#include "support/bed.h"

static struct bed bed;

/* Each step is told on its own, if no turn of the loop takes longer. */
enum { STEP_MS = 300 };

static void lie_down(uint32_t grace_ms, uint32_t terminate_grace_ms)
{
	struct trm_session_opts opts;

	trm_session_opts_default(&opts);
	opts.grace_ms = grace_ms;
	opts.terminate_grace_ms = terminate_grace_ms;
	assert_true(bed_open(&bed, "fake", NULL, &opts));
	bed_run(&bed, "python", "set x 5");
}

static bool has_output(struct bed *b)
{
	return b->out[0].n > 0;
}

static bool has_news(struct bed *b)
{
	return b->n_stopping > 0 || b->result != NULL;
}

static void begin(const char *code)
{
	struct trm_run_opts o;

	trm_run_opts_default(&o);
	o.lang = bed_lang("python");
	o.code = code;
	o.code_len = strlen(code);
	bed_begin(&bed, &o);
	assert_true(bed_wait_for(&bed, has_output, BED_DEADLINE_MS));
}

/* Wait for the next news of a step. */
static void expect(enum trm_stop step, enum trm_stop next)
{
	assert_true(bed_wait_for(&bed, has_news, BED_DEADLINE_MS));
	assert_non_null(bed.run);
	assert_int_equal(bed.stopping.step, step);
	assert_int_equal(bed.stopping.next, next);
	bed.n_stopping = 0;
}

static void all_steps_follow_each_other(void **state)
{
	(void)state;
	lie_down(STEP_MS, STEP_MS);
	begin("print on\nimmortal");
	double start = bed_now_ms();
	trm_run_interrupt(bed.run);
	assert_int_equal(bed.n_stopping, 0); /* callbacks come from a turn of the loop */
	expect(TRM_STOP_INTERRUPT, TRM_STOP_TERMINATE);
	assert_in_range(bed.stopping.next_ms, 0, STEP_MS);
	expect(TRM_STOP_TERMINATE, TRM_STOP_KILL);
	assert_true(bed_now_ms() - start >= STEP_MS - 1);
	assert_in_range(bed.stopping.next_ms, 0, STEP_MS);
	const struct trm_result *r = bed_end(&bed);
	assert_true(bed_now_ms() - start >= 2 * STEP_MS - 1);
	assert_int_equal(r->status, TRM_STATUS_INTERRUPTED);
	assert_true(r->state_lost);
	assert_non_null(strstr(r->reason, "killed"));
	bed_close(&bed);
}

static void sigterm_ends_what_does_not_catch_it(void **state)
{
	(void)state;
	lie_down(STEP_MS, 60000);
	begin("print on\nstubborn");
	trm_run_interrupt(bed.run);
	expect(TRM_STOP_INTERRUPT, TRM_STOP_TERMINATE);
	const struct trm_result *r = bed_end(&bed);
	assert_true(r->state_lost);
	assert_non_null(strstr(r->reason, "terminated"));
	assert_int_equal(bed_run(&bed, "python", "print again")->status, TRM_STATUS_OK);
	bed_close(&bed);
}

static void steps_are_skipped_to(void **state)
{
	(void)state;
	lie_down(10 * BED_DEADLINE_MS, 10 * BED_DEADLINE_MS); /* neither is waited for */
	begin("print on\nimmortal");
	trm_run_interrupt(bed.run);
	expect(TRM_STOP_INTERRUPT, TRM_STOP_TERMINATE);
	trm_run_interrupt(bed.run);
	expect(TRM_STOP_TERMINATE, TRM_STOP_KILL);
	trm_run_interrupt(bed.run);
	assert_true(bed_end(&bed)->state_lost);
	bed_close(&bed);
}

static bool is_over(struct bed *b)
{
	return b->result != NULL;
}

static void a_held_clock_stands_still(void **state)
{
	(void)state;
	lie_down(STEP_MS, STEP_MS);
	begin("print on\nstubborn");
	trm_run_interrupt(bed.run);
	trm_run_hold_clock(bed.run, true);
	expect(TRM_STOP_INTERRUPT, TRM_STOP_TERMINATE);
	assert_int_equal(bed.stopping.next_ms, -1);
	assert_false(bed_wait_for(&bed, is_over, 2 * STEP_MS));
	trm_run_hold_clock(bed.run, false);
	expect(TRM_STOP_INTERRUPT, TRM_STOP_TERMINATE);
	assert_in_range(bed.stopping.next_ms, 0, STEP_MS);
	assert_true(bed_end(&bed)->state_lost);
	bed_close(&bed);
}

static void a_run_that_is_not_stopped_has_no_clock(void **state)
{
	(void)state;
	lie_down(STEP_MS, STEP_MS);
	begin("print on\nloop");
	trm_run_hold_clock(bed.run, true);
	assert_false(bed_wait_for(&bed, has_news, 20));
	trm_run_interrupt(bed.run);
	assert_false(bed_end(&bed)->state_lost);
	bed_run(&bed, "python", "get x");
	assert_string_equal(bed_stdout(&bed), "5\n");
	bed_close(&bed);
}

static void a_time_out_goes_the_same_way(void **state)
{
	struct trm_run_opts o;

	(void)state;
	lie_down(STEP_MS, STEP_MS);
	trm_run_opts_default(&o);
	o.lang = bed_lang("python");
	o.code = "immortal";
	o.code_len = strlen(o.code);
	o.timeout_ms = 20;
	bed_begin(&bed, &o);
	expect(TRM_STOP_INTERRUPT, TRM_STOP_TERMINATE);
	expect(TRM_STOP_TERMINATE, TRM_STOP_KILL);
	const struct trm_result *r = bed_end(&bed);
	assert_int_equal(r->status, TRM_STATUS_TIMEOUT);
	assert_true(r->state_lost);
	bed_close(&bed);
}

static void a_kernel_is_started_anew(void **state)
{
	struct trm_error why;

	(void)state;
	lie_down(STEP_MS, STEP_MS);
	assert_int_equal(trm_session_restart(bed.session, bed_lang("python"), &why), 0);
	assert_int_equal(bed_run(&bed, "python", "get x")->status, TRM_STATUS_ERROR);
	begin("print on\nloop");
	assert_int_equal(trm_session_restart(bed.session, bed_lang("python"), &why), 0);
	const struct trm_result *r = bed_end(&bed);
	assert_int_equal(r->status, TRM_STATUS_KILLED);
	assert_true(r->state_lost);
	assert_non_null(strstr(r->reason, "restarted"));
	assert_int_equal(trm_session_restart(bed.session, NULL, &why), TRM_EINVAL);
	assert_int_equal(bed_run(&bed, "python", "print again")->status, TRM_STATUS_OK);
	bed_close(&bed);
}

static const struct trm_result *leave(void)
{
	struct trm_run_opts o;
	struct trm_error why;

	trm_run_opts_default(&o);
	o.lang = bed_lang("python");
	bed_leave(&bed, &o, &why);
	return bed_end(&bed);
}

static void a_kernel_is_left_in_peace(void **state)
{
	(void)state;
	lie_down(STEP_MS, STEP_MS);
	const struct trm_result *r = leave();
	assert_int_equal(r->status, TRM_STATUS_OK);
	assert_null(r->reason);
	r = leave(); /* there is none any more */
	assert_int_equal(r->status, TRM_STATUS_OK);
	assert_int_equal(bed_run(&bed, "python", "get x")->status, TRM_STATUS_ERROR);
	bed_close(&bed);
}

static void pester(void *user, struct trm_run *run, const struct trm_result *result)
{
	bool *is_done = user;
	(void)result;
	trm_run_interrupt(run);
	trm_run_pause(run, true);
	trm_run_hold_clock(run, true);
	assert_int_equal(trm_run_write(run, "late\n", 5, NULL), TRM_ECLOSED);
	trm_run_close_stdin(run);
	*is_done = true;
}

static void what_is_asked_of_an_ended_run_does_not_reach_the_next(void **state)
{
	static const struct trm_run_cb cb = {.done = pester};
	struct trm_run_opts o;
	bool is_done = false;
	(void)state;
	lie_down(STEP_MS, STEP_MS);
	trm_run_opts_default(&o);
	o.lang = bed_lang("python");
	o.code = "set y 6";
	o.code_len = strlen(o.code);
	o.offers_stdin = true;
	assert_int_equal(trm_session_run(bed.session, &o, &cb, &is_done, NULL, NULL), 0);
	bed_wait(&bed, &is_done);
	assert_int_equal(bed_run_with(&bed, "python", "ask >", "in time\n")->status, TRM_STATUS_OK);
	assert_non_null(strstr(bed_stdout(&bed), "got in time"));
	assert_int_equal(bed_run(&bed, "python", "get y")->status, TRM_STATUS_OK);
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(all_steps_follow_each_other),
			cmocka_unit_test(sigterm_ends_what_does_not_catch_it),
			cmocka_unit_test(steps_are_skipped_to),
			cmocka_unit_test(a_held_clock_stands_still),
			cmocka_unit_test(a_run_that_is_not_stopped_has_no_clock),
			cmocka_unit_test(a_time_out_goes_the_same_way),
			cmocka_unit_test(a_kernel_is_started_anew),
			cmocka_unit_test(a_kernel_is_left_in_peace),
			cmocka_unit_test(what_is_asked_of_an_ended_run_does_not_reach_the_next),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
