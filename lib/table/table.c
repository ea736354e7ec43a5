/* SPDX-License-Identifier: MIT */
#include "table/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/text.h>

void trm_table_query_default(struct trm_table_query *query)
{
	*query = (struct trm_table_query){.rows = 50, .columns = 20, .sort = -1};
}

static void free_texts(char **texts, size_t n)
{
	for (size_t i = 0; texts && i < n; i++)
		free(texts[i]);
	free(texts);
}

void trm_table_finish(struct trm_table *table)
{
	free(table->type);
	for (size_t i = 0; table->heads && i < table->n_columns; i++) {
		free(table->heads[i].name);
		free(table->heads[i].type);
	}
	free(table->heads);
	free_texts(table->labels, table->n_rows);
	free_texts(table->cells, table->n_rows * table->n_columns);
	memset(table, 0, sizeof *table);
}

int table_reserve(struct trm_table *table, size_t n_rows, size_t n_columns)
{
	table->heads = calloc(n_columns + 1, sizeof *table->heads);
	table->labels = calloc(n_rows + 1, sizeof *table->labels);
	table->cells = calloc(n_rows * n_columns + 1, sizeof *table->cells);
	if (!table->heads || !table->labels || !table->cells)
		return TRM_ENOMEM;
	table->n_rows = n_rows;
	table->n_columns = n_columns;
	return 0;
}

/* Control characters as an escape; returns its length. */
static size_t put_escape(char out[5], unsigned char c)
{
	static const char letters[] = "\tt\nn\rr\033e";
	const char *found = memchr(letters, c, sizeof letters - 1);

	if (c != 0 && found && (found - letters) % 2 == 0 && c != 033)
		return (size_t)snprintf(out, 5, "\\%c", found[1]);
	return (size_t)snprintf(out, 5, "\\x%02x", c);
}

char *table_text(const char *s, size_t n)
{
	char raw[TRM_TABLE_CELL_BYTES], clean[TRM_TABLE_CELL_BYTES];
	size_t len = 0;

	for (size_t i = 0; i < n && len + 5 < sizeof raw; i++) {
		unsigned char c = (unsigned char)s[i];
		if (c < 0x20 || c == 0x7f)
			len += put_escape(raw + len, c);
		else
			raw[len++] = s[i];
	}
	trm_text_clean_line(clean, sizeof clean, raw, len);
	return strdup(clean);
}
