/* SPDX-License-Identifier: MIT */
/* Pieces of C: what stays, what a bad end costs, and how values are shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <terrarium/lang.h>

#include "kernel/drivers/harness.h"

static struct driver *driver;

static int start(void **state)
{
	const struct trm_lang *lang;
	(void)state;
	if (access("/usr/bin/gcc", X_OK)) {
		print_message("SKIP: gcc is not installed\n");
		exit(77);
	}
	if (trm_lang_find("c", &lang, NULL) < 0)
		return -1;
	driver = driver_start(lang->index);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	driver_stop(driver);
	return 0;
}

static void values_of_c_are_shown(void **state)
{
	static const struct {
		const char *code, *value;
	} samples[] = {{"6 * 7", "42"}, {"1 < 2", "1"}, {"(_Bool)1", "true"}, {"(char)97", "'a'"},
			{"\"a\\n\\\"\"", "\"a\\n\\\"\""}, {"0.1", "0.1"}, {"2.0", "2.0"}, {"0.1f", "0.1"},
			{"5u - 6u", "4294967295"}, {"(int *)0", "NULL"}, {"(void)0", NULL}, {"1;", NULL},
			{"struct Two { int a, b; };\n(struct Two){1, 2}", "(struct)"},
			{"int i = 3;\ni += 2", "5"}, {"int primes[] = {2, 3, 5};\nprimes", "{2, 3, 5}"},
			{"primes", "{2, 3, 5}"}, {"char word[] = \"abc\";\nword", "\"abc\""},
			{"const char *names[] = {\"x\", \"y\"};\nnames", "{\"x\", \"y\"}"},
			{"enum color { red, green };\ngreen", "1"}};
	(void)state;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
		check_value(driver, samples[i].code, samples[i].value);
}

/* Of a piece and of a program. */
static void the_time_of_compiling_is_known(void **state)
{
	static const char *const codes[] = {"1 + 1", "int main(void) { return 0; }"};
	(void)state;
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		check_value(driver, codes[i], i ? NULL : "2");
		const cJSON *us = cJSON_GetObjectItem(driver->done, "compile_us");
		assert_true(cJSON_IsNumber(us) && us->valuedouble > 100);
	}
}

static void declarations_of_c_stay(void **state)
{
	(void)state;
	check_run(driver,
			"#include <math.h>\n#include <stdlib.h>\n#define TWICE(x) (2 * (x))\n"
			"typedef struct point { int x, y; } point;\nstruct node { struct node *next; int v; };\n"
			"static int add(int a, int b) { return a + b; }\n"
			"int count(void) { static int calls = 0; return ++calls; }\n"
			"int total = 10, *at = &total, list[4] = {1, 2, 3};\n"
			"point here = {3, 4};\nint (*chosen)(int, int) = add;\n"
			"struct { int inner; } unnamed = {8};\n__auto_type kind = 2.5;\nconst int limit = 7;",
			"ok", "");
	check_value(driver, "count()", "1");
	check_run(driver, "*at += TWICE(add(1, 1));\nlist[3] = chosen(2, 2);\nhere.x++;", "ok", "");
	check_value(driver, "total", "14");
	check_value(driver, "list", "{1, 2, 3, 4}");
	check_value(driver, "(int)(sizeof list / sizeof *list)", "4");
	check_value(driver, "here.x * 10 + here.y", "44");
	check_value(driver, "count() + unnamed.inner + limit", "17");
	check_value(driver, "kind + sqrt(4.0)", "4.5");
	check_run(driver, "struct node first = {NULL, 1};\nstruct node second = {&first, 2};", "ok", "");
	check_value(driver, "second.next->v", "1");
}

static void initializers_may_call_functions(void **state)
{
	(void)state;
	check_run(driver,
			"#include <stdlib.h>\nint made(int n) { return n + 1; }\nconst int fixed = made(4);\n"
			"int *heap = malloc(4 * sizeof *heap);\nint some[] = {made(1), made(2)};\nheap[0] = fixed;",
			"ok", "");
	check_value(driver, "heap[0] + fixed", "10");
	check_value(driver, "some", "{2, 3}");
	check_value(driver, "sizeof some / sizeof *some", "2");
}

static void no_piece_of_c_runs_again(void **state)
{
	(void)state;
	check_run(driver,
			"FILE *out = fopen(\"c.log\", \"a\");\nfputs(\"line\\n\", out);\nfclose(out);\nint rows = 0;",
			"ok", "");
	for (int i = 0; i < 3; i++)
		check_value(driver, "rows", "0");
	check_run(driver,
			"FILE *in = fopen(\"c.log\", \"r\");\nfor (int c; (c = getc(in)) != EOF;)\n\trows += c == '\\n';",
			"ok", "");
	check_value(driver, "rows", "1");
}

static void a_name_of_c_can_be_declared_anew(void **state)
{
	(void)state;
	check_run(driver, "int again = 1;\nint seen(void) { return again; }\nstruct pair { int again; };",
			"ok", "");
	check_run(driver, "double again = 2.5;", "ok", "");
	check_value(driver, "again", "2.5");
	check_value(driver, "seen()", "1");
	check_value(driver, "(struct pair){3}.again", "3");
	check_run(driver, "struct pair old = {4};", "ok", "");
	check_run(driver, "struct pair { int a, b; };", "ok", "");
	check_value(driver, "old.again", "4");
	check_value(driver, "((struct pair){1, 2}).b", "2");
	check_run(driver, "int seen(void) { return 7; }", "ok", "");
	check_value(driver, "seen()", "7");
	check_run(driver, "typedef struct same { int v; } same;\nsame one = {5};", "ok", "");
	check_run(driver, "typedef struct same { int v; } same;", "ok", "");
	check_value(driver, "one.v", "5");
	check_error(driver, "int dup = 1;\nint dup = 2;", "CompileError");
}

static void a_function_can_be_announced(void **state)
{
	(void)state;
	check_run(driver, "int later(int);\nint early(int n) { return later(n); }", "ok", "");
	check_run(driver, "int later(int n) { return n * 3; }", "ok", "");
	check_value(driver, "early(4)", "12");
	check_run(driver, "double cbrt(double);", "ok", "");
	check_value(driver, "cbrt(8)", "2.0");
}

static void names_of_the_library_can_be_used(void **state)
{
	(void)state;
	check_run(driver, "int read = 5;\nint open(void) { return 6; }", "ok", "");
	check_value(driver, "read * 10 + open()", "56");
}

static void a_bad_end_costs_one_piece_of_c(void **state)
{
	static const struct {
		const char *code, *name;
		int exit_code;
	} ends[] = {{"*(volatile int *)0 = 1;", "Segmentation fault", 139}, {"abort();", "Aborted", 134},
			{"exit(4);", "", 4}};
	char code[300];
	(void)state;
	check_run(driver, "#include <stdlib.h>\nint kept = 42;", "ok", "");
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		snprintf(code, sizeof code, "kept = 1;\n%s", ends[i].code);
		driver_run(driver, code);
		const cJSON *error = cJSON_GetObjectItem(driver->done, "error");
		const cJSON *exit_code = cJSON_GetObjectItem(driver->done, "exit_code");
		if (*ends[i].name)
			assert_contains(cJSON_GetStringValue(cJSON_GetObjectItem(error, "name")),
					ends[i].name);
		assert_int_equal(exit_code ? exit_code->valueint : -1, ends[i].exit_code);
		check_value(driver, "kept", "42");
	}
}

static void errors_of_c_have_their_place(void **state)
{
	(void)state;
	check_error(driver, "int fine = 1;\nfine + nothing", "CompileError");
	assert_contains(driver_traceback(driver), ":2:");
	assert_contains(driver_traceback(driver), "nothing");
	assert_lacks(driver_traceback(driver), "<terrarium>");
	assert_lacks(driver_traceback(driver), "trm_");
	check_error(driver, "unheard_of(1);", "CompileError");
	check_error(driver, "fine", "CompileError");
	driver_run(driver, "int down(int n)\n{\n\treturn *(volatile int *)0 + n;\n}\ndown(1);");
	assert_contains(driver_traceback(driver), "at down (");
	assert_contains(driver_traceback(driver), ":3");
}

static void variables_of_c_are_known(void **state)
{
	(void)state;
	check_run(driver, "unsigned long big = 5;\nchar *hello = \"hi\";\nint square[2] = {1, 4};", "ok", "");
	const cJSON *data = driver_ask(driver, "inspect", "big", 1);
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(data, "value")), "5");
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(data, "type")), "unsigned long ");
	data = driver_ask(driver, "inspect", "square", 1);
	assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(data, "value")), "{1, 4}");
}

static void programs_of_c_run_between_pieces(void **state)
{
	(void)state;
	check_run(driver, "int mine = 3;", "ok", "");
	check_run(driver, "#include <stdio.h>\nint main(void) { puts(\"whole\"); }", "ok", "whole\n");
	check_value(driver, "mine", "3");
	driver_ask(driver, "reset", "", 0);
	check_error(driver, "mine", "CompileError");
	check_value(driver, "int mine = 4;\nmine", "4");
}

/* A whole program that ends in abort(), and what is left of its output. */
static void check_crash(const char *code, const char *output)
{
	driver_run(driver, code);
	assert_string_equal(driver_text_of(driver, "status"), "error");
	assert_int_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(driver->done, "exit_code")), 134);
	assert_string_equal(driver->out, output);
}

static void lines_of_a_crashed_program_are_shown(void **state)
{
	(void)state;
	check_crash("#include <stdio.h>\n#include <stdlib.h>\n"
		    "int main(void) { printf(\"last\\nhalf\"); abort(); }",
			"last\n");
	/* The program's own buffer wins. */
	check_crash("#include <stdio.h>\n#include <stdlib.h>\n"
		    "int main(void) { setvbuf(stdout, NULL, _IOFBF, 8192); puts(\"lost\"); abort(); }",
			"");
}

static void prompts_of_programs_are_shown(void **state)
{
	(void)state;
	driver_send(driver,
			"#include <stdio.h>\n"
			"int main(void) { char s[9]; printf(\"Name? \"); printf(\"%s\", fgets(s, 9, stdin)); }");
	driver_wait_text(driver, 0, "Name? ");
	driver_stdin(driver, "Ada\n");
	driver_wait(driver);
	assert_string_equal(driver->out, "Name? Ada\n");
}

/* What a program may do that a header in front of it would spoil. */
static void line_buffers_change_no_program(void **state)
{
	(void)state;
	check_run(driver,
			"static int stdin = 2, stdout = 3;\nint setvbuf(int a) { return a * 7; }\n"
			"int main(void) { return setvbuf(stdin * stdout) - 42; }",
			"ok", "");
	check_run(driver,
			"#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n"
			"int main(void) { char *s; return asprintf(&s, \"%d\", 42) != 2 || puts(s) < 0; }",
			"ok", "42\n");
	check_run(driver,
			"#include <stdio.h>\n#include <stdio.h>\n"
			"int main(void) { int stdio = __LINE__;\n#line 90 \"other.c\"\n"
			"printf(\"%d %d %s\\n\", stdio, __LINE__, __FILE__); }",
			"ok", "3 90 other.c\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(values_of_c_are_shown),
			cmocka_unit_test(the_time_of_compiling_is_known),
			cmocka_unit_test(declarations_of_c_stay),
			cmocka_unit_test(initializers_may_call_functions),
			cmocka_unit_test(no_piece_of_c_runs_again),
			cmocka_unit_test(a_name_of_c_can_be_declared_anew),
			cmocka_unit_test(a_function_can_be_announced),
			cmocka_unit_test(names_of_the_library_can_be_used),
			cmocka_unit_test(a_bad_end_costs_one_piece_of_c),
			cmocka_unit_test(errors_of_c_have_their_place),
			cmocka_unit_test(variables_of_c_are_known),
			cmocka_unit_test(programs_of_c_run_between_pieces),
			cmocka_unit_test(lines_of_a_crashed_program_are_shown),
			cmocka_unit_test(prompts_of_programs_are_shown),
			cmocka_unit_test(line_buffers_change_no_program),
	};
	return cmocka_run_group_tests(tests, start, stop);
}
