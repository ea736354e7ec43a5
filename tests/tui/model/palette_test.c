/* SPDX-License-Identifier: MIT */
#include "model/palette.h"

#include "tui/model/desk.h"

static void finds_and_runs(void **state)
{
	(void)state;
	press('p', MOD_CTRL);
	assert_string_equal(m.dialog.title, "Commands");
	type("themeq");
	assert_screen("no matches", true);
	/* The empty list takes one row, and the box does not move. */
	char *text = screen(), *top = strstr(text, "Commands"), *end = strstr(text, "no matches");
	assert_non_null(strstr(end, "\n"));
	char *next = strstr(end, "\n") + 1, *corner = strstr(next, "└");
	assert_true(corner && corner < next + strcspn(next, "\n"));
	size_t before = (size_t)(top - text);
	free(text);
	press(K_BACKSPACE, 0);
	text = screen();
	assert_int_equal((size_t)(strstr(text, "Commands") - text), before);
	free(text);
	assert_screen("▸ Theme…", true);
	assert_screen("choose the colors", true);
	assert_screen("F3", true);
	press(K_ENTER, 0);
	assert_false(dialog_is_open(&m.dialog));
	assert_non_null(last_effect(EFFECT_LIST_THEMES));
}

static void finds_by_name_and_help(void **state)
{
	(void)state;
	press(K_F7, 0);
	type("repaint");
	assert_string_equal(((const struct command *)dialog_choice(&m.dialog))->name, "repaint");
	press('u', MOD_CTRL);
	type("save-as");
	assert_string_equal(((const struct command *)dialog_choice(&m.dialog))->name, "save-as");
	press('u', MOD_CTRL);
	type("another name");
	assert_string_equal(((const struct command *)dialog_choice(&m.dialog))->name, "save-as");
	press(K_ESCAPE, 0);
	assert_false(dialog_is_open(&m.dialog));
}

/* By words that neither its title nor its name has. */
static void finds_by_other_words(void **state)
{
	(void)state;
	press('p', MOD_CTRL);
	type("pip");
	assert_string_equal(((const struct command *)dialog_choice(&m.dialog))->name, "install-packages");
	press('u', MOD_CTRL);
	type("jump");
	assert_string_equal(((const struct command *)dialog_choice(&m.dialog))->name, "go-to-line");
	press(K_ESCAPE, 0);
	press(K_F1, 0);
	type("jump");
	assert_screen("go to a line", true);
}

static void useful_commands_come_first(void **state)
{
	(void)state;
	press(K_F7, 0);
	assert_string_equal(m.dialog.items[0], "Run");
	assert_string_equal(m.dialog.items[1], "Save");
	type("repaint");
	press(K_ENTER, 0);
	press(K_F7, 0); /* what was chosen last is before them */
	assert_string_equal(((const struct command *)dialog_choice(&m.dialog))->name, "repaint");
	assert_string_equal(m.dialog.items[1], "Run");
}

/* "Run the selection" has all letters of it, but Enter would run code. */
static void a_whole_word_comes_first(void **state)
{
	(void)state;
	press('p', MOD_CTRL);
	type("reset");
	assert_string_equal(m.dialog.items[0], "Reset the layout");
	assert_string_equal(m.dialog.items[1], "Forget all variables…");
}

/* Not "s", which is for the output alone: in the editor it is a letter. */
static void tells_keys_where_they_hold(void **state)
{
	(void)state;
	press(K_F7, 0);
	type("save-figure");
	assert_screen("Alt-S", true);
	press(K_ESCAPE, 0);
	press(K_F1, 0);
	type("newest image");
	assert_screen("Alt-S           save the newest image in the output pane to a file (also s in the output)",
			true);
	press('u', MOD_CTRL);
	type("this help");
	assert_screen("show this help (also ? outside of the editor)", true);
	press('u', MOD_CTRL);
	type("quit the workbench");
	assert_screen("quit the workbench (also ^Q", true);
}

/* Not with how to close the buffer. */
/* Some terminals keep F5 for themselves. */
static void another_key_is_named(void **state)
{
	(void)state;
	press(K_F7, 0);
	type("run the");
	assert_screen("F5, Alt-Enter", true);
	press(K_ESCAPE, 0);
}

static void help_begins_with_what_is_needed(void **state)
{
	(void)state;
	press(K_F1, 0);
	assert_string_equal(m.dialog.lines[0].text, "First of all");
	assert_screen("F5              run ", true);
	press(K_ESCAPE, 0);
}

static void help_begins_with_the_pane(void **state)
{
	(void)state;
	press(K_F6, 0); /* the output */
	press(K_F1, 0);
	assert_string_equal(m.dialog.lines[0].text, "First of all");
	assert_non_null(strstr(m.dialog.lines[1].text, "find"));
	assert_screen("F5              run ", true);
	press(K_ESCAPE, 0);
}

static void what_was_used_comes_first(void **state)
{
	(void)state;
	press(K_F7, 0);
	type("messages");
	press(K_ENTER, 0);
	assert_string_equal(m.dialog.title, "Messages, newest first (Esc closes)");
	press(K_ESCAPE, 0);
	press(K_F7, 0);
	type("next pane");
	press(K_ENTER, 0);
	assert_int_equal(m.focus, PANE_OUTPUT);
	press(K_F7, 0);
	assert_string_equal(m.dialog.items[0], "Next pane");
	assert_string_equal(m.dialog.items[1], "Messages");
	press(K_F7, 0);
	assert_false(dialog_is_open(&m.dialog));
}

static void goes_to_the_pane_of_the_command(void **state)
{
	(void)state;
	press(K_F7, 0);
	type("select all output");
	press(K_ENTER, 0);
	assert_int_equal(m.focus, PANE_OUTPUT);
}

static void remembers_only_so_many(void **state)
{
	struct palette p = {0};

	(void)state;
	for (size_t i = 0; i < 3 * PALETTE_RECENT; i++)
		palette_remember(&p, command_at(i % (PALETTE_RECENT + 3)));
	assert_int_equal(p.n_recent, PALETTE_RECENT);
	for (size_t i = 0; i < PALETTE_RECENT; i++)
		for (size_t j = 0; j < i; j++)
			assert_ptr_not_equal(p.recent[i], p.recent[j]);
}

static void without_unicode(void **state)
{
	(void)state;
	m.has_utf8 = false;
	press(K_F7, 0);
	type("theme");
	assert_screen("> Theme...", true);
}

/* A click chooses, a second one runs; the wheel moves. */
static void works_by_mouse(void **state)
{
	(void)state;
	press(K_F7, 0);
	struct dialog_layout l = dialog_layout(&m.dialog, m.rows, m.cols);
	mouse(MOUSE_WHEEL_DOWN, l.list.row, l.list.col);
	assert_int_equal(m.dialog.current, 3);
	mouse(MOUSE_PRESS, l.list.row + 1, l.list.col + 3);
	assert_int_equal(m.dialog.current, 1);
	mouse(MOUSE_PRESS, l.list.row + 1, l.list.col + 3);
	assert_string_not_equal(m.dialog.title, "Commands");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, desk_setup, desk_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(finds_and_runs),
			TEST(finds_by_name_and_help),
			TEST(finds_by_other_words),
			TEST(useful_commands_come_first),
			TEST(a_whole_word_comes_first),
			TEST(tells_keys_where_they_hold),
			TEST(another_key_is_named),
			TEST(help_begins_with_what_is_needed),
			TEST(help_begins_with_the_pane),
			TEST(what_was_used_comes_first),
			TEST(goes_to_the_pane_of_the_command),
			TEST(remembers_only_so_many),
			TEST(without_unicode),
			TEST(works_by_mouse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
