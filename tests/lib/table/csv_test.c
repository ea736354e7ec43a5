/* SPDX-License-Identifier: MIT */
#include <terrarium/error.h>
#include <terrarium/table.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

static struct trm_csv *csv;
static struct trm_table page;
static struct trm_table_query query;

static void open_text(const char *text)
{
	struct trm_error why;
	trm_csv_close(csv);
	csv = NULL;
	trm_table_query_default(&query);
	assert_int_equal(trm_csv_open(text, strlen(text), &csv, &why), 0);
}

/* All cells of the page: "1,2|3,4"; "-": there is none. */
static const char *cells(void)
{
	static char text[1000];
	struct trm_error why;
	size_t n = 0;
	trm_table_finish(&page);
	assert_int_equal(trm_csv_page(csv, &query, &page, &why), 0);
	text[0] = '\0';
	for (size_t i = 0; i < page.n_rows * page.n_columns; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%s",
				i == 0                    ? ""
				: i % page.n_columns == 0 ? "|"
							  : ",",
				page.cells[i] ? page.cells[i] : "-");
	return text;
}

static int stop(void **state)
{
	(void)state;
	trm_table_finish(&page);
	trm_csv_close(csv);
	csv = NULL;
	return 0;
}

static void rows_and_columns_are_found(void **state)
{
	(void)state;
	open_text("\xef\xbb\xbfname;n\r\nAnna;7\r\n\"Bo; \"\"B\"\"\nx\";2\n");
	assert_string_equal(cells(), "Anna,7|Bo; \"B\"\\nx,2");
	assert_string_equal(page.heads[0].name, "name");
	assert_string_equal(page.heads[1].type, "number");
	assert_true(page.heads[1].is_number);
	assert_int_equal(page.rows, 2);
	open_text("1,2\n3,4");
	assert_string_equal(cells(), "1,2|3,4");
	assert_string_equal(page.heads[1].name, "1");
	query.column = 1;
	query.row = 1;
	assert_string_equal(cells(), "4");
	assert_string_equal(page.labels[0], "2");
}

static void rows_are_sorted_and_found(void **state)
{
	(void)state;
	open_text("a,b\n10,x\n9,Needle\n,z\n9,w\n");
	query.sort = 0;
	assert_string_equal(cells(), "9,Needle|9,w|10,x|,z");
	query.is_descending = true;
	query.find = "needle";
	assert_string_equal(cells(), "10,x|9,Needle|9,w|,z");
	assert_true(page.has_hit);
	assert_int_equal(page.hit, 1);
	query.find_from = 2;
	cells();
	assert_false(page.has_hit);
	assert_int_equal(page.looked, 4);
	query.sort = 77;
	assert_string_equal(cells(), "10,x|9,Needle|,z|9,w");
}

static void odd_text_is_bounded(void **state)
{
	struct trm_error why;
	struct trm_csv *none = NULL;
	(void)state;
	open_text("a,b\n1\n1,2,3,4\n\"open, to the\nend");
	assert_string_equal(cells(), "1,-,-,-|1,2,3,4|\"open, to the\\nend,-,-,-");
	assert_string_equal(page.heads[3].name, "3");
	query.row = 99;
	query.column = 99;
	assert_string_equal(cells(), "");
	open_text("\n");
	cells();
	open_text("a");
	cells();
	assert_int_equal(trm_csv_open("", 0, &none, &why), TRM_EINVAL);
	assert_int_equal(trm_csv_open("a\0b", 3, &none, &why), TRM_EINVAL);
	char *wide = malloc(40001);
	memset(wide, ',', 40000);
	wide[40000] = '\0';
	open_text(wide);
	assert_int_equal((cells(), page.columns), 10000);
	trm_csv_close(csv);
	csv = NULL;
	free(wide);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_teardown(rows_and_columns_are_found, stop),
			cmocka_unit_test_teardown(rows_are_sorted_and_found, stop),
			cmocka_unit_test_teardown(odd_text_is_bounded, stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
