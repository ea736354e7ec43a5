/* SPDX-License-Identifier: MIT */
#include <terrarium/error.h>
#include <terrarium/table.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

static const char *cell(const struct trm_table *t, size_t row, size_t column)
{
	return t->cells[row * t->n_columns + column];
}

static void a_page_is_read(void **state)
{
	struct trm_table t;
	struct trm_error why;
	(void)state;
	assert_int_equal(
			trm_table_read("{\"found\":true,\"type\":\"list\",\"rows\":1000000,\"columns\":2,\"row\":5,"
				       "\"column\":0,\"heads\":[{\"name\":\"a\",\"type\":\"int\",\"is_number\":true},"
				       "{\"name\":\"b\"}],\"labels\":[\"5\",\"6\"],\"cells\":[[\"1\",null],[\"2\","
				       "\"x\"]],\"hit\":7,\"looked\":9}",
					&t, &why),
			0);
	assert_int_equal(t.rows, 1000000);
	assert_int_equal(t.row, 5);
	assert_int_equal(t.n_rows, 2);
	assert_true(t.heads[0].is_number);
	assert_string_equal(t.heads[1].type, "");
	assert_null(cell(&t, 0, 1));
	assert_string_equal(cell(&t, 1, 1), "x");
	assert_string_equal(t.labels[1], "6");
	assert_true(t.has_hit);
	assert_int_equal(t.hit, 7);
	trm_table_finish(&t);
}

static void hostile_pages_are_bounded(void **state)
{
	struct trm_table t;
	struct trm_error why;
	char *json = malloc(1 << 20);
	(void)state;
	/* rows of too few and too many cells, of other types, with counts that are none */
	size_t n = (size_t)sprintf(json,
			"{\"found\":true,\"rows\":-5,\"columns\":1e300,\"hit\":3,\"heads\":[{}],"
			"\"labels\":7,\"cells\":[[],7,[\"\\u001b[31m\\n\\u202ex\",\"too many\"],[\"");
	memset(json + n, 'x', 5000);
	strcpy(json + n + 5000, "\"]]}");
	assert_int_equal(trm_table_read(json, &t, &why), 0);
	assert_int_equal(t.rows, 0);
	assert_int_equal(t.columns, 0);
	assert_false(t.has_hit);
	assert_int_equal(t.n_rows, 4);
	assert_null(cell(&t, 0, 0));
	assert_null(cell(&t, 1, 0));
	assert_string_equal(cell(&t, 2, 0), "\\x1b[31m\\n\xef\xbf\xbdx");
	assert_true(strlen(cell(&t, 3, 0)) < TRM_TABLE_CELL_BYTES);
	assert_string_equal(t.labels[0], "");
	trm_table_finish(&t);
	free(json);
}

static void what_is_no_table_is_refused(void **state)
{
	struct trm_table t = {0};
	struct trm_error why;
	(void)state;
	assert_int_equal(trm_table_read("{\"found\":false,\"why\":\"no table: x is of the type int\"}", &t,
					 &why),
			TRM_ENOENT);
	assert_string_equal(why.msg, "no table: x is of the type int");
	assert_int_equal(trm_table_read("{}", &t, &why), TRM_EPROTO);
	assert_int_equal(trm_table_read("[", &t, &why), TRM_EPROTO);
	trm_table_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(a_page_is_read),
			cmocka_unit_test(hostile_pages_are_bounded),
			cmocka_unit_test(what_is_no_table_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
