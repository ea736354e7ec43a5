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
	assert_screen("F5 Run  Shift-F5 Run cell  F6 Pane  ^C Copy  F10 Quit", true);
	resize(24, 70);
	assert_screen("F5 Run  F6 Pane  ^C Copy  ^O Open  F10 Quit", true);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
	const struct CMUnitTest tests[] = {
			TEST(as_many_are_shown_as_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
