/* SPDX-License-Identifier: MIT */
#include "model/variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "model/asks.h"
#include "model/command.h"
#include "model/effect.h"
#include "model/inspect.h"
#include "model/model.h"
#include "model/msg.h"
#include "term/event.h"

enum {
	SETTLE_MS = 150
}; /* that a kernel has been idle before it is asked: runs that follow each other are not held up */
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

/* ---- what is known ---- */

void variables_phrase(const struct model *m, const struct trm_lang *lang, char *out, size_t cap)
{
	const struct variables *v = &m->variables[lang->id];

	if (!v->is_known)
		snprintf(out, cap, "the variables of %s", lang->name);
	else if (v->n == 0)
		snprintf(out, cap, "no variables of %s", lang->name);
	else
		snprintf(out, cap, "%zu variable%s of %s", v->n, v->n == 1 ? "" : "s", lang->name);
}

void variables_run_ended(struct model *m, const struct trm_lang *lang)
{
	m->variables[lang->id].is_stale = true;
	m->variables_due_ns = m->now_ns + SETTLE_MS * UINT64_C(1000000);
}

void variables_kernel_gone(struct model *m, const struct trm_lang *lang)
{
	struct variables *v = &m->variables[lang->id];

	variables_finish(v);
	v->is_known = true; /* there are none */
}

/* ---- asking ---- */

/* The language whose variables are to be asked for; NULL: all is known, or cannot be. */
static const struct trm_lang *wanted(const struct model *m)
{
	if (m->run.state != RUN_NONE || m->n_waiting || m->asks.items[ASK_VARIABLES].is_open)
		return NULL;
	for (unsigned i = 0; i < TRM_LANG_COUNT; i++) {
		const struct trm_lang *lang = trm_lang_get(i);
		const struct variables *v = &m->variables[i];
		bool wants_values = m->variables_page.is_shown && lang == m->lang && !v->has_values
				    && v->is_known && v->n > 0;
		if ((v->is_stale || wants_values) && asks_can(m, lang))
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
	m->variables[lang->id].is_stale = false;
	m->variables[lang->id].has_values = with_values;
	asks_send(m, ASK_VARIABLES, TRM_ASK_VARIABLES, lang, NULL, 0,
			with_values ? TRM_VARIABLES_WHOLE : TRM_VARIABLES_NAMES, out);
}

/* ---- the answer ---- */

/* A text of it, cut; numbers as texts. */
static const char *member(const cJSON *row, const char *name, char *out, size_t cap)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(row, name);

	out[0] = '\0';
	if (cJSON_IsString(item))
		snprintf(out, cap, "%s", item->valuestring);
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

static bool take_row(struct variable *v, const cJSON *row)
{
	char name[NAME_BYTES], type[TYPE_BYTES], size[SIZE_BYTES], value[VALUE_BYTES];
	size_t n = strlen(member(row, "name", name, sizeof name)) + 1;
	size_t t = strlen(member(row, "type", type, sizeof type)) + 1;
	size_t s = strlen(member(row, "size", size, sizeof size)) + 1;
	size_t w = strlen(member(row, "value", value, sizeof value)) + 1;
	char *block = malloc(n + t + s + w);

	if (!block)
		return false;
	*v = (struct variable){block, block + n, block + n + t, block + n + t + s, magnitude_of(size)};
	memcpy(v->name, name, n);
	memcpy(v->type, type, t);
	memcpy(v->size, size, s);
	memcpy(v->value, value, w);
	return true;
}

static void take_rows(struct variables *v, const cJSON *list)
{
	int n = cJSON_GetArraySize(list);
	const cJSON *row;

	rows_clear(v);
	v->rows = calloc(n > VARIABLES_MAX ? VARIABLES_MAX : n > 0 ? (size_t)n : 1, sizeof *v->rows);
	cJSON_ArrayForEach(row, list) if (v->rows && v->n < VARIABLES_MAX && cJSON_IsObject(row)
					  && take_row(&v->rows[v->n], row)) v->n++;
	v->is_known = v->rows != NULL;
}

void variables_answer(struct model *m, const struct msg *msg, struct effects *out)
{
	const struct trm_lang *lang = m->asks.items[ASK_VARIABLES].lang;
	struct variables *v = &m->variables[lang->id];
	cJSON *json = msg->text ? cJSON_Parse(msg->text) : NULL;
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "variables");

	if (cJSON_IsArray(list))
		take_rows(v, list);
	cJSON_Delete(json);
	m->needs_draw |= m->variables_page.is_shown;
	lose_refresh(m);
	variables_tick(m, out); /* another kernel may be next */
}

/* ---- sorted and filtered ---- */

struct order {
	const struct variable *rows;
	const struct variables_page *page;
};

static const char *column(const struct variable *v, enum variable_column c)
{
	return c == VARIABLE_TYPE ? v->type : c == VARIABLE_VALUE ? v->value : v->name;
}

static int compare(const void *a, const void *b, void *user)
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

static bool passes(const struct variable *v, const char *filter)
{
	return !*filter || strcasestr(v->name, filter) || strcasestr(v->type, filter);
}

size_t variables_list(const struct model *m, uint16_t list[VARIABLES_MAX])
{
	const struct variables *v = &m->variables[m->lang->id];
	struct order order = {v->rows, &m->variables_page};
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++)
		if (passes(&v->rows[i], field_text(&m->variables_page.filter)))
			list[n++] = (uint16_t)i;
	qsort_r(list, n, sizeof *list, compare, &order);
	return n;
}

const struct variable *variables_current(const struct model *m)
{
	uint16_t list[VARIABLES_MAX];
	size_t n = variables_list(m, list), at = m->variables_page.current;

	return n ? &m->variables[m->lang->id].rows[list[at < n ? at : n - 1]] : NULL;
}

/* ---- the page ---- */

bool variables_is_overlay(const struct model *m)
{
	return m->variables_page.is_shown && m->layout.panes[PANE_METRICS].rows == 0
	       && m->layout.kind != LAYOUT_TOO_SMALL;
}

struct rect variables_area(const struct model *m)
{
	struct rect pane = m->layout.panes[PANE_METRICS];
	int rows = m->rows > 16 ? m->rows - 6 : m->rows - 2, cols = m->cols > 70 ? m->cols - 8 : m->cols;

	if (!m->variables_page.is_shown || m->layout.kind == LAYOUT_TOO_SMALL)
		return (struct rect){0};
	if (variables_is_overlay(m))
		return (struct rect){(m->rows - rows) / 2, (m->cols - cols) / 2, rows, cols};
	/* The lower part of the pane: the figures above it stay. */
	int above = pane.rows - pane.rows / 2;
	return (struct rect){pane.row + above, pane.col, pane.rows - above, pane.cols};
}

void variables_columns(int cols, int ret[VARIABLE_COLUMNS + 1])
{
	int name = cols * 30 / 100, type = cols * 20 / 100, size = 7;

	name = name > 24 ? 24 : name < 8 ? 8 : name;
	type = type > 16 ? 16 : type < 6 ? 6 : type;
	ret[VARIABLE_NAME] = 0;
	ret[VARIABLE_TYPE] = name;
	ret[VARIABLE_SIZE] = name + type;
	ret[VARIABLE_VALUE] = name + type + size;
	ret[VARIABLE_COLUMNS] = cols;
}

static enum variable_column column_at(int cols, int col)
{
	int starts[VARIABLE_COLUMNS + 1];
	int at = VARIABLE_COLUMNS - 1;

	variables_columns(cols, starts);
	while (at > 0 && col < starts[at])
		at--;
	return (enum variable_column)at;
}

bool variables_has_focus(const struct model *m)
{
	return m->variables_page.is_shown && (m->focus == PANE_METRICS || variables_is_overlay(m));
}

static size_t rows_shown(const struct model *m)
{
	int rows = variables_area(m).rows - 2 - variables_is_overlay(m) - m->variables_page.has_filter;

	return rows > 1 ? (size_t)rows : 1;
}

static void move_to(struct model *m, long to)
{
	struct variables_page *p = &m->variables_page;
	uint16_t list[VARIABLES_MAX];
	size_t n = variables_list(m, list), rows = rows_shown(m);

	p->current = to < 0 || n == 0 ? 0 : (size_t)to >= n ? n - 1 : (size_t)to;
	if (p->current < p->scroll)
		p->scroll = p->current;
	if (p->current >= p->scroll + rows)
		p->scroll = p->current - rows + 1;
	m->needs_draw = true;
}

static void move_by(struct model *m, long by)
{
	move_to(m, (long)m->variables_page.current + by);
}

static void show(struct model *m, struct effects *out)
{
	(void)out;
	m->variables_page.is_shown = !m->variables_page.is_shown;
	m->variables_page.has_filter = false;
	m->needs_draw = true;
}

static void up(struct model *m, struct effects *out)
{
	(void)out;
	move_by(m, -1);
}

static void down(struct model *m, struct effects *out)
{
	(void)out;
	move_by(m, 1);
}

static void page_up(struct model *m, struct effects *out)
{
	(void)out;
	move_by(m, -(long)rows_shown(m));
}

static void page_down(struct model *m, struct effects *out)
{
	(void)out;
	move_by(m, (long)rows_shown(m));
}

static void first(struct model *m, struct effects *out)
{
	(void)out;
	move_to(m, 0);
}

static void last(struct model *m, struct effects *out)
{
	(void)out;
	move_to(m, VARIABLES_MAX);
}

static void sort_by(struct model *m, enum variable_column column)
{
	struct variables_page *p = &m->variables_page;

	p->is_reverse = p->sort == column && !p->is_reverse;
	p->sort = column;
	move_to(m, 0);
}

static void sort_next(struct model *m, struct effects *out)
{
	(void)out;
	m->variables_page.is_reverse = false;
	sort_by(m, (enum variable_column)((m->variables_page.sort + 1) % VARIABLE_COLUMNS));
}

static void reverse(struct model *m, struct effects *out)
{
	(void)out;
	sort_by(m, m->variables_page.sort);
}

static void filter(struct model *m, struct effects *out)
{
	(void)out;
	m->variables_page.has_filter = true;
}

/* Escape takes back what there is to be taken back: the filter, then the page. */
static void leave(struct model *m, struct effects *out)
{
	if (field_text(&m->variables_page.filter)[0])
		field_clear(&m->variables_page.filter);
	else
		show(m, out);
	move_to(m, 0);
}

bool variables_key(struct model *m, const struct event *ev)
{
	struct variables_page *p = &m->variables_page;
	bool is_end = ev->key == K_ENTER || ev->key == K_ESCAPE;

	if (!p->has_filter || !variables_has_focus(m) || ev->type != EVENT_KEY)
		return false;
	if (ev->key == K_ESCAPE)
		field_clear(&p->filter);
	if (is_end)
		p->has_filter = false;
	else if (!field_handle(&p->filter, ev))
		return false;
	move_to(m, 0);
	return true;
}

bool variables_mouse(struct model *m, const struct event *ev)
{
	bool is_overlay = variables_is_overlay(m);
	struct rect box = variables_area(m);
	int row = ev->row - box.row - 1; /* below the title */

	if (!m->variables_page.is_shown || (!is_overlay && !rect_contains(box, ev->row, ev->col)))
		return false;
	if (ev->action == MOUSE_WHEEL_UP || ev->action == MOUSE_WHEEL_DOWN)
		move_by(m, ev->action == MOUSE_WHEEL_UP ? -3 : 3);
	else if (ev->action != MOUSE_PRESS || ev->button != 1)
		return true;
	else if (is_overlay && !rect_contains(box, ev->row, ev->col))
		m->variables_page.is_shown = false;
	else if (row == 0)
		sort_by(m, column_at(box.cols - (is_overlay ? 4 : 0),
					   ev->col - box.col - (is_overlay ? 2 : 0)));
	else if (row > 0)
		move_to(m, (long)m->variables_page.scroll + row - 1);
	m->needs_draw = true;
	return true;
}

static const struct command commands[] = {
		{"variables", "Variables, or processes again",
				"show the variables of the buffer's language, or the processes again",
				PLACE_ANY, show, NULL, 0, false},
		{"variables-up", NULL, "to another variable", PLACE_VARIABLES, up, NULL, 0, false},
		{"variables-down", NULL, NULL, PLACE_VARIABLES, down, NULL, 0, false},
		{"variables-page-up", NULL, "by a page", PLACE_VARIABLES, page_up, NULL, 0, false},
		{"variables-page-down", NULL, NULL, PLACE_VARIABLES, page_down, NULL, 0, false},
		{"variables-first", NULL, NULL, PLACE_VARIABLES, first, NULL, 0, false},
		{"variables-last", NULL, NULL, PLACE_VARIABLES, last, NULL, 0, false},
		{"variables-sort", NULL, "sort by the next column (also: click its head)", PLACE_VARIABLES,
				sort_next, NULL, 0, false},
		{"variables-reverse", NULL, "sort the other way round", PLACE_VARIABLES, reverse, NULL, 0,
				false},
		{"variables-filter", NULL, "show only those whose name or type has some text in it",
				PLACE_VARIABLES, filter, NULL, 0, false},
		{"variables-inspect", NULL, "the whole value, type and documentation", PLACE_VARIABLES,
				inspect_variable, NULL, 0, false},
		{"variables-leave", NULL, "drop the filter; then: the processes again", PLACE_VARIABLES,
				leave, NULL, 0, false},
};
const struct command_table variables_commands = COMMAND_TABLE(commands);
