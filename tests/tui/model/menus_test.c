/* SPDX-License-Identifier: MIT */
/* Lists to choose from: a few letters go to an item. */
#include "tui/model/desk.h"

static void is_at(const char *item)
{
	assert_string_equal(m.dialog.items[m.dialog.current], item);
}

static void a_name_can_be_typed(void **state)
{
	(void)state;
	press(K_F2, 0);
	is_at("python");
	type("ja");
	is_at("javascript");
	type("va"); /* a whole name, and the beginning of another one */
	is_at("java");
	press(K_DOWN, 0);
	type("ruby");
	is_at("ruby");
	type("bash"); /* no name goes on like this: a new one begins */
	is_at("bash");
}

/* As in menus: the same letter goes to the next one. */
static void a_letter_goes_around(void **state)
{
	(void)state;
	press(K_F2, 0);
	type("j");
	is_at("javascript");
	type("j");
	is_at("java");
	type("j");
	is_at("javascript");
	type("z");
	is_at("javascript");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
	const struct CMUnitTest tests[] = {
			TEST(a_name_can_be_typed),
			TEST(a_letter_goes_around),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
