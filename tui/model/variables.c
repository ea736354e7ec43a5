/* SPDX-License-Identifier: MIT */
#include "model/variables.h"
#include "model/cell_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <terrarium/text.h>

#include "model/effect.h"
#include "model/kernel_query.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/variable_tree.h"

enum {
	QUIET_MS = 150
}; /* least idle time of a kernel before it is asked, so that successive runs are not delayed */
enum { NAME_BYTES = 200, TYPE_BYTES = 80, SIZE_BYTES = 40, VALUE_BYTES = 800 };

static void rows_clear(struct variables *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->rows[i].name);
	free(v->rows);
	v->rows = NULL;
	v->n = 0;
}

void variables_finish(struct variables *v)
{
	rows_clear(v);
	memset(v, 0, sizeof *v);
}

#define COMPARED_MAX 1000000u /* rows times rows */

/* ---- known variables ---- */

const char *variables_phrase(const struct model *m, const struct trm_lang *lang, char *out, size_t cap)
{
	const struct variables *v = &m->variables[lang->index];

	if (!run_keeps_variables(lang) || (v->is_known && v->n == 0)) {
		snprintf(out, cap, "what this run has computed");
		return "is";
	}
	if (!v->is_known)
		snprintf(out, cap, "%s's variables", lang->name);
	else
		snprintf(out, cap, "at least %zu variable%s of %s", v->n, v->n == 1 ? "" : "s", lang->name);
	return v->is_known && v->n == 1 ? "is" : "are";
}

void variables_wait(struct model *m)
{
	m->variables_due_ns = m->now_ns + QUIET_MS * UINT64_C(1000000);
}

void variables_run_ended(struct model *m, const struct trm_lang *lang)
{
	m->variables[lang->index].is_stale = true;
	table_page_run_ended(m, lang);
	variable_tree_run_ended(m, lang);
	variables_wait(m);
}

void variables_kernel_gone(struct model *m, const struct trm_lang *lang)
{
	struct variables *v = &m->variables[lang->index];

	variables_finish(v);
	v->is_known = true; /* there are none */
	table_page_run_ended(m, lang);
	variable_tree_run_ended(m, lang);
	cell_runs_kernel_gone(m, lang);
}

/* ---- questions ---- */

/* The language to ask next. NULL: everything is known, or cannot be asked. */
static const struct trm_lang *wanted(const struct model *m)
{
	if (m->run.state != RUN_NONE || m->n_waiting || m->kernel_queries.items[ASK_VARIABLES].is_open)
		return NULL;
	for (unsigned i = 0; i < trm_lang_count(); i++) {
		const struct trm_lang *lang = trm_lang_at(i);
		const struct variables *v = &m->variables[i];
		bool wants_values = m->variables_page.is_shown && lang == m->lang && !v->has_values
				    && v->is_known && v->n > 0;
		bool is_cold = lang == m->lang && !v->is_warm;
		if ((v->is_stale || wants_values || is_cold) && kernel_query_can(m, lang))
			return lang;
	}
	return NULL;
}

int variables_wait_ms(const struct model *m)
{
	if (!wanted(m))
		return -1;
	return m->variables_due_ns > m->now_ns ? (int)((m->variables_due_ns - m->now_ns) / 1000000u) + 1 : 1;
}

void variables_tick(struct model *m, struct effects *out)
{
	const struct trm_lang *lang = m->now_ns >= m->variables_due_ns ? wanted(m) : NULL;

	if (!lang)
		return;
	bool with_values = m->variables_page.is_shown && lang == m->lang;
	m->variables[lang->index].is_awaited = m->variables[lang->index].is_stale;
	m->variables[lang->index].is_stale = false;
	m->variables[lang->index].is_warm = true;
	m->variables[lang->index].has_values = with_values;
	kernel_query_send(m, ASK_VARIABLES, TRM_ASK_VARIABLES, lang, NULL, 0,
			with_values ? TRM_VARIABLES_WHOLE : TRM_VARIABLES_NAMES, out);
}

/* ---- the answer ---- */

/* Copy a text or number of a row as one line, shortened if necessary. */
static const char *copy_row_member(const cJSON *row, const char *name, char *out, size_t cap)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);

	out[0] = '\0';
	if (cJSON_IsString(item))
		trm_text_clean_line(out, cap, item->valuestring, strlen(item->valuestring));
	else if (cJSON_IsNumber(item))
		snprintf(out, cap, "%.0f", item->valuedouble);
	return out;
}

/* "2×4" is 8. */
static uint64_t magnitude_of(const char *size)
{
	uint64_t product = 1;
	bool has_digits = false;

	while (*size) {
		char *end;
		unsigned long long factor = strtoull(size, &end, 10);
		if (end == size) {
			size++;
			continue;
		}
		product = factor && product > UINT64_MAX / factor ? UINT64_MAX : product * factor;
		has_digits = true;
		size = end;
	}
	return has_digits ? product : 0;
}

bool variable_take(struct variable *v, const cJSON *row)
{
	char name[NAME_BYTES], type[TYPE_BYTES], size[SIZE_BYTES], value[VALUE_BYTES];
	size_t n = strlen(copy_row_member(row, "name", name, sizeof name)) + 1;
	size_t t = strlen(copy_row_member(row, "type", type, sizeof type)) + 1;
	size_t s = strlen(copy_row_member(row, "size", size, sizeof size)) + 1;
	size_t w = strlen(copy_row_member(row, "value", value, sizeof value)) + 1;
	char *block = malloc(n + t + s + w);

	if (!block)
		return false;
	v->name = block;
	v->type = block + n;
	v->size = v->type + t;
	v->value = v->size + s;
	v->magnitude = magnitude_of(size);
	v->is_table = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "is_table"));
	v->has_members = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "has_members"));
	memcpy(v->name, name, n);
	memcpy(v->type, type, t);
	memcpy(v->size, size, s);
	memcpy(v->value, value, w);
	return true;
}

/* Find the row with this name among the old rows. Most rows keep their order. NULL: there is none. */
static const struct variable *find_old(const struct variables *old, const char *name, size_t *hint)
{
	for (size_t i = 0; i < old->n; i++) {
		const struct variable *one = &old->rows[(*hint + i) % old->n];
		if (strcmp(one->name, name) != 0)
			continue;
		*hint = (size_t)(one - old->rows) + 1;
		return one;
	}
	return NULL;
}

static enum variable_change change_of(const struct variable *now, const struct variable *before)
{
	bool has_values = now->value[0] && before->value[0];

	return strcmp(now->type, before->type) != 0
					       || (has_values
							       && (strcmp(now->value, before->value) != 0
									       || strcmp(now->size,
												  before->size)
												  != 0))
			       ? VARIABLE_CHANGED
			       : VARIABLE_SAME;
}

/* If nothing ran between the two answers, keep the earlier comparison. */
static void compare_rows(struct variables *v, const struct variables *old, bool has_run)
{
	size_t hint = 0;

	if (v->n * old->n > COMPARED_MAX || (!old->is_known && has_run))
		return;
	for (size_t i = 0; i < v->n; i++) {
		const struct variable *before = find_old(old, v->rows[i].name, &hint);
		if (before)
			v->rows[i].change = has_run ? change_of(&v->rows[i], before) : before->change;
		else
			v->rows[i].change = has_run ? VARIABLE_NEW : VARIABLE_SAME;
	}
}

static void take_rows(struct variables *v, const cJSON *list, bool has_run)
{
	int n = cJSON_GetArraySize(list);
	const cJSON *row;
	struct variables old = *v;

	v->rows = NULL;
	v->n = 0;
	v->rows = calloc(n > VARIABLES_MAX ? VARIABLES_MAX : n > 0 ? (size_t)n : 1, sizeof *v->rows);
	cJSON_ArrayForEach(row, list) if (v->rows && v->n < VARIABLES_MAX && cJSON_IsObject(row)
					  && variable_take(&v->rows[v->n], row)) v->n++;
	v->is_known = v->rows != NULL;
	compare_rows(v, &old, has_run);
	rows_clear(&old);
}

void variables_answer(struct model *m, const struct msg *msg, struct effects *out)
{
	const struct trm_lang *lang = m->kernel_queries.items[ASK_VARIABLES].lang;
	struct variables *v = &m->variables[lang->index];
	cJSON *json = msg->answer.json ? cJSON_Parse(msg->answer.json) : NULL;
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "variables");

	/* A question that a run interrupted is repeated after the run. */
	bool has_run = v->is_awaited;
	v->is_untold = !cJSON_IsArray(list) && (v->is_untold || (v->is_awaited && m->run.state == RUN_NONE));
	v->is_awaited = false;
	if (cJSON_IsArray(list)) {
		take_rows(v, list, has_run);
	} else if (v->is_untold) {
		rows_clear(v);
		v->is_known = false;
	}
	cJSON_Delete(json);
	m->needs_draw |= m->variables_page.is_shown;
	loss_refresh(m);
	variables_tick(m, out); /* perhaps for another kernel */
}

/* ---- sorting and filtering ---- */

struct order {
	const struct variable *rows;
	const struct variables_page *page;
};

static const char *column(const struct variable *v, enum variable_column c)
{
	return c == VARIABLE_TYPE ? v->type : c == VARIABLE_VALUE ? v->value : v->name;
}

static int compare_variables(const void *a, const void *b, void *user)
{
	const struct order *o = user;
	const struct variable *x = &o->rows[*(const uint16_t *)a], *y = &o->rows[*(const uint16_t *)b];
	enum variable_column by = o->page->sort;
	int order = by == VARIABLE_SIZE ? (x->magnitude < y->magnitude) - (x->magnitude > y->magnitude)
					: strcasecmp(column(x, by), column(y, by));

	if (o->page->is_reverse)
		order = -order;
	return order ? order : strcmp(x->name, y->name);
}

/* Is this something that the code defines, such as a function, rather than data? */
static bool is_definition(const struct variable *v)
{
	static const char *const types[] = {"function", "type", "class", "module", "ABCMeta", "EnumType",
			"EnumMeta", "method", "closure", "async function", "generator function"};

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(v->type, types[i]) == 0)
			return true;
	return false;
}

static bool passes(const struct variable *v, const char *filter, bool only_changed)
{
	if (only_changed && v->change == VARIABLE_SAME)
		return false;
	if (!*filter)
		return !is_definition(v);
	return strcasestr(v->name, filter) || strcasestr(v->type, filter);
}

size_t variables_definitions(const struct model *m)
{
	const struct variables *v = &m->variables[m->lang->index];
	size_t n = 0;

	for (size_t i = 0; i < v->n && !field_text(&m->variables_page.filter)[0]; i++)
		n += is_definition(&v->rows[i]);
	return n;
}

size_t variables_list(const struct model *m, uint16_t list[VARIABLES_MAX])
{
	const struct variables *v = &m->variables[m->lang->index];
	struct order order = {v->rows, &m->variables_page};
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		if (passes(&v->rows[i], field_text(&m->variables_page.filter),
				    m->variables_page.only_changed))
			list[n++] = (uint16_t)i;
	qsort_r(list, n, sizeof *list, compare_variables, &order);
	return n;
}
