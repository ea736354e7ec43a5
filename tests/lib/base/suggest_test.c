/* SPDX-License-Identifier: MIT */
#include "base/suggest.h"

#include "cmocka_all.h"

static const char *nearest(const char *word)
{
	static const char *const known[] = {"python", "java", "node", "r", "endings"};
	struct suggest near;
	suggest_init(&near, word);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		suggest_try(&near, known[i]);
	return near.best;
}

static void typing_errors_are_recognized(void **state)
{
	(void)state;
	assert_string_equal(nearest("pyhton"), "python");
	assert_string_equal(nearest("jaav"), "java");
	assert_string_equal(nearest("nod"), "node");
	assert_string_equal(nearest("endngs"), "endings");
}

static void other_words_get_no_suggestion(void **state)
{
	(void)state;
	assert_null(nearest("lua"));
	assert_null(nearest("q"));
	assert_null(nearest(""));
	assert_null(nearest("a word that is much longer than any that could have been meant here, in fact"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(typing_errors_are_recognized),
			cmocka_unit_test(other_words_get_no_suggestion),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
