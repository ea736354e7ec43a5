/* SPDX-License-Identifier: MIT */
#include "text/fold.h"

#include <stdlib.h>

#include "cmocka_all.h"

static void folds(const char *text, size_t cols, size_t indent, const char *want)
{
	char *got = text_fold(text, cols, indent);

	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
}

static void words_stay_whole(void **state)
{
	(void)state;
	folds("", 10, 0, "");
	folds("short", 10, 0, "short");
	folds("128 processes, 256 MiB disk", 16, 0, "128 processes,\n256 MiB disk");
	folds("one two\nthree four\n", 8, 0, "one two\nthree\nfour\n");
	folds("disk  one tmpfs holds all", 15, 6, "disk  one tmpfs\n      holds all");
	folds("ends with a blank ", 40, 0, "ends with a blank ");
	folds("aaaaaaaaaaaa", 5, 0, "aaaaa\naaaaa\naa"); /* where there is no blank */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words_stay_whole)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
