/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <string.h>

#include "agent/batch/diagnose.h"
#include "base/buf.h"

static void the_message_is_the_line_of_the_error(void **state)
{
	(void)state;
	static const struct {
		const char *said, *message;
	} cases[] = {
			{"a.c: In function 'f':\na.c:3:5: error: no\nb", "a.c:3:5: error: no"},
			{"# command-line-arguments\n./a.go:3:14: cannot\n", "./a.go:3:14: cannot"},
			{"a.c:1:1: warning: odd\na.c:2:1: fatal error: none", "a.c:2:1: fatal error: none"},
			{"\njust words\nmore", "just words"},
			{"", ""},
			{"a:", "a:"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char out[60];
		diagnose_message(cases[i].said, strlen(cases[i].said), out, sizeof out);
		assert_string_equal(out, cases[i].message);
		diagnose_message(cases[i].said, strlen(cases[i].said), out, 4);
		assert_true(strlen(out) < 4);
	}
}

static void names_replace_paths(void **state)
{
	struct buf out;
	(void)state;
	buf_init(&out, 100);
	diagnose_rename(&out, "/t/x:1 and /t/x.", 16, "/t/x", "<run 7>");
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_string_equal(buf_at(&out), "<run 7>:1 and <run 7>.");
	buf_finish(&out);
}

static void open_brackets_go_on(void **state)
{
	(void)state;
	static const struct {
		const char *code;
		bool is_whole;
	} cases[] = {
			{"int f() {", false},
			{"int f() {\n}", true},
			{"f(\"{\");", true},
			{"c = '{';", true},
			{"c = '\\'';", true},
			{"// don't {", true},
			{"/* {", false},
			{"/* { */", true},
			{"s = `a", false},
			{"it's", true},
			{"", true},
			{"}", true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (diagnose_is_whole(cases[i].code, strlen(cases[i].code)) != cases[i].is_whole)
			fail_msg("%s", cases[i].code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(the_message_is_the_line_of_the_error),
			cmocka_unit_test(names_replace_paths),
			cmocka_unit_test(open_brackets_go_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
