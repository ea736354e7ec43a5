/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <terrarium/terrarium.h>

#include "kernel/kernel.h"
#include "langs.h"

static void every_alias_finds_its_language(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		unsigned id;
	} cases[] = {
			{"python", LANG_PYTHON},
			{"py", LANG_PYTHON},
			{"py3", LANG_PYTHON},
			{"python3", LANG_PYTHON},
			{"Python", LANG_PYTHON},
			{"javascript", LANG_JAVASCRIPT},
			{"js", LANG_JAVASCRIPT},
			{"NODE", LANG_JAVASCRIPT},
			{"bash", LANG_BASH},
			{"shell", LANG_BASH},
			{"sh", LANG_BASH},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct trm_lang *lang = NULL;
		assert_int_equal(trm_lang_find(cases[i].name, &lang, NULL), 0);
		assert_ptr_equal(lang, trm_lang_at(cases[i].id));
	}
}

static void no_alias_means_two_languages(void **state)
{
	(void)state;
	for (unsigned i = 0; i < trm_lang_count(); i++) {
		const struct trm_lang *row = trm_lang_at(i), *found = NULL;
		assert_int_equal(row->index, i);
		assert_string_equal(row->name, row->aliases[0]);
		for (const char *const *alias = row->aliases; *alias; alias++) {
			assert_int_equal(trm_lang_find(*alias, &found, NULL), 0);
			assert_ptr_equal(found, row);
		}
	}
	assert_null(trm_lang_at(trm_lang_count()));
}

static void unknown_names_list_the_known_ones(void **state)
{
	(void)state;
	static const char *const names[] = {"cobol", "", "pyth", "python ", NULL};
	static const char *const reported[] = {"the languages are python, javascript, bash",
			"the languages are python, javascript, bash", "unknown language 'pyth'",
			"did you mean 'python'?", "the languages are python, javascript, bash"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct trm_lang *lang = NULL;
		struct trm_error err = {0};
		assert_int_equal(trm_lang_find(names[i], &lang, &err), TRM_EINVAL);
		assert_null(lang);
		if (!strstr(err.msg, reported[i]))
			fail_msg("%s", err.msg);
	}
}

static void a_typo_is_reported_the_nearest_name(void **state)
{
	(void)state;
	const struct trm_lang *lang = NULL;
	struct trm_error err = {0};
	assert_int_equal(trm_lang_find("pyton", &lang, &err), TRM_EINVAL);
	assert_non_null(strstr(err.msg, "did you mean 'python'?"));
}

static char *strip(const char *name, const char *code)
{
	const struct trm_lang *lang;
	assert_int_equal(trm_lang_find(name, &lang, NULL), 0);
	return trm_lang_strip_comments(lang, code, strlen(code));
}

static void comments_are_stripped_and_lines_stay(void **state)
{
	(void)state;
	static const struct {
		const char *lang, *code, *bare;
	} cases[] = {
			{"python", "a = '#' # b\n# c\nd", "a = '#' \n\nd"},
			{"python", "'''#\n#''' # x", "'''#\n#''' "},
			{"javascript", "a /* b\nc */ d // e", "a \n d "},
			{"javascript", "`//${x}` + \"/*\"", "`//${x}` + \"/*\""},
			{"bash", "echo a#b ${#c} '#' # d", "echo a#b ${#c} '#' "},
			{"javascript", "/* open", ""},
			{"python", "", ""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *bare = strip(cases[i].lang, cases[i].code);
		assert_string_equal(bare, cases[i].bare);
		free(bare);
	}
}

static void packages_have_a_command(void **state)
{
	(void)state;
	char out[100];
	const struct trm_lang *lang;
	assert_int_equal(trm_lang_find("r", &lang, NULL), 0);
	assert_int_equal(trm_lang_install_command(lang, "zoo", out, sizeof out, NULL), 0);
	assert_string_equal(out, "Rscript -e 'install.packages(commandArgs(TRUE))' zoo");
	assert_int_equal(trm_lang_find("java", &lang, NULL), 0);
	assert_int_equal(trm_lang_install_command(lang, "org.example:thing:1.0", out, sizeof out, NULL), 0);
	assert_string_equal(out, "mvn dependency:get -Dartifact=org.example:thing:1.0");
	assert_int_equal(trm_lang_install_command(
					 trm_lang_at(LANG_PYTHON), "six; rm x", out, sizeof out, NULL),
			0);
	assert_string_equal(out, "pip install 'six; rm x'");
	assert_int_equal(trm_lang_install_command(trm_lang_at(LANG_PYTHON), "six", out, sizeof out, NULL), 0);
	assert_string_equal(out, "pip install six");
	assert_int_equal(trm_lang_install_command(trm_lang_at(LANG_BASH), "six", out, sizeof out, NULL),
			TRM_ENOTSUP);
	assert_int_equal(
			trm_lang_install_command(trm_lang_at(LANG_PYTHON), "six", out, 5, NULL), TRM_ETOOBIG);
}

static struct trm_error load(const char *json)
{
	char path[] = "/tmp/languages-XXXXXX";
	struct trm_error why = {0};
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, json, strlen(json)), strlen(json));
	close(fd);
	int r = trm_lang_load(path, &why);
	assert_int_equal(r, why.code);
	unlink(path);
	return why;
}

static void a_config_adds_languages(void **state)
{
	(void)state;
	const struct trm_lang *lang;
	unsigned n = trm_lang_count();
	struct trm_error why =
			load("{\"languages\": {\"moon\": {\"endings\": [\".moon\"], \"comment\": \"--\",\n"
			     "\"commands\": [[\"moon5\", \"{file}\", \"{args}\"]]},\n"
			     "\"venv\": {\"like\": \"python\", \"program\": \"/opt/venv/bin/python\"}}}");
	assert_string_equal(why.msg, "");
	assert_int_equal(trm_lang_count(), n + 2);
	assert_int_equal(trm_lang_guess("a.moon", &lang, NULL), 0);
	assert_string_equal(lang->interpreter, "moon5");
	assert_string_equal(lang->commands[0][1], "{file}");
	assert_int_equal(trm_lang_find("VENV", &lang, NULL), 0);
	assert_string_equal(lang->interpreter, "/opt/venv/bin/python");
	assert_string_equal(kernel_spec(lang)->argv[0], "/opt/venv/bin/python");
	assert_string_equal(kernel_spec(lang)->argv[1], "-c");
	assert_string_equal(trm_lang_at(LANG_PYTHON)->interpreter, "/usr/bin/python3");
}

static void a_mistake_is_reported_with_its_place(void **state)
{
	(void)state;
	static const struct {
		const char *json, *place, *reason;
	} cases[] = {
			{"{\"languages\": {\n \"x\": {\"comands\": 1}}}", ":2:8: language \"x\", comands",
					"did you mean \"commands\"?"},
			{"{\"languages\": {\"x\": {\"like\": \"pyton\"}}}", "\"x\", like",
					"did you mean \"python\"?"},
			{"{\"languages\": {\"x\": {\"commands\": [[\"a\", \"{fil}\"]]}}}", "commands",
					"\"{fil}\" is not known"},
			{"{\"languages\": {\"x\": {\"commands\": [\"a\"]}}}", "commands", "list of 1 to"},
			{"{\"languages\": {\"x\": {\"endings\": [\"x\"]}}}", "endings",
					"write it as \".ext\""},
			{"{\"languages\": {\"x\": {\"endings\": [\".py\"], \"commands\": [[\"a\"]]}}}",
					"endings", "is an ending of python already"},
			{"{\"languages\": {\"x\": {\"aliases\": [\"js\"], \"commands\": [[\"a\"]]}}}",
					"aliases", "is a name of javascript already"},
			{"{\"languages\": {\"x\": {}}}", "\"x\"", "needs \"commands\""},
			{"{\"languages\": {\"x y\": {}}}", "\"x y\"", "a name is"},
			{"{\"languages\": {\"x\": 3}}", "\"x\"", "must be an object"},
			{"{\"languages\": {\"x\": {\"driver\": \"none\", \"start\": [\"a\"]}}}", "driver",
					"cannot be read"},
	};
	unsigned n = trm_lang_count();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trm_error why = load(cases[i].json);
		assert_int_equal(why.code, TRM_EINVAL);
		if (!strstr(why.msg, cases[i].place) || !strstr(why.msg, cases[i].reason))
			fail_msg("%s", why.msg);
	}
	assert_int_equal(trm_lang_count(), n);
}

static void file_names_tell_their_language(void **state)
{
	(void)state;
	static const struct {
		const char *file;
		int id;
	} cases[] = {
			{"a.py", LANG_PYTHON},
			{"/x.js/a.PY", LANG_PYTHON},
			{"a.b.mjs", LANG_JAVASCRIPT},
			{"./a.js", LANG_JAVASCRIPT},
			{"run.sh", LANG_BASH},
			{"x.bash", LANG_BASH},
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
			assert_int_equal(lang->index, cases[i].id);
		else
			assert_non_null(strstr(err.msg, "name the language"));
	}
}

static void every_language_has_a_kernel(void **state)
{
	(void)state;
	for (unsigned i = 0; i < trm_lang_count(); i++) {
		const struct kernel_spec *spec = kernel_spec(trm_lang_at(i));
		assert_non_null(spec->argv[0]);
		assert_true(spec->driver.n > 0);
	}
}

static size_t count_word(const char *const *words, const char *word)
{
	size_t n = 0;
	for (; *words; words++)
		n += !strcmp(*words, word);
	return n;
}

/* The command that prepares has the compiler's words in place of {pieces}, and reads what pieces are compiled
 * with. */
static void what_prepares_knows_the_compiler(void **state)
{
	(void)state;
	const struct trm_lang *cpp, *python;
	size_t n;
	assert_int_equal(trm_lang_find("c++", &cpp, NULL), 0);
	assert_int_equal(trm_lang_find("python", &python, NULL), 0);
	assert_int_equal(count_word(cpp->prepare, "{pieces}"), 0);
	assert_int_equal(count_word(cpp->prepare, "g++"), 1);
	assert_int_equal(count_word(cpp->prepare, "-std=c++17"), 1);
	const char *native = trm_lang_companion(cpp, &n);
	assert_non_null(memmem(native, n, "TRM_HOST", 8));
	assert_null(python->prepare);
	assert_ptr_equal(trm_lang_companion(python, &n), kernel_spec(python)->driver.bytes);
}

static void tells_what_is_here(void **state)
{
	static const char *const version[] = {"x", NULL};
	struct trm_lang lang = {.name = "x", .version = version};
	(void)state;
	lang.interpreter = "sh";
	assert_true(trm_lang_is_here(&lang));
	lang.interpreter = "/bin/sh";
	assert_true(trm_lang_is_here(&lang));
	lang.interpreter = "no-such-program";
	assert_false(trm_lang_is_here(&lang));
	lang.interpreter = "/usr/bin/no-such-program";
	assert_false(trm_lang_is_here(&lang));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(tells_what_is_here),
			cmocka_unit_test(what_prepares_knows_the_compiler),
			cmocka_unit_test(every_alias_finds_its_language),
			cmocka_unit_test(no_alias_means_two_languages),
			cmocka_unit_test(unknown_names_list_the_known_ones),
			cmocka_unit_test(file_names_tell_their_language),
			cmocka_unit_test(every_language_has_a_kernel),
			cmocka_unit_test(a_typo_is_reported_the_nearest_name),
			cmocka_unit_test(comments_are_stripped_and_lines_stay),
			cmocka_unit_test(packages_have_a_command),
			cmocka_unit_test(a_mistake_is_reported_with_its_place),
			cmocka_unit_test(a_config_adds_languages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
