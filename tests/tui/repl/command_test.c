/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <string.h>

#include "repl/command.h"

static enum repl_command_match find(const char *word, const char **ret_name, char words[300])
{
	const struct repl_command *found = NULL;
	enum repl_command_match match =
			repl_command_find(repl_command_table, word, strlen(word), &found, words, 300);

	*ret_name = found ? found->name : "";
	return match;
}

static void names_may_be_cut_short(void **state)
{
	char words[300];
	const char *name;

	(void)state;
	assert_int_equal(find("quit", &name, words), REPL_COMMAND_FOUND);
	assert_string_equal(name, "quit");
	assert_int_equal(find("q", &name, words), REPL_COMMAND_FOUND);
	assert_string_equal(name, "quit");
	assert_int_equal(find("inst", &name, words), REPL_COMMAND_FOUND);
	assert_string_equal(name, "install");
	/* A whole name counts although others begin so. */
	for (const struct repl_command *c = repl_command_table; c->name; c++) {
		assert_int_equal(find(c->name, &name, words), REPL_COMMAND_FOUND);
		assert_string_equal(name, c->name);
	}
}

static void what_may_be_several_is_listed(void **state)
{
	char words[300];
	const char *name;

	(void)state;
	assert_int_equal(find("re", &name, words), REPL_COMMAND_AMBIGUOUS);
	assert_string_equal(words, ":reset, :restart");
	assert_int_equal(find("l", &name, words), REPL_COMMAND_AMBIGUOUS);
	assert_non_null(strstr(words, ":lang"));
	assert_non_null(strstr(words, ":limits"));
}

static void what_is_unknown_may_be_meant(void **state)
{
	char words[300];
	const char *name;

	(void)state;
	assert_int_equal(find("hepl", &name, words), REPL_COMMAND_UNKNOWN);
	assert_string_equal(words, ":help");
	assert_int_equal(find("restrt", &name, words), REPL_COMMAND_UNKNOWN);
	assert_string_equal(words, ":restart");
	assert_int_equal(find("vbrs", &name, words), REPL_COMMAND_UNKNOWN);
	assert_string_equal(words, ":vars");
	assert_int_equal(find("zzzz", &name, words), REPL_COMMAND_UNKNOWN);
	assert_string_equal(words, "");
	assert_int_equal(find("", &name, words), REPL_COMMAND_UNKNOWN);
	assert_int_equal(find("quit\x01", &name, words), REPL_COMMAND_UNKNOWN);
}

static void each_row_fits_the_list(void **state)
{
	size_t n = 0;

	(void)state;
	for (const struct repl_command *c = repl_command_table; c->name; c++, n++) {
		assert_true(strlen(c->brief) <= REPL_COMMAND_BRIEF);
		assert_non_null(c->run);
		assert_true(*c->help);
		for (const struct repl_command *other = c + 1; other->name; other++)
			assert_string_not_equal(c->name, other->name);
	}
	assert_true((n + 3) / 2 + 3 <= 24);
}

static void completes(const char *line, const char *wanted, size_t wanted_from)
{
	struct candidates c = {0};
	char all[1000] = "";

	assert_int_equal(repl_command_complete(NULL, line, strlen(line), &c), wanted_from);
	for (size_t i = 0; i < c.n; i++) {
		strcat(all, i ? "|" : "");
		strcat(all, c.items[i].text);
	}
	assert_string_equal(all, wanted);
	candidates_finish(&c);
}

static void names_and_arguments_are_completed(void **state)
{
	(void)state;
	completes(":the", "theme ", 1);
	completes(":re", "reset|restart", 1);
	completes(":lang j", "javascript|java", 6);
	completes(":lang ", "python|javascript|bash|typescript|java|c|cpp|go|r|ruby", 6);
	completes(":keep o", "on|off", 6);
	completes(":nosuch x", "", 9);
	completes(":help qu", "quit", 6);
	completes(":run /etc/host.c", "/etc/host.conf", 5);
	completes(":run /nosuchfolder/x", "", 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(names_may_be_cut_short),
			cmocka_unit_test(what_may_be_several_is_listed),
			cmocka_unit_test(what_is_unknown_may_be_meant),
			cmocka_unit_test(each_row_fits_the_list),
			cmocka_unit_test(names_and_arguments_are_completed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
