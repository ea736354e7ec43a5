/* SPDX-License-Identifier: MIT */
/* Displays of runs: they become lines of the output, and images are drawn when they are visible. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/result.h>
#include <terrarium/text.h>

#include "model/effect.h"
#include "model/figures_internal.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "model/msg.h"
#include "model/update.h"
#include "text/mime.h"
#include "text/rich.h"

enum {
	ROWS_AROUND = 2,   /* the header of the run above an image, and the line below it, are visible, too */
	SIXEL_SIDE = 1000, /* pixels */
};

/* ---- the form of a display ---- */

static uint64_t hash_of(const char *text, size_t n)
{
	uint64_t h = 14695981039346656037u; /* FNV-1a */

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)text[i]) * 1099511628211u;
	return h;
}

static void set_form(struct figure_form *form, const struct trm_display *display)
{
	char *data = malloc(display->n + 1);

	if (!data)
		return;
	memcpy(data, display->data, display->n);
	data[display->n] = '\0';
	free(form->data);
	form->data = data;
	form->n = display->n;
	snprintf(form->mime, sizeof form->mime, "%s", display->mime);
	form->title[0] = '\0';
	if (display->title)
		trm_text_clean_line(form->title, sizeof form->title, display->title, strlen(display->title));
	form->is_collected = display->source == TRM_DISPLAY_COLLECTED;
}

static void offer_form(struct figures *f, const struct trm_display *display)
{
	if (mime_is_plain(display->mime))
		set_form(&f->offer.plain, display);
	else if (!f->offer.best.data || mime_rank(display->mime) < mime_rank(f->offer.best.mime))
		set_form(&f->offer.best, display);
}

/* ---- lines of the output ---- */

static void add_lines(struct model *m, enum out_kind kind, const char *text, size_t n)
{
	outpane_add(&m->out, kind, m->out.figures.offer.serial, text, n);
}

static void add_figure(struct model *m, const struct figure_form *form, uint8_t *bytes, size_t n)
{
	struct rect area = model_output_area(m);
	struct figure *fig = figures_add(&m->out.figures, m->out.figures.offer.serial, form->mime, bytes, n);
	char text[48];

	if (!fig)
		return;
	snprintf(fig->title, sizeof fig->title, "%s", form->title);
	fig->is_collected = form->is_collected;
	figure_fit(&m->out.figures, fig, area.cols, area.rows - ROWS_AROUND);
	key_hint(m, "zoom-figure", m->out.figures.zoom_key);
	fig->lines = fig->rows;
	for (int row = 0; row < fig->rows; row++) {
		int len = snprintf(text, sizeof text, "%u %d", fig->id, row);
		add_lines(m, OUT_FIGURE, text, (size_t)len);
	}
}

/* Adapt the images to the size of the pane, which may have changed. */
static void follow_pane(struct model *m)
{
	struct figures *f = &m->out.figures;
	struct rect area = model_output_area(m);

	if (area.rows <= 0 || !f->n || (area.rows == f->pane_rows && area.cols == f->pane_cols))
		return;
	f->pane_rows = area.rows;
	f->pane_cols = area.cols;
	figures_refit(f, area.cols, area.rows - ROWS_AROUND);
	key_hint(m, "zoom-figure", f->zoom_key);
}

/* False: this form cannot be shown. */
static bool show_form(struct model *m, const struct figure_form *form)
{
	size_t n = form->n;
	char *text = NULL;

	if (!form->data)
		return false;
	if (strcmp(form->mime, "text/html") == 0)
		text = rich_from_html(form->data, form->n, (size_t)model_output_cols(m), &n);
	else if (strcmp(form->mime, "text/markdown") == 0)
		text = rich_from_markdown(form->data, form->n, &n);
	else if (!mime_is_text(form->mime)) {
		uint8_t *bytes = mime_bytes(form->mime, form->data, form->n, &n);
		if (bytes)
			add_figure(m, form, bytes, n);
		return bytes;
	}
	if (n && (text || mime_is_text(form->mime)))
		add_lines(m, OUT_VALUE, text ? text : form->data, n);
	free(text);
	return n > 0;
}

/* What is not an image, and more than the text of a value, is kept for the gallery. */
static void keep_artifact(struct model *m, const struct figure_form *form)
{
	struct artifact one = {.run = m->out.figures.offer.serial,
			.after = m->out.figures.last_id,
			.is_collected = form->is_collected,
			.n = form->n};

	if (!form->data || !mime_is_text(form->mime) || (mime_is_plain(form->mime) && !form->is_collected))
		return;
	snprintf(one.mime, sizeof one.mime, "%s", form->mime);
	snprintf(one.title, sizeof one.title, "%s", form->title);
	if (!(one.bytes = malloc(form->n + 1)))
		return;
	memcpy(one.bytes, form->data, form->n);
	one.bytes[form->n] = '\0';
	artifacts_add(&m->artifacts, &one);
}

static void end_offer(struct model *m)
{
	struct figures *f = &m->out.figures;

	if (!f->offer.is_open)
		return;
	outpane_turn_to(&m->out, f->offer.serial);
	keep_artifact(m, f->offer.best.data ? &f->offer.best : &f->offer.plain);
	bool is_rich = show_form(m, &f->offer.best);
	if (!is_rich)
		show_form(m, &f->offer.plain);
	if (is_rich && f->offer.plain.data) {
		f->shown_hash = hash_of(f->offer.plain.data, f->offer.plain.n);
		f->shown_len = f->offer.plain.n;
	}
	figures_end_offer(f);
}

static void on_figure_display(struct model *m, const struct msg *msg)
{
	const struct trm_display *display = msg->run.display;
	struct figures *f = &m->out.figures;

	bool is_own = m->run.state != RUN_NONE && msg->run.serial == m->run.serial;
	if (!is_own && !peer_runs_has(m, msg->run.serial))
		return;
	if (f->offer.is_open && (f->offer.bundle != display->bundle || f->offer.serial != msg->run.serial))
		end_offer(m);
	f->offer.serial = msg->run.serial;
	f->offer.is_open = true;
	f->offer.bundle = display->bundle;
	offer_form(f, display);
	if (display->more == 0)
		end_offer(m);
	m->needs_draw = true;
}

bool figures_end_run(struct model *m, uint32_t serial, const struct trm_result *r)
{
	struct figures *f = &m->out.figures;
	size_t n = r->value ? strlen(r->value) : 0;
	char text[120];

	end_offer(m);
	bool is_shown = n && n == f->shown_len && hash_of(r->value, n) == f->shown_hash;
	f->shown_len = 0;
	if (r->dropped_displays) {
		snprintf(text, sizeof text, "%zu displays dropped: a run keeps at most 1000, and 64 MiB",
				r->dropped_displays);
		outpane_add(&m->out, OUT_NOTE, serial, text, strlen(text));
	}
	return is_shown;
}

/* ---- drawing images ---- */

static void want(struct figures *f, uint32_t id, struct effects *out)
{
	struct figure *fig = figures_find(f, id);

	if (!fig || fig->state != FIGURE_WAITING || fig->is_named)
		return;
	fig->state = FIGURE_ASKED;
	effect_figure(out, EFFECT_DRAW_FIGURE, id);
}

void figures_each_shown(struct model *m, bool (*fn)(struct model *m, uint32_t id, void *user), void *user)
{
	struct rect area = model_output_area(m);
	struct out_pos top = outpane_top(&m->out, area.rows, area.cols);
	struct outwalk walk;
	struct output_line l = {0};
	uint32_t last = 0;

	outwalk_start(&walk, &m->out, top.line);
	for (int row = 0; row < area.rows && outwalk_next(&walk, &l); row++)
		if (l.kind == OUT_FIGURE && l.figure != last) {
			last = l.figure;
			if (!fn(m, last, user))
				break;
		}
	output_line_finish(&l);
}

static bool want_shown(struct model *m, uint32_t id, void *out)
{
	want(&m->out.figures, id, out);
	return true;
}

/* The cells that a picture may take in one direction. xterm does not show larger sixel images. */
static int zoom_limit(const struct picture_style *look, int cells, int cell_pixels)
{
	int most = cell_pixels > 0 ? SIXEL_SIDE / cell_pixels : cells;

	return look->kind == PICTURE_SIXEL && cells > most ? most : cells;
}

static void want_zoom(struct model *m, struct effects *out)
{
	struct figures *f = &m->out.figures;
	const struct figure *fig = figures_find(f, f->zoomed);
	const struct picture_style *look = &f->terminal.look;
	int cols, rows;

	if (!fig || fig->info.type == IMAGE_NONE)
		return;
	image_fill(&fig->info, look->cell_w, look->cell_h, zoom_limit(look, m->cols, look->cell_w),
			zoom_limit(look, m->rows - 2, look->cell_h), &cols, &rows);
	if (f->is_zoom_asked && cols == f->zoom_cols && rows == f->zoom_rows)
		return;
	picture_destroy(f->zoom);
	f->zoom = NULL;
	f->zoom_why[0] = '\0';
	f->zoom_cols = cols;
	f->zoom_rows = rows;
	f->is_zoom_asked = effect_figure(out, EFFECT_ZOOM_FIGURE, fig->id);
}

void figures_want(struct model *m, struct effects *out)
{
	struct figures *f = &m->out.figures;

	follow_pane(m);
	if ((!f->n_waiting && !f->zoomed) || f->terminal.is_off)
		return;
	if (!f->terminal.is_known) {
		if (!f->terminal.is_asked)
			f->terminal.is_asked = effect_plain(out, EFFECT_ASK_TERMINAL);
		return;
	}
	if (f->zoomed)
		want_zoom(m, out);
	else if (m->layout.panes[PANE_OUTPUT].rows > 0)
		figures_each_shown(m, want_shown, out);
}

static void on_terminal(struct model *m, const struct msg *msg)
{
	struct figures *f = &m->out.figures;

	f->terminal.is_known = true;
	f->terminal.is_off = msg->images.is_off;
	f->terminal.look = *msg->images.look;
	figures_forget_pictures(f);
	m->needs_draw = true;
}

static void on_drawn(struct model *m, const struct msg *msg)
{
	struct figures *f = &m->out.figures;
	struct figure *fig = figures_find(f, msg->figure_drawn.id);
	struct picture *picture = msg->figure_drawn.picture;

	m->needs_draw = true;
	if (!fig || (msg->figure_drawn.is_zoom && fig->id != f->zoomed)) {
		picture_destroy(picture);
	} else if (!msg->figure_drawn.is_zoom) {
		figure_set_picture(f, fig, picture, msg->figure_drawn.why);
	} else {
		picture_destroy(f->zoom);
		f->zoom = picture;
		if (picture)
			picture->id = ++f->last_picture;
		snprintf(f->zoom_why, sizeof f->zoom_why, "%s",
				msg->figure_drawn.why ? msg->figure_drawn.why : "");
	}
}

void update_figures(struct model *m, const struct msg *msg)
{
	switch (msg->type) {
	case MSG_RUN_DISPLAY: on_figure_display(m, msg); break;
	case MSG_IMAGES: on_terminal(m, msg); break;
	case MSG_FIGURE_DRAWN: on_drawn(m, msg); break;
	case MSG_FIGURE_SAVED: figures_saved(m, msg); break;
	default: break;
	}
}
