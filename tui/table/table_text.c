/* SPDX-License-Identifier: MIT */
#include "table/table_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text/cluster.h"

static size_t put_blanks(char *out, size_t at, int n)
{
	for (; n > 0 && at + 1 < TABLE_TEXT_BYTES; n--)
		out[at++] = ' ';
	return at;
}

/* The bytes of a text that fit into a number of columns. */
static size_t bytes_within(const char *text, int cols)
{
	size_t n = strlen(text), at = 0;
	int used = 0;
	while (at < n) {
		struct cluster c = cluster_at(text + at, n - at);
		if (used + c.width > cols)
			break;
		used += c.width;
		at += c.len;
	}
	return at;
}

/* Write a text in a column of this width. A longer text ends in "~". */
static size_t put_column(char *out, size_t at, const char *text, int cols, bool is_right)
{
	int own = (int)cluster_columns(text, strlen(text));
	bool is_cut = own > cols;
	size_t n = is_cut ? bytes_within(text, cols - 1) : strlen(text);
	int shown = is_cut ? (int)cluster_columns(text, n) + 1 : own;
	if (at + n + 2 >= TABLE_TEXT_BYTES)
		return at;
	if (is_right)
		at = put_blanks(out, at, cols - shown);
	if (at + n + 2 >= TABLE_TEXT_BYTES)
		return at;
	memcpy(out + at, text, n);
	at += n;
	if (is_cut)
		out[at++] = '~';
	return is_right ? at : put_blanks(out, at, cols - shown);
}

/* The number of these columns. */
static size_t table_text_columns(const struct table_pane *p)
{
	struct table_place places[TABLE_PLACES];
	size_t n = table_pane_places(p, places);
	bool is_cut = n > 1 && places[n - 1].cols < table_pane_cols(p, places[n - 1].column);
	return n - is_cut;
}

static const char *text_in(
		const struct table_pane *p, enum table_text_line line, uint64_t row, uint64_t column)
{
	const struct trm_table_column *head = table_pane_head(p, column);
	bool is_known;
	const char *cell = line == TABLE_TEXT_ROW ? table_pane_cell(p, row, column, &is_known) : NULL;
	if (!head)
		return "";
	return line == TABLE_TEXT_NAMES   ? head->name
	       : line == TABLE_TEXT_TYPES ? head->type
	       : cell                     ? cell
					  : "-";
}

void table_text_line(const struct table_pane *p, enum table_text_line line, uint64_t row,
		char out[TABLE_TEXT_BYTES])
{
	struct table_place places[TABLE_PLACES];
	size_t at = 0, n = table_text_columns(p);
	const char *label = line == TABLE_TEXT_ROW ? table_pane_label(p, row) : "";

	table_pane_places(p, places);
	at = put_column(out, at, label ? label : "", table_pane_label_cols(p), true);
	for (size_t i = 0; i < n; i++) {
		const struct trm_table_column *head = table_pane_head(p, places[i].column);
		at = put_blanks(out, at, 1);
		at = put_column(out, at, text_in(p, line, row, places[i].column), places[i].cols,
				head && head->is_number);
	}
	while (at && out[at - 1] == ' ')
		at--;
	out[at] = '\0';
}

void table_text_summary(const struct table_pane *p, char *out, size_t cap)
{
	const struct trm_table *t = &p->page;
	uint64_t last = p->top + (uint64_t)p->rows < t->rows ? p->top + (uint64_t)p->rows : t->rows;
	size_t columns = table_text_columns(p);

	if (t->rows == 0 || t->columns == 0)
		snprintf(out, cap, "%s: %" PRIu64 " rows, %" PRIu64 " columns", t->type, t->rows, t->columns);
	else
		snprintf(out, cap,
				"%s: rows %" PRIu64 " to %" PRIu64 " of %" PRIu64 ", columns %" PRIu64
				" to %" PRIu64 " of %" PRIu64,
				t->type, p->top + 1, last, t->rows, p->left + 1, p->left + columns,
				t->columns);
}
