/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/cluster.h"
#include "text/rich_internal.h"

void rich_table_finish(struct rich_table *t)
{
	for (size_t i = 0; i < t->n_rows * TABLE_COLS; i++)
		free(t->cells[i].text);
	free(t->cells);
	*t = (struct rich_table){0};
}

void rich_table_row(struct rich_table *t)
{
	t->is_in_row = false;
	if (t->n_rows == TABLE_ROWS) {
		t->left_out++;
		return;
	}
	if (t->n_rows == t->cap_rows) {
		size_t cap = t->cap_rows ? t->cap_rows * 2 : 16;
		struct rich_cell *cells = realloc(t->cells, cap * TABLE_COLS * sizeof *cells);
		if (!cells)
			return;
		t->cells = cells;
		t->cap_rows = cap;
	}
	memset(t->cells + t->n_rows * TABLE_COLS, 0, TABLE_COLS * sizeof *t->cells);
	t->n_rows++;
	t->col = 0;
	t->is_in_row = true;
}

/* How many bytes of a text fit into this many cells. */
static size_t bytes_within(const char *text, size_t width)
{
	size_t n = strlen(text), at = 0;

	while (at < n) {
		struct cluster c = cluster_at(text + at, n - at);
		if (c.width > width)
			break;
		width -= c.width;
		at += c.len;
	}
	return at;
}

/* Remove blanks at the ends, replace newlines by blanks, and cut wide text. */
static char *tidy(const char *text, size_t n)
{
	while (n && strchr(" \n", text[n - 1]))
		n--;
	while (n && strchr(" \n", *text)) {
		text++;
		n--;
	}
	char *out = strndup(text, n);
	if (!out)
		return NULL;
	for (char *c = out; *c; c++)
		if (*c == '\n')
			*c = ' ';
	size_t fits = bytes_within(out, TABLE_CELL_COLS);
	if (fits < strlen(out))
		out[fits] = '\0';
	return out;
}

void rich_table_cell(struct rich_table *t, const char *text, size_t n, bool is_head, size_t span)
{
	if (!t->is_in_row || t->col >= TABLE_COLS)
		return;
	struct rich_cell *cell = &t->cells[(t->n_rows - 1) * TABLE_COLS + t->col];
	free(cell->text);
	*cell = (struct rich_cell){.text = tidy(text, n), .is_head = is_head};
	t->col += span && span < TABLE_COLS ? span : 1;
	if (t->col > t->n_cols)
		t->n_cols = t->col < TABLE_COLS ? t->col : TABLE_COLS;
}

static size_t cell_width(const char *text)
{
	return text ? cluster_columns(text, strlen(text)) : 0;
}

/* Is it a number, or a placeholder for a missing one? */
static bool is_number(const char *text)
{
	return text && *text
	       && (strspn(text, "0123456789.,eE+-%") == strlen(text) || strcmp(text, "NaN") == 0
			       || strcmp(text, "nan") == 0 || strcmp(text, "inf") == 0);
}

struct column {
	size_t width;
	bool is_right; /* numbers are aligned to the right */
};

static void measure_table(const struct rich_table *t, struct column columns[TABLE_COLS])
{
	for (size_t col = 0; col < t->n_cols; col++) {
		size_t numbers = 0, texts = 0;
		columns[col] = (struct column){0};
		for (size_t row = 0; row < t->n_rows; row++) {
			const struct rich_cell *cell = &t->cells[row * TABLE_COLS + col];
			size_t width = cell_width(cell->text);
			columns[col].width = width > columns[col].width ? width : columns[col].width;
			if (!cell->is_head && cell->text && *cell->text)
				*(is_number(cell->text) ? &numbers : &texts) += 1;
		}
		columns[col].is_right = numbers > texts;
	}
}

static void put_blanks(struct rich *r, size_t n)
{
	static const char blanks[] = "                                                                ";

	for (size_t part; n; n -= part) {
		part = n < sizeof blanks - 1 ? n : sizeof blanks - 1;
		rich_add(r, blanks, part);
	}
}

static void put_cell(struct rich *r, const struct rich_cell *cell, const struct column *column, bool is_last)
{
	size_t gap = column->width - cell_width(cell->text);
	const char *text = cell->text ? cell->text : "";

	if (column->is_right)
		put_blanks(r, gap);
	if (cell->is_head)
		rich_add(r, RICH_BOLD, strlen(RICH_BOLD));
	rich_add(r, text, strlen(text));
	if (cell->is_head)
		rich_add(r, RICH_PLAIN, strlen(RICH_PLAIN));
	if (!column->is_right && !is_last)
		put_blanks(r, gap);
	if (!is_last)
		put_blanks(r, 2);
}

/* The end of the columns that fit beside the first one; at least one does. */
static size_t fold_end(const struct rich_table *t, const struct column *columns, size_t from, size_t cols)
{
	size_t width = columns[0].width, end = from;

	while (end < t->n_cols && (!cols || end == from || width + 2 + columns[end].width <= cols))
		width += 2 + columns[end++].width;
	return end;
}

/* Write the first column, and columns from..end. */
static void put_fold(const struct rich_table *t, const struct column *columns, size_t from, size_t end,
		struct rich *r)
{
	for (size_t row = 0; row < t->n_rows; row++) {
		const struct rich_cell *cells = &t->cells[row * TABLE_COLS];
		put_cell(r, &cells[0], &columns[0], from >= end);
		for (size_t col = from; col < end; col++)
			put_cell(r, &cells[col], &columns[col], col + 1 == end);
		rich_add(r, "\n", 1);
	}
}

void rich_table_put(struct rich_table *t, struct rich *r)
{
	struct column columns[TABLE_COLS];
	char more[64];

	measure_table(t, columns);
	rich_break(r, 1);
	for (size_t from = 1, end = 0; end < t->n_cols; from = end) {
		if (from > 1)
			rich_add(r, "\n", 1);
		end = fold_end(t, columns, from, r->cols);
		put_fold(t, columns, from, end, r);
	}
	if (t->left_out) {
		int n = snprintf(more, sizeof more, "... %zu more rows\n", t->left_out);
		rich_add(r, more, (size_t)n);
	}
	rich_table_finish(t);
}
