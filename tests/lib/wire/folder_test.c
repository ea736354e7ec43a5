/* SPDX-License-Identifier: MIT */
#include "wire/folder.h"

#include <string.h>

#include "cmocka_all.h"

static void places_of_a_sandbox_are_in_its_folder(void **state)
{
	static const char *const cases[][2] = {
			{"/workspace", "/run/f/workspace"},
			{"/workspace/", "/run/f/workspace/"},
			{"/workspace/a/b", "/run/f/workspace/a/b"},
			{"/home/user/.cache", "/run/f/home/.cache"},
			{"/tmp", "/run/f/tmp"},
			{"/.sandbox/x", "/run/f/scripts/x"},
	};
	char out[64];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_true(folder_path("/run/f", cases[i][0], out, sizeof out));
		assert_string_equal(out, cases[i][1]);
	}
}

static void other_paths_are_left_alone(void **state)
{
	static const char *const cases[] = {"", "/", "workspace", "/workspaces", "/workspace2/a", "/home",
			"/home/users", "/tmpx", "/etc/passwd", "//tmp"};
	char out[64];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_false(folder_path("/run/f", cases[i], out, sizeof out));
}

static void a_path_that_does_not_fit_is_none(void **state)
{
	char out[sizeof "/f/tmp/abc"];

	(void)state;
	assert_true(folder_path("/f", "/tmp/abc", out, sizeof out));
	assert_string_equal(out, "/f/tmp/abc");
	assert_false(folder_path("/f", "/tmp/abcd", out, sizeof out));
	assert_false(folder_path("/f", "/tmp/abc", out, sizeof out - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(places_of_a_sandbox_are_in_its_folder),
			cmocka_unit_test(other_paths_are_left_alone),
			cmocka_unit_test(a_path_that_does_not_fit_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
