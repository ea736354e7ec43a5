/* SPDX-License-Identifier: MIT */
#include "model/table_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>
#include <terrarium/text.h>

#include "model/kernel_query.h"
#include "model/model.h"
#include "model/msg.h"

void table_page_finish(struct table_page *t)
{
	table_pane_finish(&t->pane);
	trm_csv_close(t->csv);
	free(t->bytes);
	field_finish(&t->find);
	memset(t, 0, sizeof *t);
}

struct table_page_layout table_page_layout(const struct model *m)
{
	struct page_area area = layout_page(&m->layout, m->rows, m->cols);
	struct table_page_layout l = {.box = area.box, .inner = area.inner, .hint_row = area.hint_row};
	bool has_types = m->rows >= 16;

	l.head_row = l.inner.row + !area.has_border; /* without a border the title takes a row */
	l.type_row = has_types ? l.head_row + 1 : -1;
	int first = l.head_row + 1 + has_types;
	l.cells = (struct rect){first, l.inner.col, l.hint_row - first, l.inner.cols};
	return l;
}

/* ---- opening ---- */

static void begin_page(struct model *m, const struct trm_lang *lang, const char *path, const char *title)
{
	struct table_page *t = &m->table_page;

	table_page_finish(t);
	kernel_query_forget(m, ASK_TABLE);
	table_pane_init(&t->pane);
	t->lang = lang;
	t->is_shown = true;
	snprintf(t->path, sizeof t->path, "%s", path);
	trm_text_clean_line(t->title, sizeof t->title, title, strlen(title));
	m->needs_draw = true;
}

void table_page_open(struct model *m, const struct trm_lang *lang, const char *path, const char *title,
		struct effects *out)
{
	begin_page(m, lang, path, title ? title : path);
	table_page_want(m, out);
}

bool table_page_open_csv(struct model *m, const char *name, const char *bytes, size_t n)
{
	struct table_page *t = &m->table_page;
	struct trm_error why = {0};
	char *copy = malloc(n + 1);

	begin_page(m, NULL, name, name);
	if (copy)
		memcpy(copy, bytes, n);
	t->bytes = copy;
	if (copy && trm_csv_open(copy, n, &t->csv, &why) == 0)
		return true;
	table_page_close(m);
	notices_add(&m->notices, m->now_ns, true, "cannot show %.80s as a table: %s", name,
			copy ? why.msg : "out of memory");
	return false;
}

void table_page_close(struct model *m)
{
	table_page_finish(&m->table_page);
	kernel_query_forget(m, ASK_TABLE);
	m->needs_draw = true;
}

void table_page_file(struct model *m, const struct msg *msg)
{
	if (msg->table_file.why)
		notices_add(&m->notices, m->now_ns, true, "%s", msg->table_file.why);
	else
		table_page_open_csv(m, msg->table_file.name, msg->table_file.bytes, msg->table_file.len);
	m->needs_draw = true;
}

/* ---- pages ---- */

static bool needs_page(const struct table_page *t)
{
	return table_pane_lacks(&t->pane) || t->is_searching;
}

static void fit_window(struct model *m)
{
	struct rect cells = table_page_layout(m).cells;

	table_pane_resize(&m->table_page.pane, cells.rows, cells.cols);
}

static void make_query(struct table_page *t, struct trm_table_query *q)
{
	trm_table_query_default(q);
	table_pane_query(&t->pane, q);
	q->path = t->path;
	t->is_asked = t->is_searching;
	if (t->is_searching) {
		q->find = field_text(&t->find);
		q->find_from = t->searched_to;
	}
}

/* The text was found, or the search continues, or it is not in the table. */
static void take_search(struct model *m, const struct trm_table *found)
{
	struct table_page *t = &m->table_page;

	if (found->has_hit) {
		t->is_searching = false;
		table_pane_to(&t->pane, found->hit, t->pane.column);
	} else if (found->looked > t->searched_to && found->looked < found->rows) {
		t->searched_to = found->looked;
	} else {
		t->is_searching = false;
		notices_add(&m->notices, m->now_ns, false, "\"%.60s\" is in no row from here to the end",
				field_text(&t->find));
	}
}

static void take_page(struct model *m, struct trm_table *page)
{
	struct table_page *t = &m->table_page;
	struct trm_table found = {.has_hit = page->has_hit,
			.hit = page->hit,
			.looked = page->looked,
			.rows = page->rows};

	t->error[0] = '\0';
	table_pane_take(&t->pane, page);
	if (t->is_searching && t->is_asked)
		take_search(m, &found);
	m->needs_draw = true;
}

/* CSV needs no kernel. */
static void want_csv(struct model *m)
{
	struct table_page *t = &m->table_page;
	struct trm_error why = {0};

	for (int i = 0; i < 3 && needs_page(t) && !t->error[0]; i++) {
		struct trm_table_query q;
		struct trm_table page;
		make_query(t, &q);
		if (trm_csv_page(t->csv, &q, &page, &why) == 0)
			take_page(m, &page);
		else
			snprintf(t->error, sizeof t->error, "%.230s", why.msg);
	}
}

void table_page_want(struct model *m, struct effects *out)
{
	struct table_page *t = &m->table_page;
	struct trm_table_query q;

	if (!t->is_shown || m->layout.kind == LAYOUT_TOO_SMALL)
		return;
	fit_window(m);
	if (!t->lang) {
		want_csv(m);
		return;
	}
	if (!needs_page(t) || t->error[0] || m->kernel_queries.items[ASK_TABLE].is_open
			|| !kernel_query_can(m, t->lang))
		return;
	make_query(t, &q);
	kernel_query_table(m, t->lang, &q, out);
	m->needs_draw = true;
}

void table_page_answer(struct model *m, const struct msg *msg, struct effects *out)
{
	struct table_page *t = &m->table_page;
	struct trm_error why = {0};
	struct trm_table page;
	bool is_running = model_is_running(m) && m->run.lang == t->lang;

	(void)out; /* update() requests what is needed next */
	m->needs_draw = true;
	if (!t->is_shown)
		return;
	if (msg->answer.json && trm_table_read(msg->answer.json, &page, &why) == 0) {
		take_page(m, &page);
		return;
	}
	if (!msg->answer.json && is_running)
		return; /* a run has cancelled the question, which is repeated after the run */
	t->is_searching = false;
	if (!msg->answer.json && t->pane.sort >= 0 && table_pane_is_stale(&t->pane)) {
		/* A table that cannot be sorted, or not in time, is shown unsorted. */
		t->pane.sort = -1;
		notices_add(&m->notices, m->now_ns, true, "not sorted: %s", msg->answer.why);
		return;
	}
	trm_text_clean_line(t->error, sizeof t->error, msg->answer.json ? why.msg : msg->answer.why,
			strlen(msg->answer.json ? why.msg : msg->answer.why));
}

void table_page_run_ended(struct model *m, const struct trm_lang *lang)
{
	struct table_page *t = &m->table_page;

	if (!t->is_shown || t->lang != lang)
		return;
	table_pane_changed(&t->pane);
	t->error[0] = '\0';
}

/* ---- texts ---- */

static const char *busy_words(const struct model *m)
{
	const struct table_page *t = &m->table_page;

	if (!t->lang || !needs_page(t))
		return NULL;
	if (m->sandbox.state == SANDBOX_DEAD)
		return "the sandbox has ended: only rows that were fetched before are shown";
	if (m->sandbox.state != SANDBOX_READY)
		return "the sandbox is starting";
	if (!kernel_query_can(m, t->lang))
		return "the interpreter is busy: rows come when the run has ended";
	return NULL;
}

void table_page_hint(const struct model *m, char *out, size_t cap, bool *ret_is_problem)
{
	const struct table_page *t = &m->table_page;
	const struct notice *notice = m->notices.is_shown ? notices_at(&m->notices, 0) : NULL;
	const char *busy = busy_words(m);
	int cols = table_page_layout(m).inner.cols;

	*ret_is_problem = t->error[0] || busy || (notice && notice->is_error);
	if (t->error[0] || busy)
		snprintf(out, cap, "%s", t->error[0] ? t->error : busy);
	else if (t->is_searching)
		snprintf(out, cap, "looking for \"%.40s\": row %" PRIu64 " of %" PRIu64 "   Esc stops",
				field_text(&t->find), t->searched_to, t->pane.page.rows);
	else if (notice)
		snprintf(out, cap, "%s", notice->text);
	else if (t->lang && m->kernel_queries.items[ASK_TABLE].is_open && table_pane_is_stale(&t->pane))
		snprintf(out, cap, "%s", t->pane.sort >= 0 ? "sorting ..." : "fetching rows ...");
	else
		snprintf(out, cap, "%s",
				cols < 90 ? "s sort  / find  +- width  Esc close"
					  : "s sorts   / finds, n next   + - = width   Enter whole cell   "
					    "? keys   Esc closes");
}
