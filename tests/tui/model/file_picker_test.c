/* SPDX-License-Identifier: MIT */
/* Files by a few letters. */
#include "tui/model/desk.h"

static const char files[] =
		"lately.py\0src/engine/motor.py\0src/main.py\0"
		"a/very/long/path/that/does/not/fit/into/a/row/of/the/list/at/all/deep.py\0notes.js";

static void list(void)
{
	press('h', MOD_ALT);
	assert_non_null(last_effect(EFFECT_PICK_FILES));
	effects_clear(&fx);
	send((struct msg){.type = MSG_PICK_FILES,
			.picks.paths = files,
			.picks.len = sizeof files,
			.picks.n_recent = 1});
}

static void a_few_letters_find_a_file(void **state)
{
	(void)state;
	list();
	assert_screen("lately.py", true);
	assert_screen("recent", true);
	assert_screen("5 of 5 files", true);
	assert_screen("at/all/deep.py", true);
	type("motor");
	assert_screen("main.py", false);
	press(K_ENTER, 0);
	assert_string_equal(last_effect(EFFECT_OPEN)->open.path, "src/engine/motor.py");
	assert_false(dialog_is_open(&m.dialog));
}

static void the_whole_path_is_opened(void **state)
{
	(void)state;
	list();
	type("deep");
	press(K_ENTER, 0);
	assert_non_null(strstr(last_effect(EFFECT_OPEN)->open.path, "a/very/long/path/"));
}

/* The first row, which Enter opens, is a file of the folder. */
static void files_elsewhere_come_last(void **state)
{
	static const char some[] = "/elsewhere/old.py\0near.py\0other.py";

	(void)state;
	send((struct msg){.type = MSG_PICK_FILES,
			.picks.paths = some,
			.picks.len = sizeof some,
			.picks.n_recent = 1});
	press(K_ENTER, 0);
	assert_string_equal(last_effect(EFFECT_OPEN)->open.path, "near.py");
	send((struct msg){.type = MSG_PICK_FILES,
			.picks.paths = some,
			.picks.len = sizeof some,
			.picks.n_recent = 1});
	type("old");
	press(K_ENTER, 0);
	assert_string_equal(last_effect(EFFECT_OPEN)->open.path, "/elsewhere/old.py");
}

/* Tab shows what there is to choose from. */
static void paths_are_listed(void **state)
{
	(void)state;
	press('o', MOD_CTRL);
	press(K_TAB, 0);
	assert_non_null(last_effect(EFFECT_COMPLETE_PATH));
	send((struct msg){.type = MSG_PATH, .path = {"file_", "file_1.py  file_2.py  and 3 more"}});
	assert_screen("file_1.py  file_2.py  and 3 more", true);
	type("7");
	send((struct msg){.type = MSG_PATH, .path = {"file_7", "no matches"}});
	assert_screen("file_1.py", false);
	assert_screen("no matches", true);
	send((struct msg){.type = MSG_PATH, .path.text = "file_1.py"});
	assert_screen("no matches", false);
	assert_screen("Enter: open   Tab: complete", true);
}

static void nothing_fits_and_nothing_happens(void **state)
{
	(void)state;
	list();
	type("zzz");
	assert_screen("no matches", true);
	press(K_ENTER, 0);
	assert_null(last_effect(EFFECT_OPEN));
	press(K_ESCAPE, 0);
	assert_false(dialog_is_open(&m.dialog));
	press(K_ESCAPE, 0);
	send((struct msg){.type = MSG_PICK_FILES, .picks.paths = "", .picks.len = 0});
	assert_screen("no matches", true);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
	const struct CMUnitTest tests[] = {
			TEST(a_few_letters_find_a_file),
			TEST(the_whole_path_is_opened),
			TEST(files_elsewhere_come_last),
			TEST(paths_are_listed),
			TEST(nothing_fits_and_nothing_happens),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
