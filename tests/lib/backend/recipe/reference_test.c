/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include <terrarium/error.h>

#include "backend/recipe/reference.h"

static void test_good(void **state)
{
	static const char *const names[] = {"a", "lab", "lab:1", "lab:V1.0-rc_2", "me/lab", "a/b/c:d",
			"localhost/x", "localhost:5000/x:y", "ghcr.io/me/x", "HOST/case:1", "10.0.0.1:5000/a",
			"a__b/c-d--e/f.g", "x:_1"};
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (reference_check(names[i], NULL) < 0)
			fail_msg("'%s' is a good name", names[i]);
}

static void test_bad(void **state)
{
	static const char *const names[] = {"", "UPPER/Case:1", "Lab", "lab:", "lab:.x", "lab:-x", "a//b",
			"/a", "a/", "a_", "-a", "a..b", "a___b", "a b", "lab@sha256:0", "host:/a", ":5000/a",
			"ex..ample.org/a", "lab:a/b", "a/B", "x:\xc3\xa9",
			"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"};
	char tag[160] = "x:";
	struct trm_error why;
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (reference_check(names[i], &why) != TRM_EINVAL)
			fail_msg("'%s' is no name", names[i]);
	assert_int_equal(reference_check("UPPER/Case:1", &why), TRM_EINVAL);
	assert_non_null(strstr(why.msg, "'UPPER/Case:1': behind the host there may be no capitals"));
	memset(tag + 2, 'a', 128);
	assert_int_equal(reference_check(tag, NULL), 0);
	tag[130] = 'a';
	assert_int_equal(reference_check(tag, NULL), TRM_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_bad)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
