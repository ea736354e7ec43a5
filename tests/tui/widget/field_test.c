/* SPDX-License-Identifier: MIT */
#include "widget/field.h"

#include <string.h>

#include "cells/event.h"
#include "cmocka_all.h"

static struct field f;

static int clean_up(void **state)
{
	(void)state;
	field_finish(&f);
	return 0;
}

static bool press(uint32_t key, uint8_t mods)
{
	struct event ev = {.type = EVENT_KEY, .key = key, .mods = mods};
	return field_handle(&f, &ev);
}

static void type(const char *text)
{
	for (; *text; text++)
		assert_true(press((uint32_t)*text, 0));
}

/* The text with a bar where the cursor is. */
static void assert_field(const char *want)
{
	char seen[256];

	memcpy(seen, field_text(&f), f.cursor);
	seen[f.cursor] = '|';
	strcpy(seen + f.cursor + 1, field_text(&f) + f.cursor);
	assert_string_equal(seen, want);
}

static void edits_a_line(void **state)
{
	(void)state;
	assert_field("|");
	type("helo");
	press(K_LEFT, 0);
	type("l");
	assert_field("hell|o");
	press(K_HOME, 0);
	press(K_DELETE, 0);
	type("H");
	assert_field("H|ello");
	press(K_END, 0);
	press(K_BACKSPACE, 0);
	assert_field("Hell|");
	press(K_RIGHT, 0);
	assert_field("Hell|");
}

static void moves_by_what_looks_like_a_character(void **state)
{
	(void)state;
	press('e', 0);
	press(0x301, 0);
	press(0x6f22, 0);
	press(K_LEFT, 0);
	assert_field("e\xcc\x81|\xe6\xbc\xa2");
	press(K_BACKSPACE, 0);
	assert_field("|\xe6\xbc\xa2");
}

static void deletes_by_word_and_whole(void **state)
{
	(void)state;
	assert_true(field_set(&f, "/usr/ada/note.py"));
	press('w', MOD_CTRL);
	assert_field("/usr/ada/|");
	press('w', MOD_CTRL);
	assert_field("/usr/|");
	press('u', MOD_CTRL);
	assert_field("|");
	assert_true(field_set(&f, "one two"));
	press('a', MOD_CTRL);
	press('f', MOD_CTRL);
	press('d', MOD_CTRL);
	assert_field("o|e two");
	press('e', MOD_CTRL);
	press('b', MOD_CTRL);
	press('h', MOD_CTRL);
	assert_field("oe t|o");
	press('k', MOD_CTRL);
	assert_field("oe t|");
	press(K_BACKSPACE, MOD_CTRL);
	assert_field("oe |");
}

static void a_paste_becomes_one_line(void **state)
{
	struct event ev = {.type = EVENT_PASTE, .text = "a\nb", .text_len = 3};

	(void)state;
	assert_true(field_handle(&f, &ev));
	assert_field("a b|");
}

static void leaves_other_keys_alone(void **state)
{
	(void)state;
	assert_false(press(K_ENTER, 0));
	assert_false(press(K_ESCAPE, 0));
	assert_false(press(K_UP, 0));
	assert_false(press('x', MOD_CTRL));
	assert_false(press('x', MOD_ALT));
}

static void what_is_typed_comes_in_place_of_what_is_selected(void **state)
{
	struct event paste = {.type = EVENT_PASTE, .text = "b", .text_len = 1};

	(void)state;
	assert_true(field_set(&f, "old"));
	press('n', 0);
	assert_field("oldn|");
	field_select(&f);
	press('n', 0);
	press('e', 0);
	assert_field("ne|");
	field_select(&f);
	assert_true(field_handle(&f, &paste));
	assert_field("b|");
	field_select(&f);
	press(K_BACKSPACE, 0);
	assert_field("|");
	assert_true(field_set(&f, "old"));
	field_select(&f);
	press(K_LEFT, 0);
	press('n', 0);
	assert_field("oln|d");
	field_select(&f);
	assert_false(press(K_ENTER, 0));
	assert_false(press('x', MOD_ALT));
	assert_field("olnd|");
}

#define TEST(name) cmocka_unit_test_teardown(name, clean_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(edits_a_line),
			TEST(moves_by_what_looks_like_a_character),
			TEST(deletes_by_word_and_whole),
			TEST(a_paste_becomes_one_line),
			TEST(leaves_other_keys_alone),
			TEST(what_is_typed_comes_in_place_of_what_is_selected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
