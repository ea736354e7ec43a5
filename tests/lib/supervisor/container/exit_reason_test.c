/* SPDX-License-Identifier: MIT */

/* The supervisor is a program of its own, so its parts are built into this test. */

#include "supervisor/container/exit_reason.c"
#include "supervisor/container/step.c"

#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

static struct step step;

static struct exit_reason read_line(const char *line)
{
	struct exit_reason why;
	step.end = STEP_DONE;
	step.out.n = (size_t)snprintf(step.out_bytes, sizeof step.out_bytes, "%s\n", line);
	assert_true(exit_reason_read(&step, &why));
	return why;
}

static void four_fields_say_how_it_ended(void **state)
{
	(void)state;
	struct exit_reason why = read_line("OOMKilled\x1f"
					   "137\x1ftrue\x1f\"too \\\"big\\\"\"");
	assert_string_equal(why.state, "OOMKilled");
	assert_int_equal(why.exit_code, 137);
	assert_true(why.is_oom);
	assert_string_equal(why.error, "too \"big\"");
	assert_string_equal(why.place, "");
	assert_string_equal(why.agent, "");
}

static void two_more_say_where_it_runs(void **state)
{
	(void)state;
	struct exit_reason why = read_line("running\x1f\x1f\x1f\x1fpool-x7\x1f/.terrarium/agent");
	assert_true(exit_reason_is_running(&why));
	assert_string_equal(why.place, "pool-x7");
	assert_string_equal(why.agent, "/.terrarium/agent");
	why = read_line("running\x1f\x1f\x1f\x1fpool-x7\x1f");
	assert_string_equal(why.agent, "");
}

/* They become arguments of commands. */
static void what_is_no_word_is_left_out(void **state)
{
	(void)state;
	assert_string_equal(read_line("running\x1f\x1f\x1f\x1f--context\x1f").place, "");
	assert_string_equal(read_line("running\x1f\x1f\x1f\x1f"
				      "a b\x1f")
					    .place,
			"");
	assert_string_equal(read_line("running\x1f\x1f\x1f\x1f\x01"
				      "id\x01\x1f")
					    .place,
			"");
	char line[600];
	snprintf(line, sizeof line, "running\x1f\x1f\x1f\x1f%0400d\x1f", 1);
	assert_string_equal(read_line(line).place, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(four_fields_say_how_it_ended),
			cmocka_unit_test(two_more_say_where_it_runs),
			cmocka_unit_test(what_is_no_word_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
