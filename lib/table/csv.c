/* SPDX-License-Identifier: MIT */
/* Finds the rows of CSV, and the fields of a row. */
#include "table/csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { NUMBER_BYTES = 64, LOOK_BYTES = 64 * 1024 };

/* ---- fields ---- */

/* The end of the field at s. In one that begins with a quote, delimiters and newlines stand within it. */
static const char *field_end(const struct trm_csv *csv, const char *s, const char *end)
{
	bool is_quoted = s < end && *s == '"';
	const char *at = s + is_quoted;
	while (is_quoted && at < end) {
		const char *quote = memchr(at, '"', (size_t)(end - at));
		at = quote ? quote + 1 : end;
		if (!quote || at == end || *at != '"')
			break;
		at++; /* a doubled one stands for itself */
	}
	const char *delimiter = at < end ? memchr(at, csv->delimiter, (size_t)(end - at)) : NULL;
	return delimiter ? delimiter : end;
}

struct csv_field csv_next_field(const struct trm_csv *csv, const char **at, const char *end)
{
	const char *begin = *at, *behind = field_end(csv, begin, end);
	*at = behind < end ? behind + 1 : NULL;
	return (struct csv_field){begin, (size_t)(behind - begin)};
}

size_t csv_unquote(struct csv_field f, char *out, size_t cap)
{
	size_t n = 0;
	if (f.n < 2 || f.at[0] != '"' || f.at[f.n - 1] != '"') {
		n = f.n < cap ? f.n : cap;
		memcpy(out, f.at, n);
		return n;
	}
	for (size_t i = 1; i + 1 < f.n && n < cap; i++) {
		out[n++] = f.at[i];
		if (f.at[i] == '"' && f.at[i + 1] == '"')
			i++;
	}
	return n;
}

bool csv_number(struct csv_field f, double *ret)
{
	char text[NUMBER_BYTES + 1], *end;
	size_t n = csv_unquote(f, text, NUMBER_BYTES);
	while (n && text[n - 1] == ' ')
		n--;
	text[n] = '\0';
	if (n == 0 || n == NUMBER_BYTES || !strpbrk(text, "0123456789") || strpbrk(text, "xXpPnN"))
		return false;
	double value = strtod(text, &end);
	if (*end)
		return false;
	if (ret)
		*ret = value;
	return true;
}

/* ---- rows ---- */

const char *csv_row(const struct trm_csv *csv, size_t i, const char **ret_end)
{
	i += csv->has_heading;
	const char *begin = csv->bytes + csv->starts[i], *end = csv->bytes + csv->starts[i + 1];
	while (end > begin && (end[-1] == '\n' || end[-1] == '\r'))
		end--;
	*ret_end = end;
	return begin;
}

size_t csv_rows(const struct trm_csv *csv)
{
	return csv->n_starts - 1 - csv->has_heading;
}

static bool add_start(struct trm_csv *csv, size_t at)
{
	if (csv->n_starts == csv->cap) {
		size_t cap = csv->cap ? csv->cap * 2 : 1024;
		size_t *grown = realloc(csv->starts, cap * sizeof *grown);
		if (!grown)
			return false;
		csv->starts = grown;
		csv->cap = cap;
	}
	csv->starts[csv->n_starts++] = at;
	return true;
}

/* Behind the row that begins at `at`: a newline that stands in no quotes. */
static size_t row_end(const struct trm_csv *csv, size_t at)
{
	bool is_quoted = false;
	for (; at < csv->n; at++) {
		if (csv->bytes[at] == '"')
			is_quoted = !is_quoted;
		else if (csv->bytes[at] == '\n' && !is_quoted)
			return at + 1;
	}
	return csv->n;
}

static bool find_rows(struct trm_csv *csv)
{
	bool has_quotes = memchr(csv->bytes, '"', csv->n);
	size_t at = csv->n >= 3 && !memcmp(csv->bytes, "\xef\xbb\xbf", 3) ? 3 : 0;
	while (at < csv->n && csv->n_starts < UINT32_MAX) {
		const char *newline = has_quotes ? NULL : memchr(csv->bytes + at, '\n', csv->n - at);
		if (!add_start(csv, at))
			return false;
		at = has_quotes ? row_end(csv, at) : newline ? (size_t)(newline + 1 - csv->bytes) : csv->n;
	}
	return add_start(csv, csv->n);
}

/* The sign that the first line has most of. */
static char find_delimiter(const char *bytes, size_t n)
{
	static const char signs[] = ",;\t|";
	const char *newline = memchr(bytes, '\n', n);
	size_t best = 0, len = newline ? (size_t)(newline - bytes) : n;
	char found = ',';
	for (const char *s = signs; *s; s++) {
		size_t count = 0;
		for (size_t i = 0; i < len; i++)
			count += bytes[i] == *s;
		if (count > best)
			found = *s;
		best = count > best ? count : best;
	}
	return found;
}

/* ---- columns ---- */

static size_t count_fields(const struct trm_csv *csv, size_t row)
{
	const char *end, *at = csv_row(csv, row, &end);
	size_t n = 0;
	for (; at && n < CSV_COLUMNS_MAX; n++)
		csv_next_field(csv, &at, end);
	return n;
}

static void count_types(struct trm_csv *csv, size_t row)
{
	const char *end, *at = csv_row(csv, row, &end);
	for (size_t i = 0; at && i < csv->columns; i++) {
		struct csv_field f = csv_next_field(csv, &at, end);
		if (f.n && csv_number(f, NULL))
			csv->types[i].numbers++;
		else if (f.n)
			csv->types[i].texts++;
	}
}

/* Names are neither empty nor numbers. */
static bool is_heading(const struct trm_csv *csv)
{
	const char *end, *at = csv_row(csv, 0, &end);
	if (at == end)
		return false;
	while (at) {
		struct csv_field f = csv_next_field(csv, &at, end);
		if (f.n == 0 || csv_number(f, NULL))
			return false;
	}
	return true;
}

static bool find_columns(struct trm_csv *csv)
{
	size_t rows = csv_rows(csv) < CSV_SAMPLE ? csv_rows(csv) : CSV_SAMPLE;
	for (size_t i = 0; i < rows; i++) {
		size_t n = count_fields(csv, i);
		csv->columns = n > csv->columns ? n : csv->columns;
	}
	csv->has_heading = csv_rows(csv) > 0 && is_heading(csv);
	csv->types = calloc(csv->columns + 1, sizeof *csv->types);
	for (size_t i = 0; csv->types && i < csv_rows(csv) && i < CSV_SAMPLE; i++)
		count_types(csv, i);
	return csv->types;
}

int trm_csv_open(const char *bytes, size_t n, struct trm_csv **ret, struct trm_error *reterr)
{
	if (n == 0)
		return trm_error_set(reterr, TRM_EINVAL, "it is empty");
	if (memchr(bytes, '\0', n < LOOK_BYTES ? n : LOOK_BYTES))
		return trm_error_set(reterr, TRM_EINVAL, "it is not CSV: it has NUL bytes");
	struct trm_csv *csv = calloc(1, sizeof *csv);
	if (csv) {
		*csv = (struct trm_csv){
				.bytes = bytes, .n = n, .delimiter = find_delimiter(bytes, n), .sort = -1};
		if (find_rows(csv) && find_columns(csv)) {
			*ret = csv;
			return 0;
		}
	}
	trm_csv_close(csv);
	return trm_error_set(reterr, TRM_ENOMEM, "out of memory for the table");
}

void trm_csv_close(struct trm_csv *csv)
{
	if (!csv)
		return;
	free(csv->starts);
	free(csv->types);
	free(csv->order);
	free(csv);
}
