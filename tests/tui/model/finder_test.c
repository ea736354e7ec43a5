/* SPDX-License-Identifier: MIT */
/* Finding, replacing and going to lines, by keys. */
#include "model/finder.h"

#include <stdlib.h>
#include <string.h>

#include "desk.h"
#include "text/text.h"

static void given(const char *text)
{
	assert_int_equal(editor_set_text(model_editor(&m), text, strlen(text)), 0);
	editor_select(model_editor(&m), 0, 0);
}

static void selected(size_t anchor, size_t cursor)
{
	assert_int_equal(model_editor(&m)->sel.anchor, anchor);
	assert_int_equal(model_editor(&m)->sel.cursor, cursor);
}

static void text_is(const char *wanted)
{
	char *text = text_slice(model_editor(&m)->text, 0, SIZE_MAX);
	assert_string_equal(text, wanted);
	free(text);
}

static const char *last_notice(void)
{
	const struct notice *n = notices_at(&m.notices, 0);
	return n ? n->text : "";
}

static void every_key_looks_from_where_the_search_began(void **state)
{
	(void)state;
	given("fab foo fob");
	press('f', MOD_CTRL);
	type("f");
	selected(0, 1);
	type("o");
	selected(4, 6);
	type("b");
	selected(8, 11);
	assert_string_equal(m.finder.said, "1 of 1");
	press(K_BACKSPACE, 0);
	selected(4, 6);
	type("x");
	selected(0, 0);
	assert_string_equal(m.finder.said, "no match");
}

/* Those of readline; no key of the editor's changes the text meanwhile. */
static void keys_with_ctrl_are_the_fields(void **state)
{
	(void)state;
	given("one two\nthree");
	press('f', MOD_CTRL);
	type("two three");
	press('w', MOD_CTRL);
	assert_string_equal(field_text(&m.finder.what), "two ");
	press('a', MOD_CTRL);
	type("one ");
	press('e', MOD_CTRL);
	type("x");
	assert_string_equal(field_text(&m.finder.what), "one two x");
	press('a', MOD_CTRL);
	press('d', MOD_CTRL);
	press('e', MOD_CTRL);
	press('b', MOD_CTRL);
	press('k', MOD_CTRL);
	assert_string_equal(field_text(&m.finder.what), "ne two ");
	press('u', MOD_CTRL);
	assert_string_equal(field_text(&m.finder.what), "");
	m.clipboard = (struct clipboard){.text = strdup("thr"), .len = 3};
	press('v', MOD_CTRL);
	assert_string_equal(field_text(&m.finder.what), "thr");
	selected(8, 11);
	static const char keys[] = "xkdzy";
	for (size_t i = 0; keys[i]; i++)
		press((uint32_t)keys[i], MOD_CTRL);
	press(K_DELETE, MOD_CTRL);
	press(K_BACKSPACE, MOD_CTRL);
	text_is("one two\nthree");
}

static void the_next_search_comes_in_place_of_the_last(void **state)
{
	(void)state;
	given("fab foo fob");
	press('f', MOD_CTRL);
	type("b");
	selected(2, 3);
	press(K_ESCAPE, 0);
	press('f', MOD_CTRL);
	assert_string_equal(field_text(&m.finder.what), "b");
	type("f");
	assert_string_equal(field_text(&m.finder.what), "f");
	selected(4, 5);
	press(K_ESCAPE, 0);
	/* Without a change of it, it is looked for again; behind a motion it is changed. */
	press('f', MOD_CTRL);
	type("\n");
	selected(8, 9);
	press(K_END, 0);
	type("o");
	assert_string_equal(field_text(&m.finder.what), "fo");
}

static void goes_on_and_back_and_round(void **state)
{
	(void)state;
	given("x 1\nx 2\nx 3");
	press('f', MOD_CTRL);
	type("x\n\n");
	selected(8, 9);
	type("\n");
	selected(0, 1);
	assert_non_null(strstr(m.finder.said, "wrapped"));
	press(K_UP, 0);
	selected(8, 9);
	press(K_ENTER, MOD_SHIFT);
	selected(4, 5);
	press(K_ESCAPE, 0);
	selected(4, 5);
	press('n', MOD_ALT);
	press('n', MOD_ALT);
	selected(0, 1);
	assert_non_null(strstr(last_notice(), "wrapped"));
	press('p', MOD_ALT);
	selected(8, 9);
}

static void options_are_keys(void **state)
{
	(void)state;
	given("a.c abc ABC");
	press('f', MOD_CTRL);
	type("a.c");
	assert_string_equal(m.finder.said, "1 of 1");
	press('x', MOD_ALT);
	assert_string_equal(m.finder.said, "1 of 3");
	press('c', MOD_ALT);
	assert_string_equal(m.finder.said, "1 of 2");
	type("(");
	assert_true(m.finder.is_wrong);
	assert_null(m.finder.find);
}

static void each_replacement_is_asked_for(void **state)
{
	(void)state;
	given("one one one one");
	press('r', MOD_ALT);
	type("one\n");
	assert_int_equal(m.finder.state, FINDER_BY);
	type("three\n");
	assert_int_equal(m.finder.state, FINDER_ASKING);
	assert_string_equal(m.finder.preview, "three");
	type("yn");
	text_is("three one one one");
	selected(10, 13);
	type("yq");
	text_is("three one three one");
	assert_int_equal(m.finder.state, FINDER_CLOSED);
	assert_string_equal(last_notice(), "replaced 2 matches");
}

/* As a reload does it, in which the place is inside of a character. */
static void a_search_begins_anew_in_another_text(void **state)
{
	static const char other[] = "\xE4\xB8\xAD\xE4\xB8\xAD x";

	(void)state;
	given("abcdef");
	editor_select(model_editor(&m), 4, 4);
	press('f', MOD_CTRL);
	assert_int_equal(editor_set_text(model_editor(&m), other, strlen(other)), 0);
	type("_");
	selected(8, 8);
	press(K_ESCAPE, 0);
	given("one one one");
	press('r', MOD_ALT);
	type("one\nthree\n");
	assert_int_equal(m.finder.state, FINDER_ASKING);
	size_t anchor = model_editor(&m)->sel.anchor, cursor = model_editor(&m)->sel.cursor;
	assert_int_equal(editor_set_text(model_editor(&m), "two two two", 11), 0);
	editor_select(model_editor(&m), anchor, cursor);
	type("y");
	text_is("two two two");
	assert_int_equal(m.finder.state, FINDER_CLOSED);
}

static void all_are_replaced_in_one_step(void **state)
{
	(void)state;
	given("f(1)\nf(2)\nf(33)\n");
	editor_goto_line(model_editor(&m), 1);
	press('r', MOD_ALT);
	press('x', MOD_ALT);
	type("f\\((\\d+)\\)\ng[$1]\n");
	selected(5, 9);
	assert_string_equal(m.finder.preview, "g[2]");
	type("a");
	text_is("g[1]\ng[2]\ng[33]\n");
	assert_string_equal(last_notice(), "replaced 3 matches");
	press('z', MOD_CTRL);
	text_is("f(1)\nf(2)\nf(33)\n");
}

static void nothing_may_come_in_place(void **state)
{
	(void)state;
	given("XaXbX");
	press('r', MOD_ALT);
	type("X\n\na");
	text_is("ab");
	press('z', MOD_CTRL);
	text_is("XaXbX");
}

static void lines_that_are_selected_are_what_is_meant(void **state)
{
	(void)state;
	given("a\na\na\na\n");
	editor_select(model_editor(&m), 2, 6);
	press('r', MOD_ALT);
	type("a\nbb\ny");
	text_is("a\nbb\na\na\n");
	type("a");
	text_is("a\nbb\nbb\na\n");
}

static void places_that_match_nothing_can_be_filled(void **state)
{
	(void)state;
	given("a\n\nb");
	press('r', MOD_ALT);
	press('x', MOD_ALT);
	type("^\n> \ny");
	text_is("> a\n\nb");
	type("a");
	text_is("> a\n> \n> b");
}

static void goes_to_a_line(void **state)
{
	(void)state;
	given("one\ntwo\nthree\nfour\nfive\n");
	press('g', MOD_CTRL);
	type("3\n");
	selected(8, 8);
	press('g', MOD_CTRL);
	type("2:3\n");
	selected(6, 6);
	press('g', MOD_CTRL);
	type("+2\n");
	selected(14, 14);
	press('g', MOD_CTRL);
	type("-1\n");
	selected(8, 8);
	press('g', MOD_CTRL);
	type("999999999999999999999\n");
	assert_int_equal(editor_line(model_editor(&m)), 5);
	press('g', MOD_CTRL);
	type("x\n");
	assert_non_null(strstr(last_notice(), "is not a line"));
	assert_false(dialog_is_open(&m.dialog));
}

static void the_bar_takes_rows_of_the_editor(void **state)
{
	int rows = model_editor(&m)->rows;

	(void)state;
	press('f', MOD_CTRL);
	assert_int_equal(model_editor(&m)->rows, rows - 1);
	press('r', MOD_ALT);
	assert_int_equal(model_editor(&m)->rows, rows - 2);
	press(K_ESCAPE, 0);
	assert_int_equal(model_editor(&m)->rows, rows);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_setup, desk_teardown)
	const struct CMUnitTest tests[] = {
			TEST(every_key_looks_from_where_the_search_began),
			TEST(keys_with_ctrl_are_the_fields),
			TEST(the_next_search_comes_in_place_of_the_last),
			TEST(goes_on_and_back_and_round),
			TEST(options_are_keys),
			TEST(each_replacement_is_asked_for),
			TEST(a_search_begins_anew_in_another_text),
			TEST(all_are_replaced_in_one_step),
			TEST(nothing_may_come_in_place),
			TEST(lines_that_are_selected_are_what_is_meant),
			TEST(places_that_match_nothing_can_be_filled),
			TEST(goes_to_a_line),
			TEST(the_bar_takes_rows_of_the_editor),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
