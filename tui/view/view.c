/* SPDX-License-Identifier: MIT */
#include "view/view.h"

#include <string.h>

#include "editor/editor.h"
#include "model/complete.h"
#include "model/model.h"
#include "model/page.h"
#include "model/which_key.h"
#include "text/text.h"
#include "view/editor_view.h"
#include "view/parts.h"

static void draw_too_small(struct canvas *c)
{
	const char *const words[] = {c->cols < 18 ? "too small" : "terminal too small",
			c->cols < 12 ? "need 40x10" : "(need 40x10)"};
	struct rect all = {0, 0, c->rows, c->cols};

	for (int i = 0; i < 2; i++) {
		int row = c->rows / 2 - (c->rows > 1) + i, width = (int)strlen(words[i]);
		int col = (c->cols - width) / 2;
		draw_text(c, all, row, col < 0 ? 0 : col, ROLE_WARN, words[i]);
	}
}

/* The current search, whose matches are highlighted everywhere. */
static struct find *marked(const struct model *m)
{
	return m->finder.is_marking ? m->finder.find : NULL;
}

static void draw_editor(const struct model *m, struct canvas *c)
{
	bool has_keys = m->focus == PANE_EDITOR && !dialog_is_open(&m->dialog);

	editor_draw(model_editor(m), c, model_editor_area(m), has_keys, marked(m), m->has_utf8);
	draw_finder(m, c);
}

/* Something may cover the editor. Drawing only the editor would then hide it. */
static bool is_covered(const struct model *m)
{
	return dialog_is_open(&m->dialog) || complete_is_shown(m) || variables_is_overlay(m)
	       || page_is_shown(m) || m->replay.is_on || m->demo.is_on || m->tutor.is_on
	       || m->out.figures.zoomed || which_key_is_shown(m) || signature_is_beside(m);
}

void view_editor(const struct model *m, struct canvas *c)
{
	if (is_covered(m)) {
		view(m, c);
		return;
	}
	if (m->layout.panes[PANE_EDITOR].rows <= 0)
		return;
	draw_editor(m, c); /* it fills its pane completely */
	draw_editor_frame(m, c);
	if (m->layout.kind == LAYOUT_SINGLE)
		draw_status(m, c);
}

struct editor_glance view_glance(const struct model *m)
{
	const struct editor *e = model_editor(m);

	return (struct editor_glance){.text = e->text,
			.area = model_editor_area(m),
			.lines = text_lines(e->text),
			.top_line = e->top_line,
			.left_col = e->left_col,
			.line = editor_line(e),
			.has_focus = m->focus == PANE_EDITOR && !editor_has_selection(e)};
}

static bool is_same_glance(const struct editor_glance *a, const struct editor_glance *b)
{
	return a->text == b->text && memcmp(&a->area, &b->area, sizeof a->area) == 0 && a->lines == b->lines
	       && a->top_line == b->top_line && a->left_col == b->left_col && a->line == b->line
	       && a->has_focus && b->has_focus;
}

bool view_editor_line(const struct model *m, struct canvas *c, const struct editor_glance *last)
{
	struct editor_glance now = view_glance(m);

	if (is_covered(m) || model_editor(m)->wraps || !is_same_glance(&now, last))
		return false;
	editor_draw_cursor_line(model_editor(m), c, now.area, marked(m), m->has_utf8);
	return true;
}

bool view_output(const struct model *m, struct canvas *c)
{
	struct rect pane = m->layout.panes[PANE_OUTPUT];

	if (is_covered(m) || m->layout.kind == LAYOUT_TOO_SMALL || pane.rows <= 0 || c->n_pictures)
		return false;
	canvas_fill(c, pane, " ", style_of(ROLE_TEXT));
	draw_output(m, c);
	draw_status(m, c); /* it may cover the bottom of the editor */
	return true;
}

/* Something may cover the metrics, or they are a part of the frame. */
static bool is_layered(const struct model *m)
{
	return dialog_is_open(&m->dialog) || page_is_shown(m) || m->replay.is_on || m->demo.is_on
	       || m->tutor.is_on || complete_is_shown(m) || m->out.figures.zoomed || which_key_is_shown(m)
	       || signature_is_beside(m)
	       || (m->layout.kind != LAYOUT_WIDE && m->layout.kind != LAYOUT_STACKED);
}

void view_metrics(const struct model *m, struct canvas *c)
{
	struct rect pane = m->layout.panes[PANE_METRICS];

	if (is_layered(m)) {
		view(m, c);
		return;
	}
	if (pane.rows > 0) {
		canvas_fill(c, pane, " ", style_of(ROLE_TEXT));
		draw_metrics(m, c);
	}
	if (m->layout.strip.rows > 0) {
		canvas_fill(c, m->layout.strip, " ", style_of(ROLE_TEXT));
		draw_strip(m, c, m->layout.strip);
	}
	if (m->variables_page.is_shown)
		draw_variables(m, c);
}

static void (*const draw_pane[PANE_COUNT])(const struct model *m, struct canvas *c) = {
		[PANE_EDITOR] = draw_editor, [PANE_OUTPUT] = draw_output, [PANE_METRICS] = draw_metrics};

void view(const struct model *m, struct canvas *c)
{
	canvas_fill(c, (struct rect){0, 0, c->rows, c->cols}, " ", style_of(ROLE_TEXT));
	c->cursor_row = c->cursor_col = -1;
	c->hides_cursor = false;
	c->n_pictures = 0;
	canvas_forget_links(c);
	if (m->layout.kind == LAYOUT_TOO_SMALL) {
		draw_too_small(c);
		return;
	}
	if (draw_zoom(m, c)) {
		if (dialog_is_open(&m->dialog))
			draw_dialog(m, c);
		return;
	}
	draw_frame(m, c);
	for (int pane = 0; pane < PANE_COUNT; pane++)
		if (m->layout.panes[pane].rows > 0)
			draw_pane[pane](m, c);
	draw_status(m, c);
	if (m->layout.strip.rows > 0)
		draw_strip(m, c, m->layout.strip);
	if (signature_is_beside(m))
		draw_signature(m, c);
	if (complete_is_shown(m))
		draw_popup(m, c);
	if (m->replay.is_on)
		draw_replay(m, c);
	if (m->demo.is_on)
		draw_demo(m, c);
	if (m->tutor.is_on)
		draw_tutor(m, c);
	if (m->variables_page.is_shown)
		draw_variables(m, c);
	if (m->sandboxes.is_shown) {
		c->cursor_row = c->cursor_col = -1;
		draw_sandboxes(m, c);
	}
	if (m->gallery.is_shown) {
		c->cursor_row = c->cursor_col = -1;
		draw_gallery(m, c);
	}
	if (m->table_page.is_shown) {
		c->cursor_row = c->cursor_col = -1;
		draw_table_page(m, c);
	}
	if (which_key_is_shown(m))
		draw_which_key(m, c);
	if (dialog_is_open(&m->dialog))
		draw_dialog(m, c);
}
