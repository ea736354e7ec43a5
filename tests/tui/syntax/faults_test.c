/* SPDX-License-Identifier: MIT */
/* What is marked as wrong, and what is not. */
#include "syntax/syntax.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "text/history.h"
#include "text/text.h"

static struct grammars *grammars;

/* The code, with a ^ in place of each marked byte; blanks stay. */
static char *marked(const char *name, const char *code)
{
	struct text *t = text_create();
	struct history *h = history_create(t);
	struct syntax *s = syntax_create();
	size_t n = strlen(code);
	uint8_t *kinds = malloc(n + 1);
	char *out = strdup(code);

	syntax_set_language(s, grammars_get(grammars, name, NULL));
	history_listen(h, syntax_edited, s);
	history_begin(h, (struct selection){0}, false);
	assert_int_equal(history_insert(h, 0, code, n), 0);
	for (int turns = 0; turns < 10000 && syntax_is_behind(s, t, 0, n); turns++)
		syntax_work(s, t, 0, n, 0);
	syntax_paint_faults(s, t, 0, n, kinds);
	for (size_t i = 0; i < n; i++)
		out[i] = kinds[i] & SYNTAX_FAULT ? '^' : code[i];
	syntax_paint(s, t, 0, n, kinds);
	for (size_t i = 0; i < n; i++)
		assert_false(kinds[i] & SYNTAX_FAULT);
	syntax_destroy(s);
	history_destroy(h);
	free(kinds);
	return out;
}

static void expect_marks(const char *name, const char *code, const char *want)
{
	char *got = marked(name, code);

	assert_string_equal(got, want);
	free(got);
}

static void what_can_be_mended_is_marked(void **state)
{
	(void)state;
	if (!grammars_get(grammars, "python", NULL))
		skip();
	expect_marks("python", "x = 1\ny = f(2\n", "x = 1\ny = f^2\n");
	expect_marks("python", "x = [1, (2]\n", "x = [1, (^]\n");
	expect_marks("python", "y = = 3\nz = 4\n", "y = ^ 3\nz = 4\n");
	expect_marks("python", "x = 1)\n", "x = 1^\n");
	expect_marks("javascript", "f(1);\nlet x = {a: 1\n", "f(1);\nlet x = ^a: 1\n");
}

static void sound_code_is_not(void **state)
{
	static const char *const sound[] = {
			"def f(a, *b, c=1, **d) -> int:\n    return f'{a!r:>3}' if a else b\n",
			"x = (1 +\n     2)\n\nasync def g():\n    async with a as b, c as d:\n        yield\n",
			"match x:\n    case [1, *rest] if rest:\n        pass\n    case {'a': b}:\n        pass\n",
			"print(*a, sep='')\nlambda x, /, y: 0\ntype_ = list[int]\n@d.e(1)\nclass A(B, metaclass=C): x: int = 1\n",
			"with open('x') as f: pass\nglobal_ = {**a, 'b': [*c]}\nif (n := 10) > 5: pass\n"};

	(void)state;
	for (size_t i = 0; i < sizeof sound / sizeof *sound; i++)
		expect_marks("python", sound[i], sound[i]);
}

/* Bash's grammar calls much wrong that is right. */
static void a_grammar_that_errs_is_not_trusted(void **state)
{
	(void)state;
	expect_marks("bash", "if true; then (\n", "if true; then (\n");
}

/* A window of a long text may end in the midst of a statement: that is no error. */
static void where_parsing_stopped_is_no_error(void **state)
{
	enum { LINES = 6000 };
	char *code = malloc(LINES * 24), *got;
	size_t n = 0;

	(void)state;
	n += (size_t)sprintf(code, "x = [\n");
	for (int i = 0; i < LINES; i++)
		n += (size_t)sprintf(code + n, "  %d, 'abc',\n", i);
	sprintf(code + n, "]\n");
	got = marked("python", code);
	assert_string_equal(got, code);
	free(got);
	free(code);
}

static void find_word(void *user, const char *word, uint8_t kind)
{
	unsigned *found = user;

	*found |= strcmp(word, "while") == 0 && kind == SYNTAX_KEYWORD ? 1 : 0;
	*found |= strcmp(word, "isinstance") == 0 && kind == SYNTAX_BUILTIN ? 2 : 0;
	*found |= strcmp(word, "None") == 0 && kind == SYNTAX_CONSTANT ? 4 : 0;
	assert_true(*word && !strchr(word, ' '));
}

static void the_grammar_knows_words(void **state)
{
	unsigned found = 0;

	(void)state;
	if (!grammars_get(grammars, "python", NULL))
		skip();
	syntax_words(grammars_get(grammars, "python", NULL), find_word, &found);
	assert_int_equal(found, 7);
	syntax_words(NULL, find_word, &found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(what_can_be_mended_is_marked),
			cmocka_unit_test(sound_code_is_not),
			cmocka_unit_test(a_grammar_that_errs_is_not_trusted),
			cmocka_unit_test(where_parsing_stopped_is_no_error),
			cmocka_unit_test(the_grammar_knows_words),
	};
	grammars = grammars_create();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	grammars_destroy(grammars);
	return failed;
}
