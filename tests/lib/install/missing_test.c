/* SPDX-License-Identifier: MIT */
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/result.h>

#include "cmocka_all.h"
#include "install/install.h"
#include "langs.h"

static const char *missing_in(const struct trm_lang *lang, const char *name, const char *message)
{
	static char package[64];
	struct trm_result result = {.status = TRM_STATUS_ERROR,
			.lang = lang,
			.error_name = (char *)name,
			.error_message = (char *)message};
	return trm_missing_package(&result, package, sizeof package) ? package : NULL;
}

static const struct trm_lang *row_of(const char *name)
{
	const struct trm_lang *lang = NULL;
	assert_int_equal(trm_lang_find(name, &lang, NULL), 0);
	return lang;
}

static const char *missing(unsigned lang, const char *name, const char *message)
{
	return missing_in(trm_lang_at(lang), name, message);
}

static void a_missing_module_names_its_package(void **state)
{
	(void)state;
	assert_string_equal(missing(LANG_PYTHON, "ModuleNotFoundError", "No module named 'numpy'"), "numpy");
	assert_string_equal(missing(LANG_PYTHON, "ModuleNotFoundError", "No module named 'numpy.linalg'"),
			"numpy");
	assert_string_equal(missing(LANG_PYTHON, "ModuleNotFoundError", "No module named 'PIL'"), "pillow");
	assert_string_equal(
			missing(LANG_PYTHON, "ModuleNotFoundError",
					"No module named 'scipy' (the system's needs another numpy than 2.4.6)"),
			"scipy");
	assert_string_equal(
			missing(LANG_JAVASCRIPT, "Error", "Cannot find module 'axios'\nRequire stack:\n- x"),
			"axios");
	assert_string_equal(
			missing(LANG_JAVASCRIPT, "Error", "Cannot find package 'ms' imported from /x"), "ms");
	assert_string_equal(missing(LANG_JAVASCRIPT, "Error", "Cannot find module '@s/a/b'"), "@s/a");
	assert_string_equal(missing_in(row_of("r"), "error", "there is no package called ‘data.table’"),
			"data.table");
	assert_string_equal(missing_in(row_of("ruby"), "LoadError", "cannot load such file -- nokogiri/xml"),
			"nokogiri");
	assert_null(missing(LANG_JAVASCRIPT, "Error", "Cannot find module './x'"));
	assert_null(missing(LANG_JAVASCRIPT, "Error", "Cannot find module '/x'"));
	assert_null(missing(LANG_PYTHON, "ImportError", "No module named 'x'"));
	assert_null(missing(LANG_PYTHON, "ModuleNotFoundError", "No module named '--index-url=x'"));
	assert_null(missing(LANG_PYTHON, "ModuleNotFoundError", "No module named 'a b'"));
	assert_null(missing(LANG_PYTHON, "ModuleNotFoundError", "No module named '"));
	assert_null(missing(LANG_PYTHON, "ModuleNotFoundError", "No module named ''"));
	assert_null(missing(LANG_PYTHON, "ModuleNotFoundError", "No module named '\x1b[2J'"));
	assert_null(missing(LANG_PYTHON, NULL, NULL));
	assert_null(missing(LANG_BASH, "ModuleNotFoundError", "No module named 'x'"));
}

/* A name that was mistyped, or that of a file, may be a stranger's package. */
static void only_well_known_packages_are_known(void **state)
{
	(void)state;
	assert_true(trm_package_is_known(row_of("python"), "numpy"));
	assert_true(trm_package_is_known(row_of("python"), "rich>=13"));
	assert_true(trm_package_is_known(row_of("python"), "pyyaml"));
	assert_true(trm_package_is_known(row_of("javascript"), "@babel/core"));
	assert_true(trm_package_is_known(row_of("ruby"), "nokogiri"));
	assert_true(trm_package_is_known(row_of("r"), "data.table"));
	assert_false(trm_package_is_known(row_of("python"), "nunpy"));
	assert_false(trm_package_is_known(row_of("python"), "lodash"));
	assert_false(trm_package_is_known(row_of("javascript"), "numpy"));
	assert_false(trm_package_is_known(row_of("javascript"), "pyyaml"));
	assert_false(trm_package_is_known(row_of("python"), "num"));
	assert_false(trm_package_is_known(row_of("python"), ""));
	assert_false(trm_package_is_known(row_of("python"),
			"a-name-of-more-than-sixty-bytes-that-nobody-would-publish-at-all"));
	assert_false(trm_package_is_known(row_of("bash"), "numpy"));
}

static const char *command(const char *line)
{
	static char packages[128];
	return trm_package_command_line(line, packages, sizeof packages) ? packages : NULL;
}

static void commands_that_install_are_known(void **state)
{
	char longest[600];
	(void)state;
	assert_string_equal(command("pip install numpy"), "numpy");
	assert_string_equal(command("!pip install -q 'rich>=13' six"), "rich>=13 six");
	assert_string_equal(command("%pip install numpy # now"), "numpy");
	assert_string_equal(command("  /usr/bin/python3.11 -m pip install numpy && echo"), "numpy");
	assert_string_equal(command("pip3 install -r requirements.txt"), "requirements.txt");
	assert_string_equal(command("npm i axios"), "axios");
	assert_string_equal(command("pip install"), "");
	assert_null(command("pip list"));
	assert_null(command("echo pip install x"));
	assert_null(command("python3 pip install x"));
	assert_null(command("pipx install x"));
	assert_null(command(""));
	memset(longest, 'x', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	memcpy(longest, "pip install ", 12);
	command(longest);
}

static const char *refused_in(const char *words, const char **ret_lang)
{
	static char package[64];
	const struct trm_lang *lang = trm_package_refused(words, package, sizeof package);
	*ret_lang = lang ? lang->name : NULL;
	return lang ? package : NULL;
}

static void packages_that_were_refused_are_known(void **state)
{
	const char *lang;
	(void)state;
	assert_string_equal(refused_in("x\nERROR: No matching distribution found for six>=1.16\n", &lang),
			"six>=1.16");
	assert_string_equal(lang, "python");
	assert_string_equal(
			refused_in("npm ERR! code ENOTCACHED\nnpm ERR! request to https://a/@b%2fc failed",
					&lang),
			"@b/c");
	assert_string_equal(lang, "javascript");
	assert_null(refused_in("", &lang));
	assert_null(refused_in("No matching distribution found for --index-url=x", &lang));
	assert_null(refused_in("No matching distribution found for ", &lang));
	assert_null(refused_in("request to https://a/b failed", &lang)); /* not for want of a network */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_missing_module_names_its_package),
			cmocka_unit_test(only_well_known_packages_are_known),
			cmocka_unit_test(commands_that_install_are_known),
			cmocka_unit_test(packages_that_were_refused_are_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
