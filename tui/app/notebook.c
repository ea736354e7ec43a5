/* SPDX-License-Identifier: MIT */
/* Jupyter notebooks: opens one in an old format as a script in a new buffer, which never changes the notebook
 * itself; finds the language of a notebook; gives a notebook the outputs of its cells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app_internal.h"
#include "notebook/notebook.h"
#include "record/export.h"
#include "record/import.h"
#include "record/writer.h"

/* The path for saving the buffer: "x.py" next to "x.ipynb". False: that file exists. */
static bool script_path(const char *notebook, const struct trm_lang *lang, char *out, size_t cap)
{
	size_t n = strlen(notebook) - strlen(".ipynb");

	return (size_t)snprintf(out, cap, "%.*s%s", (int)n, notebook, lang->suffixes[0]) < cap
	       && access(out, F_OK) < 0;
}

static struct buffer *fill(
		struct app *a, const char *path, const struct imported *found, const struct writer *w)
{
	struct buffers *all = &a->model.buffers;
	struct buffer *b = buffers_vacant(all, found->lang);
	char script[4096];

	if (!b)
		b = buffers_add(all, found->lang);
	if (!b)
		return NULL;
	bool is_named = script_path(path, found->lang, script, sizeof script);
	if (is_named && editor_begin(&b->editor, script) < 0)
		return NULL;
	if (w->n && editor_set_text(&b->editor, w->bytes, w->n) < 0)
		return NULL;
	editor_goto_line(&b->editor, 0);
	return b;
}

static void report_imported(struct app *a, const char *path, const struct imported *found)
{
	char text[NOTICE_BYTES];

	snprintf(text, sizeof text, "imported %zu cells of %.200s as %s%s (%zu outputs dropped%s)",
			found->n_code + found->n_text, path, found->lang->name,
			found->is_lang_guessed ? " (it does not say its language)" : "", found->n_outputs,
			found->n_foreign ? "; cells in other languages are comments" : "");
	app_notify(a, MSG_NOTICE, text);
}

static void import_old(struct app *a, const char *path)
{
	struct trm_error why = {0};
	struct imported found = {0};
	struct writer w;
	char *json = NULL, text[600];
	size_t n;

	writer_init(&w, WRITER_MAX);
	int r = file_read(path, NOTEBOOK_MAX_BYTES, &json, &n, &why);
	if (r == 0 && (r = notebook_import(json, n, &w, &found, &why)) < 0) {
		snprintf(text, sizeof text, "%s", why.msg);
		trm_error_set(&why, r, "%s cannot be imported: %s", path, text);
	}
	free(json);
	struct buffer *b = r == 0 ? fill(a, path, &found, &w) : NULL;
	writer_finish(&w);
	if (r == 0 && !b)
		trm_error_set(&why, TRM_ENOMEM, "%s cannot be imported: out of memory", path);
	app_send_file(a, MSG_OPENED, b ? b->id : 0, path, b ? NULL : why.msg);
	if (b)
		report_imported(a, path, &found);
}

/* ---- opening ---- */

bool app_open_old_notebook(struct app *a, const char *path)
{
	struct notebook *nb = NULL;
	struct trm_error ignored;
	char *json = NULL;
	size_t n;
	bool is_old = false;

	if (!notebook_is_named(path) || access(path, F_OK) < 0)
		return false;
	if (file_read(path, NOTEBOOK_MAX_BYTES, &json, &n, &ignored) == 0
			&& notebook_parse(json, n, &nb, &ignored) == 0)
		is_old = nb->is_old;
	notebook_destroy(nb);
	free(json);
	if (is_old)
		import_old(a, path);
	return is_old;
}

const struct trm_lang *app_notebook_lang(const char *path, const struct trm_lang *otherwise)
{
	struct notebook *nb = NULL;
	struct trm_error ignored;
	char *json = NULL;
	size_t n;

	if (!notebook_is_named(path) || file_read(path, NOTEBOOK_MAX_BYTES, &json, &n, &ignored) < 0)
		return otherwise;
	if (notebook_parse(json, n, &nb, &ignored) == 0)
		otherwise = nb->lang;
	notebook_destroy(nb);
	free(json);
	return otherwise;
}

/* ---- outputs ---- */

static char *outputs_of_run(void *user, uint32_t serial, size_t *ret_n, uint64_t *ret_number)
{
	struct app *a = user;
	const struct transcript_run *run = transcript_run(&a->transcript, app_story_id(a, serial));
	struct writer w;

	if (!run)
		return NULL;
	writer_init(&w, NOTEBOOK_MAX_BYTES);
	export_outputs(run, &w);
	if (w.error) {
		writer_finish(&w);
		return NULL;
	}
	*ret_n = w.n;
	*ret_number = run->number;
	return w.bytes;
}

void app_lend_outputs(struct app *a, struct editor *e)
{
	a->run_outputs = (struct run_outputs){outputs_of_run, a};
	e->outputs = &a->run_outputs;
}
