/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"
#include "text/yes_no.h"

static void words_and_their_first_letters(void **state)
{
	static const struct {
		const char *line;
		enum yes_no meaning;
	} table[] = {
			{"", YES_NO_SILENT},
			{" \t\n", YES_NO_SILENT},
			{"y", YES_NO_YES},
			{"Y", YES_NO_YES},
			{"yes", YES_NO_YES},
			{"  Yes \r\n", YES_NO_YES},
			{"n", YES_NO_NO},
			{"NO\n", YES_NO_NO},
			{"a", YES_NO_ALWAYS},
			{"Always", YES_NO_ALWAYS},
			{"ye", YES_NO_UNCLEAR},
			{"yesterday", YES_NO_UNCLEAR},
			{"yo", YES_NO_UNCLEAR},
			{"y = 6", YES_NO_UNCLEAR},
			{"y n", YES_NO_UNCLEAR},
			{"no no", YES_NO_UNCLEAR},
			{"nope", YES_NO_UNCLEAR},
			{"alway", YES_NO_UNCLEAR},
			{"x", YES_NO_UNCLEAR},
			{"\xc3\xbd", YES_NO_UNCLEAR},
	};
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		assert_int_equal(yes_no_of(table[i].line), table[i].meaning);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words_and_their_first_letters)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
