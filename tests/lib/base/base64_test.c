/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "base/base64.h"

static void as_in_the_standard(void **state)
{
	/* RFC 4648, section 10. */
	static const char *const pairs[][2] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"},
			{"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"},
			{"\xFF\xFE", "//4="}};
	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct buf out;
		size_t n;
		buf_init(&out, 64);
		assert_int_equal(base64_put(&out, pairs[i][0], strlen(pairs[i][0])), 0);
		assert_int_equal(out.len, strlen(pairs[i][1]));
		if (out.len)
			assert_memory_equal(buf_at(&out), pairs[i][1], out.len);
		char *back = base64_decode(pairs[i][1], strlen(pairs[i][1]), &n);
		assert_non_null(back);
		assert_string_equal(back, pairs[i][0]);
		assert_int_equal(n, strlen(pairs[i][0]));
		free(back);
		buf_finish(&out);
	}
}

static void all_bytes_come_back(void **state)
{
	char bytes[256];
	struct buf out;
	(void)state;
	for (int i = 0; i < 256; i++)
		bytes[i] = (char)(i * 7);
	for (size_t n = 0; n <= sizeof bytes; n++) {
		size_t len;
		buf_init(&out, 1024);
		assert_int_equal(base64_put(&out, bytes, n), 0);
		char *back = base64_decode(out.len ? buf_at(&out) : "", out.len, &len);
		assert_non_null(back);
		assert_int_equal(len, n);
		assert_memory_equal(back, bytes, n);
		free(back);
		buf_finish(&out);
	}
}

static void what_is_none_is_refused(void **state)
{
	static const char *const wrong[] = {"Z", "Zg",
			"Zg=", "Zg===", "=Zg=", "Z===", "====", "Zh==", "Zm9=", "Zm 8", "Zm8\n",
			"Zg==Zg==", "Zm9v-_==", "\xC3\xA4==", "Zg=g"};
	size_t n;
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_null(base64_decode(wrong[i], strlen(wrong[i]), &n));
}

static void the_ceiling_holds(void **state)
{
	struct buf out;
	(void)state;
	buf_init(&out, 7);
	assert_int_equal(base64_put(&out, "abcd", 4), TRM_ETOOBIG);
	assert_int_equal(base64_put(&out, "abc", 3), 0);
	assert_int_equal(out.len, 4);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(as_in_the_standard),
			cmocka_unit_test(all_bytes_come_back),
			cmocka_unit_test(what_is_none_is_refused),
			cmocka_unit_test(the_ceiling_holds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
