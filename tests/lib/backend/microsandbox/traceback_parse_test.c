/* SPDX-License-Identifier: MIT */
/* Outputs as CPython 3.11 and Node 20 print them when fed as the server feeds them. */
#include <string.h>

#include "backend/microsandbox/traceback_parse.h"
#include "cmocka_all.h"

enum { LINES_MAX = 32 };

static struct traceback_line lines[LINES_MAX];
static size_t n_lines;

/* Lines of one text; those that begin with '!' are of stderr. */
static void feed(const char *text)
{
	static char copy[4096];
	char *rest;
	strcpy(copy, text);
	n_lines = 0;
	for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		lines[n_lines++] = (struct traceback_line){
				.text = line + (*line == '!'), .is_stderr = *line == '!'};
}

static void expect(const struct blame *b, const char *name, const char *message, size_t n_blamed)
{
	size_t n = 0;
	assert_true(b->is_found);
	assert_string_equal(b->name, name);
	assert_string_equal(b->message, message);
	for (size_t i = 0; i < n_lines; i++)
		n += lines[i].is_blame;
	assert_int_equal(n, n_blamed);
}

static void python(void **state)
{
	struct blame b;
	(void)state;
	feed("out\n!warned\n!Traceback (most recent call last):\n!  File \"<stdin>\", line 1, in <module>\n"
	     "!ZeroDivisionError: division by zero\nout");
	traceback_python(lines, n_lines, &b);
	expect(&b, "ZeroDivisionError", "division by zero", 3);
	feed("!  File \"<stdin>\", line 1\n!    x = = 1\n!        ^\n!SyntaxError: invalid syntax");
	traceback_python(lines, n_lines, &b);
	expect(&b, "SyntaxError", "invalid syntax", 4);
	feed("!Traceback (most recent call last):\n!  File \"<stdin>\", line 1, in <module>\n!KeyError: 'a'\n!\n"
	     "!During handling of the above exception, another exception occurred:\n!\n"
	     "!Traceback (most recent call last):\n!  File \"<stdin>\", line 3, in <module>\n!pkg.sub.MyError");
	traceback_python(lines, n_lines, &b);
	expect(&b, "MyError", "", 9);
}

static void no_exception_of_python(void **state)
{
	static const char *const texts[] = {"", "out", "!Error: x", "!ValueError: only printed",
			"Traceback (most recent call last):\n  File \"x\"\nValueError: on stdout",
			"!Traceback (most recent call last):", "!  File \"<stdin>\", line 1"};
	struct blame b;
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		feed(texts[i]);
		traceback_python(lines, n_lines, &b);
		assert_false(b.is_found);
	}
}

static void node(void **state)
{
	struct blame b;
	(void)state;
	feed("before\nUncaught Error: boom\n    at REPL1:1:7\n    at Script.run (vm)\nafter");
	traceback_node(lines, n_lines, &b);
	expect(&b, "Error", "boom", 3);
	feed("Uncaught 'a text'");
	traceback_node(lines, n_lines, &b);
	expect(&b, "Uncaught", "'a text'", 1);
	feed("Uncaught:\nTypeError");
	traceback_node(lines, n_lines, &b);
	assert_true(b.is_found);
	feed("Uncaughty\n!Uncaught Error: on stderr");
	traceback_node(lines, n_lines, &b);
	assert_false(b.is_found);
}

static void time_outs(void **state)
{
	(void)state;
	feed("out\n!Error: Execution timed out after 30 seconds");
	assert_int_equal(traceback_timeout(lines, n_lines), 1);
	feed("!Error: Execution timed out after 30 seconds\n!more");
	assert_int_equal(traceback_timeout(lines, n_lines), n_lines);
	feed("Error: Execution timed out after 30 seconds");
	assert_int_equal(traceback_timeout(lines, n_lines), n_lines);
	feed("!Error: Execution timed out after 30 seconds, or so");
	assert_int_equal(traceback_timeout(lines, n_lines), n_lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(python),
			cmocka_unit_test(no_exception_of_python),
			cmocka_unit_test(node),
			cmocka_unit_test(time_outs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
