/* SPDX-License-Identifier: MIT */
/* Compiling has a time limit of its own; on the fake backend. */
#include <stdint.h>

static int64_t compile_limit_ms = 300000;
#define COMPILE_LIMIT_MS compile_limit_ms
#include "session/run_clock.c"

#include <string.h>

#include "cmocka_all.h"
#include "support/bed.h"

static struct bed bed;

static const struct trm_result *run(const char *language, const char *code, int64_t timeout_ms)
{
	struct trm_run_opts o;
	trm_run_opts_default(&o);
	o.lang = bed_lang(language);
	o.code = code;
	o.code_len = strlen(code);
	o.timeout_ms = timeout_ms;
	bed_begin(&bed, &o);
	return bed_end(&bed);
}

static void compiling_does_not_count(void **state)
{
	(void)state;
	assert_true(bed_open(&bed, "fake", NULL, NULL));
	const struct trm_result *r = run("c", "sleep 100\ncompiled\nprint on\nloop", 50);
	assert_int_equal(r->status, TRM_STATUS_TIMEOUT);
	assert_string_equal(bed_stdout(&bed), "on\n");
	assert_non_null(strstr(r->reason, "timed out after 0.05 s"));
	assert_true(r->wall_us >= 149000);
	assert_int_equal(run("go", "sleep 100\ncompiled\nprint on", 50)->status, TRM_STATUS_OK);
	bed_close(&bed);
}

/* Its driver does not say that it will tell: nobody would ever do so. */
static void an_old_driver_has_one_limit(void **state)
{
	(void)state;
	assert_true(bed_open(&bed, "fake", NULL, NULL));
	const struct trm_result *r = run("java", "loop", 50);
	assert_int_equal(r->status, TRM_STATUS_TIMEOUT);
	assert_non_null(strstr(r->reason, "timed out after 0.05 s"));
	bed_close(&bed);
}

static bool has_output(struct bed *b)
{
	return b->n_outputs;
}

static void only_the_code_has_time_left(void **state)
{
	struct trm_run_opts o;
	(void)state;
	assert_true(bed_open(&bed, "fake", NULL, NULL));
	trm_run_opts_default(&o);
	o.lang = bed_lang("cpp");
	o.code = "print compiling\nsleep 50\ncompiled\nprint on\nloop";
	o.code_len = strlen(o.code);
	o.timeout_ms = 100000;
	bed_begin(&bed, &o);
	assert_true(bed_wait_for(&bed, has_output, BED_DEADLINE_MS));
	assert_int_equal(trm_run_time_left_ms(bed.run), -1);
	while (trm_run_time_left_ms(bed.run) < 0)
		assert_true(trm_loop_step(bed.loop, 100) >= 0);
	assert_true(trm_run_time_left_ms(bed.run) > 90000);
	trm_run_interrupt(bed.run);
	assert_int_equal(bed_end(&bed)->status, TRM_STATUS_INTERRUPTED);
	bed_close(&bed);
}

static void an_endless_compilation_ends(void **state)
{
	(void)state;
	compile_limit_ms = 50;
	assert_true(bed_open(&bed, "fake", NULL, NULL));
	const struct trm_result *r = run("c", "loop", 100000);
	assert_int_equal(r->status, TRM_STATUS_TIMEOUT);
	assert_int_equal(r->exit_code, 124);
	assert_string_equal(r->reason, "compiling took longer than 0.05 s, its limit");
	assert_int_equal(run("c", "compiled\nsleep 100", 100000)->status, TRM_STATUS_OK);
	assert_int_equal(run("c", "sleep 100", 0)->status, TRM_STATUS_OK); /* without any limit */
	/* Others do not get more time by saying that they compile. */
	assert_int_equal(run("python", "sleep 30\ncompiled\nloop", 50)->status, TRM_STATUS_TIMEOUT);
	compile_limit_ms = 300000;
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(compiling_does_not_count),
			cmocka_unit_test(an_old_driver_has_one_limit),
			cmocka_unit_test(only_the_code_has_time_left),
			cmocka_unit_test(an_endless_compilation_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
