/* SPDX-License-Identifier: MIT */
#include "text/find.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "text/text.h"
#include <terrarium/error.h>

static struct text *t;
static struct find *f;

static int teardown(void **state)
{
	(void)state;
	find_destroy(f);
	text_destroy(t);
	f = NULL;
	t = NULL;
	return 0;
}

static void given(const char *text)
{
	t = text_create();
	assert_non_null(t);
	assert_int_equal(text_insert(t, 0, text, strlen(text)), 0);
}

static void look_for(const char *pattern, struct find_opts opts)
{
	struct trm_error err = {0};

	find_destroy(f);
	f = NULL;
	if (find_create(pattern, strlen(pattern), opts, &f, &err) < 0)
		fail_msg("%s: %s", pattern, err.msg);
}

static size_t next(size_t from)
{
	struct find_match match;
	return find_next(f, t, from, SIZE_MAX, &match) ? match.pos : SIZE_MAX;
}

static size_t previous(size_t before)
{
	struct find_match match;
	return find_previous(f, t, before, &match) ? match.pos : SIZE_MAX;
}

static void finds_forward_and_backward(void **state)
{
	(void)state;
	given("one two\nthree one\none");
	look_for("one", (struct find_opts){0});
	assert_int_equal(next(0), 0);
	assert_int_equal(next(1), 14);
	assert_int_equal(next(15), 18);
	assert_true(next(19) == SIZE_MAX);
	assert_int_equal(previous(21), 18);
	assert_int_equal(previous(18), 14);
	assert_int_equal(previous(14), 0);
	assert_true(previous(0) == SIZE_MAX);
}

static void capitals_count_when_they_are_typed(void **state)
{
	(void)state;
	given("Foo foo FOO föö FÖÖ");
	look_for("foo", (struct find_opts){0});
	assert_int_equal(next(0), 0);
	look_for("FOO", (struct find_opts){0});
	assert_int_equal(next(0), 8);
	look_for("foo", (struct find_opts){.is_exact = true});
	assert_int_equal(next(0), 4);
	look_for("föö", (struct find_opts){0});
	assert_int_equal(next(13), 18);
}

static void is_complete_words_only(void **state)
{
	(void)state;
	given("i in (i) _i i");
	look_for("i", (struct find_opts){.is_word = true});
	assert_int_equal(next(0), 0);
	assert_int_equal(next(1), 6);
	assert_int_equal(next(7), 12);
}

static void regular_expressions_work_by_line(void **state)
{
	(void)state;
	given("x = 10\ny = 2\n\nlast");
	look_for("^(\\w) = (\\d+)$", (struct find_opts){.is_regex = true});
	assert_int_equal(next(0), 0);
	assert_int_equal(next(1), 7);
	assert_true(next(8) == SIZE_MAX);
	look_for("^", (struct find_opts){.is_regex = true});
	assert_int_equal(next(1), 7);
	assert_int_equal(next(8), 13);
	assert_int_equal(previous(14), 13);
	look_for("[^=]+", (struct find_opts){.is_regex = true});
	assert_int_equal(next(3), 3);
	look_for("$", (struct find_opts){.is_regex = true});
	assert_int_equal(next(14), 18);
}

static void what_is_wrong_with_a_pattern_is_said(void **state)
{
	struct trm_error err = {0};

	(void)state;
	assert_int_equal(find_create("(a", 2, (struct find_opts){.is_regex = true}, &f, &err), TRM_EINVAL);
	assert_non_null(strstr(err.msg, "parenthesis"));
	assert_int_equal(find_create("", 0, (struct find_opts){0}, &f, &err), TRM_EINVAL);
	assert_null(f);
}

static void a_pattern_that_explodes_ends(void **state)
{
	(void)state;
	given("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab");
	look_for("^(a+)+$", (struct find_opts){.is_regex = true});
	assert_true(next(0) == SIZE_MAX);
}

static void replaced(const char *by, const char *expected)
{
	struct find_match match;
	size_t n;

	assert_true(find_next(f, t, 0, SIZE_MAX, &match));
	char *text = find_replacement(f, t, match, by, &n);
	assert_non_null(text);
	assert_string_equal(text, expected);
	assert_int_equal(n, strlen(expected));
	free(text);
}

static void groups_are_put_into_the_replacement(void **state)
{
	(void)state;
	given("first\nprint(a, b)");
	look_for("(\\w+)\\((\\w), (\\w)\\)", (struct find_opts){.is_regex = true});
	replaced("$1($3, $2)", "print(b, a)");
	replaced("\\1\\t$$$0\\n$9\\q", "print\t$print(a, b)\n\\q");
	look_for("print", (struct find_opts){0});
	replaced("$1\\n", "$1\\n");
	replaced("", "");
}

/* What memmem finds in one piece is found in many, in both directions. */
static void windows_miss_nothing(void **state)
{
	enum { N = 400000 };
	char *bytes = malloc(N + 1);
	unsigned seed = 7;

	(void)state;
	for (int i = 0; i < N; i++) {
		seed = seed * 1103515245 + 12345;
		bytes[i] = "ab\nc"[(seed >> 20) & 3];
		if (i % 1000 > 1)
			bytes[i] = bytes[i] == '\n' ? 'b' : bytes[i];
	}
	bytes[N] = '\0';
	given(bytes);
	look_for("abcabcab", (struct find_opts){0});
	struct find_match match;
	size_t count = 0, backward = 0;
	const char *p = bytes;
	for (size_t from = 0; find_next(f, t, from, SIZE_MAX, &match); from = match.pos + match.len) {
		p = strstr(p, "abcabcab");
		assert_ptr_equal(p, bytes + match.pos);
		p += match.len;
		count++;
	}
	assert_true(count > 3);
	assert_null(strstr(p, "abcabcab"));
	for (size_t before = N; find_previous(f, t, before, &match); before = match.pos)
		backward++;
	assert_true(backward >= count);
	free(bytes);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
			TEST(finds_forward_and_backward),
			TEST(capitals_count_when_they_are_typed),
			TEST(is_complete_words_only),
			TEST(regular_expressions_work_by_line),
			TEST(what_is_wrong_with_a_pattern_is_said),
			TEST(a_pattern_that_explodes_ends),
			TEST(groups_are_put_into_the_replacement),
			TEST(windows_miss_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
