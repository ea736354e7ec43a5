/* SPDX-License-Identifier: MIT */
#ifndef TRM_TABLE_CSV_H
#define TRM_TABLE_CSV_H

/* CSV as rows of fields. */

#include <stddef.h>
#include <stdint.h>

#include <terrarium/table.h>

enum { CSV_COLUMNS_MAX = 10000, CSV_SAMPLE = 1000 };

struct trm_csv {
	const char *bytes;
	size_t n;
	char delimiter;
	size_t *starts; /* of the rows, and behind the last one the end; the first one may be the heading */
	size_t n_starts, cap;
	bool has_heading;
	size_t columns;
	struct csv_type {
		size_t numbers, texts;
	} * types;       /* of the sample */
	uint32_t *order; /* rows as sorted last; NULL: not yet */
	int64_t sort;
	bool is_descending;
};

/* A field as it stands in the text, quotes included. */
struct csv_field {
	const char *at;
	size_t n;
};

/* The field of a row that begins at *at and ends before `end`; *at moves behind it and its delimiter, or to
 * NULL behind the last one. */
struct csv_field csv_next_field(const struct trm_csv *csv, const char **at, const char *end);
/* Where row i (from 0, the heading not counted) begins and, by way of ret_end, ends. */
const char *csv_row(const struct trm_csv *csv, size_t i, const char **ret_end);
size_t csv_rows(const struct trm_csv *csv);
/* Without quotes; into out. Returns the length, at most cap. */
size_t csv_unquote(struct csv_field field, char *out, size_t cap);
/* Is it a number? `ret` may be NULL. */
bool csv_number(struct csv_field field, double *ret);

#endif
