/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <string.h>

#include "repl/doctest.h"

static void strips(const char *text, const char *wanted)
{
	char copy[300];

	strcpy(copy, text);
	assert_int_equal(doctest_strip(copy), strcmp(text, wanted) != 0);
	assert_string_equal(copy, wanted);
}

static void prompts_and_answers_are_taken_out(void **state)
{
	(void)state;
	strips(">>> 1 + 1\n2", "1 + 1\n");
	strips(">>> for i in x:\n...     print(i)\n...\n0\n1\n>>> y", "for i in x:\n    print(i)\n\ny");
	strips(">>>", "");
	strips(">>> '>>> '", "'>>> '");
}

static void other_text_stays(void **state)
{
	(void)state;
	strips("", "");
	strips("x >>> 1", "x >>> 1");
	strips(">>>x", ">>>x");
	strips("... x", "... x");
	strips("...", "...");
	strips("1\n>>> 2", "1\n>>> 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(prompts_and_answers_are_taken_out),
			cmocka_unit_test(other_text_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
