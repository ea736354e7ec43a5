/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <string.h>

#include "stream/option_names.h"

static void test_settings_become_options(void **state)
{
	static const struct {
		const char *text, *becomes;
	} rows[] = {
			{"", ""},
			{"give it more time (start_timeout)", "give it more time (--start-timeout)"},
			{"(ca_file, or SSL_CERT_FILE) and (net)",
					"(--ca-file, or SSL_CERT_FILE) and (--net)"},
			{"(nosuch) (start_timeout (start timeout) start_timeout", NULL},
			{"((net)", "((--net)"},
			{"(", "("},
	};
	char out[200];
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(option_names_put(rows[i].text, out, sizeof out),
				rows[i].becomes ? rows[i].becomes : rows[i].text);
}

static void test_it_is_cut(void **state)
{
	char out[200];
	(void)state;
	for (size_t cap = 1; cap < 60; cap++) {
		option_names_put("more time (start_timeout) for it", out, cap);
		assert_true(strlen(out) < cap);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_settings_become_options), cmocka_unit_test(test_it_is_cut)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
