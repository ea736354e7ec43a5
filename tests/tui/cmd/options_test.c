/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/config.h>

#include "cmd/cmd.h"
#include "cmd/options.h"

static const struct option_spec own[] = {
		{"--code", 'c', "CODE", ""},
		{"--json", 'j', NULL, ""},
		{0},
};

static void init(struct options *o, const char **argv)
{
	int argc = 0;
	while (argv[argc])
		argc++;
	options_init(o, "test", own, argc, (char **)argv);
}
#define ARGV(...) ((const char *[]){"test", __VA_ARGS__, NULL})

static void own_options_and_operands(void **state)
{
	(void)state;
	struct options o;
	init(&o, ARGV("-c", "one", "file", "--code=two", "-jcthree", "-", "--", "-c"));
	assert_int_equal(options_next(&o), 0);
	assert_string_equal(o.value, "one");
	assert_int_equal(options_next(&o), OPTIONS_OPERAND);
	assert_string_equal(o.value, "file");
	assert_int_equal(options_next(&o), 0);
	assert_string_equal(o.value, "two");
	assert_int_equal(options_next(&o), 1);
	assert_int_equal(options_next(&o), 0);
	assert_string_equal(o.value, "three");
	assert_int_equal(options_next(&o), OPTIONS_OPERAND);
	assert_string_equal(o.value, "-");
	assert_int_equal(options_next(&o), OPTIONS_OPERAND);
	assert_string_equal(o.value, "-c");
	assert_int_equal(options_next(&o), OPTIONS_END);
}

static void settings_come_last_and_win(void **state)
{
	(void)state;
	struct options o;
	struct trm_config config;
	setenv("TERRARIUM_MEMORY", "64", 1);
	setenv("TERRARIUM_DISK", "65", 1);
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	init(&o, ARGV("--memory", "128", "-ybash", "x"));
	assert_int_equal(options_next(&o), OPTIONS_WRONG);
	init(&o, ARGV("--memory", "128", "-ylbash", "x", "--timeout=0"));
	assert_int_equal(options_next(&o), OPTIONS_OPERAND);
	assert_int_equal(options_next(&o), OPTIONS_END);
	assert_int_equal(options_config(&o, &config), 0);
	assert_int_equal(config.limits.mem_bytes, 128 << 20);
	assert_int_equal(config.limits.disk_bytes, 65 << 20);
	assert_int_equal(config.timeout_ms, 0);
	assert_string_equal(config.language, "bash");
	assert_false(config.confirm);
	assert_true(options_has(&o, "language"));
	assert_false(options_has(&o, "disk"));
}

static void wrong_ones_are_reported(void **state)
{
	(void)state;
	static const char *const words[] = {
			"--nonsense", "-q", "--json=1", "--memory", "-c", "--config", "--memroy=1"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct options o;
		init(&o, ARGV(words[i]));
		assert_int_equal(options_next(&o), OPTIONS_WRONG);
	}
}

static void help_is_found(void **state)
{
	(void)state;
	struct options o;
	init(&o, ARGV("-h"));
	assert_int_equal(options_next(&o), OPTIONS_HELP);
	init(&o, ARGV("-yh"));
	assert_int_equal(options_next(&o), OPTIONS_HELP);
}

static void every_setting_has_a_place(void **state)
{
	(void)state;
	assert_true(setting_count() <= SETTING_COUNT_MAX);
}

static void commands_are_sorted_and_found(void **state)
{
	(void)state;
	size_t n;
	const struct cmd *const *table = cmd_table(&n);
	for (size_t i = 0; i < n; i++) {
		assert_true(i == 0 || strcmp(table[i - 1]->name, table[i]->name) < 0);
		assert_ptr_equal(cmd_find(table[i]->name), table[i]);
	}
	assert_ptr_equal(cmd_find("--version"), &cmd_version);
	assert_null(cmd_find("hello.py"));
	assert_ptr_equal(cmd_nearest("rnu"), &cmd_run);
	assert_ptr_equal(cmd_nearest("exce"), &cmd_exec);
	assert_ptr_equal(cmd_nearest("runn"), &cmd_run);
	assert_null(cmd_nearest("main.py"));
	assert_null(cmd_nearest("x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(own_options_and_operands),
			cmocka_unit_test(settings_come_last_and_win),
			cmocka_unit_test(wrong_ones_are_reported),
			cmocka_unit_test(help_is_found),
			cmocka_unit_test(every_setting_has_a_place),
			cmocka_unit_test(commands_are_sorted_and_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
