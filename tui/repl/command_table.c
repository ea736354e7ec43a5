/* SPDX-License-Identifier: MIT */
/* :table NAME [ROW] [by COLUMN] [down] [find TEXT] [column N]: a page of a table, as lines. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "repl/command.h"
#include "repl/repl_internal.h"
#include "table/table_text.h"

enum { PAGE_ROWS = 20 };
#define TABLE_FILE_BYTES ((uint64_t)64 << 20)

struct repl_table {
	struct repl *r;
	uint64_t serial; /* of the question that is awaited */
	char path[400];  /* variable, or file */
	char by[100];    /* name of the column to sort by; "" none, or it is found */
	char find[200];  /* "": nothing */
	uint64_t from;   /* … from this row on */
	bool is_searching;
	bool is_again; /* the page was asked for a second time */
	struct table_pane pane;
	char *bytes; /* of a CSV file */
	size_t n, cap;
	struct trm_csv *csv;
};

static void forget_text(struct repl_table *t)
{
	trm_csv_close(t->csv);
	free(t->bytes);
	t->csv = NULL;
	t->bytes = NULL;
	t->n = t->cap = 0;
}

void repl_command_table_close(struct repl *r)
{
	if (!r->table)
		return;
	forget_text(r->table);
	table_pane_finish(&r->table->pane);
	free(r->table);
	r->table = NULL;
}

/* ---- showing ---- */

static void print_page(struct repl *r, struct repl_table *t)
{
	char line[TABLE_TEXT_BYTES];
	const struct trm_table *page = &t->pane.page;

	if (page->columns) {
		table_text_line(&t->pane, TABLE_TEXT_NAMES, 0, line);
		show_answer(&r->show, ROLE_TABLE_HEADER, "%s", line);
		table_text_line(&t->pane, TABLE_TEXT_TYPES, 0, line);
		show_answer(&r->show, ROLE_DIM, "%s", line);
	}
	for (uint64_t i = t->pane.top; i < page->rows && i < t->pane.top + PAGE_ROWS; i++) {
		table_text_line(&t->pane, TABLE_TEXT_ROW, i, line);
		show_answer(&r->show, ROLE_TEXT, "%s", line);
	}
	table_text_summary(&t->pane, line, sizeof line);
	if (t->pane.top + PAGE_ROWS < page->rows && repl_has_person(r))
		repl_say(r, "%s; :table shows the next ones", line);
	else
		repl_say(r, "%s", line);
}

static bool find_column(struct repl *r, struct repl_table *t)
{
	const struct trm_table *page = &t->pane.page;
	char *end;
	unsigned long long number = strtoull(t->by, &end, 10);

	for (size_t i = 0; i < page->n_columns; i++)
		if (strcmp(page->heads[i].name, t->by) == 0)
			t->pane.sort = (int64_t)(page->column + i);
	if (t->pane.sort < 0 && *t->by && !*end && number >= 1 && number <= page->columns)
		t->pane.sort = (int64_t)number - 1;
	if (t->pane.sort < 0)
		repl_error(r, "there is no column \"%s\"; columns have names, and numbers from 1", t->by);
	t->by[0] = '\0';
	return t->pane.sort >= 0;
}

static void want_page(struct repl_table *t);

/* True: another page is asked for. */
static bool take_search(struct repl *r, struct repl_table *t, const struct trm_table *found)
{
	if (found->has_hit) {
		t->pane.top = t->pane.row = found->hit;
		t->is_searching = false;
	} else if (found->looked > t->from && found->looked < found->rows) {
		t->from = found->looked;
	} else {
		repl_say(r, "\"%s\" is in no row from %llu on", t->find, (unsigned long long)t->from + 1);
		t->is_searching = false;
		return false;
	}
	return true;
}

/* True: nothing more is to come. */
static bool take_page(struct repl *r, struct repl_table *t, struct trm_table *page)
{
	struct trm_table found = {.has_hit = page->has_hit,
			.hit = page->hit,
			.looked = page->looked,
			.rows = page->rows};

	table_pane_take(&t->pane, page);
	if (*t->by) {
		if (!find_column(r, t))
			return true;
		want_page(t);
		return false;
	}
	if (t->is_searching && take_search(r, t, &found)) {
		want_page(t);
		return false;
	}
	/* Close to its end the page begins further up. */
	if (table_pane_lacks(&t->pane) && !t->is_again) {
		t->is_again = true;
		want_page(t);
		return false;
	}
	print_page(r, t);
	return true;
}

/* ---- asking ---- */

static void make_query(struct repl_table *t, struct trm_table_query *q)
{
	trm_table_query_default(q);
	table_pane_query(&t->pane, q);
	q->row = t->pane.top;
	q->rows = PAGE_ROWS;
	q->column = t->pane.left;
	q->path = t->path;
	q->columns = *t->by ? TRM_TABLE_COLUMNS_MAX : q->columns;
	if (t->is_searching && !*t->by) {
		q->find = t->find;
		q->find_from = t->from;
	}
}

static void on_table_answer(void *user, const char *json, const struct trm_error *why)
{
	struct repl *r = user;
	struct repl_table *t = r->table;
	struct trm_error own = {0};
	struct trm_table page;

	if (!t || t->serial != r->question)
		return;
	if (json && trm_table_read(json, &page, &own) == 0) {
		if (!take_page(r, t, &page))
			return;
	} else {
		repl_error(r, "%s", json ? own.msg : why->msg);
	}
	repl_done(r);
}

static void want_csv(struct repl *r, struct repl_table *t)
{
	struct trm_table_query q;
	struct trm_table page;
	struct trm_error why = {0};

	make_query(t, &q);
	if (trm_csv_page(t->csv, &q, &page, &why) < 0)
		repl_error(r, "%s", why.msg);
	else if (!take_page(r, t, &page))
		return;
	repl_done(r);
}

static void want_page(struct repl_table *t)
{
	struct repl *r = t->r;
	struct trm_table_query q;
	struct trm_error why = {0};

	if (t->csv) {
		want_csv(r, t);
		return;
	}
	t->serial = ++r->question;
	make_query(t, &q);
	if (trm_session_table(r->session, r->lang, &q, on_table_answer, r, &why) == 0)
		return;
	repl_error(r, "%s", why.msg);
	repl_done(r);
}

static void on_table_interrupt(struct repl *r)
{
	r->question++;
	repl_done(r);
}

static const struct activity looking = {.what = "reading the table", .interrupt = on_table_interrupt};

/* ---- files ---- */

static void on_repl_table_bytes(void *user, const void *bytes, size_t n)
{
	struct repl_table *t = ((struct repl *)user)->table;

	if (!t || n == 0)
		return;
	if (t->n + n > t->cap) {
		size_t cap = t->cap * 2 > t->n + n ? t->cap * 2 : t->n + n;
		char *grown = realloc(t->bytes, cap);
		if (!grown)
			return; /* a short file is told by its size */
		t->bytes = grown;
		t->cap = cap;
	}
	memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
}

static void on_table_file(void *user, const struct trm_error *why, uint64_t size, uint32_t mode)
{
	struct repl *r = user;
	struct repl_table *t = r->table;
	struct trm_error own = {0};

	(void)mode;
	if (!t || t->serial != r->question)
		return;
	if (why->code != TRM_OK) {
		repl_error(r, "cannot read %s: %s", t->path, why->msg);
	} else if (t->n != size) {
		repl_error(r, "cannot read %s: out of memory", t->path);
	} else if (trm_csv_open(t->bytes ? t->bytes : "", t->n, &t->csv, &own) < 0) {
		repl_error(r, "cannot show %s as a table: %s", t->path, own.msg);
	} else {
		want_page(t);
		return;
	}
	repl_done(r);
}

static bool is_file_name(const char *name)
{
	size_t n = strlen(name);
	return *name == '/'
	       || (n > 4 && (!strcasecmp(name + n - 4, ".csv") || !strcasecmp(name + n - 4, ".tsv")));
}

static void begin_file(struct repl *r, struct repl_table *t)
{
	static const struct trm_transfer_cb cb = {.data = on_repl_table_bytes, .done = on_table_file};
	struct trm_error why = {0};

	forget_text(t);
	t->serial = ++r->question;
	if (trm_file_get(r->cli_session.sandbox, t->path, TABLE_FILE_BYTES, &cb, r, &why) == 0)
		return;
	repl_error(r, "%s", why.msg);
	repl_done(r);
}

/* ---- the words ---- */

/* The next word; false: there is none. A word in quotes may have blanks. */
static bool next_word(const char **at, char *out, size_t cap)
{
	const char *s = *at + strspn(*at, " \t");
	size_t n = *s == '"' && strchr(s + 1, '"') ? (size_t)(strchr(s + 1, '"') - s - 1) : strcspn(s, " \t");
	bool is_quoted = *s == '"' && strchr(s + 1, '"');

	if (!*s)
		return false;
	snprintf(out, cap, "%.*s", (int)n, s + is_quoted);
	*at = s + n + 2 * is_quoted;
	return true;
}

static bool read_words(struct repl *r, struct repl_table *t, const char *rest)
{
	char word[200], value[200];

	while (next_word(&rest, word, sizeof word)) {
		bool has_value = strcmp(word, "by") == 0 || strcmp(word, "find") == 0
				 || strcmp(word, "column") == 0;
		if (has_value && !next_word(&rest, value, sizeof value)) {
			repl_error(r, "%s what? :table NAME [ROW] [by COLUMN] [down] [find TEXT] [column N]",
					word);
			return false;
		}
		if (strcmp(word, "by") == 0)
			snprintf(t->by, sizeof t->by, "%.99s", value);
		else if (strcmp(word, "find") == 0)
			snprintf(t->find, sizeof t->find, "%s", value);
		else if (strcmp(word, "column") == 0 && atoll(value) > 0)
			t->pane.left = t->pane.column = (uint64_t)atoll(value) - 1;
		else if (strcmp(word, "down") == 0)
			t->pane.is_descending = true;
		else if (isdigit((unsigned char)*word) && atoll(word) > 0)
			t->pane.top = t->pane.row = (uint64_t)atoll(word) - 1;
		else {
			repl_error(r,
					"\"%s\" is not understood: :table NAME [ROW] [by COLUMN] [down] [find TEXT] "
					"[column N]",
					has_value ? value : word);
			return false;
		}
	}
	t->is_searching = *t->find;
	t->from = t->pane.top;
	return true;
}

static bool begin_words(struct repl *r, const char *rest)
{
	struct repl_table *t = r->table;
	char name[400];

	next_word(&rest, name, sizeof name);
	if (t)
		forget_text(t);
	else if (!(t = r->table = calloc(1, sizeof *t)))
		return false;
	table_pane_finish(&t->pane);
	table_pane_init(&t->pane);
	t->r = r;
	t->by[0] = t->find[0] = '\0';
	snprintf(t->path, sizeof t->path, "%s", name);
	int cols = atoi(r->columns + strcspn(r->columns, "0123456789"));
	table_pane_resize(&t->pane, PAGE_ROWS, repl_has_person(r) && cols > 20 ? cols - 1 : 120);
	return read_words(r, t, rest);
}

void repl_command_table_show(struct repl *r, const char *rest)
{
	struct repl_table *t = r->table;

	if (!*rest && !t) {
		repl_error(r, "which variable, or CSV file of the sandbox? :table NAME");
		return;
	}
	if (!*rest) {
		t->pane.top = t->pane.row =
				t->pane.top + PAGE_ROWS < t->pane.page.rows ? t->pane.top + PAGE_ROWS : 0;
		t->is_searching = false;
	} else if (!begin_words(r, rest)) {
		return;
	}
	t = r->table;
	t->is_again = false;
	repl_begin(r, &looking);
	if (is_file_name(t->path) && (*rest || !t->csv))
		begin_file(r, t);
	else
		want_page(t);
}
