/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream/missing_file.h"

static const char *const FILES[] = {
		"helper.py", "x.js", "data.json", "tool.rb", "two words", "s.sh", "a;b", "c:d"};

static int enter_folder(void **state)
{
	static char dir[] = "/tmp/missing-file-XXXXXX";
	if (!mkdtemp(dir) || chdir(dir) < 0 || mkdir("pkg", 0700) < 0 || mkdir("directory", 0700) < 0)
		return -1;
	for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++)
		close(open(FILES[i], O_CREAT | O_WRONLY, 0600));
	*state = dir;
	return 0;
}

static int leave_folder(void **state)
{
	for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++)
		unlink(FILES[i]);
	return rmdir("pkg") < 0 || rmdir("directory") < 0 || chdir("/") < 0 || rmdir(*state) < 0;
}

static void test_neighbors(void **state)
{
	static const struct {
		const char *words, *beside;
	} rows[] = {
			{"ModuleNotFoundError: No module named 'helper'", "helper.py lies beside s.py"},
			{"No module named 'pkg.deep.er'", "pkg lies beside s.py"},
			{"Error: Cannot find module './x'\nRequire stack:\n- /workspace/s.js",
					"x.js lies beside s.py"},
			{"Cannot find module './x.js'", "x.js lies beside s.py"},
			{"Cannot find module '/workspace/data.json' imported from /workspace/s.mjs",
					"data.json lies beside s.py"},
			{"cannot load such file -- /workspace/tool (LoadError)", "tool.rb lies beside s.py"},
	};
	char hint[MISSING_FILE_HINT];
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_true(missing_file_hint(NULL, INSTALL_HINT_RUN, "s.py", rows[i].words, hint));
		if (!strstr(hint, rows[i].beside))
			fail_msg("%s: %s", rows[i].words, hint);
		assert_null(strchr(hint, '\n'));
	}
	assert_true(missing_file_hint(NULL, INSTALL_HINT_RUN, "./s.py", rows[0].words, hint));
	assert_non_null(strstr(hint, "helper.py lies beside s.py"));
	assert_non_null(strstr(hint, "--dir '.'"));
}

/* What code tried to open lies in the current folder. */
static void test_opened_files(void **state)
{
	static const struct {
		const char *words, *name;
	} rows[] = {
			{"[Errno 2] No such file or directory: 'data.json'", "data.json lies"},
			{"ENOENT: no such file or directory, open 'data.json'", "data.json lies"},
			{"No such file or directory @ rb_sysopen - tool.rb (Errno::ENOENT)", "tool.rb lies"},
			{"x\ncat: pkg: No such file or directory\n", "pkg lies"},
			{"head: cannot open 'two words' for reading: No such file or directory",
					"two words lies"},
			{"s.sh: line 1: x.js: No such file or directory", "x.js lies"},
			{"open ./x.js: no such file or directory", "./x.js lies"},
			{"python3: can't open file 'x.js': [Errno 2] No such file or directory", "x.js lies"},
			{"head: cannot open ‘two words’ for reading: No such file or directory",
					"two words lies"},
			{"java.io.FileNotFoundException: data.json (No such file or directory)",
					"data.json lies"},
	};
	char hint[MISSING_FILE_HINT];
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_true(missing_file_hint(NULL, INSTALL_HINT_RUN, "s.sh", rows[i].words, hint));
		if (!strstr(hint, rows[i].name) || !strstr(hint, "add --dir '.'"))
			fail_msg("%s: %s", rows[i].words, hint);
	}
	assert_true(missing_file_hint(NULL, INSTALL_HINT_REPL, NULL, rows[0].words, hint));
	assert_non_null(strstr(hint, "':cp data.json :'"));
	assert_true(missing_file_hint(NULL, INSTALL_HINT_REPL, NULL, "No module named 'helper'", hint));
	assert_non_null(strstr(hint, "helper.py lies in this folder"));
	assert_non_null(strstr(hint, "':cp helper.py :'"));
}

/* A shell or `cp` would read these names in another way. */
static void test_no_odd_names_in_commands(void **state)
{
	static const char *const words[] = {"No such file or directory: 'a;b'",
			"No such file or directory: 'c:d'", "No such file or directory: 'two words'"};
	char hint[MISSING_FILE_HINT];
	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		assert_true(missing_file_hint(NULL, INSTALL_HINT_REPL, NULL, words[i], hint));
		assert_non_null(strstr(hint, "given: ':cp' copies it in"));
		assert_true(missing_file_hint(NULL, INSTALL_HINT_NAME, NULL, words[i], hint));
		assert_non_null(strstr(hint, "given: 'terrarium cp' copies it in"));
	}
}

static void test_no_neighbors(void **state)
{
	static const char *const words[] = {"", "No module named 'numpy'", "No module named 'helper",
			"No module named ''", "Cannot find module 'x'", "Cannot find module '../x'",
			"Cannot find module './../x'", "Cannot find module '/'", "Cannot find module './'",
			"No module named '../helper'", "cannot load such file -- json",
			"No such file or directory: 'nothing.csv'",
			"No such file or directory: '/etc/passwd'", "No such file or directory: '../x.js'",
			"No such file or directory: './../x.js'", "No such file or directory: '-x'",
			"No such file or directory: ''", "No such file or directory: '.'",
			"No such file or directory: 'nothing",
			"s.py: line 1: nothing: No such file or directory",
			"data.json\nNo such file or directory",
			/* names that no module has, and files elsewhere */
			"No module named '/etc/passwd'", "No module named '/var/x'",
			"No module named 'sub/../x'", "No module named 'pkg/x'", "No module named '-x'",
			/* words that do not stand where the name does */
			"No such file or directory", "open data.json or not: 1: No such file or directory",
			"x.js: cannot open 'nothing': No such file or directory",
			"cat: directory data.json: x: No such file or directory"};
	char hint[MISSING_FILE_HINT];
	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (missing_file_hint(NULL, INSTALL_HINT_RUN, "s.py", words[i], hint))
			fail_msg("%s: %s", words[i], hint);
	assert_false(missing_file_hint(
			NULL, INSTALL_HINT_RUN, "elsewhere/s.py", "No module named 'helper'", hint));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_neighbors),
			cmocka_unit_test(test_opened_files), cmocka_unit_test(test_no_odd_names_in_commands),
			cmocka_unit_test(test_no_neighbors)};
	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
