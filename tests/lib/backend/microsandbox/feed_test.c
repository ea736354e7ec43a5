/* SPDX-License-Identifier: MIT */
/* That the wrapped code does what it shall is seen in tests/clients/client_test.py, with real interpreters.
 */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "backend/microsandbox/feed.h"

static char *wrap(enum dialect lang, const char *code)
{
	char *wrapped;
	assert_int_equal(feed_wrap(lang, code, "tag7", &wrapped), 0);
	return wrapped;
}

static void simple_code_is_sent_as_it_is(void **state)
{
	static const char *const python[] = {"", "print(1)", "x = 1\ny = 2\nx + y",
			"import math\nmath.sqrt(16)", "print('%099d' % 7)", "f([1, 2], {'a': 3})",
			"forest = 1\niffy = 2", "1/0", NULL};
	static const char *const node[] = {"console.log(1)", "let a = 1\na + 1",
			"let x = 1\nlet y = `a`\nf(x)", "await 1\n.x", "// text\n1", NULL};
	(void)state;
	for (int i = 0; python[i]; i++)
		assert_null(wrap(DIALECT_PYTHON, python[i]));
	for (int i = 0; node[i]; i++)
		assert_null(wrap(DIALECT_JAVASCRIPT, node[i]));
	assert_null(wrap(DIALECT_BASH, "for i in 1 2; do echo $i; done"));
}

static void odd_code_becomes_one_line(void **state)
{
	static const char *const python[] = {"for i in range(3): print(i)", "def f():\n    return 1\nf()",
			"if x:\n\ty", "print('x', end='')", "input()", "exit(3)", "f(", "x = '''a\n\nb'''",
			"@f\ndef g(): pass", "x = 1 + \\\n 2", "try: pass\nexcept: pass",
			"import sys; sys.stdout.write('a')", NULL};
	static const char *const node[] = {"if (a) {\n} else {\n}",
			"function f(x) {\n  return x * 2\n}\nf(4)", "`a\nb`", "if (a) {\n}\nelse {\n}",
			"f()\n  .then(g)", "process.stdout.write('x')", "process.exit(3)", "f(",
			"try {\n}\ncatch (e) {\n}", NULL};
	(void)state;
	for (int lang = DIALECT_PYTHON; lang <= DIALECT_JAVASCRIPT; lang++)
		for (const char *const *code = lang == DIALECT_PYTHON ? python : node; *code; code++) {
			char *wrapped = wrap((enum dialect)lang, *code);
			assert_non_null(wrapped);
			assert_null(strchr(wrapped, '\n'));
			assert_non_null(strstr(wrapped, "tag7"));
			free(wrapped);
		}
}

static void literals_are_ascii(void **state)
{
	(void)state;
	char *wrapped = wrap(DIALECT_PYTHON, "if 1: print('\\ \xc3\xa9\xf0\x9f\x98\x80\r\t\x01')");
	assert_non_null(strstr(wrapped, "'if 1: print(\\'\\\\ \\u00e9\\U0001f600\\u000d\\u0009\\u0001\\')'"));
	free(wrapped);
	wrapped = wrap(DIALECT_JAVASCRIPT, "f('\xf0\x9f\x98\x80'");
	assert_non_null(strstr(wrapped, "'f(\\'\\u{1f600}\\''"));
	free(wrapped);
}

static void tags_are_taken_out(void **state)
{
	(void)state;
	struct traceback_line closed[] = {
			{.text = "a"}, {.text = ""}, {.text = "tag7"}, {.text = "warn", .is_stderr = true}};
	size_t n = 4;
	assert_int_equal(feed_unwrap(DIALECT_PYTHON, "tag7", closed, &n), -1);
	assert_int_equal(n, 2);
	assert_string_equal(closed[0].text, "a");
	assert_false(closed[0].is_open);
	assert_string_equal(closed[1].text, "warn");

	struct traceback_line open[] = {{.text = "tag7 said I"}, {.text = "a"}, {.text = "tag73"}};
	n = 3;
	assert_int_equal(feed_unwrap(DIALECT_PYTHON, "tag7", open, &n), 3);
	assert_int_equal(n, 2);
	assert_true(open[1].is_open);

	struct traceback_line alone[] = {{.text = "tag70"}};
	n = 1;
	assert_int_equal(feed_unwrap(DIALECT_PYTHON, "tag7", alone, &n), 0);
	assert_int_equal(n, 0);

	struct traceback_line node[] = {{.text = "a"}, {.text = "tag7"}};
	n = 2;
	assert_int_equal(feed_unwrap(DIALECT_JAVASCRIPT, "tag7", node, &n), -1);
	assert_int_equal(n, 1);
	assert_false(node[0].is_open);

	struct traceback_line none[] = {{.text = "a"}};
	n = 1;
	assert_int_equal(feed_unwrap(DIALECT_PYTHON, "tag7", none, &n), -1);
	assert_int_equal(n, 1);
	n = 0;
	assert_int_equal(feed_unwrap(DIALECT_PYTHON, "tag7", none, &n), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(simple_code_is_sent_as_it_is),
			cmocka_unit_test(odd_code_becomes_one_line),
			cmocka_unit_test(literals_are_ascii),
			cmocka_unit_test(tags_are_taken_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
