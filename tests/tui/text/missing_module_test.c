/* SPDX-License-Identifier: MIT */
#include "text/missing_module.h"

#include "cmocka_all.h"

static void names_are_found(void **state)
{
	static const struct {
		const char *error, *message, *want;
	} cases[] = {
			{"ModuleNotFoundError", "No module named 'six'", "six"},
			{"ModuleNotFoundError", "No module named 'six.moves'; 'six' is not a package", "six"},
			{"Error", "Cannot find module 'left-pad'\nRequire stack:", "left-pad"},
			{"Error", "Cannot find package '@scope/x' imported from /workspace", "@scope/x"},
			{"Error", "Cannot find module './mine.js'", NULL},
			{"Error", "Cannot find module '/workspace/mine.js'", NULL},
			{"error", "there is no package called ‘dplyr’", "dplyr"},
			{"LoadError", "cannot load such file -- nokogiri", "nokogiri"},
			{"ValueError", "No module named 'six'", NULL},
			{"ModuleNotFoundError", "No module named ''", NULL},
			{NULL, NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char name[64] = "";
		bool is_found = missing_module(cases[i].error, cases[i].message, name, sizeof name);
		assert_int_equal(is_found, cases[i].want != NULL);
		if (is_found)
			assert_string_equal(name, cases[i].want);
	}
}

static void commands_are_known(void **state)
{
	(void)state;
	assert_true(is_ipython_command("!pip install six"));
	assert_true(is_ipython_command("\n%pip install six"));
	assert_true(is_ipython_command("%%time\nx"));
	assert_false(is_ipython_command("x = 5 % 3"));
	assert_false(is_ipython_command("!"));
	assert_false(is_ipython_command(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(names_are_found),
			cmocka_unit_test(commands_are_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
