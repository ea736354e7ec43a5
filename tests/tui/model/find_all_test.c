/* SPDX-License-Identifier: MIT */
/* Finding in all buffers, by keys. */
#include "model/find_all.h"

#include <stdio.h>

#include "editor/editor_internal.h"
#include "text/text.h"
#include "tui/model/desk.h"

static struct buffer *buffer_at(size_t i)
{
	return m.buffers.items[i];
}

static void given(size_t i, const char *text)
{
	assert_int_equal(editor_set_text(&buffer_at(i)->editor, text, strlen(text)), 0);
	editor_select(&buffer_at(i)->editor, 0, 0);
}

static void selected(size_t anchor, size_t cursor)
{
	assert_int_equal(model_editor(&m)->sel.anchor, anchor);
	assert_int_equal(model_editor(&m)->sel.cursor, cursor);
}

static void ask(const char *what)
{
	press('F', MOD_ALT);
	assert_true(dialog_is_open(&m.dialog));
	type(what);
}

static void row_is(size_t i, const char *wanted)
{
	assert_true(i < m.dialog.n_items);
	assert_string_equal(m.dialog.items[i], wanted);
}

static int setup(void **state)
{
	desk_setup(state);
	assert_true(m.buffers.n >= 3);
	buffer_at(1)->editor.path = strdup("/w/src/tools.js");
	given(0, "one\n\ttwo = one\nlast");
	given(1, "none\n");
	return 0;
}

static void all_matches_are_listed_by_buffer(void **state)
{
	(void)state;
	ask("one");
	assert_int_equal(m.dialog.n_items, 3);
	row_is(0, "python:1  one");
	row_is(1, "python:2  two = one");
	row_is(2, "tools.js:1  none");
	assert_int_equal(m.dialog.choices[1].mark_from, strlen("python:2  two = "));
	assert_screen("Find in all buffers: 3 matches in 2 buffers", true);
	assert_screen("Alt-X [ ] regular expression", true);
	type("x");
	assert_screen("no matches", true);
	assert_int_equal(m.dialog.n_items, 0);
	press(K_ENTER, 0); /* does nothing */
	assert_true(dialog_is_open(&m.dialog));
}

static void enter_goes_there_and_the_search_goes_on(void **state)
{
	(void)state;
	given(1, "x\nnone\none");
	ask("one");
	press(K_PAGE_DOWN, 0);
	press(K_UP, 0);
	press(K_ENTER, 0);
	assert_false(dialog_is_open(&m.dialog));
	assert_ptr_equal(buffers_current(&m.buffers), buffer_at(1));
	assert_int_equal(m.focus, PANE_EDITOR);
	selected(3, 6);
	assert_true(m.finder.is_marking);
	press('n', MOD_ALT);
	selected(7, 10);
	/* The list begins where the last match is, and with this buffer. */
	press('F', MOD_ALT);
	row_is(0, "tools.js:2  none");
	assert_int_equal(m.dialog.current, 1);
}

static void escape_changes_nothing(void **state)
{
	(void)state;
	editor_select(model_editor(&m), 4, 7);
	press('F', MOD_ALT);
	type("last");
	press(K_DOWN, 0);
	press('x', MOD_ALT);
	press(K_ESCAPE, 0);
	assert_false(dialog_is_open(&m.dialog));
	assert_ptr_equal(buffers_current(&m.buffers), buffer_at(0));
	selected(4, 7);
	assert_int_equal(m.finder.what.len, 0);
	assert_false(m.finder.opts.is_regex);
}

static void the_selection_is_looked_for(void **state)
{
	(void)state;
	editor_select(model_editor(&m), 0, 3);
	press('F', MOD_ALT);
	assert_string_equal(field_text(&m.dialog.field), "one");
	assert_int_equal(m.dialog.n_items, 3);
	type("two"); /* replaces it */
	assert_int_equal(m.dialog.n_items, 1);
	press(K_ENTER, 0);
	press(K_RIGHT, 0);
	press('F', MOD_ALT);
	assert_string_equal(field_text(&m.dialog.field), "two");
	press('F', MOD_ALT); /* the key closes it, too */
	assert_false(dialog_is_open(&m.dialog));
}

static void case_words_and_expressions_are_as_in_the_editor(void **state)
{
	(void)state;
	given(0, "One one none");
	given(1, "on1");
	ask("one");
	assert_int_equal(m.dialog.n_items, 3);
	press('w', MOD_ALT);
	assert_int_equal(m.dialog.n_items, 2);
	press('c', MOD_ALT);
	assert_int_equal(m.dialog.n_items, 1);
	press('w', MOD_ALT);
	press('c', MOD_ALT);
	press('x', MOD_ALT);
	press('u', MOD_CTRL);
	assert_screen("type what to find", true);
	type("on[");
	assert_screen("missing terminating ]", true);
	assert_int_equal(m.dialog.n_items, 0);
	type("e1]$");
	assert_int_equal(m.dialog.n_items, 2);
	assert_int_equal(m.dialog.choices[1].mark_to - m.dialog.choices[1].mark_from, 3);
	press(K_ENTER, 0);
	assert_true(m.finder.opts.is_regex);
	selected(9, 12);
}

static void long_lines_are_cut_around_the_match(void **state)
{
	char line[3000];

	(void)state;
	memset(line, 'a', sizeof line);
	memcpy(line + 1500, "needle", 6);
	line[sizeof line - 1] = '\0';
	given(0, line);
	given(1, "\xc3\xa4 \xff\x01\tneedle\x7f\xe2\x82");
	ask("needle");
	assert_non_null(strstr(m.dialog.items[0], "python:1  …aaa"));
	assert_non_null(strstr(m.dialog.items[0], "aneedlea"));
	row_is(1, "tools.js:1  \xc3\xa4 \xff  needle \xe2\x82");
	assert_screen("needleaaa", true);
	resize(10, 40);
	assert_screen(" 2 matches in 2 buffers ", true);
	assert_screen("needleaa", true);
	m.has_utf8 = false;
	resize(24, 80);
	assert_non_null(strstr(m.dialog.items[0], "python:1  ...aaa"));
	press(K_ENTER, 0);
	selected(1500, 1506);
}

/* An item has a limit in bytes, too. */
static void wide_characters_do_not_hide_the_match(void **state)
{
	char line[400] = "# ";

	(void)state;
	for (int i = 0; i < 88; i++)
		strcat(line, "─");
	strcat(line, " needle here");
	given(0, line);
	resize(40, 130);
	ask("needle");
	assert_non_null(strstr(m.dialog.items[0], "─ needle here"));
	given(0, "");
	strcpy(line, "needle ");
	for (int i = 0; i < 120; i++)
		strcat(line, "─");
	given(0, line);
	press(K_BACKSPACE, 0);
	assert_non_null(strstr(m.dialog.items[0], "python:1  needle ──"));
	assert_string_equal(m.dialog.items[0] + strlen(m.dialog.items[0]) - strlen("─…"), "─…");
}

static void files_of_the_same_name_have_their_folder(void **state)
{
	(void)state;
	buffer_at(0)->editor.path = strdup("/w/other/tools.js");
	ask("one");
	row_is(0, "other/tools.js:1  one");
	row_is(2, "src/tools.js:1  none");
	resize(10, 40);
	assert_screen("…er/tools.js:1  one", true);
}

/* As when its file is read again while the list is open. */
static void a_text_may_change_meanwhile(void **state)
{
	(void)state;
	ask("one");
	press(K_DOWN, 0);
	given(0, "x\none");
	press(K_ENTER, 0);
	selected(2, 5);
	ask("one");
	given(0, "");
	press(K_ENTER, 0);
	assert_string_equal(notices_at(&m.notices, 0)->text, "this match is no longer there");
	ask("none");
	uint32_t gone = buffer_at(1)->id;
	buffers_remove(&m.buffers, gone);
	send((struct msg){.type = MSG_TICK});
	resize(30, 100);
	press(K_ENTER, 0);
	assert_int_not_equal(buffers_current(&m.buffers)->id, gone);
}

static void what_was_given_up_is_reported(void **state)
{
	char text[203];

	(void)state;
	memset(text, 'a', 200);
	strcpy(text + 200, "b");
	given(1, text);
	ask("");
	press('x', MOD_ALT);
	type("(a|aa)+$");
	assert_screen("no matches; some lines were too hard for the pattern", true);
	given(0, "a");
	type("|^a$");
	assert_screen("1 match in 1 buffer; some lines were too hard", true);
	press(K_ESCAPE, 0);
	press('f', MOD_CTRL);
	press('x', MOD_ALT);
	given(0, text);
	type("(a|aa)+$");
	assert_string_equal(m.finder.said, "no match (given up in some lines)");
}

static void a_match_is_shown_in_normal_mode(void **state)
{
	(void)state;
	m.vi.mode = VI_NORMAL;
	type("ihello");
	ask("none");
	press(K_ENTER, 0);
	assert_ptr_equal(buffers_current(&m.buffers), buffer_at(1));
	assert_int_equal(m.vi.mode, VI_NORMAL);
	selected(0, 0);
	type("x");
	assert_int_equal(text_len(model_editor(&m)->text), 4); /* "one\n" */
	given(1, "last");
	type("v");
	ask("last");
	press(K_ENTER, 0);
	assert_int_equal(m.vi.mode, VI_NORMAL);
}

/* As after a save in the background. */
static void a_buffer_may_be_closed_during_the_search(void **state)
{
	enum { BYTES = 3 << 20 };
	char *text = malloc(BYTES + 1);

	(void)state;
	assert_non_null(text);
	memset(text, '\n', BYTES);
	text[BYTES] = '\0';
	given(0, text);
	given(1, "none\n");
	given(2, "none\n");
	free(text);
	ask("none");
	assert_true(find_all_is_busy(&m));
	buffers_remove(&m.buffers, buffer_at(1)->id);
	while (find_all_is_busy(&m))
		send((struct msg){.type = MSG_TICK});
	assert_int_equal(m.dialog.n_items, 1);
	assert_int_equal(m.find_all.hits[0].buffer, buffer_at(1)->id);
}

/* The work of a key has a limit; the ticks count the rest. */
static void big_texts_are_searched_in_steps(void **state)
{
	static const char line[] = "value = compute(1, 'some text that fills the line up here and there')\n";
	enum { LINES = 100000 };
	char *text = malloc(LINES * (sizeof line - 1) + 1);
	int ticks = 0;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < LINES; i++)
		memcpy(text + i * (sizeof line - 1), line, sizeof line);
	given(0, text);
	given(1, "compute");
	free(text);
	ask("compute");
	assert_true(find_all_is_busy(&m));
	assert_true(m.find_all.n_matches < 30000);
	assert_int_equal(m.dialog.n_items, FIND_ALL_LISTED);
	assert_screen("+ matches in 1 buffer", true);
	assert_int_equal(model_tick_ms(&m), 10);
	for (; find_all_is_busy(&m); ticks++)
		send((struct msg){.type = MSG_TICK});
	assert_true(ticks > 2);
	assert_screen("100000+ matches in 1 buffer", true);
	assert_screen("(the first 500 are listed)", true);
	press('u', MOD_CTRL);
	type("zz");
	press(K_ESCAPE, 0);
	assert_false(find_all_is_busy(&m));
}

static void a_click_chooses(void **state)
{
	(void)state;
	ask("one");
	struct rect list = dialog_layout(&m.dialog, m.rows, m.cols).list;
	mouse(MOUSE_PRESS, list.row + 2, list.col + 5);
	assert_int_equal(m.dialog.current, 2);
	mouse(MOUSE_WHEEL_UP, list.row, list.col);
	assert_int_equal(m.dialog.current, 0);
	mouse(MOUSE_PRESS, list.row + 2, list.col + 5);
	mouse(MOUSE_PRESS, list.row + 2, list.col + 5);
	assert_ptr_equal(buffers_current(&m.buffers), buffer_at(1));
	selected(1, 4);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, desk_teardown)
	const struct CMUnitTest tests[] = {
			TEST(all_matches_are_listed_by_buffer),
			TEST(enter_goes_there_and_the_search_goes_on),
			TEST(escape_changes_nothing),
			TEST(the_selection_is_looked_for),
			TEST(case_words_and_expressions_are_as_in_the_editor),
			TEST(long_lines_are_cut_around_the_match),
			TEST(wide_characters_do_not_hide_the_match),
			TEST(files_of_the_same_name_have_their_folder),
			TEST(a_text_may_change_meanwhile),
			TEST(what_was_given_up_is_reported),
			TEST(a_match_is_shown_in_normal_mode),
			TEST(a_buffer_may_be_closed_during_the_search),
			TEST(big_texts_are_searched_in_steps),
			TEST(a_click_chooses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
