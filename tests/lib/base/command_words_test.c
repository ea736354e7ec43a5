/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <string.h>

#include "base/command_words.h"

static const char *line_of(struct command_words *w, const char *const *args)
{
	command_words_begin(w, "create");
	for (; *args; args++)
		command_words_add(w, *args);
	return command_words_end(w);
}

static void test_what_a_shell_takes(void **state)
{
	struct command_words w;
	(void)state;
	assert_string_equal(line_of(&w, (const char *const[]){"docker", "run", "--cpus=1", "a b", "it's", "",
							NULL}),
			"$ create: docker run --cpus=1 'a b' 'it'\\''s' ''");
}

static void test_values_are_hidden(void **state)
{
	struct command_words w;
	(void)state;
	assert_string_equal(
			line_of(&w, (const char *const[]){"docker", "--env", "KEY=secret", "--env=B=secret",
						    "-eC=secret", "-e", "D=secret", "--label", "a=b", NULL}),
			"$ create: docker --env KEY=… --env=B=… -eC=… -e D=… --label a=b");
}

static void test_it_stays_one_line_and_short(void **state)
{
	struct command_words w;
	char big[2 * COMMAND_WORDS_MAX];
	(void)state;
	assert_null(strpbrk(line_of(&w, (const char *const[]){"a\nb\x1b[31m", NULL}), "\n\x1b"));
	memset(big, 'x', sizeof big);
	big[sizeof big - 1] = '\0';
	const char *line = line_of(&w, (const char *const[]){"a", big, "b", big + sizeof big - 3000, NULL});
	assert_true(strlen(line) < COMMAND_WORDS_MAX);
	assert_string_equal(line + strlen(line) - strlen(" …"), " …");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_a_shell_takes),
			cmocka_unit_test(test_values_are_hidden),
			cmocka_unit_test(test_it_stays_one_line_and_short)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
