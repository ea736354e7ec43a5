/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"
#include "text/consent.h"

static void words_and_their_first_letters(void **state)
{
	static const struct {
		const char *line;
		enum consent meaning;
	} table[] = {
			{"", CONSENT_SILENT},
			{" \t\n", CONSENT_SILENT},
			{"y", CONSENT_YES},
			{"Y", CONSENT_YES},
			{"yes", CONSENT_YES},
			{"  Yes \r\n", CONSENT_YES},
			{"n", CONSENT_NO},
			{"NO\n", CONSENT_NO},
			{"a", CONSENT_ALWAYS},
			{"Always", CONSENT_ALWAYS},
			{"ye", CONSENT_UNCLEAR},
			{"yesterday", CONSENT_UNCLEAR},
			{"yo", CONSENT_UNCLEAR},
			{"y = 6", CONSENT_UNCLEAR},
			{"y n", CONSENT_UNCLEAR},
			{"no no", CONSENT_UNCLEAR},
			{"nope", CONSENT_UNCLEAR},
			{"alway", CONSENT_UNCLEAR},
			{"x", CONSENT_UNCLEAR},
			{"\xc3\xbd", CONSENT_UNCLEAR},
	};
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		assert_int_equal(consent_of(table[i].line), table[i].meaning);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words_and_their_first_letters)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
