/* SPDX-License-Identifier: MIT */
/* What the editor shows of runs, and cells that are run one after the other. */
#include "tui/model/desk.h"

#include "model/cell_runs.h"
#include "text/text.h"

static const char cells[] = "# %% one\nx = 6\n\n# %% two\ny = 1/0\n\n# %% three\nz\n";

static void given(const char *text)
{
	m.confirm = false;
	assert_int_equal(editor_set_text(model_editor(&m), text, strlen(text)), 0);
	editor_goto_line(model_editor(&m), 0);
}

/* The code that was asked for last, without the lines in front; its serial. */
static uint32_t ran(const char *code)
{
	const struct effect *run = last_effect(EFFECT_RUN);

	assert_non_null(run);
	assert_string_equal(run->run.code + strspn(run->run.code, "\n"), code);
	uint32_t serial = run->run.serial;
	effects_clear(&fx);
	return serial;
}

static void end_run(uint32_t serial, struct trm_result r)
{
	static uint64_t number;

	r.lang = trm_lang_default();
	r.number = ++number;
	send((struct msg){.type = MSG_RUN_STARTED, .run.serial = serial});
	send((struct msg){.type = MSG_RUN_DONE, .run.serial = serial, .run.result = &r});
}

static void a_cell_tells_what_it_came_to(void **state)
{
	char value[] = "4\x1b[31m2\nand more";

	(void)state;
	given(cells);
	press(K_F5, 0);
	uint32_t serial = ran("x = 6\n\n");
	assert_screen("… waiting", true);
	send((struct msg){.type = MSG_RUN_STARTED, .run.serial = serial});
	assert_screen("⟳", true);
	end_run(serial, (struct trm_result){.value = value, .wall_us = 12000});
	assert_screen("12 ms = 4 [31m2… ", true);
	assert_screen("✓  1 # %% one", true);
	press(K_DOWN, 0);
	type("q");
	assert_screen("edited", true);
	assert_screen("~  1 # %% one", true);
}

static void the_line_that_failed_is_marked(void **state)
{
	char head[] = "Traceback (most recent call last):",
	     place[] = "  File \"<run 7>\", line 5, in <module>", name[] = "ZeroDivisionError",
	     words[] = "division by zero";
	char *trace[] = {head, place, NULL};

	(void)state;
	given(cells);
	editor_goto_line(model_editor(&m), 4);
	press(K_F5, 0);
	uint32_t serial = ran("y = 1/0\n\n");
	struct trm_result r = {.status = TRM_STATUS_ERROR,
			.number = 7,
			.lang = trm_lang_default(),
			.error_name = name,
			.error_message = words,
			.traceback = trace};
	send((struct msg){.type = MSG_RUN_STARTED, .run.serial = serial});
	send((struct msg){.type = MSG_RUN_DONE, .run.serial = serial, .run.result = &r});
	assert_screen("✗  5 y = 1/0  ZeroDivisionError: division by zero", true);
	assert_screen("✗  4 # %% two", true);
	editor_goto_line(model_editor(&m), 0);
	type("\n");
	assert_screen("✗  6 y = 1/0  ZeroDivisionError: division by zero", true);
}

static void an_error_without_a_message_has_no_colon(void **state)
{
	char name[] = "KeyboardInterrupt", words[] = "";

	(void)state;
	given(cells);
	editor_goto_line(model_editor(&m), 4);
	press(K_F5, 0);
	end_run(ran("y = 1/0\n\n"), (struct trm_result){.status = TRM_STATUS_INTERRUPTED,
						    .lang = trm_lang_default(),
						    .error_name = name,
						    .error_message = words});
	assert_screen("KeyboardInterrupt", true);
	assert_screen("KeyboardInterrupt:", false);
}

static void all_cells_run_until_one_fails(void **state)
{
	(void)state;
	given(cells);
	press(K_F5, MOD_CTRL);
	uint32_t serial = ran("x = 6\n\n");
	assert_null(last_effect(EFFECT_RUN));
	end_run(serial, (struct trm_result){0});
	serial = ran("y = 1/0\n\n");
	end_run(serial, (struct trm_result){.status = TRM_STATUS_ERROR});
	assert_null(last_effect(EFFECT_RUN));
	assert_screen("stopped: 1 cell was not run", true);
}

static void all_cells_run_to_the_end(void **state)
{
	(void)state;
	given(cells);
	press(K_F5, MOD_CTRL);
	end_run(ran("x = 6\n\n"), (struct trm_result){0});
	end_run(ran("y = 1/0\n\n"), (struct trm_result){0});
	end_run(ran("z\n"), (struct trm_result){0});
	assert_null(last_effect(EFFECT_RUN));
}

static void cells_above_and_below(void **state)
{
	(void)state;
	given(cells);
	editor_goto_line(model_editor(&m), 4);
	press(K_PAGE_UP, MOD_ALT | MOD_SHIFT);
	end_run(ran("x = 6\n\n"), (struct trm_result){0});
	assert_null(last_effect(EFFECT_RUN));
	press(K_PAGE_DOWN, MOD_ALT | MOD_SHIFT);
	end_run(ran("y = 1/0\n\n"), (struct trm_result){0});
	end_run(ran("z\n"), (struct trm_result){0});
	editor_goto_line(model_editor(&m), 1);
	press(K_PAGE_UP, MOD_ALT | MOD_SHIFT);
	assert_null(last_effect(EFFECT_RUN));
	assert_screen("there is no cell above this one", true);
}

/* What was shown before it ran is what runs. */
static void a_cell_that_was_edited_stops_the_rest(void **state)
{
	(void)state;
	given(cells);
	press(K_F5, MOD_CTRL);
	uint32_t serial = ran("x = 6\n\n");
	editor_goto_line(model_editor(&m), 4);
	type("q");
	end_run(serial, (struct trm_result){0});
	assert_null(last_effect(EFFECT_RUN));
	assert_screen("a cell was edited before its turn: 2 cells were not run", true);
}

static void the_plan_is_confirmed_as_a_whole(void **state)
{
	(void)state;
	given(cells);
	m.confirm = true;
	press(K_F5, MOD_CTRL);
	assert_screen("the cells, each a run", true);
	press('r', 0);
	end_run(ran("x = 6\n\n"), (struct trm_result){0});
	assert_false(dialog_is_open(&m.dialog));
	ran("y = 1/0\n\n");
}

static void marks_of_a_dead_interpreter_are_lost(void **state)
{
	(void)state;
	given(cells);
	press(K_F5, 0);
	end_run(ran("x = 6\n\n"), (struct trm_result){.wall_us = 1000});
	assert_screen("1.0 ms", true);
	cell_runs_kernel_gone(&m, trm_lang_default());
	assert_screen("1.0 ms lost", true);
}

static void shift_enter_runs_and_goes_on(void **state)
{
	(void)state;
	given(cells);
	assert_screen("Shift-F5 Run cell", true);
	send((struct msg){.type = MSG_KEYS_DISTINCT});
	assert_screen("Shift-Enter Run cell", true);
	press(K_ENTER, MOD_SHIFT);
	ran("x = 6\n\n");
	assert_int_equal(editor_line(model_editor(&m)), 4);
	given("x\n");
	assert_screen("Run cell", false);
}

/* A cell of a notebook in another language runs in that language, without its comment signs. */
static void a_cell_in_another_language_is_run_in_it(void **state)
{
	(void)state;
	given("# %% [bash]\n# echo from bash\n# if true; then\n#     ls\n# fi\n\n# %%\nx\n\n# %% [markdown]\n# Text\n");
	editor_goto_line(model_editor(&m), 1);
	press(K_F5, 0);
	assert_ptr_equal(last_effect(EFFECT_RUN)->run.lang, trm_lang_shell());
	end_run(ran("echo from bash\nif true; then\n    ls\nfi\n\n"), (struct trm_result){0});
	assert_screen("✓  1 # %% [bash]", true);
	press(K_F5, MOD_CTRL);
	end_run(ran("echo from bash\nif true; then\n    ls\nfi\n\n"), (struct trm_result){0});
	assert_ptr_equal(last_effect(EFFECT_RUN)->run.lang, trm_lang_default());
	end_run(ran("x\n\n"), (struct trm_result){0});
	assert_null(last_effect(EFFECT_RUN));
	m.confirm = true;
	press(K_F5, 0);
	assert_screen("bash, the cell", true);
	assert_screen(" echo from bash", true);
}

static void a_time_limit_and_a_kill_are_called_so(void **state)
{
	char name[] = "KeyboardInterrupt";

	(void)state;
	given("x\n");
	press(K_F5, 0);
	end_run(ran("x\n"), (struct trm_result){.status = TRM_STATUS_TIMEOUT, .error_name = name});
	assert_screen("ms timeout", true);
	assert_screen("✗ timeout", true);
	press(K_F5, 0);
	end_run(ran("x\n"), (struct trm_result){.status = TRM_STATUS_INTERRUPTED, .state_lost = true});
	assert_screen("ms killed", true);
	assert_screen("✗ killed", true);
	assert_screen("✗ interrupted", false);
}

/* Compilers print nothing, and their time is that of the run. */
static void a_silent_compiler_is_named(void **state)
{
	const struct trm_lang *go;

	(void)state;
	assert_int_equal(trm_lang_find("go", &go, NULL), 0);
	given("package main\n");
	model_editor(&m)->lang = go;
	press(K_F5, 0);
	uint32_t serial = ran("package main\n");
	send((struct msg){.type = MSG_RUN_STARTED, .run.serial = serial});
	now_ns += 1000000000;
	send((struct msg){.type = MSG_TICK});
	assert_screen("compiling", false);
	now_ns += 2000000000;
	send((struct msg){.type = MSG_TICK});
	assert_screen("compiling, or running without output yet", true);
	now_ns += 3000000000;
	send((struct msg){.type = MSG_TICK});
	assert_screen("faster after 'terrarium langs --prepare go'", true);
	send((struct msg){.type = MSG_RUN_OUTPUT,
			.run.serial = serial,
			.run.output.bytes = "hello\n",
			.run.output.len = 6});
	assert_screen("compiling", false);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
	const struct CMUnitTest tests[] = {
			TEST(a_cell_tells_what_it_came_to),
			TEST(the_line_that_failed_is_marked),
			TEST(an_error_without_a_message_has_no_colon),
			TEST(all_cells_run_until_one_fails),
			TEST(all_cells_run_to_the_end),
			TEST(cells_above_and_below),
			TEST(a_cell_that_was_edited_stops_the_rest),
			TEST(the_plan_is_confirmed_as_a_whole),
			TEST(marks_of_a_dead_interpreter_are_lost),
			TEST(shift_enter_runs_and_goes_on),
			TEST(a_cell_in_another_language_is_run_in_it),
			TEST(a_time_limit_and_a_kill_are_called_so),
			TEST(a_silent_compiler_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
