/* SPDX-License-Identifier: MIT */
/* Marks of cells in strings, where the grammar is at hand. */
#include <stdlib.h>
#include <string.h>

#include <terrarium/lang.h>

#include "cmocka_all.h"
#include "editor/editor.h"
#include "syntax/syntax.h"
#include "text/text.h"

static struct grammars *grammars;
static struct clipboard clipboard;
static struct editor e;

static const struct {
	const char *lang, *text;
	size_t n_cells; /* with the grammar */
	size_t n_plain; /* without it */
} cases[] = {
		{"python", "a = 1\n# %%\nb = 2\n", 2, 2},
		{"python", "a = '''\n# %%\n'''\n# %%\nb = 2\n", 2, 3},
		{"python", "def f():\n    \"\"\"\n# %%\n    \"\"\"\n", 1, 2},
		{"python", "!ls\n# %%\na = f'''\n# %%\n{a}'''\n", 2, 3},
		/* A string that lacks its end leaves the cells below it alone. */
		{"python", "a = '''\n# %%\nb = 2\n", 2, 2},
		{"python", "a = '''\n# %%\nb = 2\n# %%\ndef f():\n    '''doc'''\n", 3, 3},
		{"bash", "cat <<E\n# %%\nE\n# %%\nls\n", 2, 3},
		{"bash", "cat <<E\n# %%\nls\n", 2, 2},
		{"bash", "a='\n# %%\n'\n", 1, 2},
		{"javascript", "a = `\n// %%\n`\n// %%\nb\n", 2, 3},
		{"javascript", "a = `\n// %%\nb\n", 2, 2},
};

static size_t count_cells(void)
{
	struct editor_run all = editor_run_of(&e, EDITOR_RUN_CELLS), cell;
	size_t pos = all.pos, n = 0;

	while (editor_take_cell(&e, all, &pos, &cell))
		n++;
	return n;
}

static void given(size_t i, const struct syntax_language *l)
{
	const struct trm_lang *lang;

	assert_int_equal(trm_lang_find(cases[i].lang, &lang, NULL), 0);
	assert_int_equal(editor_init(&e, lang, &clipboard), 0);
	syntax_set_language(e.syntax, l);
	assert_int_equal(editor_set_text(&e, cases[i].text, strlen(cases[i].text)), 0);
}

static void marks_in_strings_cut_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct syntax_language *l = grammars_get(grammars, cases[i].lang, NULL);
		given(i, l);
		size_t n = count_cells();
		if (n != (l ? cases[i].n_cells : cases[i].n_plain))
			fail_msg("case %zu: %zu cells in\n%s", i, n, cases[i].text);
		editor_finish(&e);
	}
}

static void without_a_grammar_each_line_counts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		given(i, NULL);
		size_t n = count_cells();
		if (n != cases[i].n_plain)
			fail_msg("case %zu: %zu cells in\n%s", i, n, cases[i].text);
		editor_finish(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(marks_in_strings_cut_nothing),
			cmocka_unit_test(without_a_grammar_each_line_counts),
	};

	grammars = grammars_create();
	int r = cmocka_run_group_tests(tests, NULL, NULL);
	grammars_destroy(grammars);
	return r;
}
