/* SPDX-License-Identifier: MIT */
/* Keys, and to which servers they may go. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"

#include "one_config.h"

static int set_file(const char *content)
{
	write_file(content, strlen(content));
	return set("api_key_file", path);
}

static void a_key_is_never_shown(void **state)
{
	(void)state;
	assert_string_equal(get("api_key"), "");
	assert_int_equal(set("api_key", "msb_abc"), 0);
	assert_string_equal(config.api_key, "msb_abc");
	assert_string_equal(get("api_key"), "(not shown)");
}

static void a_key_has_no_blanks(void **state)
{
	(void)state;
	static const char *const bad[] = {"a b", "a\n", "\x7f", "k\xc3\xa9y"};
	assert_int_equal(set("api_key", "before"), 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(set("api_key", bad[i]), TRM_EINVAL);
		assert_null(strstr(why.msg, bad[i]));
	}
	char big[sizeof config.api_key + 1];
	memset(big, 'k', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	assert_int_equal(set("api_key", big), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "too long for a key"));
	assert_string_equal(config.api_key, "before");
}

static void a_file_gives_its_first_word(void **state)
{
	(void)state;
	assert_int_equal(set_file(" \n\tfrom_file \r\nmore\n"), 0);
	assert_string_equal(config.api_key, "from_file");
	assert_string_equal(get("api_key_file"), path);
	assert_int_equal(set("api_key_file", ""), 0);
	assert_string_equal(get("api_key_file"), "");
}

static void a_bad_file_changes_nothing(void **state)
{
	(void)state;
	assert_int_equal(set("api_key", "before"), 0);
	assert_int_equal(set_file(" \n"), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "there is no key in"));
	assert_int_equal(set_file("k\xc3\xa9y"), TRM_EINVAL);
	assert_int_equal(set("api_key_file", "/nonexistent/key"), TRM_ENOENT);
	assert_non_null(strstr(why.msg, "/nonexistent/key"));
	assert_int_equal(set("api_key_file", "/tmp"), TRM_EINVAL);
	char big[sizeof config.api_key_file + 1];
	memset(big, 'p', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	assert_int_equal(set("api_key_file", big), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "the path is too long"));
	assert_string_equal(config.api_key, "before");
	assert_string_equal(get("api_key_file"), "");
}

static void only_servers_of_this_machine_may_be_chosen_for_a_key(void **state)
{
	(void)state;
	static const char *const here[] = {"http://localhost", "http://LocalHost:5555/x", "http://[::1]:1",
			"http://127.0.0.1:5555", "http://127.9.9.9/"},
				 *const elsewhere[] = {"http://localhost.example.com",
						 "http://127.example.com", "http://[::2]", "http://10.0.0.1",
						 "localhost", ""};
	unsetenv("MSB_API_KEY");
	assert_false(secret_forbids_url(&config, elsewhere[0])); /* there is no key */
	for (int from_env = 0; from_env < 2; from_env++) {
		assert_int_equal(set("api_key", from_env ? "" : "k"), 0);
		if (from_env)
			setenv("MSB_API_KEY", "k", 1);
		for (size_t i = 0; i < sizeof here / sizeof *here; i++)
			assert_false(secret_forbids_url(&config, here[i]));
		for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
			assert_true(secret_forbids_url(&config, elsewhere[i]));
	}
	setenv("MSB_API_KEY", "", 1); /* an empty one is none */
	assert_false(secret_forbids_url(&config, elsewhere[0]));
	unsetenv("MSB_API_KEY");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup(a_key_is_never_shown, begin),
			cmocka_unit_test_setup(a_key_has_no_blanks, begin),
			cmocka_unit_test_setup(a_file_gives_its_first_word, begin),
			cmocka_unit_test_setup(a_bad_file_changes_nothing, begin),
			cmocka_unit_test_setup(only_servers_of_this_machine_may_be_chosen_for_a_key, begin),
	};
	return cmocka_run_group_tests(tests, make_file, remove_file);
}
