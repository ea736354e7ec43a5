/* SPDX-License-Identifier: MIT */
#include "model/variable_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "model/kernel_query.h"
#include "model/model.h"
#include "model/msg.h"

enum { EXPANSIONS_MAX = 100, MEMBERS_MAX = 2000 /* of one value */ };

static void clear_members(struct expansion *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->rows[i].name);
	free(e->rows);
	e->rows = NULL;
	e->n = 0;
}

void variable_tree_finish(struct variable_tree *t)
{
	for (size_t i = 0; i < t->n; i++)
		clear_members(&t->all[i]);
	free(t->all);
	memset(t, 0, sizeof *t);
}

static struct expansion *find_expansion(const struct variable_tree *t, const char *path)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->all[i].path, path) == 0)
			return &t->all[i];
	return NULL;
}

/* With all that is below it. */
static void drop_expansions(struct variable_tree *t, const char *path)
{
	size_t len = strlen(path), kept = 0;
	char whole[VARIABLE_PATH_BYTES];

	snprintf(whole, sizeof whole, "%s", path); /* it may be one of those that go */
	for (size_t i = 0; i < t->n; i++) {
		const char *own = t->all[i].path;
		bool is_below = strncmp(own, whole, len) == 0 && (own[len] == '\0' || own[len] == '/');
		if (is_below)
			clear_members(&t->all[i]);
		else
			t->all[kept++] = t->all[i];
	}
	t->n = kept;
}

/* ---- lines ---- */

static size_t add_line(struct variable_line *lines, size_t n, struct variable_line line)
{
	if (n < VARIABLE_LINES_MAX)
		lines[n++] = line;
	return n;
}

static size_t add_members(const struct model *m, struct variable_line *lines, size_t n, const char *path,
		unsigned depth)
{
	const struct expansion *e = find_expansion(&m->variable_tree, path);
	char own[VARIABLE_PATH_BYTES];

	for (size_t i = 0; e && i < e->n && n < VARIABLE_LINES_MAX; i++) {
		struct variable_line line = {.row = &e->rows[i], .of = e, .number = i, .depth = depth};
		variable_line_path(&line, own);
		line.is_open = find_expansion(&m->variable_tree, own);
		n = add_line(lines, n, line);
		if (line.is_open && depth < VARIABLE_DEPTH_MAX)
			n = add_members(m, lines, n, own, depth + 1);
	}
	if (e && e->n < e->count)
		n = add_line(lines, n, (struct variable_line){.of = e, .number = e->n, .depth = depth});
	return n;
}

size_t variable_lines(const struct model *m, struct variable_line lines[VARIABLE_LINES_MAX])
{
	uint16_t list[VARIABLES_MAX];
	size_t n = 0, rows = variables_list(m, list);
	bool is_own = m->variable_tree.lang == m->lang;

	for (size_t i = 0; i < rows; i++) {
		const struct variable *v = &m->variables[m->lang->index].rows[list[i]];
		bool is_open = is_own && find_expansion(&m->variable_tree, v->name);
		n = add_line(lines, n, (struct variable_line){.row = v, .is_open = is_open});
		if (is_open)
			n = add_members(m, lines, n, v->name, 1);
	}
	return n;
}

bool variable_line_current(const struct model *m, struct variable_line *ret)
{
	struct variable_line lines[VARIABLE_LINES_MAX];
	size_t n = variable_lines(m, lines), at = m->variables_page.current;

	if (n)
		*ret = lines[at < n ? at : n - 1];
	return n > 0;
}

void variable_line_path(const struct variable_line *line, char out[VARIABLE_PATH_BYTES])
{
	if (line->of)
		snprintf(out, VARIABLE_PATH_BYTES, "%.270s/%zu", line->of->path, line->number);
	else
		snprintf(out, VARIABLE_PATH_BYTES, "%.299s", line->row->name);
}

/* ---- expanding ---- */

static void add_expansion(struct model *m, const char *path)
{
	struct variable_tree *t = &m->variable_tree;

	if (t->n == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 8;
		struct expansion *all = realloc(t->all, cap * sizeof *all);
		if (!all)
			return;
		t->all = all;
		t->cap = cap;
	}
	struct expansion *e = &t->all[t->n++];
	*e = (struct expansion){.is_wanted = true};
	snprintf(e->path, sizeof e->path, "%s", path);
}

void variable_expand(struct model *m)
{
	struct variable_tree *t = &m->variable_tree;
	struct variable_line line;
	char path[VARIABLE_PATH_BYTES];

	if (t->lang != m->lang) {
		variable_tree_finish(t);
		t->lang = m->lang;
	}
	if (!variable_line_current(m, &line))
		return;
	if (!line.row) {
		find_expansion(t, line.of->path)->is_wanted = true;
		return;
	}
	variable_line_path(&line, path);
	if (line.is_open || !line.row->has_members || line.depth >= VARIABLE_DEPTH_MAX)
		return;
	if (t->n >= EXPANSIONS_MAX)
		notices_add(&m->notices, m->now_ns, false, "%d values are expanded already", EXPANSIONS_MAX);
	else
		add_expansion(m, path);
}

long variable_collapse(struct model *m)
{
	struct variable_line lines[VARIABLE_LINES_MAX], line;
	char path[VARIABLE_PATH_BYTES], own[VARIABLE_PATH_BYTES];
	size_t n = variable_lines(m, lines);

	if (!variable_line_current(m, &line))
		return -1;
	if (line.row && line.is_open) {
		variable_line_path(&line, path);
		drop_expansions(&m->variable_tree, path);
		return -1;
	}
	for (size_t i = 0; line.of && i < n; i++) {
		if (!lines[i].row)
			continue;
		variable_line_path(&lines[i], own);
		if (strcmp(own, line.of->path) == 0)
			return (long)i;
	}
	return -1;
}

/* ---- asking ---- */

void variable_tree_want(struct model *m, struct effects *out)
{
	struct variable_tree *t = &m->variable_tree;

	if (!m->variables_page.is_shown || !t->lang || t->lang != m->lang || m->run.state != RUN_NONE
			|| m->kernel_queries.items[ASK_MEMBERS].is_open || !kernel_query_can(m, t->lang))
		return;
	for (size_t i = 0; i < t->n; i++) {
		struct expansion *e = &t->all[i];
		if (!e->is_wanted && !e->is_stale)
			continue;
		snprintf(t->asked, sizeof t->asked, "%s", e->path);
		t->is_anew = e->is_stale || e->n == 0;
		kernel_query_send(m, ASK_MEMBERS, TRM_ASK_MEMBERS, t->lang, e->path, strlen(e->path),
				t->is_anew ? 0 : e->n, out);
		e->is_wanted = e->is_stale = false;
		return;
	}
}

static void take_members(struct expansion *e, const cJSON *list, bool is_anew)
{
	int n = cJSON_GetArraySize(list);
	const cJSON *row;

	if (is_anew)
		clear_members(e);
	struct variable *rows = realloc(e->rows, (e->n + (size_t)n + 1) * sizeof *rows);
	if (!rows)
		return;
	e->rows = rows;
	cJSON_ArrayForEach(row, list)
	{
		if (e->n >= MEMBERS_MAX || !cJSON_IsObject(row))
			continue;
		e->rows[e->n] = (struct variable){0};
		if (variable_take(&e->rows[e->n], row))
			e->n++;
	}
}

void variable_tree_answer(struct model *m, const struct msg *msg, struct effects *out)
{
	struct variable_tree *t = &m->variable_tree;
	cJSON *json = msg->answer.json ? cJSON_Parse(msg->answer.json) : NULL;
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "members");
	const cJSON *count = cJSON_GetObjectItemCaseSensitive(json, "count");
	struct expansion *e = find_expansion(t, t->asked);

	(void)out; /* update() asks for what is needed next */
	m->needs_draw = true;
	if (e && cJSON_IsArray(list) && cJSON_IsNumber(count)) {
		take_members(e, list, t->is_anew);
		e->count = count->valuedouble >= 0 && count->valuedouble < 1e15 ? (uint64_t)count->valuedouble
										: 0;
		/* An answer that brings nothing would be asked for again and again. */
		if (e->n >= MEMBERS_MAX || cJSON_GetArraySize(list) == 0)
			e->count = e->n;
	} else if (e && !msg->answer.json && model_is_running(m)) {
		e->is_stale = true; /* a run has cut it short */
	} else if (e) {
		drop_expansions(t, t->asked);
		if (!msg->answer.json)
			notices_add(&m->notices, m->now_ns, true, "%s", msg->answer.why);
	}
	cJSON_Delete(json);
}

void variable_tree_run_ended(struct model *m, const struct trm_lang *lang)
{
	struct variable_tree *t = &m->variable_tree;

	for (size_t i = 0; t->lang == lang && i < t->n; i++)
		t->all[i].is_stale = true;
}
