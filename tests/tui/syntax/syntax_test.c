/* SPDX-License-Identifier: MIT */
#include "syntax/syntax.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "cmocka_all.h"
#include "text/history.h"
#include "text/text.h"

static struct grammars *grammars;

static const struct syntax_language *language(const char *name)
{
	return grammars_get(grammars, name, NULL);
}

/* A letter for each kind. */
static char letter(uint8_t kind)
{
	static const char of[SYNTAX_KINDS] = {
			[SYNTAX_TEXT] = '.',
			[SYNTAX_KEYWORD] = 'k',
			[SYNTAX_STRING] = 's',
			[SYNTAX_ESCAPE] = 'e',
			[SYNTAX_EMBED] = 'E',
			[SYNTAX_NUMBER] = 'n',
			[SYNTAX_CONSTANT] = 'C',
			[SYNTAX_COMMENT] = '#',
			[SYNTAX_FUNCTION] = 'f',
			[SYNTAX_BUILTIN] = 'b',
			[SYNTAX_DECORATOR] = '@',
			[SYNTAX_TYPE] = 't',
			[SYNTAX_VARIABLE] = 'v',
			[SYNTAX_PROPERTY] = 'p',
			[SYNTAX_PARAMETER] = 'a',
			[SYNTAX_OPERATOR] = 'o',
			[SYNTAX_PUNCTUATION] = '-',
	};
	return of[kind];
}

/* ---- what things look like ---- */

struct sample {
	const char *code, *kinds; /* line by line; a blank where a blank is nothing special */
};

static void expect_kinds(const char *code, const uint8_t *kinds, const char *want)
{
	char got[512];
	size_t n = strlen(code);
	for (size_t i = 0; i < n; i++)
		got[i] = code[i] == '\n'                             ? '\n'
			 : code[i] == ' ' && kinds[i] == SYNTAX_TEXT ? ' '
								     : letter(kinds[i]);
	got[n] = '\0';
	assert_string_equal(got, want);
}

static void expect_samples(const char *name, const struct sample *samples)
{
	const struct syntax_language *l = language(name);
	if (!l)
		skip();
	for (; samples->code; samples++) {
		uint8_t kinds[512];
		syntax_highlight(l, samples->code, strlen(samples->code), kinds);
		expect_kinds(samples->code, kinds, samples->kinds);
	}
}

static void test_python(void **state)
{
	static const struct sample samples[] = {
			{"# c \"x\"\ny = '# no'", "#######\n. o ssssss"},
			{"def f(a, b=1): return None", "kkk f-a- aon-- kkkkkk CCCC"},
			{"f'a{x + 1!r:>3}b\\n'", "sssE. o neeeeeEsees"},
			{"x = \"\"\"one\n'two'\n\"\"\"", ". o ssssss\nsssss\nsss"},
			{"print(foo(x).bar, o.m())", "bbbbb-fff-.--ppp- .-f---"},
			{"@d\nclass A(B): pass", "@@\nkkkkk t-.-- kkkk"},
			{"async def g(): await h", "kkkkk kkk f--- kkkkk ."},
			{"match x:\n    case 1: pass", "kkkkk .-\n    kkkk n- kkkk"},
			{NULL, NULL},
	};
	(void)state;
	expect_samples("python", samples);
}

static void test_javascript(void **state)
{
	static const struct sample samples[] = {
			{"/* a */ let re = /a\"b/g, d = 4 / 2 / 1", "####### kkk .. o ssssse- . o n o n o n"},
			{"`a ${b + `c ${d}`} e`", "sssEE. o sssEE.EsEsss"},
			{"// c `x`\nfoo(\"s\\t\")", "########\nfff-ssees-"},
			{"class A extends B { m(x) { this.y = null } }",
					"kkkkk t kkkkkkk t - f-a- - bbbb-p o CCCC - -"},
			{NULL, NULL},
	};
	(void)state;
	expect_samples("javascript", samples);
}

static void test_bash(void **state)
{
	static const struct sample samples[] = {
			{"# c\necho \"a $x $(ls -l) b\" 'r'", "###\nbbbb sssvvoooff aa-sss sss"},
			{"cat <<EOF\na $x $(date)\n\"q\"\nEOF\nls", "fff ooeee\nssvvsooffff-\nsss\neee\nff"},
			{"cat <<'E2' | tee x\na $x\nE2\n", "fff ooeeee o fff .\nssss\nee\n"},
			{"if [ -n \"$x\" ]; then foo; fi", "kk - oo svvs -- kkkk fff- kk"},
			{NULL, NULL},
	};
	(void)state;
	expect_samples("bash", samples);
}

static void test_c(void **state)
{
	static const struct sample samples[] = {
			{"#include <stdio.h>\nint main(void) { return 0; }",
					"kkkkkkkk sssssssss\nttt ffff-tttt- - kkkkkk n- -"},
			{"// c\nchar *s = \"a\\n\"; f(s->x, NULL);", "####\ntttt o. o ssees- f-.oop- CCCC--"},
			{NULL, NULL},
	};
	(void)state;
	expect_samples("c", samples);
}

static void test_cpp(void **state)
{
	static const struct sample samples[] = {
			{"class A { int x; };", "kkkkk t - ttt p- --"},
			{"auto v = std::max(1, this->n);", "tttt . o ...--fff-n- bbbboop--"},
			{NULL, NULL},
	};
	(void)state;
	expect_samples("cpp", samples);
}

static void test_java(void **state)
{
	static const struct sample samples[] = {
			{"class A { @Override void m(int a) { p.q(\"s\", 1); } }",
					"kkkkk t - @@@@@@@@@ tttt f-ttt a- - b-f-sss- n-- - -"},
			{NULL, NULL},
	};
	(void)state;
	expect_samples("java", samples);
}

static void test_go(void **state)
{
	static const struct sample samples[] = {
			{"package main\nfunc f(a int) string { return `x` + fmt.Sprint(nil, 1) }",
					"kkkkkkk ....\nkkkk f-a ttt- tttttt - kkkkkk sss o ...-ffffff-CCC- n- -"},
			{NULL, NULL},
	};
	(void)state;
	expect_samples("go", samples);
}

static void test_ruby(void **state)
{
	static const struct sample samples[] = {
			{"# c\ndef f(a)\n  @x = :y\n  puts \"a #{a}\", nil, 2\nend",
					"###\nkkk f-a-\n  vv o ss\n  bbbb sssEE.Es- CCC- n\nkkk"},
			{NULL, NULL},
	};
	(void)state;
	expect_samples("ruby", samples);
}

static void test_odd_code(void **state)
{
	uint8_t kinds[8192];
	char deep[8192];
	(void)state;
	if (!language("javascript"))
		skip();
	syntax_highlight(language("javascript"), "", 0, kinds);
	syntax_highlight(NULL, "if", 2, kinds);
	assert_int_equal(kinds[0], SYNTAX_TEXT);
	memset(deep, '(', sizeof(deep));
	syntax_highlight(language("javascript"), deep, sizeof(deep), kinds);
	memset(deep, '\xFF', sizeof(deep));
	syntax_highlight(language("python"), deep, sizeof(deep), kinds);
	assert_null(grammars_get(grammars, "cobol", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_python),
			cmocka_unit_test(test_c),
			cmocka_unit_test(test_cpp),
			cmocka_unit_test(test_java),
			cmocka_unit_test(test_go),
			cmocka_unit_test(test_ruby),
			cmocka_unit_test(test_javascript),
			cmocka_unit_test(test_bash),
			cmocka_unit_test(test_odd_code),
	};
	grammars = grammars_create();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	grammars_destroy(grammars);
	return failed;
}
