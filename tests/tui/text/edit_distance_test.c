/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cmocka_all.h"
#include "text/edit_distance.h"

static const char *meant(const char *word)
{
	static const char *const known[] = {"run", "exec", "metrics", "themes", "--memory",
			"--metrics-interval", "--json",
			"a-word-that-is-far-too-long-to-be-compared-letter-by-letter"};
	struct near near = edit_distance_to(word, strlen(word));

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		edit_distance_try(&near, known[i]);
	return near.best ? near.best : "";
}

static void slips_are_understood(void **state)
{
	static const char *const pairs[][2] = {{"rnu", "run"}, {"ru", "run"}, {"runn", "run"}, {"rum", "run"},
			{"metrix", "metrics"}, {"metirc", "metrics"}, {"theme", "themes"},
			{"--memroy", "--memory"}, {"--jsno", "--json"}, {"--metrics", "--metrics-interval"},
			{"--met", "--metrics-interval"}};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		assert_string_equal(meant(pairs[i][0]), pairs[i][1]);
}

static void other_words_are_not(void **state)
{
	static const char *const words[] = {"", "r", "x", "nonsense", "--nonsense", "hello.py", "-", "--"};
	char longest[200];

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		assert_string_equal(meant(words[i]), "");
	memset(longest, 'a', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	assert_string_equal(meant(longest), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(slips_are_understood),
			cmocka_unit_test(other_words_are_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
