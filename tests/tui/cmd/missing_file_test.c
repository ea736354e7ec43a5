/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/missing_file.h"

static const char *const FILES[] = {"helper.py", "x.js", "data.json", "tool.rb"};

static int enter_folder(void **state)
{
	static char dir[] = "/tmp/missing-file-XXXXXX";
	if (!mkdtemp(dir) || chdir(dir) < 0 || mkdir("pkg", 0700) < 0)
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
	return rmdir("pkg") < 0 || chdir("/") < 0 || rmdir(*state) < 0;
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
		assert_true(missing_file_hint("s.py", rows[i].words, hint));
		if (!strstr(hint, rows[i].beside))
			fail_msg("%s: %s", rows[i].words, hint);
		assert_null(strchr(hint, '\n'));
	}
	assert_true(missing_file_hint("./s.py", rows[0].words, hint));
	assert_non_null(strstr(hint, "helper.py lies beside s.py"));
	assert_non_null(strstr(hint, "--dir '.'"));
}

static void test_no_neighbors(void **state)
{
	static const char *const words[] = {"", "No module named 'numpy'", "No module named 'helper",
			"No module named ''", "Cannot find module 'x'", "Cannot find module '../x'",
			"Cannot find module './../x'", "Cannot find module '/'", "Cannot find module './'",
			"No module named '../helper'", "cannot load such file -- json"};
	char hint[MISSING_FILE_HINT];
	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (missing_file_hint("s.py", words[i], hint))
			fail_msg("%s: %s", words[i], hint);
	assert_false(missing_file_hint("elsewhere/s.py", "No module named 'helper'", hint));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_neighbors), cmocka_unit_test(test_no_neighbors)};
	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
