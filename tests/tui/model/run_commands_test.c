/* SPDX-License-Identifier: MIT */
/* Which part of a buffer is run, and where the cursor goes then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desk.h"
#include "langs.h"
#include "text/text.h"

static int setup(void **state)
{
	int r = desk_setup(state);
	m.confirm = false;
	return r;
}

static void given(const char *text, size_t line)
{
	effects_clear(&fx);
	assert_int_equal(editor_set_text(model_editor(&m), text, strlen(text)), 0);
	editor_goto_line(model_editor(&m), line);
}

/* The code of the run that was asked for, without the lines in front. */
static void ran(const char *code)
{
	for (size_t i = 0; i < fx.n; i++) {
		if (fx.items[i].type != EFFECT_RUN)
			continue;
		const char *text = fx.items[i].run.code;
		assert_string_equal(text + strspn(text, "\n"), code);
		effects_clear(&fx);
		return;
	}
	fail_msg("nothing was run");
}

static const char cells[] = "a\n# %% one\nb\n#%%\nc\nd\n";

static void the_cell_around_the_cursor_is_run(void **state)
{
	static const struct {
		size_t line;
		const char *code;
	} cases[] = {{0, "a\n"}, {1, "b\n"}, {2, "b\n"}, {3, "c\nd\n"}, {5, "c\nd\n"}, {6, "c\nd\n"}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		given(cells, cases[i].line);
		press(K_F5, 0);
		ran(cases[i].code);
		assert_int_equal(editor_line(model_editor(&m)), cases[i].line);
	}
}

static void run_and_advance_goes_through_the_cells(void **state)
{
	(void)state;
	given(cells, 0);
	press('j', MOD_ALT);
	ran("a\n");
	press('j', MOD_ALT);
	ran("b\n");
	press('j', MOD_ALT);
	ran("c\nd\n");
	assert_int_equal(editor_line(model_editor(&m)), 6);
}

static void a_line_is_run_and_blank_ones_are_passed(void **state)
{
	(void)state;
	given("x\n\ny\n", 0);
	press('l', MOD_ALT);
	ran("x");
	press('l', MOD_ALT);
	press('l', MOD_ALT);
	ran("y");
}

static void everything_is_run_whatever_is_selected(void **state)
{
	(void)state;
	given(cells, 0);
	editor_select(model_editor(&m), 0, 1);
	press(K_F5, 0);
	ran("a");
	press('a', MOD_ALT);
	ran(cells);
}

static void other_languages_have_their_own_sign(void **state)
{
	(void)state;
	language_set(&m, trm_lang_at(LANG_JAVASCRIPT), &fx);
	given("1\n// %%\n2\n# %%\n", 0);
	press(K_F5, 0);
	ran("1\n");
	given("1\n// %%\n2\n", 2);
	press(K_F5, 0);
	ran("2\n");
}

static void cells_are_gone_to(void **state)
{
	(void)state;
	given(cells, 0);
	press(K_PAGE_DOWN, MOD_ALT);
	assert_int_equal(editor_line(model_editor(&m)), 2);
	press(K_PAGE_DOWN, MOD_ALT);
	assert_int_equal(editor_line(model_editor(&m)), 4);
	press(K_DOWN, 0);
	press(K_PAGE_UP, MOD_ALT);
	assert_int_equal(editor_line(model_editor(&m)), 4);
	press(K_PAGE_UP, MOD_ALT);
	assert_int_equal(editor_line(model_editor(&m)), 2);
	press(K_PAGE_UP, MOD_ALT);
	assert_int_equal(editor_line(model_editor(&m)), 0);
}

static void a_found_word_is_not_run(void **state)
{
	(void)state;
	given("x = 1\nprint(x)\n", 0);
	press('f', MOD_CTRL);
	press('p', 0);
	press(K_ESCAPE, 0);
	assert_true(editor_has_selection(model_editor(&m)));
	press(K_F5, 0);
	ran("x = 1\nprint(x)\n");
	press('r', MOD_ALT); /* replace, and leave it at the first match */
	press('p', 0);
	press(K_ENTER, 0);
	press(K_ENTER, 0);
	press('q', 0);
	assert_true(editor_has_selection(model_editor(&m)));
	press(K_F5, 0);
	ran("x = 1\nprint(x)\n");
	press(K_RIGHT, 0);
	press(K_RIGHT, MOD_SHIFT); /* this was chosen */
	press(K_F5, 0);
	ran("r");
}

/* Percent signs everywhere, but no cells: still at once. */
static void a_sign_in_a_line_is_no_cell(void **state)
{
	enum { LINES = 20000 };
	char *text = malloc(LINES * 16 + 1);
	size_t n = 0;

	(void)state;
	for (int i = 0; i < LINES; i++)
		n += (size_t)sprintf(text + n, "x = '%%%%' # %%%%\n");
	given(text, LINES / 2);
	free(text);
	assert_int_equal(editor_run_range(model_editor(&m)).kind, EDITOR_RUN_ALL);
}

/* Into an empty buffer only; and each program is one that its language runs. */
static void a_template_fills_an_empty_buffer(void **state)
{
	const struct trm_lang *lang = NULL;
	char text[200];

	(void)state;
	assert_int_equal(trm_lang_find("java", &lang, NULL), 0);
	language_set(&m, lang, &fx);
	for (int i = 0; i < 2; i++) {
		command_run(&m, command_find("insert-template"), &fx);
		size_t n = text_copy(model_editor(&m)->text, 0, text, sizeof text - 1);
		text[n] = '\0';
		assert_string_equal(text, lang->skeleton);
	}
}

static void code_is_cut_with_a_mark(void **state)
{
	(void)state;
	resize(24, 80);
	m.confirm = false;
	type("# 1234567890 1234567890 1234567890 1234567890 1234567890 1234567890 1234567890");
	press(K_F5, 0);
	assert_screen("[ ] python  waiting  # 1234567890 1234567890 1234567890 1234567890 1234567…", true);
}

/* Where there is room, more than a few words of another script are seen. */
static void code_of_wide_characters_has_as_much_room(void **state)
{
	char text[400] = "#";

	(void)state;
	m.confirm = false;
	for (int i = 0; i < 40; i++)
		strcat(text, "語");
	event((struct event){.type = EVENT_PASTE, .text = text, .text_len = strlen(text)});
	press(K_F5, 0);
	char *seen = screen();
	const char *header = strstr(seen, "waiting  #");
	assert_non_null(header);
	assert_memory_equal(header + strlen("waiting  "), text, 1 + 3 * 20);
	free(seen);
}

static void who_does_not_choose_is_asked_again(void **state)
{
	(void)state;
	m.confirm = true;
	type("x");
	press(K_F5, 0);
	assert_screen("Run this code?", true);
	press('l', 0);
	assert_screen("Confirm before code runs", true);
	press(K_ESCAPE, 0);
	assert_screen("Run this code?", true);
	press(K_ENTER, 0);
	assert_non_null(last_effect(EFFECT_RUN));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, desk_teardown)
	const struct CMUnitTest tests[] = {
			TEST(the_cell_around_the_cursor_is_run),
			TEST(run_and_advance_goes_through_the_cells),
			TEST(a_line_is_run_and_blank_ones_are_passed),
			TEST(everything_is_run_whatever_is_selected),
			TEST(a_found_word_is_not_run),
			TEST(other_languages_have_their_own_sign),
			TEST(cells_are_gone_to),
			TEST(a_sign_in_a_line_is_no_cell),
			TEST(a_template_fills_an_empty_buffer),
			TEST(code_is_cut_with_a_mark),
			TEST(code_of_wide_characters_has_as_much_room),
			TEST(who_does_not_choose_is_asked_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
