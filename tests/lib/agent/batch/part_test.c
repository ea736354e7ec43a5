/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "agent/batch/part.h"

static bool knows(void *user, const char *name, size_t n)
{
	(void)user;
	return n == 1 && strchr("abx", *name);
}

static void kinds_of_parts_are_known(void **state)
{
	static const struct {
		const char *code;
		enum part_kind kind;
		const char *name;
	} samples[] = {{"#include <map>", PART_INCLUDE, ""}, {"#include \"a.h\"", PART_DIRECTIVE, ""},
			{"#if 1\nint q;\n#endif", PART_DIRECTIVE, ""},
			{"using namespace std;", PART_TYPE, ""}, {"int x = 4;", PART_OBJECT, "x"},
			{"std::vector<int> v{1, 2};", PART_OBJECT, "v"},
			{"std::map<int, std::vector<int>> m = {{1, {}}};", PART_OBJECT, "m"},
			{"auto l = [](int a) { return a; };", PART_OBJECT, "l"},
			{"std::string s(3, 'x');", PART_OBJECT, "s"},
			{"auto [p, q] = f();", PART_BINDING, "p"},
			{"int sq(int a) { return a; }", PART_FUNCTION, "sq"},
			{"auto f(int a) -> int { return a; }", PART_FUNCTION, "f"},
			{"P::P() : v{1} { }", PART_FUNCTION, ""}, {"int f(int);", PART_TYPE, "f"},
			{"size_t f(const char *s);", PART_TYPE, "f"},
			{"struct P { int a; P() : a{1} {} };", PART_TYPE, "P"},
			{"struct P p = {1};", PART_OBJECT, "p"}, {"struct { int a; } p;", PART_OBJECT, "p"},
			{"enum class E { A };", PART_TYPE, "E"},
			{"template <class T> T most(T a) { return a; }", PART_TYPE, "most"},
			{"namespace n { int k = 1; }", PART_NAMESPACE, ""},
			{"Foo *p = nullptr;", PART_OBJECT, "p"},
			{"int (*call)(int) = f;", PART_OBJECT, "call"}, {"a * b;", PART_STATEMENT, ""},
			{"x = 5;", PART_STATEMENT, ""}, {"std::cout << x;", PART_STATEMENT, ""},
			{"for (;;) { x++; }", PART_STATEMENT, ""},
			{"if (x) f(); else g();", PART_STATEMENT, ""},
			{"do { x++; } while (x < 3);", PART_STATEMENT, ""},
			{"try { f(); } catch (...) { }", PART_STATEMENT, ""}, {"a < b", PART_EXPRESSION, ""},
			{"R\"(a;b)\"", PART_EXPRESSION, ""},
			{"std::vector<int>{1, 2}.size()", PART_EXPRESSION, ""},
			{"f([] { return 1; })", PART_EXPRESSION, ""}};
	(void)state;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		char code[200];
		struct part p;
		int n = snprintf(code, sizeof code, "%s\n;", samples[i].code);
		size_t len = (size_t)n - (samples[i].kind == PART_EXPRESSION ? 1 : 0);
		assert_true(part_next(code, len, knows, NULL, &p));
		if (p.kind != samples[i].kind || p.n != strlen(samples[i].code))
			fail_msg("%s: kind %d, %zu bytes", code, p.kind, p.n);
		if (p.n_names != (*samples[i].name ? p.n_names : 0)
				|| strncmp(samples[i].name, p.n_names ? p.names[0] : "",
						   strlen(samples[i].name))
						   != 0)
			fail_msg("%s: other names", code);
	}
}

static void completeness_is_known(void **state)
{
	static const struct {
		const char *code;
		enum part_state state;
	} samples[] = {{"", PART_COMPLETE}, {"int x = 4", PART_COMPLETE}, {"x", PART_COMPLETE},
			{"int f() {", PART_INCOMPLETE}, {"int f(int a)", PART_INCOMPLETE},
			{"if (x)", PART_INCOMPLETE}, {"if (x) { f(); } else", PART_INCOMPLETE},
			{"struct P", PART_INCOMPLETE}, {"1 +", PART_INCOMPLETE},
			{"template <class T>", PART_INCOMPLETE}, {"/* a", PART_INCOMPLETE},
			{"#if 1\nint a;", PART_INCOMPLETE}, {"R\"(a", PART_INCOMPLETE},
			{"1 + )", PART_INVALID}, {"}", PART_INVALID}};
	(void)state;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
		if (part_state_of(samples[i].code, strlen(samples[i].code), knows, NULL) != samples[i].state)
			fail_msg("\"%s\": another state", samples[i].code);
}

static void main_is_found(void **state)
{
	const char program[] = "#include <cstdio>\nint main(int argc, char **argv)\n{\n}\n";
	const char piece[] = "int domain() { return 1; }\nmain_loop();\n\"int main() {}\"";
	(void)state;
	assert_true(part_has_main(program, strlen(program)));
	assert_false(part_has_main(piece, strlen(piece)));
}

/* Whatever the bytes are, parts follow one another and end. */
static void rubbish_ends(void **state)
{
	char code[64 + 1] = "";
	unsigned seed = 1;
	(void)state;
	for (int round = 0; round < 20000; round++) {
		static const char signs[] = "a1 \n#\"'R(){}[];:<>,=*&/\\.if-";
		struct part p;
		for (size_t i = 0; i < sizeof code - 1; i++)
			code[i] = signs[((seed = seed * 1103515245 + 12345) >> 16) % (sizeof signs - 1)];
		for (const char *at = code;
				part_next(at, (size_t)(code + sizeof code - 1 - at), knows, NULL, &p);) {
			assert_true(p.at >= at && p.n && p.at + p.n < code + sizeof code);
			at = p.at + p.n;
		}
		part_state_of(code, sizeof code - 1, knows, NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(kinds_of_parts_are_known),
			cmocka_unit_test(completeness_is_known),
			cmocka_unit_test(main_is_found),
			cmocka_unit_test(rubbish_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
