/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <terrarium/terrarium.h>

#include "kernel/kernel.h"

static void every_alias_finds_its_language(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum trm_lang_id id;
	} cases[] = {
			{"python", TRM_LANG_PYTHON},
			{"py", TRM_LANG_PYTHON},
			{"py3", TRM_LANG_PYTHON},
			{"python3", TRM_LANG_PYTHON},
			{"Python", TRM_LANG_PYTHON},
			{"javascript", TRM_LANG_JAVASCRIPT},
			{"js", TRM_LANG_JAVASCRIPT},
			{"NODE", TRM_LANG_JAVASCRIPT},
			{"bash", TRM_LANG_BASH},
			{"shell", TRM_LANG_BASH},
			{"sh", TRM_LANG_BASH},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct trm_lang *lang = NULL;
		assert_int_equal(trm_lang_find(cases[i].name, &lang, NULL), 0);
		assert_ptr_equal(lang, trm_lang_get(cases[i].id));
	}
}

static void no_alias_means_two_languages(void **state)
{
	(void)state;
	for (unsigned i = 0; i < TRM_LANG_COUNT; i++) {
		const struct trm_lang *row = trm_lang_get(i), *found = NULL;
		assert_int_equal(row->id, i);
		assert_string_equal(row->name, row->aliases[0]);
		for (const char *const *alias = row->aliases; *alias; alias++) {
			assert_int_equal(trm_lang_find(*alias, &found, NULL), 0);
			assert_ptr_equal(found, row);
		}
	}
	assert_null(trm_lang_get(TRM_LANG_COUNT));
}

static void unknown_names_list_the_known_ones(void **state)
{
	(void)state;
	static const char *const names[] = {"cobol", "", "pyth", "python ", NULL};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct trm_lang *lang = NULL;
		struct trm_error err = {0};
		assert_int_equal(trm_lang_find(names[i], &lang, &err), TRM_EINVAL);
		assert_null(lang);
		assert_non_null(strstr(
				err.msg, "python (py py3 python3), javascript (js node), bash (shell sh)"));
	}
}

static void typescript_is_refused_with_the_reason(void **state)
{
	(void)state;
	const struct trm_lang *lang = NULL;
	struct trm_error err = {0};
	assert_int_equal(trm_lang_find("typescript", &lang, &err), TRM_ENOTSUP);
	assert_non_null(strstr(err.msg, "TypeScript"));
	assert_int_equal(trm_lang_find("TS", &lang, NULL), TRM_ENOTSUP);
	assert_int_equal(trm_lang_guess("dir/a.ts", &lang, NULL), TRM_ENOTSUP);
	assert_int_equal(trm_lang_guess("a.tsx", &lang, NULL), TRM_ENOTSUP);
	assert_null(lang);
}

static void file_names_tell_their_language(void **state)
{
	(void)state;
	static const struct {
		const char *file;
		int id;
	} cases[] = {
			{"a.py", TRM_LANG_PYTHON},
			{"/x.js/a.PY", TRM_LANG_PYTHON},
			{"a.b.mjs", TRM_LANG_JAVASCRIPT},
			{"./a.js", TRM_LANG_JAVASCRIPT},
			{"run.sh", TRM_LANG_BASH},
			{"x.bash", TRM_LANG_BASH},
			{"Makefile", -1},
			{".py", -1},
			{"dir.py/file", -1},
			{"a.", -1},
			{"", -1},
			{"a.txt", -1},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct trm_lang *lang = NULL;
		struct trm_error err = {0};
		int r = trm_lang_guess(cases[i].file, &lang, &err);
		assert_int_equal(r, cases[i].id < 0 ? TRM_EINVAL : 0);
		if (r == 0)
			assert_int_equal(lang->id, cases[i].id);
		else
			assert_non_null(strstr(err.msg, "python, javascript or bash"));
	}
}

static void every_language_has_a_kernel(void **state)
{
	(void)state;
	for (unsigned i = 0; i < TRM_LANG_COUNT; i++) {
		const struct trm_lang *lang = trm_lang_get(i);
		const struct kernel_spec *spec = kernel_spec(lang);
		assert_string_equal(spec->argv[0], lang->interpreter);
		assert_non_null(spec->driver().bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(every_alias_finds_its_language),
			cmocka_unit_test(no_alias_means_two_languages),
			cmocka_unit_test(unknown_names_list_the_known_ones),
			cmocka_unit_test(typescript_is_refused_with_the_reason),
			cmocka_unit_test(file_names_tell_their_language),
			cmocka_unit_test(every_language_has_a_kernel),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
