/* SPDX-License-Identifier: MIT */
#include "install/install.h"

#include <string.h>

#include <terrarium/error.h>

#include "cmocka_all.h"
#include "langs.h"

static int check(unsigned lang, const char *package)
{
	struct trm_error why = {0};
	int r = trm_package_check(trm_lang_at(lang), package, &why);
	assert_int_equal(why.code, r);
	return r;
}

static void names_with_versions_are_taken(void **state)
{
	static const char *const python[] = {"six", "Zope.Interface", "a", "ruamel_yaml", "rich[jupyter]",
			"x[a,b]==1", "rich>=13,<14", "p!=1.0.*", "p~=2.1", "p===1!2+local.3"};
	static const char *const npm[] = {"ms", "left-pad", "@scope/name", "lodash.merge", "ms@2.1.3",
			"ms@^2", "@types/node@latest", "ms@>=2<3", "JSONStream", "x@1.x||2"};

	(void)state;
	for (size_t i = 0; i < sizeof python / sizeof *python; i++)
		assert_int_equal(check(LANG_PYTHON, python[i]), 0);
	for (size_t i = 0; i < sizeof npm / sizeof *npm; i++)
		assert_int_equal(check(LANG_JAVASCRIPT, npm[i]), 0);
}

static void all_else_is_refused(void **state)
{
	static const char *const words[] = {"", " ", "-", "-e", "-rfile", "--index-url=x", "a b", "a\tb",
			"a\n-e", ".", "..", "./x", "/x", "x/y/z", "a/b", "~/x", "file:x", "http://x",
			"git+ssh://x/y", "x.whl", "x.tar.gz", "x.TGZ", "x.zip", "$(id)", "`id`", "a;b", "a&b",
			"a|b", "a'b", "x\\y", "x@", "x@-g", "x@file:y", "x @ y", "@", "@/x", "@x", "@x/",
			"x[", "x[y", "x[y]z", "x\x7f", "\xc3\xa9", "x\xff"};
	char longest[300];

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		for (unsigned lang = LANG_PYTHON; lang <= LANG_JAVASCRIPT; lang++)
			if (check(lang, words[i]) != TRM_EINVAL)
				fail_msg("'%s' was taken", words[i]);
	memset(longest, 'x', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	assert_int_equal(check(LANG_PYTHON, longest), TRM_EINVAL);
	assert_int_equal(check(LANG_BASH, "jq"), TRM_ENOTSUP);
}

static bool are_plain(const char *text)
{
	return requirements_are_plain(text, strlen(text));
}

static void only_names_are_plain_requirements(void **state)
{
	(void)state;
	assert_true(are_plain(""));
	assert_true(are_plain("# all of it\n\nsix\r\nrich >= 13, < 14  # colors\nx; python_version < '3'"));
	assert_false(are_plain("six\n-r other.txt\n"));
	assert_false(are_plain("--index-url http://x"));
	assert_false(are_plain("x @ http://y/z.tar.gz"));
	assert_false(are_plain("git+https://x/y"));
	assert_false(are_plain("./x"));
	assert_false(are_plain("six \\\n --hash=sha256:00"));
	assert_false(requirements_are_plain("a\0b", 3));
}

/* A name that a sandbox tells is a path in the cache. */
static void names_in_the_cache_lead_nowhere_else(void **state)
{
	static const char *const bad[] = {"", "/", "..", "../x.whl", "0123456789abcdef/",
			"0123456789abcdef/../x.whl", "0123456789abcdef/.x-1.whl", "0123456789abcdef/x/y.whl",
			"0123456789abcdeg/x-1.0.whl", "0123456789abcdef/x-1.0.txt",
			"0123456789abcdef/x 1.0.whl", "aa/bb/cc", "aa/bb/../../x"};
	const struct recipe *pip = recipe_for(trm_lang_default()),
			    *npm = recipe_for(trm_lang_at(LANG_JAVASCRIPT));
	char sum[131] = "ab/cd/";

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_false(pip->is_name(bad[i]));
		assert_false(npm->is_name(bad[i]));
	}
	assert_true(pip->is_name("0123456789abcdef/six-1.17.0-py2.py3-none-any.whl"));
	memset(sum + 6, 'e', 124);
	assert_true(npm->is_name(sum));
	sum[100] = '/';
	assert_false(npm->is_name(sum));
	assert_null(recipe_for(trm_lang_shell()));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(names_with_versions_are_taken),
			cmocka_unit_test(all_else_is_refused),
			cmocka_unit_test(only_names_are_plain_requirements),
			cmocka_unit_test(names_in_the_cache_lead_nowhere_else),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
