/* SPDX-License-Identifier: MIT */
#include "table/table_pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>

#include "cmocka_all.h"

/* Give it what it asks for: of a table so big, whose cells tell where they are. */
static void fetch(struct table_pane *p, uint64_t rows, uint64_t columns)
{
	struct trm_table_query q;
	struct trm_table t = {.rows = rows, .columns = columns};
	trm_table_query_default(&q);
	table_pane_query(p, &q);
	t.row = q.row;
	t.column = q.column < columns ? q.column : columns;
	t.n_rows = t.row >= rows ? 0 : rows - t.row < q.rows ? (size_t)(rows - t.row) : q.rows;
	t.n_columns = columns - t.column < q.columns ? (size_t)(columns - t.column) : q.columns;
	t.heads = calloc(t.n_columns + 1, sizeof *t.heads);
	t.labels = calloc(t.n_rows + 1, sizeof *t.labels);
	t.cells = calloc(t.n_rows * t.n_columns + 1, sizeof *t.cells);
	char text[40];
	for (size_t j = 0; j < t.n_columns; j++)
		t.heads[j] = (struct trm_table_column){strdup("n"), strdup("int"), true};
	for (size_t i = 0; i < t.n_rows; i++) {
		snprintf(text, sizeof text, "%zu", (size_t)t.row + i);
		t.labels[i] = strdup(text);
		for (size_t j = 0; j < t.n_columns; j++) {
			snprintf(text, sizeof text, "%zu.%zu", (size_t)t.row + i, (size_t)t.column + j);
			t.cells[i * t.n_columns + j] = strdup(text);
		}
	}
	table_pane_take(p, &t);
}

static const char *marked(const struct table_pane *p)
{
	bool is_known;
	const char *text = table_pane_cell(p, p->row, p->column, &is_known);
	return is_known ? text : NULL;
}

static int start(void **state)
{
	static struct table_pane p;
	table_pane_init(&p);
	table_pane_resize(&p, 20, 60);
	*state = &p;
	return 0;
}

static int stop(void **state)
{
	table_pane_finish(*state);
	return 0;
}

static void only_what_is_missing_is_fetched(void **state)
{
	struct table_pane *p = *state;
	assert_true(table_pane_lacks(p));
	fetch(p, 1000000, 5);
	assert_false(table_pane_lacks(p));
	assert_in_range(p->page.n_rows, 20, 100);
	table_pane_move(p, 25, 0);
	assert_false(table_pane_lacks(p));
	assert_string_equal(marked(p), "25.0");
	table_pane_to(p, UINT64_MAX / 4, 2);
	assert_int_equal(p->row, 999999);
	assert_true(table_pane_lacks(p));
	assert_null(marked(p));
	fetch(p, 1000000, 5);
	assert_string_equal(marked(p), "999999.2");
	table_pane_move(p, -2000000, -9);
	assert_int_equal(p->row + p->column + p->top + p->left, 0);
}

static void columns_scroll_and_change_their_width(void **state)
{
	struct table_pane *p = *state;
	struct table_place places[TABLE_PLACES];
	fetch(p, 10, 1000);
	assert_int_equal(table_pane_cols(p, 0), 3);
	for (int i = 0; i < 999; i++) {
		table_pane_move(p, 0, 1);
		if (table_pane_lacks(p))
			fetch(p, 10, 1000);
		size_t n = table_pane_places(p, places);
		assert_true(p->column >= p->left && p->column < p->left + n);
	}
	assert_string_equal(marked(p), "0.999");
	table_pane_widen(p, 7);
	assert_int_equal(table_pane_cols(p, 999), 12);
	table_pane_widen(p, -100);
	assert_int_equal(table_pane_cols(p, 999), TABLE_NARROW_COLS);
	table_pane_widen(p, 0);
	assert_int_equal(table_pane_cols(p, 999), 5);
	table_pane_widen(p, 5000);
	assert_int_equal(table_pane_cols(p, 999), TABLE_WIDE_COLS);
}

static void sorting_goes_round(void **state)
{
	struct table_pane *p = *state;
	struct trm_table_query q;
	fetch(p, 100, 3);
	table_pane_to(p, 50, 1);
	table_pane_sort(p);
	assert_true(table_pane_lacks(p));
	table_pane_query(p, &q);
	assert_int_equal(q.sort, 1);
	assert_false(q.is_descending);
	assert_int_equal(p->row, 0);
	table_pane_sort(p);
	fetch(p, 100, 3);
	assert_false(table_pane_lacks(p));
	table_pane_query(p, &q);
	table_pane_changed(p); /* while a page is awaited */
	struct trm_table late = {.rows = 100, .columns = 3};
	table_pane_take(p, &late);
	assert_true(table_pane_lacks(p));
	assert_true(p->is_descending);
	table_pane_sort(p);
	assert_int_equal(p->sort, -1);
}

static void a_table_that_shrinks_stays_in_sight(void **state)
{
	struct table_pane *p = *state;
	fetch(p, 1000, 9);
	table_pane_to(p, 999, 8);
	fetch(p, 1000, 9);
	table_pane_sort(p);
	table_pane_to(p, 999, 8);
	table_pane_changed(p);
	fetch(p, 3, 2);
	if (table_pane_lacks(p))
		fetch(p, 3, 2);
	assert_int_equal(p->top, 0);
	assert_int_equal(p->sort, -1);
	assert_string_equal(marked(p), "2.1");
	table_pane_changed(p);
	fetch(p, 0, 0);
	assert_false(table_pane_lacks(p));
	assert_null(marked(p));
	table_pane_move(p, 1, 1);
	assert_int_equal(p->row + p->column, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(only_what_is_missing_is_fetched, start, stop),
			cmocka_unit_test_setup_teardown(columns_scroll_and_change_their_width, start, stop),
			cmocka_unit_test_setup_teardown(sorting_goes_round, start, stop),
			cmocka_unit_test_setup_teardown(a_table_that_shrinks_stays_in_sight, start, stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
