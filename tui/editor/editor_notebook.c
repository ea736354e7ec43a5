/* SPDX-License-Identifier: MIT */
/* A buffer whose file is a notebook: its text is the script. */
#include "editor/editor_internal.h"

#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/lang.h>

#include "text/text.h"

static struct text *script_of(const struct notebook *nb)
{
	char *script = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&script, &n);

	if (!out)
		return NULL;
	notebook_put_script(nb, out);
	if (fclose(out) == 0)
		return editor_text_of(script, n);
	free(script);
	return NULL;
}

/* Is the notebook what is read of its script? */
static bool reads_back(const struct notebook *nb, const struct text *script)
{
	size_t len = text_len(script), n = 0, same = 0;
	char *bytes = text_slice(script, 0, len);
	struct notebook_cell *cells = NULL;

	if (bytes && notebook_split(nb->lang, nb->strings, bytes, len, &cells, &n) == 0)
		while (same < n && n == nb->n_cells && notebook_same_cell(&nb->cells[same], &cells[same]))
			same++;
	notebook_cells_free(cells, n);
	free(bytes);
	return same == nb->n_cells;
}

/* The script in which lines of strings are as they are, if that can be read back. */
static struct text *script_with_strings(const struct editor *e, struct notebook *nb)
{
	struct string_finder f = {.grammars = e->grammars, .lang = nb->lang};
	const struct notebook_strings strings = {string_finder_has, &f};

	nb->strings = &strings;
	struct text *script = script_of(nb);
	nb->knows_strings = !f.is_asked || (script && reads_back(nb, script) && !f.lacks_grammar);
	nb->strings = NULL;
	string_finder_finish(&f);
	if (nb->knows_strings)
		return script;
	text_destroy(script);
	return script_of(nb);
}

int editor_read_notebook(const struct editor *e, const char *path, struct text **t, struct notebook **ret,
		struct trm_error *reterr)
{
	size_t n = text_len(*t);
	char *json = text_slice(*t, 0, n);
	struct trm_error why = {0};
	struct notebook *nb = NULL;
	int r = json ? notebook_parse(json, n, &nb, &why)
		     : trm_error_set(&why, TRM_ENOMEM, "memory is short");

	free(json);
	if (r == 0 && nb->is_old)
		r = trm_error_set(&why, TRM_EINVAL, "it is in an old notebook format");
	struct text *script = r == 0 ? script_with_strings(e, nb) : NULL;
	if (r == 0 && !script)
		r = trm_error_set(&why, TRM_ENOMEM, "memory is short");
	if (r < 0) {
		notebook_destroy(nb);
		return trm_error_set(reterr, r, "cannot open %s as a notebook: %s", path, why.msg);
	}
	text_destroy(*t);
	*t = script;
	*ret = nb;
	return 0;
}

void editor_take_notebook(struct editor *e, struct notebook *nb)
{
	notebook_destroy(e->notebook);
	e->notebook = nb;
	if (nb)
		e->lang = nb->lang;
}

/* A saved result takes the place of none that was seen here. */
static bool has_room_for(const struct editor *e, const struct notebook_cell *at)
{
	for (size_t i = 0; i < e->marks.n; i++)
		if (e->marks.items[i].pos >= at->pos && e->marks.items[i].pos < at->end)
			return false;
	return e->marks.n < CELL_MARKS_MAX;
}

static void show_saved_result(
		struct editor *e, const struct notebook_cell *at, const struct notebook_saved *saved)
{
	struct cell_mark *m = cell_marks_add(&e->marks, e->text, at->pos, at->end - at->pos);

	if (!m)
		return;
	m->is_saved = true;
	m->state = saved->has_failed ? CELL_FAILED : CELL_OK;
	m->number = saved->count;
	if (saved->text)
		m->is_cut = cell_mark_take_text(saved->has_failed ? m->error : m->value, saved->text);
}

void editor_show_saved(struct editor *e)
{
	size_t len = text_len(e->text), n = 0;
	char *script = e->notebook ? text_slice(e->text, 0, len) : NULL;
	struct notebook_cell *cells = NULL;

	cell_marks_drop_saved(&e->marks);
	struct string_finder f = {.grammars = e->grammars, .lang = e->lang};
	const struct notebook_strings strings = {string_finder_has, &f};
	bool is_known = script
			&& notebook_split(e->lang, e->notebook->knows_strings ? &strings : NULL, script, len,
					   &cells, &n)
					   == 0
			&& n == e->notebook->n_cells;
	for (size_t i = 0; is_known && i < n; i++) {
		struct notebook_saved saved = {0};
		bool has_run = notebook_saved_result(&e->notebook->cells[i], &saved);
		if (has_run && cells[i].end > cells[i].pos && has_room_for(e, &cells[i]))
			show_saved_result(e, &cells[i], &saved);
		free(saved.text);
	}
	notebook_cells_free(cells, n);
	string_finder_finish(&f);
	free(script);
}

/* It was a whole cell, has ended, and the file does not know of it. */
static bool is_news(const struct cell_mark *m)
{
	return m->serial && (m->state == CELL_OK || m->state == CELL_FAILED) && !m->ends_with_line
	       && !m->is_noted;
}

bool editor_has_results(const struct editor *e)
{
	for (size_t i = 0; e->notebook && i < e->marks.n; i++)
		if (is_news(&e->marks.items[i]))
			return true;
	return false;
}

/* What the runs have made that the file does not hold yet. */
static size_t collect_results(struct editor *e, struct notebook_result *results)
{
	size_t n = 0;

	for (size_t i = 0; e->outputs && i < e->marks.n; i++) {
		const struct cell_mark *m = &e->marks.items[i];
		struct notebook_result *r = &results[n];
		if (!is_news(m))
			continue;
		r->pos = m->pos;
		r->end = m->pos + m->len;
		r->outputs = e->outputs->get(e->outputs->user, m->serial, &r->n, &r->count);
		n += r->outputs != NULL;
	}
	return n;
}

void editor_note_results(struct editor *e)
{
	for (size_t i = 0; e->outputs && i < e->marks.n; i++)
		e->marks.items[i].is_noted |= is_news(&e->marks.items[i]);
}

void editor_forget_noted(struct editor *e)
{
	for (size_t i = 0; i < e->marks.n; i++)
		e->marks.items[i].is_noted = false;
}

static int print_script(struct editor *e, struct notebook *nb, FILE *out)
{
	struct string_finder f = {.grammars = e->grammars, .lang = nb->lang};
	const struct notebook_strings strings = {string_finder_has, &f};
	size_t len = text_len(e->text), n = 0;
	char *script = text_slice(e->text, 0, len);
	struct notebook_result *results = calloc(e->marks.n + 1, sizeof *results);
	int r = TRM_ENOMEM;

	if (script && results) {
		n = collect_results(e, results);
		nb->strings = nb->knows_strings ? &strings : NULL;
		r = notebook_print(nb, script, len, results, n, out);
		nb->strings = NULL;
	}
	string_finder_finish(&f);
	for (size_t i = 0; i < n; i++)
		free((char *)results[i].outputs);
	free(results);
	free(script);
	return r;
}

int editor_print_notebook(struct editor *e, struct text **ret, struct notebook **ret_notebook)
{
	struct notebook *nb =
			e->notebook ? e->notebook : notebook_create(e->lang ? e->lang : trm_lang_default());
	char *json = NULL;
	size_t n = 0;
	struct trm_error ignored;

	if (nb && nb != e->notebook)
		nb->knows_strings = true;
	FILE *out = nb ? open_memstream(&json, &n) : NULL;
	int r = out ? print_script(e, nb, out) : TRM_ENOMEM;

	if (out && fclose(out) != 0)
		r = TRM_ENOMEM;
	if (r == 0)
		r = notebook_parse(json, n, ret_notebook, &ignored);
	if (r == 0)
		(*ret_notebook)->knows_strings = nb->knows_strings;
	if (nb != e->notebook)
		notebook_destroy(nb);
	if (r < 0) {
		free(json);
		return r;
	}
	*ret = editor_text_of(json, n);
	if (*ret)
		return 0;
	notebook_destroy(*ret_notebook);
	*ret_notebook = NULL;
	return TRM_ENOMEM;
}
