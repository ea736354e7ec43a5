/* SPDX-License-Identifier: MIT */
/* Reads a kernel's answer. Nothing in it is trusted: counts, types and texts are checked. */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/err.h"
#include "table/table.h"

#define COUNT_MAX 9007199254740992.0 /* 2^53: greater ones are not exact in JSON */

static uint64_t read_count(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
	bool is_good = cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= COUNT_MAX;
	return is_good ? (uint64_t)item->valuedouble : 0;
}

/* NULL: out of memory. What is no text becomes "". */
static char *read_text(const cJSON *item)
{
	const char *s = cJSON_GetStringValue(item);
	return table_text(s ? s : "", s ? strlen(s) : 0);
}

static char *read_member(const cJSON *object, const char *name)
{
	return read_text(cJSON_GetObjectItemCaseSensitive(object, name));
}

static bool read_heads(struct trm_table *table, const cJSON *heads)
{
	const cJSON *head = heads ? heads->child : NULL;
	for (size_t i = 0; i < table->n_columns; i++, head = head ? head->next : NULL) {
		struct trm_table_column *c = &table->heads[i];
		c->name = read_member(head, "name");
		c->type = read_member(head, "type");
		c->is_number = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(head, "is_number"));
		if (!c->name || !c->type)
			return false;
	}
	return true;
}

static bool read_rows(struct trm_table *table, const cJSON *labels, const cJSON *rows)
{
	const cJSON *label = labels ? labels->child : NULL, *row = rows ? rows->child : NULL;
	for (size_t i = 0; i < table->n_rows; i++) {
		const cJSON *cell = cJSON_IsArray(row) ? row->child : NULL;
		if (!(table->labels[i] = read_text(label)))
			return false;
		for (size_t j = 0; j < table->n_columns && cell; j++, cell = cell->next)
			if (cJSON_IsString(cell)
					&& !(table->cells[i * table->n_columns + j] = read_text(cell)))
				return false;
		label = label ? label->next : NULL;
		row = row ? row->next : NULL;
	}
	return true;
}

static int at_most(int value, int most)
{
	return value < most ? value : most;
}

static int read_page(const cJSON *json, struct trm_table *t)
{
	const cJSON *heads = cJSON_GetObjectItemCaseSensitive(json, "heads");
	const cJSON *rows = cJSON_GetObjectItemCaseSensitive(json, "cells");
	int n_columns = at_most(cJSON_GetArraySize(heads), TRM_TABLE_COLUMNS_MAX);
	int n_rows = at_most(cJSON_GetArraySize(rows), TRM_TABLE_ROWS_MAX);
	if (table_reserve(t, (size_t)n_rows, (size_t)n_columns) < 0 || !(t->type = read_member(json, "type"))
			|| !read_heads(t, heads)
			|| !read_rows(t, cJSON_GetObjectItemCaseSensitive(json, "labels"), rows))
		return TRM_ENOMEM;
	t->rows = read_count(json, "rows");
	t->columns = read_count(json, "columns");
	t->row = read_count(json, "row");
	t->column = read_count(json, "column");
	t->has_hit = cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(json, "hit"));
	t->hit = read_count(json, "hit");
	t->looked = read_count(json, "looked");
	t->has_hit = t->has_hit && t->hit < t->rows;
	return 0;
}

static int refuse_page(const cJSON *json, struct trm_error *reterr)
{
	const char *why = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "why"));
	if (!cJSON_IsObject(json) || !cJSON_GetObjectItemCaseSensitive(json, "found"))
		return trm_error_set(reterr, TRM_EPROTO, "the interpreter's answer is no page of a table");
	return trm_error_set(reterr, TRM_ENOENT, "%s", why ? why : "there is no such table");
}

int trm_table_read(const char *json, struct trm_table *ret, struct trm_error *reterr)
{
	struct trm_table table = {0};
	cJSON *root = cJSON_Parse(json);
	int r = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "found")) ? 0 : refuse_page(root, reterr);
	if (r == 0 && (r = read_page(root, &table)) < 0)
		trm_error_set(reterr, r, "out of memory for a page of the table");
	cJSON_Delete(root);
	if (r < 0)
		trm_table_finish(&table);
	else
		*ret = table;
	return r;
}
