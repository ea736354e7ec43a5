/* SPDX-License-Identifier: MIT */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "base/buf.h"

static void what_goes_in_comes_out_in_order(void **state)
{
	struct buf b;
	char model[200000];
	size_t put = 0, taken = 0;
	(void)state;
	buf_init(&b, sizeof model);
	srandom(7);
	for (int i = 0; i < 20000; i++) {
		char bytes[64];
		size_t n = (size_t)(random() % 64), out = b.len ? (size_t)random() % (b.len + 1) : 0;
		if (put + n > sizeof model)
			break;
		for (size_t k = 0; k < n; k++)
			bytes[k] = model[put + k] = (char)random();
		assert_int_equal(buf_append(&b, bytes, n), 0);
		put += n;
		assert_memory_equal(buf_at(&b), model + taken, out);
		buf_take(&b, out);
		taken += out;
		assert_int_equal(b.len, put - taken);
	}
	assert_memory_equal(buf_at(&b), model + taken, b.len);
	buf_finish(&b);
}

static void ceiling_refuses_and_changes_nothing(void **state)
{
	struct buf b;
	(void)state;
	buf_init(&b, 10);
	assert_int_equal(buf_append(&b, "0123456789", 10), 0);
	assert_int_equal(buf_append(&b, "x", 1), TRM_ETOOBIG);
	assert_null(buf_reserve(&b, 1));
	assert_int_equal(b.len, 10);
	buf_take(&b, 4);
	assert_int_equal(buf_append(&b, "abcd", 4), 0);
	assert_memory_equal(buf_at(&b), "456789abcd", 10);
	buf_finish(&b);
}

static void reserve_then_fill(void **state)
{
	struct buf b;
	(void)state;
	buf_init(&b, 1 << 20);
	char *room = buf_reserve(&b, 100000);
	assert_non_null(room);
	memset(room, 'r', 5);
	buf_fill(&b, 5);
	assert_int_equal(b.len, 5);
	assert_memory_equal(buf_at(&b), "rrrrr", 5);
	buf_clear(&b);
	assert_int_equal(b.len, 0);
	buf_finish(&b);
	buf_finish(&b); /* an ender takes a zeroed object */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(what_goes_in_comes_out_in_order),
			cmocka_unit_test(ceiling_refuses_and_changes_nothing),
			cmocka_unit_test(reserve_then_fill),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
