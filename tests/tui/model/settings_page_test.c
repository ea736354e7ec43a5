/* SPDX-License-Identifier: MIT */
/* The page of settings, without the app that lists and stores them. */
#include "tui/model/desk.h"

#include "model/settings_page.h"
#include "settings/settings.h"

static struct setting_row rows[] = {
		{"confirm", "ask before running code", "on|off", "--confirm", true, SETTING_NOW, false, "on",
				"the default"},
		{"memory", "memory, files included", "MIB", "--memory", false, SETTING_SANDBOX, false, "512",
				"config.json:3"},
		{"timeout", "time limit of a run in seconds; 0: none", "S", "--timeout", false, SETTING_NOW,
				false, "30", "the default"},
		{"max_output", "interrupt a run that prints more; 0: no limit", "MIB", "--max-output", false,
				SETTING_SANDBOX, false, "0", "the default"},
		{"theme", "colors of the workbench", "THEME", "--theme", false, SETTING_NOW, false, "dark",
				"the default"},
};

static void list(void)
{
	send((struct msg){.type = MSG_SETTINGS, .settings.rows = rows, .settings.n = 5});
}

static void open_page(void)
{
	press(K_F7, MOD_SHIFT);
	assert_non_null(last_effect(EFFECT_SETTINGS));
	effects_clear(&fx);
	list();
}

static void is_stored(const char *name, const char *value)
{
	const struct effect *e = last_effect(EFFECT_SETTING);

	assert_non_null(e);
	assert_string_equal(e->setting.name, name);
	assert_string_equal(e->setting.value, value);
	effects_clear(&fx);
}

static void it_tells_what_where_from_and_what_a_change_means(void **state)
{
	(void)state;
	open_page();
	assert_screen("ask before running code (on|off). From: the default", true);
	assert_screen(" 512 MiB ", true);
	assert_screen(" 30 s ", true);
	assert_screen(" no limit ", true);
	type("files incl");
	assert_screen("confirm", false);
	assert_screen("memory, files included (MiB). From: config.json:3", true);
	assert_screen("applies to", true);
}

static void a_switch_is_chosen(void **state)
{
	struct settings chosen = {0};

	(void)state;
	trm_config_default(&chosen.config);
	chosen.config.confirm = false;
	open_page();
	press(K_ENTER, 0);
	press(K_DOWN, 0);
	press(K_ENTER, 0);
	is_stored("confirm", "off");
	assert_true(m.confirm);
	send((struct msg){.type = MSG_SETTING_STORED, .setting.name = "confirm", .setting.values = &chosen});
	assert_false(m.confirm);
	assert_non_null(last_effect(EFFECT_SETTINGS));
}

static void typing_replaces_the_value(void **state)
{
	(void)state;
	open_page();
	type("timeout\n");
	assert_screen("Value:  30", true);
	type("5\n");
	is_stored("timeout", "5");
}

static void a_value_is_mended_after_a_move(void **state)
{
	(void)state;
	open_page();
	type("timeout\n");
	press(K_END, 0);
	type("5\n");
	is_stored("timeout", "305");
}

static void a_refused_value_stays_to_be_mended(void **state)
{
	(void)state;
	open_page();
	type("mem");
	press(K_ENTER, 0);
	type("5");
	press(K_ENTER, 0);
	is_stored("memory", "5");
	send((struct msg){.type = MSG_SETTING_STORED,
			.setting.name = "memory",
			.setting.why = "memory 5: must be at least 16 MiB"});
	assert_screen("must be at least 16 MiB", true);
	assert_screen("Value:  5", true);
	type("00");
	press(K_ENTER, 0);
	is_stored("memory", "500");
}

static void a_new_sandbox_is_offered_at_the_end(void **state)
{
	struct settings chosen = {0};

	(void)state;
	trm_config_default(&chosen.config);
	open_page();
	type("mem");
	press(K_ENTER, 0);
	press(K_ENTER, 0);
	send((struct msg){.type = MSG_SETTING_STORED, .setting.name = "memory", .setting.values = &chosen});
	rows[1].is_changed = true;
	list();
	assert_screen("changed: applies", true);
	assert_screen("› mem", true);
	press(K_ESCAPE, 0);
	assert_screen("Start a new sandbox?", true);
	/* Once for each change. */
	press(K_ESCAPE, 0);
	open_page();
	press(K_ESCAPE, 0);
	assert_screen("Start a new sandbox?", false);
	open_page();
	press(K_ENTER, 0);
	press(K_ENTER, 0);
	send((struct msg){.type = MSG_SETTING_STORED, .setting.name = "memory", .setting.values = &chosen});
	list();
	press(K_ESCAPE, 0);
	assert_screen("Start a new sandbox?", true);
	rows[1].is_changed = false;
}

static void the_theme_is_chosen_by_looking(void **state)
{
	(void)state;
	open_page();
	type("theme");
	press(K_ENTER, 0);
	assert_non_null(last_effect(EFFECT_LIST_THEMES));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
	const struct CMUnitTest tests[] = {
			TEST(it_tells_what_where_from_and_what_a_change_means),
			TEST(a_switch_is_chosen),
			TEST(typing_replaces_the_value),
			TEST(a_value_is_mended_after_a_move),
			TEST(a_refused_value_stays_to_be_mended),
			TEST(a_new_sandbox_is_offered_at_the_end),
			TEST(the_theme_is_chosen_by_looking),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
