/* SPDX-License-Identifier: MIT */
/* Copying files: the two questions, and what comes of the answers. */
#include "tui/model/desk.h"

static void begin(const char *command)
{
	send((struct msg){
			.type = MSG_SANDBOX_READY, .sandbox.name = "calm-fern", .sandbox.backend = "local"});
	command_run(&m, command_find(command), &fx);
}

static void expect_copy(const char *from, const char *to, bool is_out)
{
	const struct effect *effect = last_effect(is_out ? EFFECT_COPY_CHECKED : EFFECT_COPY_FILES);

	assert_non_null(effect);
	assert_string_equal(effect->copy.from, from);
	assert_string_equal(effect->copy.to, to);
	assert_int_equal(effect->copy.is_out, is_out);
	assert_screen("where to?", false);
}

static void into_it(void **state)
{
	(void)state;
	begin("copy-in");
	assert_screen("Copy into the sandbox", true);
	type("some/data.csv\n");
	assert_screen("Copy data.csv into the sandbox: where to?", true);
	assert_screen("/workspace", true);
	type("\n");
	expect_copy("some/data.csv", "/workspace", false);
}

static void out_of_it(void **state)
{
	(void)state;
	begin("copy-out");
	type("figures/\n");
	assert_screen("Copy figures out of the sandbox: where to?", true);
	press(K_END, 0);
	type("2\n");
	expect_copy("figures/", "figures2", true);
}

static void what_lies_here_is_replaced_only_when_asked(void **state)
{
	(void)state;
	begin("copy-out");
	type("data/a.txt\n\n");
	expect_copy("data/a.txt", "a.txt", true);
	send((struct msg){.type = MSG_COPY_EXISTS, .copy_exists.path = "a.txt"});
	assert_screen("a.txt already exists. Replace it?", true);
	press(K_ESCAPE, 0);
	assert_screen("already exists", false);
	assert_null(last_effect(EFFECT_COPY_FILES));
	begin("copy-out");
	type("data\n\n");
	send((struct msg){
			.type = MSG_COPY_EXISTS, .copy_exists.path = "data", .copy_exists.is_folder = true});
	assert_screen("data already exists. Replace files of the same names in it?", true);
	type("r");
	const struct effect *effect = last_effect(EFFECT_COPY_FILES);
	assert_non_null(effect);
	assert_string_equal(effect->copy.from, "data");
	assert_string_equal(effect->copy.to, "data");
	assert_true(effect->copy.is_out);
}

static void nothing_is_copied_without_answers(void **state)
{
	(void)state;
	begin("copy-in");
	type("\n");
	assert_screen("which file", false);
	assert_null(last_effect(EFFECT_COPY_FILES));
	begin("copy-out");
	type("x\n");
	press(K_ESCAPE, 0);
	assert_screen("where to?", false);
	assert_null(last_effect(EFFECT_COPY_FILES));
}

static void paths_of_this_machine_are_completed(void **state)
{
	(void)state;
	begin("copy-in");
	type("so");
	press(K_TAB, 0);
	assert_non_null(last_effect(EFFECT_COMPLETE_PATH));
	send((struct msg){.type = MSG_PATH, .path.text = "some/"});
	assert_screen("some/", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(into_it, desk_setup, desk_teardown),
			cmocka_unit_test_setup_teardown(out_of_it, desk_setup, desk_teardown),
			cmocka_unit_test_setup_teardown(what_lies_here_is_replaced_only_when_asked,
					desk_setup, desk_teardown),
			cmocka_unit_test_setup_teardown(
					nothing_is_copied_without_answers, desk_setup, desk_teardown),
			cmocka_unit_test_setup_teardown(
					paths_of_this_machine_are_completed, desk_setup, desk_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
