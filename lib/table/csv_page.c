/* SPDX-License-Identifier: MIT */
/* Pages of CSV: sorting, searching, and the texts of the cells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "table/csv.h"
#include "table/table.h"

enum { SEARCHED_AT_ONCE = 100000 /* rows */ };

/* ---- sorting ---- */

struct csv_key {
	struct csv_field field;
	double number;
	uint32_t row;
	bool is_number;
};

static struct csv_field field_of(const struct trm_csv *csv, size_t row, size_t column)
{
	const char *end, *at = csv_row(csv, row, &end);
	struct csv_field f = {at, 0};
	for (size_t i = 0; at && i <= column; i++) {
		f = csv_next_field(csv, &at, end);
		if (i < column && !at)
			return (struct csv_field){end, 0};
	}
	return f;
}

static int compare_texts(struct csv_field a, struct csv_field b)
{
	int order = memcmp(a.at, b.at, a.n < b.n ? a.n : b.n);
	return order ? order : (a.n > b.n) - (a.n < b.n);
}

/* Numbers come before texts, empty fields last in either direction, equal ones as they stood. */
static int compare_keys(const void *x, const void *y, void *user)
{
	const struct csv_key *a = x, *b = y;
	int order;
	if (!a->field.n != !b->field.n)
		return !a->field.n - !b->field.n;
	if (a->is_number && b->is_number)
		order = (a->number > b->number) - (a->number < b->number);
	else if (a->is_number != b->is_number)
		order = b->is_number - a->is_number;
	else
		order = compare_texts(a->field, b->field);
	if (*(bool *)user)
		order = -order;
	return order ? order : (a->row > b->row) - (a->row < b->row);
}

static int sort_rows(struct trm_csv *csv, const struct trm_table_query *q)
{
	size_t n = csv_rows(csv);
	bool is_descending = q->is_descending;
	if (csv->order && csv->sort == q->sort && csv->is_descending == is_descending)
		return 0;
	struct csv_key *keys = calloc(n + 1, sizeof *keys);
	uint32_t *order = calloc(n + 1, sizeof *order);
	for (size_t i = 0; keys && i < n; i++) {
		keys[i].field = field_of(csv, i, (size_t)q->sort);
		keys[i].is_number = csv_number(keys[i].field, &keys[i].number);
		keys[i].row = (uint32_t)i;
	}
	if (keys && order) {
		qsort_r(keys, n, sizeof *keys, compare_keys, &is_descending);
		for (size_t i = 0; i < n; i++)
			order[i] = keys[i].row;
		free(csv->order);
		csv->order = order;
		csv->sort = q->sort;
		csv->is_descending = is_descending;
	} else {
		free(order);
	}
	bool is_done = keys && order;
	free(keys);
	return is_done ? 0 : TRM_ENOMEM;
}

static size_t place_of(const struct trm_csv *csv, const struct trm_table_query *q, size_t row)
{
	return q->sort >= 0 && csv->order ? csv->order[row] : row;
}

/* ---- searching ---- */

static bool row_has(const struct trm_csv *csv, size_t place, const char *text)
{
	char line[4096];
	const char *end, *at = csv_row(csv, place, &end);
	size_t step = sizeof line - 1, overlap = strlen(text);
	if (overlap >= step)
		return false;
	for (; at < end; at += step - overlap) {
		size_t n = (size_t)(end - at) < step ? (size_t)(end - at) : step;
		memcpy(line, at, n);
		line[n] = '\0';
		if (strcasestr(line, text))
			return true;
		if (n < step)
			break;
	}
	return false;
}

static void find_row(const struct trm_csv *csv, const struct trm_table_query *q, struct trm_table *t)
{
	size_t n = csv_rows(csv), end = q->find_from;
	end = q->find_from < n && n - q->find_from > SEARCHED_AT_ONCE ? q->find_from + SEARCHED_AT_ONCE : n;
	t->looked = end;
	for (uint64_t i = q->find_from; i < end && !t->has_hit; i++) {
		t->has_hit = row_has(csv, place_of(csv, q, i), q->find);
		t->hit = i;
	}
}

/* ---- the page ---- */

static char *text_of(struct csv_field f)
{
	char text[TRM_TABLE_CELL_BYTES];
	return table_text(text, csv_unquote(f, text, sizeof text));
}

static bool put_heads(const struct trm_csv *csv, struct trm_table *t)
{
	const char *end = csv->bytes + csv->starts[1], *at = csv->bytes + csv->starts[0];
	struct csv_field f = {at, 0};
	char number[24];
	while (end > at && (end[-1] == '\n' || end[-1] == '\r'))
		end--;
	at = csv->has_heading ? at : NULL;
	for (size_t i = 0; at && i < t->column; i++)
		csv_next_field(csv, &at, end);
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct csv_type *type = &csv->types[t->column + i];
		bool has_name = at;
		if (at)
			f = csv_next_field(csv, &at, end);
		snprintf(number, sizeof number, "%zu", (size_t)t->column + i);
		t->heads[i].name = has_name ? text_of(f) : strdup(number);
		t->heads[i].is_number = type->numbers && !type->texts;
		t->heads[i].type = strdup(type->texts ? "text" : type->numbers ? "number" : "empty");
		if (!t->heads[i].name || !t->heads[i].type)
			return false;
	}
	return true;
}

static bool put_row(const struct trm_csv *csv, struct trm_table *t, size_t i, size_t place)
{
	const char *end, *at = csv_row(csv, place, &end);
	char number[24];
	snprintf(number, sizeof number, "%zu", place + 1);
	if (!(t->labels[i] = strdup(number)))
		return false;
	for (size_t j = 0; at && j < t->column; j++)
		csv_next_field(csv, &at, end);
	for (size_t j = 0; at && j < t->n_columns; j++)
		if (!(t->cells[i * t->n_columns + j] = text_of(csv_next_field(csv, &at, end))))
			return false;
	return true;
}

static size_t how_many(uint64_t all, uint64_t from, size_t wanted)
{
	return from >= all ? 0 : all - from < wanted ? (size_t)(all - from) : wanted;
}

static int make_page(struct trm_csv *csv, const struct trm_table_query *q, struct trm_table *t)
{
	unsigned rows = q->rows < TRM_TABLE_ROWS_MAX ? q->rows : TRM_TABLE_ROWS_MAX;
	unsigned columns = q->columns < TRM_TABLE_COLUMNS_MAX ? q->columns : TRM_TABLE_COLUMNS_MAX;
	t->rows = csv_rows(csv);
	t->columns = csv->columns;
	t->row = q->row;
	t->column = q->column < csv->columns ? q->column : csv->columns;
	if ((q->sort >= 0 && sort_rows(csv, q) < 0) || !(t->type = strdup("CSV"))
			|| table_reserve(t, how_many(t->rows, q->row, rows),
					   how_many(t->columns, t->column, columns))
					   < 0
			|| !put_heads(csv, t))
		return TRM_ENOMEM;
	if (q->find && *q->find)
		find_row(csv, q, t);
	for (size_t i = 0; i < t->n_rows; i++)
		if (!put_row(csv, t, i, place_of(csv, q, q->row + i)))
			return TRM_ENOMEM;
	return 0;
}

int trm_csv_page(struct trm_csv *csv, const struct trm_table_query *query, struct trm_table *ret,
		struct trm_error *reterr)
{
	struct trm_table table = {0};
	struct trm_table_query q = *query;
	if (q.sort >= (int64_t)csv->columns)
		q.sort = -1;
	if (make_page(csv, &q, &table) == 0) {
		*ret = table;
		return 0;
	}
	trm_table_finish(&table);
	return trm_error_set(reterr, TRM_ENOMEM, "out of memory for a page of the table");
}
