/* SPDX-License-Identifier: MIT */
/* The five steps of the tutorial, each done and checked off. */
#include "tui/model/desk.h"

#include "text/text.h"

static void end_run(struct trm_result r)
{
	r.lang = trm_lang_default();
	send((struct msg){.type = MSG_RUN_STARTED, .run.serial = m.run.serial});
	send((struct msg){.type = MSG_RUN_DONE, .run.serial = m.run.serial, .run.result = &r});
}

static void start(const char *command)
{
	command_run(&m, command_find(command), &fx);
}

static void five_steps_are_checked_off(void **state)
{
	(void)state;
	m.confirm = false;
	start("tutor");
	assert_screen("▸ 1 Write", true);
	assert_screen("New here?", false);
	assert_screen("Type into the editor: x = 6 * 7", true);
	type("x = 6 * 7");
	assert_screen("✓ 1 Write   ▸ 2 Run", true);
	press(K_F5, 0);
	end_run((struct trm_result){.status = TRM_STATUS_ERROR});
	assert_screen("▸ 2 Run", true);
	press(K_F5, 0);
	end_run((struct trm_result){0});
	assert_screen("✓ 2 Run   ▸ 3 See", true);
	press('v', MOD_ALT);
	assert_screen("✓ 3 See   ▸ 4 Stop", true);
	press('v', MOD_ALT);
	press(K_F5, 0);
	end_run((struct trm_result){.status = TRM_STATUS_INTERRUPTED, .state_lost = true});
	assert_screen("▸ 4 Stop", true);
	press(K_F5, 0);
	end_run((struct trm_result){.status = TRM_STATUS_INTERRUPTED});
	assert_screen("✓ 4 Stop   ▸ 5 Plot", true);
	press('x', MOD_ALT); /* skipped */
	assert_screen("- 5 Plot", true);
	assert_screen("That is all you need", true);
	press('x', MOD_ALT);
	assert_screen("That is all you need", false);
	assert_int_equal(m.foot_rows, 0);
}

static void it_has_a_row_where_there_is_little_room(void **state)
{
	(void)state;
	event((struct event){.type = EVENT_RESIZE, .row = 16, .col = 60});
	start("tutor");
	assert_screen("1/5 Type into the editor", true);
}

/* At every size that the workbench takes, and after a resize. */
static void it_fits_small_screens(void **state)
{
	(void)state;
	resize(10, 40);
	start("tutor");
	assert_screen("1/5 Type into the editor: x = 6 * 7", true);
	assert_screen("terminal too small", false);
	type("x = 6 * 7");
	assert_screen("2/5 Press F5, then Enter.", true);
	assert_screen("…", true);
	resize(14, 40);
	assert_screen("2/5 Press F5, then Enter. It runs in", true);
	assert_screen("a sandbox, apart from your machine.", true);
	resize(36, 120);
	assert_screen("✓ 1 Write   ▸ 2 Run", true);
	resize(10, 40);
	assert_screen("2/5 Press F5, then Enter.", true);
}

static void text_that_is_there_is_left_alone(void **state)
{
	(void)state;
	type("mine = 1");
	start("tutor");
	assert_int_equal(text_len(model_editor(&m)->text), 0);
	assert_int_equal(m.tutor.at, 0);
}

/* Who runs something shorter has written it, too. */
static void a_run_checks_off_both_steps(void **state)
{
	(void)state;
	m.confirm = false;
	start("tutor");
	type("x=5");
	assert_screen("▸ 1 Write", true);
	press(K_F5, 0);
	end_run((struct trm_result){0});
	assert_screen("✓ 1 Write   ✓ 2 Run   ▸ 3 See", true);
}

static void samples_open_in_a_buffer(void **state)
{
	(void)state;
	start("sample");
	assert_screen("# %% Values", true);
	for (unsigned i = 0; i < trm_lang_count(); i++)
		assert_true(*trm_lang_at(i)->sample);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
	const struct CMUnitTest tests[] = {
			TEST(five_steps_are_checked_off),
			TEST(it_has_a_row_where_there_is_little_room),
			TEST(it_fits_small_screens),
			TEST(text_that_is_there_is_left_alone),
			TEST(a_run_checks_off_both_steps),
			TEST(samples_open_in_a_buffer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
