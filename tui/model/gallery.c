/* SPDX-License-Identifier: MIT */
#include "model/gallery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/text.h>

#include "cells/event.h"
#include "command/command.h"
#include "model/dialog_dispatch.h"
#include "model/effect.h"
#include "model/model.h"
#include "model/table_page.h"
#include "model/update.h"
#include "text/rich.h"

static void answer_save_all(struct model *m, int answer, struct effects *out);

enum { PREVIEW_LINES = 2000, PREVIEW_LINE_BYTES = 400 };

struct gallery_layout gallery_layout(const struct model *m)
{
	struct page_area area = layout_page(&m->layout, m->rows, m->cols);
	struct gallery_layout l = {.box = area.box, .inner = area.inner, .hint_row = area.hint_row};

	l.head_row = l.inner.row + !area.has_border;
	l.rows = (struct rect){l.head_row + 1, l.inner.col, l.hint_row - l.head_row - 1, l.inner.cols};
	return l;
}

static size_t n_rows(const struct model *m)
{
	return artifacts_count(&m->artifacts, &m->out.figures);
}

static void mark_artifact(struct model *m, long to)
{
	struct gallery *g = &m->gallery;
	size_t n = n_rows(m);
	int shown = gallery_layout(m).rows.rows;
	size_t rows = shown > 1 ? (size_t)shown : 1;

	g->current = n == 0 || to < 0 ? 0 : (size_t)to < n ? (size_t)to : n - 1;
	if (g->current < g->top)
		g->top = g->current;
	if (g->current >= g->top + rows)
		g->top = g->current - rows + 1;
	m->needs_draw = true;
}

static void show_gallery(struct model *m, struct effects *out)
{
	(void)out;
	m->gallery = (struct gallery){.is_shown = !m->gallery.is_shown};
	m->needs_draw = true;
}

void gallery_close(struct model *m, struct effects *out)
{
	(void)out;
	m->gallery.is_shown = false;
	m->needs_draw = true;
}

static void artifact_up(struct model *m, struct effects *out)
{
	(void)out;
	mark_artifact(m, (long)m->gallery.current - 1);
}

static void artifact_down(struct model *m, struct effects *out)
{
	(void)out;
	mark_artifact(m, (long)m->gallery.current + 1);
}

static void artifact_page_up(struct model *m, struct effects *out)
{
	(void)out;
	mark_artifact(m, (long)m->gallery.current - gallery_layout(m).rows.rows);
}

static void artifact_page_down(struct model *m, struct effects *out)
{
	(void)out;
	mark_artifact(m, (long)m->gallery.current + gallery_layout(m).rows.rows);
}

static void artifact_first(struct model *m, struct effects *out)
{
	(void)out;
	mark_artifact(m, 0);
}

static void artifact_last(struct model *m, struct effects *out)
{
	(void)out;
	mark_artifact(m, (long)n_rows(m) - 1);
}

/* ---- showing one ---- */

/* Find the current artifact. False, with a notice: there is none. */
static bool artifact_at_hand(struct model *m, struct artifact_row *ret)
{
	size_t n = n_rows(m), at = m->gallery.current < n ? m->gallery.current : n - 1;

	if (n == 0)
		notices_add(&m->notices, m->now_ns, false, "no run has made anything yet");
	else
		*ret = artifacts_row(&m->artifacts, &m->out.figures, n - 1 - at);
	m->needs_draw = true;
	return n > 0;
}

static bool is_of_type(const struct artifact_row *row, const char *mime)
{
	return strncmp(row->mime, mime, strlen(mime)) == 0;
}

/* What HTML and Markdown say, in lines for this dialog; malloc'd. NULL: it is another type, or says nothing.
 */
static char *artifact_text(const struct model *m, const struct artifact_row *row)
{
	struct dialog_layout l = dialog_layout(&m->dialog, m->rows, m->cols);
	size_t n = 0;
	char *text = NULL;

	if (is_of_type(row, "text/html"))
		text = rich_from_html((const char *)row->bytes, row->n,
				l.text.cols > 0 ? (size_t)l.text.cols : 0, &n);
	else if (is_of_type(row, "text/markdown"))
		text = rich_from_markdown((const char *)row->bytes, row->n, &n);
	if (text && n)
		rich_strip(text);
	if (text && !n)
		free(text);
	return n ? text : NULL;
}

static void preview_text(struct model *m, const struct artifact_row *row)
{
	struct dialog *d = &m->dialog;
	char title[96], line[PREVIEW_LINE_BYTES];
	int n = 0;

	snprintf(title, sizeof title, "%.70s (Esc closes)", row->name);
	dialog_begin(d, title, dialog_dismiss);
	d->command = "inspect";
	d->is_large = true;
	char *text = artifact_text(m, row);
	const char *at = text ? text : (const char *)row->bytes, *end = at + (text ? strlen(text) : row->n);
	for (; at < end && n < PREVIEW_LINES; n++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((newline ? newline : end) - at);
		size_t clean = trm_text_clean_line(line, sizeof line, at, len);
		dialog_add_code(d, line, clean);
		at += len + 1;
	}
	if (at < end)
		dialog_add(d, ROLE_DIALOG_DIM, "%zu bytes more", (size_t)(end - at));
	free(text);
}

static void look_at_artifact(struct model *m, struct effects *out)
{
	struct artifact_row row;

	(void)out;
	if (!artifact_at_hand(m, &row))
		return;
	if (row.id < ARTIFACT_ID && !is_of_type(&row, "image/svg"))
		figures_zoom(m, row.id);
	else if (is_of_type(&row, "text/csv") || is_of_type(&row, "text/tab-separated"))
		table_page_open_csv(m, row.name, (const char *)row.bytes, row.n);
	else if (row.n && !memchr(row.bytes, '\0', row.n < 4096 ? row.n : 4096))
		preview_text(m, &row);
	else
		notices_add(&m->notices, m->now_ns, false,
				"%.80s has no preview: o opens it outside, s saves it", row.name);
}

static void open_artifact(struct model *m, struct effects *out)
{
	struct artifact_row row;

	if (artifact_at_hand(m, &row))
		effect_figure(out, EFFECT_OPEN_FIGURE, row.id);
}

/* ---- saving ---- */

static void save_artifact(struct model *m, struct effects *out)
{
	struct artifact_row row;
	struct dialog *d = &m->dialog;

	(void)out;
	if (!artifact_at_hand(m, &row))
		return;
	m->out.figures.pending = row.id;
	dialog_begin(d, "Save as", answer_save_figure);
	dialog_add(d, ROLE_DIALOG_DIM, "%s, %zu bytes   Tab: complete   Esc: cancel", row.mime, row.n);
	dialog_set_field(d, "Path", row.name, false);
}

static void save_all_artifacts(struct model *m, struct effects *out)
{
	struct dialog *d = &m->dialog;

	(void)out;
	if (n_rows(m) == 0) {
		notices_add(&m->notices, m->now_ns, false, "no run has made anything yet");
		return;
	}
	dialog_begin(d, "Save all into a folder", answer_save_all);
	dialog_add(d, ROLE_DIALOG_DIM, "%zu files; the folder is made, and no file is replaced", n_rows(m));
	dialog_set_field(d, "Folder", "artifacts", false);
	m->needs_draw = true;
}

static void answer_save_all(struct model *m, int answer, struct effects *out)
{
	if (!dialog_takes_path(m, answer, out))
		return;
	effect_path(out, EFFECT_SAVE_ALL, field_text(&m->dialog.field));
	dialog_close(m);
}

bool gallery_mouse(struct model *m, const struct event *ev, struct effects *out)
{
	struct gallery_layout l = gallery_layout(m);

	if (!m->gallery.is_shown || ev->row == m->layout.keys_row || ev->row == m->layout.title_row)
		return false;
	if (ev->action == MOUSE_WHEEL_UP || ev->action == MOUSE_WHEEL_DOWN) {
		mark_artifact(m, (long)m->gallery.current + (ev->action == MOUSE_WHEEL_UP ? -3 : 3));
	} else if (ev->action == MOUSE_PRESS && ev->button == 1 && rect_contains(l.rows, ev->row, ev->col)) {
		mark_artifact(m, (long)m->gallery.top + ev->row - l.rows.row);
		if (ev->clicks >= 2)
			look_at_artifact(m, out);
	}
	m->needs_draw = true;
	return true;
}

static const struct command commands[] = {
		{"gallery", "Gallery of artifacts", "list the images, tables and files that runs have made",
				CONTEXT_ANY, .run = show_gallery},
		{"gallery-up", NULL, "select another one", CONTEXT_GALLERY, .run = artifact_up},
		{"gallery-down", NULL, NULL, CONTEXT_GALLERY, .run = artifact_down},
		{"gallery-page-up", NULL, "page up or down", CONTEXT_GALLERY, .run = artifact_page_up},
		{"gallery-page-down", NULL, NULL, CONTEXT_GALLERY, .run = artifact_page_down},
		{"gallery-first", NULL, "go to the newest or the oldest", CONTEXT_GALLERY,
				.run = artifact_first},
		{"gallery-last", NULL, NULL, CONTEXT_GALLERY, .run = artifact_last},
		{"gallery-look", NULL, "look at it: an image, a table, or text", CONTEXT_GALLERY,
				.run = look_at_artifact},
		{"gallery-open", NULL, "open it with the desktop's program", CONTEXT_GALLERY,
				.run = open_artifact},
		{"gallery-save", NULL, "save it", CONTEXT_GALLERY, .run = save_artifact},
		{"gallery-save-all", NULL, "save all into a folder", CONTEXT_GALLERY,
				.run = save_all_artifacts},
		{"gallery-leave", NULL, "close the gallery", CONTEXT_GALLERY, .run = gallery_close},
};
const struct command_table gallery_commands = COMMAND_TABLE(commands);
