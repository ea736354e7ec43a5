/* SPDX-License-Identifier: MIT */
#include "command/source_ref.h"

#include <string.h>

#include "cmocka_all.h"

static const struct {
	const char *text, *name; /* NULL: no place */
	size_t line, column;
} cases[] = {
		{"  File \"notes.py\", line 12, in f", "notes.py", 12, 0},
		{"  File \"<run 3>\", line 2", "<run 3>", 2, 0},
		{"    at f (/tmp/t.js:2:9)", "/tmp/t.js", 2, 9},
		{"    at /tmp/t.js:4:1", "/tmp/t.js", 4, 1},
		{"<run 1>:1", "<run 1>", 1, 0},
		{"    at g (<run 12>:3:4)", "<run 12>", 3, 4},
		{"notes.js:7", "notes.js", 7, 0},
		{"notes.sh: line 2: nosuch: command not found", "notes.sh", 2, 0},
		{"<run 1>: line 1: nosuch: command not found", "<run 1>", 1, 0},
		{"s.sh: eval: line 2: syntax error", "s.sh", 2, 0},
		{"environment: line 4: nosuch2: command not found", "environment", 4, 0},
		{"bad.c:4:9: error: 'nothing' undeclared", "bad.c", 4, 9},
		{"<run 7>:1:19: warning: extra tokens", "<run 7>", 1, 19},
		{"./bad.go:3:15: undefined: nothing", "./bad.go", 3, 15},
		{"bad.java:4: error: ';' expected", "bad.java", 4, 0},
		{"\tat Greeter.main(Greeter.java:9)", "Greeter.java", 9, 0},
		{"bad.ts:3:11 - error TS1109: Expression expected.", "bad.ts", 3, 11},
		{"bad.r:3:6: unexpected ')'", "bad.r", 3, 6},
		{"  f() at notes.r:2", "notes.r", 2, 0},
		{"bad.rb:4: syntax error, unexpected ')'", "bad.rb", 4, 0},
		{"bad.rb:3:in `main': undefined method `chomp'", "bad.rb", 3, 0},
		{"\tfrom bad.rb:7:in `<main>'", "bad.rb", 7, 0},
		{"10.0.0.1:8080: connection refused", NULL, 0, 0},
		{"12:30:05: late", NULL, 0, 0},
		{"ValueError: bad: 3", NULL, 0, 0},
		{"it is 12:30 now", NULL, 0, 0},
		{"at 10.0.0.1:8080/x", NULL, 0, 0},
		{"File \"x\", line ", NULL, 0, 0},
		{"", NULL, 0, 0},
		{":1", NULL, 0, 0},
		{": line 5:", NULL, 0, 0},
		{">:1", NULL, 0, 0},
};

static void finds_what_is_named(void **state)
{
	struct source_ref p;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool found = source_ref_find(cases[i].text, &p);
		if (found != (cases[i].name != NULL))
			print_error("%s\n", cases[i].text);
		assert_int_equal(found, cases[i].name != NULL);
		if (!found)
			continue;
		assert_int_equal(p.name_len, strlen(cases[i].name));
		assert_memory_equal(p.name, cases[i].name, p.name_len);
		assert_int_equal(p.line, cases[i].line);
		assert_int_equal(p.column, cases[i].column);
		assert_true(p.from < p.to && p.to <= strlen(cases[i].text));
	}
}

/* The text may stand in a longer one: what is in front of it is not looked at. */
static void looks_at_nothing_before_it(void **state)
{
	struct source_ref p;

	(void)state;
	assert_false(source_ref_find(&"<run 3>:1"[1], &p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(finds_what_is_named), cmocka_unit_test(looks_at_nothing_before_it)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
