/* SPDX-License-Identifier: MIT */
/* Values that nobody honest sends: too long, cut off, with a NUL inside, no number. */
#include "wire/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "cmocka_all.h"

static struct buf b;

static int set_up(void **state)
{
	(void)state;
	buf_init(&b, 4096);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	buf_finish(&b);
	return 0;
}

static struct unpack packed(void)
{
	return (struct unpack){.at = buf_at(&b), .left = b.len};
}

static void put_bytes(const char *bytes, size_t n)
{
	struct pack p = {.to = &b};

	pack_bytes(&p, bytes, n);
	assert_int_equal(p.error, 0);
}

/* Read the text with its length cut at each place: it must fail, and no byte behind the end may be read. */
static void a_text_is_whole_and_short_enough(void **state)
{
	(void)state;
	put_bytes("hello", 5);
	for (size_t left = 0; left < b.len; left++) {
		char *copy = malloc(left + 1); /* valgrind and ASAN watch its end */
		struct unpack u = {.at = memcpy(copy, buf_at(&b), left), .left = left};
		assert_null(unpack_str(&u, 100));
		assert_true(u.bad);
		assert_int_equal(unpack_failure(&u), TRM_EPROTO);
		free(copy);
	}
	struct unpack u = packed();
	assert_null(unpack_str(&u, 4));
	assert_true(u.bad);
	u = packed();
	char *text = unpack_str(&u, 5);
	assert_string_equal(text, "hello");
	assert_false(u.bad);
	free(text);
}

static void a_text_has_no_nul(void **state)
{
	(void)state;
	put_bytes("a\0b", 3);
	struct unpack u = packed();
	assert_null(unpack_str(&u, 100));
	assert_true(u.bad);
}

static void what_follows_a_bad_value_is_not_read(void **state)
{
	struct unpack u;
	size_t n;

	(void)state;
	put_bytes("abc", 3);
	put_bytes("def", 3);
	u = packed();
	assert_null(unpack_str(&u, 2));
	assert_string_equal(unpack_bytes(&u, &n), "");
	assert_int_equal(n, 0);
	assert_int_equal(unpack_u8(&u), 0);
	assert_null(unpack_strv(&u, 10, 100));
}

static void lists_have_limits(void **state)
{
	static const char *const words[] = {"ab", "", "cde", NULL};
	struct pack p = {.to = &b};

	(void)state;
	pack_strv(&p, words);
	struct unpack u = packed();
	char **list = unpack_strv(&u, 3, 8); /* a NUL each counts */
	assert_non_null(list);
	assert_string_equal(list[0], "ab");
	assert_string_equal(list[1], "");
	assert_string_equal(list[2], "cde");
	assert_null(list[3]);
	assert_int_equal(u.left, 0);
	free(list);
	u = packed();
	assert_null(unpack_strv(&u, 2, 100));
	assert_true(u.bad);
	u = packed();
	assert_null(unpack_strv(&u, 3, 7));
	assert_true(u.bad);
	for (size_t left = 0; left < b.len; left++) {
		u = (struct unpack){.at = buf_at(&b), .left = left};
		assert_null(unpack_strv(&u, 3, 8));
		assert_true(u.bad);
	}
}

static void a_list_has_no_nul_and_no_million(void **state)
{
	struct pack p = {.to = &b};

	(void)state;
	pack_u32(&p, 1);
	pack_bytes(&p, "a\0b", 3);
	struct unpack u = packed();
	assert_null(unpack_strv(&u, 10, 100));
	assert_true(u.bad);
	tear_down(NULL);
	set_up(NULL);
	pack_u32(&p, UINT32_MAX);
	u = packed();
	assert_null(unpack_strv(&u, UINT32_MAX, SIZE_MAX));
	assert_true(u.bad);
}

static void numbers_are_finite(void **state)
{
	static const double odd[] = {NAN, INFINITY, -INFINITY};
	struct pack p = {.to = &b};

	(void)state;
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
		pack_f64(&p, odd[i]);
	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		struct unpack u = {.at = (const char *)buf_at(&b) + 8 * i, .left = 8};
		assert_true(unpack_f64(&u) == 0 && u.bad);
	}
}

/* The first failure stays, whatever is packed after it. */
static void a_full_buffer_is_reported(void **state)
{
	struct pack p = {.to = &b};

	(void)state;
	tear_down(NULL);
	buf_init(&b, 6);
	pack_str(&p, "abc");
	assert_int_equal(p.error, TRM_ETOOBIG);
	pack_u8(&p, 1);
	assert_int_equal(p.error, TRM_ETOOBIG);
	if (sizeof(size_t) > 4) {
		p.error = TRM_EPROTO;
		pack_bytes(&p, "", (size_t)UINT32_MAX + 1); /* the bytes are not looked at */
		assert_int_equal(p.error, TRM_EPROTO);
		p.error = 0;
		pack_bytes(&p, "", (size_t)UINT32_MAX + 1);
		assert_int_equal(p.error, TRM_ETOOBIG);
	}
}

static void lack_of_memory_is_no_bad_message(void **state)
{
	(void)state;
	assert_int_equal(unpack_failure(&(struct unpack){.bad = true, .lacks_memory = true}), TRM_ENOMEM);
	assert_int_equal(unpack_failure(&(struct unpack){.bad = true}), TRM_EPROTO);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
			CASE(a_text_is_whole_and_short_enough),
			CASE(a_text_has_no_nul),
			CASE(what_follows_a_bad_value_is_not_read),
			CASE(lists_have_limits),
			CASE(a_list_has_no_nul_and_no_million),
			CASE(numbers_are_finite),
			CASE(a_full_buffer_is_reported),
			CASE(lack_of_memory_is_no_bad_message),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
