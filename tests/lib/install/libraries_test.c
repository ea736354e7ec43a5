/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "base/buf.h"
#include "cmocka_all.h"
#include "install/install.h"
#include "langs.h"

/* All names of the list in one word, and the end of the list. */
static char *join(char **list)
{
	static char joined[4096];
	joined[0] = '\0';
	for (char **at = list; at && *at; at++)
		snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s",
				at == list ? "" : " ", *at);
	trm_libraries_free(list);
	return joined;
}

static const char *split(const char *text)
{
	char **list = NULL;
	struct trm_error why;
	assert_int_equal(trm_libraries_add(&list, trm_lang_default(), text, &why), 0);
	return join(list);
}

static void words_are_divided_at_commas_before_names(void **state)
{
	(void)state;
	assert_string_equal(split("numpy"), "numpy");
	assert_string_equal(split("numpy,pandas"), "numpy pandas");
	assert_string_equal(split(" numpy , pandas "), "numpy pandas");
	assert_string_equal(split("rich>=13,<14,six"), "rich>=13,<14 six");
	assert_string_equal(split("rich >= 13, < 14"), "rich>=13,<14");
	assert_string_equal(split("uvicorn[standard,x]==1.*,!=1.5"), "uvicorn[standard,x]==1.*,!=1.5");
	assert_string_equal(split("six,six,six==1"), "six six==1");
}

static void what_is_no_name_is_refused(void **state)
{
	static const char *const words[] = {"", ",", "a,", ",a", "a b", "a -e", "--index-url=x", "-r x",
			"a,-e", "a\n-e", "a @ http://x", "./a", "a;b", "a[", "a[b", "a\x01"};
	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		char **list = NULL;
		struct trm_error why;
		if (trm_libraries_add(&list, trm_lang_default(), words[i], &why) != TRM_EINVAL)
			fail_msg("'%s' was taken", words[i]);
		trm_libraries_free(list);
	}
}

static int read_script(const char *code, char ***list, struct trm_error *why)
{
	*list = NULL;
	return trm_libraries_of_script(list, trm_lang_default(), code, strlen(code), why);
}

static const char *of_script(const char *code)
{
	char **list;
	struct trm_error why = {0};
	if (read_script(code, &list, &why) < 0)
		fail_msg("%s", why.msg);
	return join(list);
}

static void a_script_says_what_it_needs(void **state)
{
	char **list = NULL;
	struct trm_error why;
	(void)state;
	assert_string_equal(of_script(""), "");
	assert_string_equal(of_script("import six\n"), "");
	assert_string_equal(of_script("# /// script\n# dependencies = [\"six\"]\n# ///\nx = 1\n"), "six");
	assert_string_equal(of_script("# /// script\n# dependencies = [\"six\"]\n# ///"), "six");
	assert_string_equal(of_script("# /// script\r\n# dependencies = [\"six\"]\r\n# ///\r\n"), "six");
	assert_string_equal(
			of_script("#!/usr/bin/python\n\n# /// script\n# requires-python = \">=3.11\"\n"
				  "# dependencies = [\n#   'six', # two\n#\n#   \"rich >= 13, < 14\",\n# ]\n# ///\n"),
			"six rich>=13,<14");
	assert_string_equal(of_script("# /// script\n# a = {b = [1, \"]\"]}\n# x.y = 'z'\n# ///\n"), "");
	assert_string_equal(of_script("# /// script\n# [tool.x]\n# dependencies = [\"six\"]\n# ///\n"), "");
	assert_string_equal(of_script("# /// other\n# dependencies = [\"six\"]\n# ///\n"), "");
	assert_string_equal(of_script("# /// script\n# dependencies = [\"six\"]\n"), "");
	assert_string_equal(of_script("  # /// script\n# dependencies = [\"six\"]\n# ///\n"), "");
	assert_string_equal(of_script("# /// script\n# dependencies = []\n# ///\n"), "");
	const char *code = "# /// script\n# dependencies = [\"six\"]\n# ///\n";
	assert_int_equal(trm_libraries_of_script(
					 &list, trm_lang_at(LANG_JAVASCRIPT), code, strlen(code), &why),
			0);
	assert_null(list);
}

static void a_broken_block_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *inside, *reported;
	} cases[] = {
			{"# dependencies = [\"six\"\n", "line 3"},
			{"# dependencies = \"six\"\n", "line 2"},
			{"# dependencies = [six]\n", "line 2"},
			{"# dependencies = [\"six]\n", "line 2"},
			{"# dependencies = [\"six\" \"rich\"]\n", "a comma"},
			{"# dependencies = [\"\\u0041\"]\n", "escape"},
			{"# dependencies = [\"\"\"six\"\"\"]\n", "three quotes"},
			{"# dependencies = [\"six\"] x\n", "behind a value"},
			{"# dependencies\n", "without key and value"},
			{"# = 1\n", "without key and value"},
			{"# a = [\n", "not closed"},
			{"# a = 1\n# dependencies = [\"six\"]\n# dependencies = [\"rich\"]\n", "twice"},
			{"# dependencies = [\"--index-url=http://x\"]\n", "not the name"},
			{"# dependencies = [\"x @ http://y\"]\n", "not the name"},
			{"# dependencies = [\"./x\"]\n", "not the name"},
			{"# dependencies = [\"x ; python_version < '3'\"]\n", "conditions"},
			{"# dependencies = [\"\"]\n", "not the name"},
	};
	char code[512];
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trm_error why = {0};
		char **list;
		snprintf(code, sizeof code, "# /// script\n%s# ///\n", cases[i].inside);
		assert_int_equal(read_script(code, &list, &why), TRM_EINVAL);
		if (!strstr(why.msg, cases[i].reported))
			fail_msg("%s: %s", cases[i].inside, why.msg);
		trm_libraries_free(list);
	}
}

static void two_blocks_are_one_too_many(void **state)
{
	static const char *const code = "# /// script\n# x = 1\n# ///\n\n# /// script\n# x = 1\n# ///\n";
	struct trm_error why;
	char **list;
	(void)state;
	assert_int_equal(read_script(code, &list, &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "the second"));
}

/* Every part of every change of it is read, with the end of its memory where its own end is. */
static void nothing_is_read_behind_the_end(void **state)
{
	static const char code[] =
			"# /// script\n# a = {b = [1, \"]\"], c = 'x\\'}\n# dependencies = [\"six\", # x\n#  'rich']\n# ///\n";
	static const char bytes[] = "\0\n#\"'[]=\\,\xff /";
	(void)state;
	for (size_t n = 0; n < sizeof code; n++)
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; k < sizeof bytes - 1; k++) {
				char *copy = malloc(n), **list = NULL;
				struct trm_error why;
				memcpy(copy, code, n);
				copy[i] = bytes[k];
				int r = trm_libraries_of_script(&list, trm_lang_default(), copy, n, &why);
				assert_true(r == 0 || r == TRM_EINVAL);
				trm_libraries_free(list);
				free(copy);
			}
}

static void a_sandbox_remembers_the_last_version_asked_for(void **state)
{
	struct buf record;
	const struct trm_lang *python = trm_lang_default(), *js = trm_lang_at(LANG_JAVASCRIPT);
	char *numpy[] = {(char *)"numpy", NULL}, *old[] = {(char *)"numpy<2", NULL},
	     *other[] = {(char *)"numpy-stl", NULL}, *both[] = {(char *)"numpy<2", (char *)"numpy-stl", NULL};
	(void)state;
	buf_init(&record, 256);
	assert_false(record_has("", 0, python, numpy));
	assert_int_equal(record_add(&record, python, numpy), 0);
	assert_int_equal(record_add(&record, python, other), 0);
	assert_true(record_has(buf_at(&record), record.len, python, numpy));
	assert_false(record_has(buf_at(&record), record.len, js, numpy));
	assert_false(record_has(buf_at(&record), record.len - 1, python, other)); /* a line without its end */
	assert_int_equal(record_add(&record, python, old), 0);
	assert_false(record_has(buf_at(&record), record.len, python, numpy));
	assert_true(record_has(buf_at(&record), record.len, python, both));
	assert_int_equal(record_add(&record, js, numpy), 0);
	assert_true(record_has(buf_at(&record), record.len, python, both));
	buf_finish(&record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(words_are_divided_at_commas_before_names),
			cmocka_unit_test(what_is_no_name_is_refused),
			cmocka_unit_test(a_script_says_what_it_needs),
			cmocka_unit_test(a_broken_block_is_refused_with_its_line),
			cmocka_unit_test(two_blocks_are_one_too_many),
			cmocka_unit_test(nothing_is_read_behind_the_end),
			cmocka_unit_test(a_sandbox_remembers_the_last_version_asked_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
