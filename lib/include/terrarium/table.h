/* SPDX-License-Identifier: MIT */
#ifndef TERRARIUM_TABLE_H
#define TERRARIUM_TABLE_H

/* Tables, a page at a time: variables of a kernel that are data frames, arrays, lists of records or of rows,
 * and text in CSV. The whole table never leaves the sandbox. Sorting and searching happen where it is. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <terrarium/api.h>
#include <terrarium/session.h>

TRM_BEGIN_API

enum {
	TRM_TABLE_ROWS_MAX = 500, /* of a page */
	TRM_TABLE_COLUMNS_MAX = 200,
	TRM_TABLE_CELL_BYTES = 1000, /* of a cell's text; longer ones are cut */
};

/* What is wanted. A page may have fewer rows than are asked for: a kernel tells at most 20 000 cells. */
struct trm_table_query {
	const char *path; /* of the variable: "x", or "x/3/0" as for TRM_ASK_MEMBERS. Not for CSV */
	uint64_t row;     /* the first, in the order of the page, from 0 */
	unsigned rows;
	uint64_t column; /* the first, from 0 */
	unsigned columns;
	int64_t sort; /* the column to sort by; -1: as they are. What is missing comes last */
	bool is_descending;
	const char *find;   /* look for the next row with this text, upper or lower case; NULL: none */
	uint64_t find_from; /* … from this row on */
};
/* The first 50 rows of the first 20 columns, unsorted. */
void trm_table_query_default(struct trm_table_query *query);

struct trm_table_column {
	char *name;
	char *type;     /* as its language calls it: "int64", "int|str" */
	bool is_number; /* to be shown at the right edge */
};

/* A page. All texts are UTF-8 without control characters: "\n" stands for a line break, "\x1b" for ESC. */
struct trm_table {
	char *type;             /* "DataFrame" */
	uint64_t rows, columns; /* of the whole table */
	uint64_t row, column;   /* the first ones of this page */
	size_t n_rows, n_columns;
	struct trm_table_column *heads; /* n_columns */
	char **labels;                  /* n_rows: the index, or the number of the row before sorting */
	char **cells;                   /* n_rows * n_columns, row by row; NULL: there is no value */
	bool has_hit;                   /* the query's text was found … */
	uint64_t hit;                   /* … in this row */
	/* Not found up to here. A search takes little time: if this is less than `rows`, ask again with
	 * find_from set to it. */
	uint64_t looked;
};
void trm_table_finish(struct trm_table *table); /* takes a zeroed object */

/* Ask a kernel for a page. `fn` gets JSON for trm_table_read(), or the reason, exactly once. The question
 * waits while the kernel runs code, and an answer that takes longer than five seconds is interrupted. Copies
 * the query. Errors: TRM_EINVAL no path, or a page that is too big; TRM_ECLOSED. */
int trm_session_table(struct trm_session *session, const struct trm_lang *lang,
		const struct trm_table_query *query, trm_answer_fn *fn, void *user, struct trm_error *reterr);

/* Read an answer. All of it is checked and cut to size.
 * Errors: TRM_ENOENT there is no such table: the message says why; TRM_EPROTO the answer is no table's;
 * TRM_ENOMEM. */
int trm_table_read(const char *json, struct trm_table *ret, struct trm_error *reterr);

/* CSV: commas, semicolons, tabs or bars, whichever the first lines have; quotes as in RFC 4180. The first row
 * names the columns unless one of its fields is a number or empty. */
struct trm_csv;

/* Borrows the bytes until trm_csv_close(). Reads them once, to find the rows.
 * Errors: TRM_EINVAL they are no text, or have no rows; TRM_ENOMEM. */
int trm_csv_open(const char *bytes, size_t n, struct trm_csv **ret, struct trm_error *reterr);
/* A page, as with trm_table_read(). `path` is ignored. Errors: TRM_ENOMEM. */
int trm_csv_page(struct trm_csv *csv, const struct trm_table_query *query, struct trm_table *ret,
		struct trm_error *reterr);
void trm_csv_close(struct trm_csv *csv); /* takes NULL */

TRM_END_API

#endif
