/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "base/json_scan.h"

static struct json_value scan(const char *text)
{
	struct json_value value;
	assert_true(json_scan(text, strlen(text), &value));
	return value;
}

static void members_and_items_are_found(void **state)
{
	struct json_value
			object = scan(" {\"a\" : 1 , \"b\":[ 2,\"x\\\"]\" , {\"c\":null}], \"d\":{\"a\":3}} trailing"),
			list, item;
	(void)state;
	assert_true(json_member(object, "a", &item));
	assert_int_equal(json_number(item, 0), 1);
	assert_true(json_member(object, "d", &item));
	assert_true(json_member(item, "a", &item));
	assert_int_equal(json_number(item, 0), 3);
	assert_false(json_member(object, "c", &item));
	assert_true(json_member(object, "b", &list));
	assert_true(json_item(&list, &item));
	assert_int_equal(json_number(item, 0), 2);
	assert_true(json_item(&list, &item));
	assert_int_equal(item.n, 6);
	assert_true(json_item(&list, &item));
	assert_true(json_member(item, "c", &item));
	assert_false(json_item(&list, &item));
}

static void what_is_missing_is_empty(void **state)
{
	struct json_value none = {"", 0}, found;
	char text[8];
	(void)state;
	assert_false(json_member(none, "a", &found));
	assert_false(json_member(found, "b", &found));
	assert_false(json_item(&found, &none));
	assert_string_equal(json_value_text(none, text, sizeof text), "");
	assert_int_equal(json_number(none, 7), 7);
	struct json_value empty = scan("[]");
	assert_false(json_item(&empty, &found));
	assert_false(json_member(scan("{}"), "", &found));
}

static void broken_text_is_refused(void **state)
{
	static const char *const texts[] = {"", "  ", "{", "[1", "\"a", "\"a\\", "{\"a\":{}", ","};
	struct json_value value;
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (json_scan(texts[i], strlen(texts[i]), &value))
			fail_msg("'%s' should be no value", texts[i]);
	assert_false(json_member(scan("{\"a\" 1}"), "a", &value));
	assert_false(json_member(scan("{\"b\":1 \"a\":1}"), "a", &value));
}

static void expect_letters(const char *json, const char *expected)
{
	char text[64];
	if (strcmp(json_value_text(scan(json), text, sizeof text), expected) != 0)
		fail_msg("%s becomes '%s', not '%s'", json, text, expected);
}

static void escapes_are_resolved(void **state)
{
	char text[4];
	(void)state;
	expect_letters("\"a\\n\\t\\\\\\\"\\/\"", "a\n\t\\\"/");
	expect_letters("\"\\u00e9\\u20ac\\ud83d\\ude00\"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	expect_letters("\"\\u0000 \\ud83d \\ude00 \\u12\"",
			"\xef\xbf\xbd \xef\xbf\xbd \xef\xbf\xbd \xef\xbf\xbd"
			"12");
	assert_string_equal(json_value_text(scan("\"abcdef\""), text, sizeof text), "abc");
	assert_string_equal(json_value_text(scan("\"ab\\u20ac\""), text, sizeof text),
			"ab"); /* no half characters */
	assert_true(json_is(scan("\"abc\""), "abc"));
	assert_false(json_is(scan("\"abc\""), "ab"));
	assert_false(json_is(scan("abc"), "b"));
}

static void depth_does_no_harm(void **state)
{
	static char text[200001];
	struct json_value value;
	(void)state;
	memset(text, '[', 100000);
	memset(text + 100000, ']', 100000);
	assert_true(json_scan(text, 200000, &value));
	assert_int_equal(value.n, 200000);
	assert_false(json_scan(text, 199999, &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(members_and_items_are_found),
			cmocka_unit_test(what_is_missing_is_empty),
			cmocka_unit_test(broken_text_is_refused),
			cmocka_unit_test(escapes_are_resolved),
			cmocka_unit_test(depth_does_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
