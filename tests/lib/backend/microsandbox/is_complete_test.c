/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <string.h>

#include "backend/microsandbox/is_complete.h"
#include "langs.h"

struct row {
	const char *code, *indent; /* NULL: it is whole */
};

static void check(unsigned lang, const struct row *rows)
{
	for (; rows->code; rows++) {
		char indent[64];
		bool is_whole = is_complete_is(lang, rows->code, indent, sizeof indent);
		if (is_whole != !rows->indent || strcmp(indent, rows->indent ? rows->indent : ""))
			fail_msg("%s: %s, indent '%s'", rows->code, is_whole ? "whole" : "open", indent);
	}
}

static void python(void **state)
{
	static const struct row rows[] = {{"", NULL}, {"x = 1", NULL}, {"for i in x:", "    "},
			{"for i in x:\n    print(i)", "    "}, {"for i in x:\n    print(i)\n", NULL},
			{"if a: b", NULL}, {"f(", "    "}, {"f(1,\n  2", "  "}, {"f(1,\n  2)", NULL},
			{"x = '''a", ""}, {"x = '''a\nb'''", NULL}, {"'# [('", NULL}, {"# (", NULL},
			{"x = 1 + \\", ""}, {"@dec", ""}, {"@dec\ndef f():", "    "},
			{"def f():\n\tif x:", "\t\t"}, {"def f():\n    return 1\n", NULL},
			{"'it\\'s ('", NULL}, {"'open", NULL}, {"{'a': 1}", NULL}, {"{'a':", "    "},
			{"x = \"\"\"a\\\"\"\"\"", NULL}, {"print(')')", NULL}, {"f'{x}'", NULL},
			{"def f():  # why", "    "}, {"]", NULL}, {0}};
	(void)state;
	check(LANG_PYTHON, rows);
}

static void javascript(void **state)
{
	static const struct row rows[] = {{"", NULL}, {"let a = 1", NULL}, {"if (a) {", "  "},
			{"if (a) {\n}", NULL}, {"f(() => {", "  "}, {"f(() => {\n  g()", "  "}, {"a +", ""},
			{"a++", NULL}, {"x =>", ""}, {"`a ${b", ""}, {"`a ${b}`", NULL},
			{"`a ${`x`} {`", NULL}, {"`open", ""}, {"/* open", ""}, {"/* ( */ 1", NULL},
			{"// (", NULL}, {"a = /[(]/", NULL}, {"a / b", NULL}, {"'('", NULL},
			{"x ? 'a' : 'b'", NULL}, {"f(a,", ""}, {"let o = {a: 1}", NULL},
			{"try {\n} finally", ""}, {"a /= 2; b = c / d", NULL}, {0}};
	(void)state;
	check(LANG_JAVASCRIPT, rows);
}

static void bash(void **state)
{
	static const struct row rows[] = {{"", NULL}, {"ls -la", NULL}, {"for i in 1 2", ""},
			{"for i in 1 2; do", ""}, {"for i in 1 2; do echo $i; done", NULL},
			{"for i in 1 2\ndo echo $i\ndone", NULL}, {"if true; then", ""},
			{"if true; then echo; fi", NULL}, {"while read x; do echo $x", ""}, {"echo if", NULL},
			{"echo 'a", ""}, {"echo \"a\\\"\"", NULL}, {"f() {", "  "},
			{"f() {\n  echo\n}", NULL}, {"case $x in", ""}, {"case $x in a) echo;; esac", NULL},
			{"ls |", ""}, {"a &&", ""}, {"a &", NULL}, {"cat <<E", ""}, {"cat <<E\na (\n", ""},
			{"cat <<E\na (\nE", NULL}, {"cat <<'E'\n$(\nE", NULL}, {"echo $((1+1))", NULL},
			{"echo ${a}", NULL}, {"echo a \\", ""}, {"x=$(ls", ""}, {"# it's", NULL},
			{"echo a#b", NULL}, {"do-it", NULL}, {"echo {a,b}", NULL}, {"cat <<< x", NULL}, {0}};
	(void)state;
	check(LANG_BASH, rows);
}

/* Whatever the bytes, it comes to an end. */
static void anything(void **state)
{
	static const char bytes[] = "'\"`${}()[]/\\#<\n:a if do E*|&";
	unsigned seed = 7;
	(void)state;
	for (int round = 0; round < 20000; round++) {
		char code[24], indent[64];
		for (size_t i = 0; i < sizeof code - 1; i++) {
			seed = seed * 1103515245u + 12345u;
			code[i] = bytes[(seed >> 16) % (sizeof bytes - 1)];
		}
		code[sizeof code - 1] = '\0';
		for (int lang = 0; lang < LANG_COUNT; lang++)
			is_complete_is((enum dialect)lang, code, indent, sizeof indent);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(python),
			cmocka_unit_test(javascript),
			cmocka_unit_test(bash),
			cmocka_unit_test(anything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
