/* SPDX-License-Identifier: MIT */
/* The row of keys at the bottom. */
#include "tui/model/desk.h"

#include "text/text.h"

/* "Run cell" and "Open" are equally important, and there is room for one of them. */
static void as_many_are_shown_as_fit(void **state)
{
	(void)state;
	resize(24, 80);
	type("# %% one\nx\n");
	assert_screen("F5 Run  Shift-F5 Run cell  F6 Pane  ^C Copy  F10 ^Q Quit", true);
	resize(24, 70);
	assert_screen("F5 Run  F6 Pane  ^C Copy  ^O Open  F10 ^Q Quit", true);
}

/* Keys of the editor would go into the line. */
static void the_line_for_input_has_its_keys_there(void **state)
{
	(void)state;
	resize(24, 80);
	m.confirm = false;
	type("input()");
	press(K_F5, 0);
	send((struct msg){.type = MSG_RUN_STARTED});
	send((struct msg){.type = MSG_RUN_INPUT, .run.input.prompt = "name? "});
	assert_screen(" Enter Send  ^D End of input  F1 Help", true);
	assert_screen("Open", false);
	mouse(MOUSE_PRESS, 23, 2);
	assert_screen(" Enter Send", true);
	press(K_F1, 0);
	assert_screen("show this help", true);
	press(K_ESCAPE, 0);
	type("x\n");
	assert_screen(" Enter Send", false);
}

static void there_are_two_keys_to_quit(void **state)
{
	(void)state;
	assert_screen("F10 ^Q Quit", true);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
	const struct CMUnitTest tests[] = {
			TEST(as_many_are_shown_as_fit),
			TEST(the_line_for_input_has_its_keys_there),
			TEST(there_are_two_keys_to_quit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
