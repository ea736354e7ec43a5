/* SPDX-License-Identifier: MIT */
#include "table/table_pane.h"

#include <string.h>

#include "text/cluster.h"

enum {
	PAGES_AROUND = 2,
	COLUMNS_AROUND = 10,
	CELLS_MAX = 20000,
	UNKNOWN_COLS = 8,
	LABEL_COLS = 20,
	TYPE_COLS = 14
};

void table_pane_init(struct table_pane *p)
{
	table_pane_finish(p);
	p->sort = -1;
	p->rows = 1;
	p->cols = 40;
}

void table_pane_finish(struct table_pane *p)
{
	trm_table_finish(&p->page);
	memset(p, 0, sizeof *p);
}

/* ---- widths ---- */

static int text_cols(const char *text)
{
	return text ? (int)cluster_columns(text, strlen(text)) : 1;
}

static int at_most(int value, int most)
{
	return value < most ? value : most;
}

/* The width of the widest text on the current page. The heading with its sort sign counts, and so does a
 * short type. */
static int page_cols(const struct trm_table *t, size_t column)
{
	int cols = text_cols(t->heads[column].name) + 2, type = text_cols(t->heads[column].type);
	cols = type > cols && type <= TYPE_COLS ? type : cols;
	for (size_t i = 0; i < t->n_rows; i++) {
		int own = text_cols(t->cells[i * t->n_columns + column]);
		cols = own > cols ? own : cols;
	}
	return at_most(cols, TABLE_FIT_COLS);
}

static void measure_page(struct table_pane *p)
{
	for (size_t i = 0; i < p->page.n_columns && p->page.column + i < TABLE_SEEN; i++) {
		int cols = page_cols(&p->page, i);
		uint8_t *seen = &p->seen[p->page.column + i];
		*seen = (uint8_t)(cols > *seen ? cols : *seen);
	}
}

int table_pane_cols(const struct table_pane *p, uint64_t column)
{
	if (column < TABLE_SEEN && p->chosen[column])
		return p->chosen[column];
	if (column < TABLE_SEEN && p->seen[column])
		return p->seen[column];
	return table_pane_head(p, column) ? page_cols(&p->page, (size_t)(column - p->page.column))
					  : UNKNOWN_COLS;
}

int table_pane_label_cols(const struct table_pane *p)
{
	int cols = 1;
	for (size_t i = 0; i < p->page.n_rows; i++) {
		int own = text_cols(p->page.labels[i]);
		cols = own > cols ? own : cols;
	}
	return at_most(at_most(cols, LABEL_COLS), p->cols / 3 > 1 ? p->cols / 3 : 1);
}

void table_pane_widen(struct table_pane *p, int by)
{
	if (p->column >= TABLE_SEEN)
		return;
	int cols = table_pane_cols(p, p->column) + by;
	cols = cols < TABLE_NARROW_COLS ? TABLE_NARROW_COLS : at_most(cols, TABLE_WIDE_COLS);
	p->chosen[p->column] = (uint8_t)(by ? cols : 0);
	if (!by)
		p->seen[p->column] = 0;
	measure_page(p);
}

size_t table_pane_places(const struct table_pane *p, struct table_place places[TABLE_PLACES])
{
	int col = table_pane_label_cols(p) + 1;
	size_t n = 0;
	for (uint64_t i = p->left; i < p->page.columns && col < p->cols && n < TABLE_PLACES; i++) {
		int cols = table_pane_cols(p, i);
		places[n++] = (struct table_place){i, col, at_most(cols, p->cols - col)};
		col += cols + 1;
	}
	return n;
}

/* ---- the visible part ---- */

static void keep_column_seen(struct table_pane *p)
{
	struct table_place places[TABLE_PLACES];
	if (p->column < p->left)
		p->left = p->column;
	while (p->left < p->column) {
		size_t n = table_pane_places(p, places);
		size_t at = (size_t)(p->column - p->left);
		bool is_whole = at < n && places[at].cols >= table_pane_cols(p, p->column);
		if (is_whole)
			return;
		p->left++;
	}
}

static void keep_seen(struct table_pane *p)
{
	uint64_t rows = p->rows > 0 ? (uint64_t)p->rows : 1;
	if (p->row < p->top)
		p->top = p->row;
	if (p->row >= p->top + rows)
		p->top = p->row - rows + 1;
	keep_column_seen(p);
}

void table_pane_to(struct table_pane *p, uint64_t row, uint64_t column)
{
	p->row = p->page.rows == 0 ? 0 : row < p->page.rows ? row : p->page.rows - 1;
	p->column = p->page.columns == 0 ? 0 : column < p->page.columns ? column : p->page.columns - 1;
	keep_seen(p);
}

static uint64_t moved(uint64_t from, int64_t by)
{
	return by < 0 && (uint64_t)-by > from ? 0 : from + (uint64_t)by;
}

void table_pane_move(struct table_pane *p, int64_t rows, int64_t columns)
{
	table_pane_to(p, moved(p->row, rows), moved(p->column, columns));
}

void table_pane_resize(struct table_pane *p, int rows, int cols)
{
	if (p->rows == rows && p->cols == cols)
		return;
	p->rows = rows > 0 ? rows : 1;
	p->cols = cols > 0 ? cols : 1;
	keep_seen(p);
}

void table_pane_sort(struct table_pane *p)
{
	if (p->sort != (int64_t)p->column) {
		p->sort = (int64_t)p->column;
		p->is_descending = false;
	} else if (!p->is_descending) {
		p->is_descending = true;
	} else {
		p->sort = -1;
	}
	p->row = p->top = 0;
	table_pane_changed(p);
}

/* ---- pages ---- */

void table_pane_take(struct table_pane *p, struct trm_table *page)
{
	trm_table_finish(&p->page);
	p->page = *page;
	memset(page, 0, sizeof *page);
	p->has_page = true;
	p->got = p->asked;
	if (p->sort >= (int64_t)p->page.columns)
		p->sort = -1;
	measure_page(p);
	/* If the table has become shorter, scroll so that the window stays filled. */
	uint64_t rows = (uint64_t)p->rows;
	if (p->top + rows > p->page.rows)
		p->top = p->page.rows > rows ? p->page.rows - rows : 0;
	table_pane_to(p, p->row, p->column);
}

static uint64_t last_seen_row(const struct table_pane *p)
{
	uint64_t end = p->top + (uint64_t)p->rows;
	return end < p->page.rows ? end : p->page.rows;
}

bool table_pane_lacks(const struct table_pane *p)
{
	const struct trm_table *t = &p->page;
	struct table_place places[TABLE_PLACES];
	if (!p->has_page || table_pane_is_stale(p))
		return true;
	if (t->rows == 0 || t->columns == 0)
		return false;
	size_t n = table_pane_places(p, places);
	uint64_t last = n ? places[n - 1].column : p->left;
	return p->top < t->row || last_seen_row(p) > t->row + t->n_rows || p->left < t->column
	       || last >= t->column + t->n_columns;
}

void table_pane_changed(struct table_pane *p)
{
	p->wanted++;
}

bool table_pane_is_stale(const struct table_pane *p)
{
	return p->got != p->wanted;
}

void table_pane_query(struct table_pane *p, struct trm_table_query *query)
{
	p->asked = p->wanted;
	uint64_t around = (uint64_t)p->rows, before = p->top < around ? p->top : around;
	uint64_t columns = (uint64_t)p->cols / (TABLE_NARROW_COLS + 1) + 2 * COLUMNS_AROUND;
	unsigned rows = (unsigned)p->rows * (1 + PAGES_AROUND);
	query->row = p->top - before;
	query->column = p->left < COLUMNS_AROUND ? 0 : p->left - COLUMNS_AROUND;
	query->columns = columns < TRM_TABLE_COLUMNS_MAX ? (unsigned)columns : TRM_TABLE_COLUMNS_MAX;
	query->rows = rows < TRM_TABLE_ROWS_MAX ? rows : TRM_TABLE_ROWS_MAX;
	if (query->rows > CELLS_MAX / query->columns)
		query->rows = CELLS_MAX / query->columns;
	query->sort = p->sort;
	query->is_descending = p->is_descending;
}

const struct trm_table_column *table_pane_head(const struct table_pane *p, uint64_t column)
{
	bool is_there = column >= p->page.column && column - p->page.column < p->page.n_columns;
	return is_there ? &p->page.heads[column - p->page.column] : NULL;
}

const char *table_pane_label(const struct table_pane *p, uint64_t row)
{
	bool is_there = row >= p->page.row && row - p->page.row < p->page.n_rows;
	return is_there ? p->page.labels[row - p->page.row] : NULL;
}

const char *table_pane_cell(const struct table_pane *p, uint64_t row, uint64_t column, bool *ret_is_known)
{
	*ret_is_known = table_pane_label(p, row) && table_pane_head(p, column);
	return *ret_is_known ? p->page.cells[(row - p->page.row) * p->page.n_columns
					     + (column - p->page.column)]
			     : NULL;
}
