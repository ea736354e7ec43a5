/* SPDX-License-Identifier: MIT */
#include "output/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <terrarium/error.h>
#include <terrarium/text.h>

#include "output/output_line.h"
#include "text/mime.h"

/* ---- the store ---- */

static size_t picture_bytes(const struct picture *p)
{
	return !p ? 0
		  : p->n + (p->cells ? (size_t)p->look.rows * (size_t)p->look.cols * sizeof *p->cells : 0);
}

static bool is_waiting(const struct figure *fig)
{
	return fig->state == FIGURE_WAITING || fig->state == FIGURE_ASKED;
}

static void drop_picture(struct figures *f, struct figure *fig)
{
	f->picture_bytes -= picture_bytes(fig->picture);
	picture_destroy(fig->picture);
	fig->picture = NULL;
}

static void drop_figure(struct figures *f, struct figure *fig)
{
	f->n_waiting -= is_waiting(fig);
	f->bytes -= fig->n;
	drop_picture(f, fig);
	free(fig->bytes);
}

void figures_clear(struct figures *f)
{
	for (size_t i = 0; i < f->n; i++)
		drop_figure(f, &f->all[i]);
	f->n = 0;
	f->zoomed = 0;
	picture_destroy(f->zoom);
	f->zoom = NULL;
}

void figures_end_offer(struct figures *f)
{
	free(f->offer.best.data);
	free(f->offer.plain.data);
	f->offer = (struct figure_offer){0};
}

void figures_finish(struct figures *f)
{
	figures_clear(f);
	figures_end_offer(f);
	free(f->all);
	*f = (struct figures){0};
}

static void drop_oldest_figures(struct figures *f, size_t n)
{
	size_t k = 0;

	for (size_t bytes = f->bytes; k < f->n && bytes + n > FIGURES_BYTES; k++)
		bytes -= f->all[k].n;
	for (size_t i = 0; i < k; i++)
		drop_figure(f, &f->all[i]);
	if (k)
		memmove(f->all, f->all + k, (f->n - k) * sizeof *f->all);
	f->n -= k;
}

static unsigned number_in_run(const struct figures *f, uint32_t run)
{
	unsigned number = 1;

	for (size_t i = 0; i < f->n; i++)
		if (f->all[i].run == run)
			number = f->all[i].number + 1;
	return number;
}

static struct figure *find_place(struct figures *f)
{
	if (f->n == f->cap) {
		size_t cap = f->cap ? f->cap * 2 : 16;
		struct figure *all = realloc(f->all, cap * sizeof *all);
		if (!all)
			return NULL;
		f->all = all;
		f->cap = cap;
	}
	return &f->all[f->n];
}

struct figure *figures_add(struct figures *f, uint32_t run, const char *mime, uint8_t *bytes, size_t n)
{
	struct trm_error why = {0};

	drop_oldest_figures(f, n);
	struct figure *fig = find_place(f);
	if (!fig) {
		free(bytes);
		return NULL;
	}
	*fig = (struct figure){.id = ++f->last_id,
			.run = run,
			.bytes = bytes,
			.n = n,
			.lines = 1,
			.cols = 1,
			.rows = 1};
	fig->number = number_in_run(f, run);
	snprintf(fig->mime, sizeof fig->mime, "%s", mime);
	f->n++;
	f->bytes += n;
	if (image_probe(bytes, n, &fig->info, &why) < 0) {
		fig->state = FIGURE_FAILED;
		fig->info.type = IMAGE_NONE;
		snprintf(fig->why, sizeof fig->why, "%.150s", why.msg);
	}
	f->n_waiting += is_waiting(fig);
	return fig;
}

struct figure *figures_find(const struct figures *f, uint32_t id)
{
	size_t low = 0, high = f->n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (f->all[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < f->n && f->all[low].id == id ? &f->all[low] : NULL;
}

/* Images assume cells 8 pixels wide, as on the screens for which most plots are made. On a screen with finer
 * pixels the image is enlarged, as in browsers. */
void figure_fit(const struct figures *f, struct figure *fig, int max_cols, int max_rows)
{
	const struct picture_style *look = &f->terminal.look;
	int cell_h = look->cell_w > 0 ? (8 * look->cell_h + look->cell_w / 2) / look->cell_w : 16;

	if (fig->info.type == IMAGE_NONE || f->terminal.is_off)
		return;
	max_cols = max_cols > 2 ? max_cols : 2;
	image_fit(&fig->info, 8, cell_h, max_cols, FIGURE_ROWS, &fig->cols, &fig->rows);
	fig->is_named = max_rows < FIGURE_ROWS && fig->rows > max_rows;
	if (fig->is_named)
		fig->cols = fig->rows = 1;
	else
		image_fit(&fig->info, 8, cell_h, max_cols, max_rows > 1 ? max_rows : 1, &fig->cols,
				&fig->rows);
}

void figures_refit(struct figures *f, int max_cols, int max_rows)
{
	for (size_t i = 0; i < f->n; i++) {
		struct figure *fig = &f->all[i];
		int cols = fig->cols, rows = fig->rows;
		figure_fit(f, fig, max_cols, max_rows < fig->lines ? max_rows : fig->lines);
		if (fig->state != FIGURE_READY || (fig->cols == cols && fig->rows == rows))
			continue;
		drop_picture(f, fig);
		fig->state = FIGURE_WAITING;
		f->n_waiting++;
	}
}

int figure_row_at(const struct figure *fig, int line)
{
	int row = fig->picture ? line - (fig->lines - fig->picture->look.rows) : -1;

	return fig->picture && fig->picture->look.rows > fig->lines ? line : row;
}

/* ---- pictures ---- */

/* If the pictures take too much memory, drop those that were not shown for the longest time. They can be
 * made again. */
static void trim_pictures(struct figures *f, const struct figure *but)
{
	for (size_t i = 0; i < f->n && f->picture_bytes > FIGURES_PICTURES; i++) {
		struct figure *fig = &f->all[i];
		if (fig == but || fig->state != FIGURE_READY)
			continue;
		drop_picture(f, fig);
		fig->state = FIGURE_WAITING;
		f->n_waiting++;
	}
}

void figure_set_picture(struct figures *f, struct figure *fig, struct picture *picture, const char *why)
{
	f->n_waiting -= is_waiting(fig);
	drop_picture(f, fig);
	fig->state = picture ? FIGURE_READY : FIGURE_FAILED;
	fig->picture = picture;
	f->picture_bytes += picture_bytes(picture);
	if (picture)
		picture->id = ++f->last_picture;
	snprintf(fig->why, sizeof fig->why, "%s", why ? why : "");
	trim_pictures(f, fig);
}

void figures_forget_pictures(struct figures *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct figure *fig = &f->all[i];
		if (fig->state != FIGURE_READY)
			continue;
		drop_picture(f, fig);
		fig->state = FIGURE_WAITING;
		f->n_waiting++;
	}
	picture_destroy(f->zoom);
	f->zoom = NULL;
	f->is_zoom_asked = false;
}

void figure_file_name(const struct figure *fig, unsigned run_number, char out[64])
{
	const char *mime = fig->info.type ? image_mime(fig->info.type) : fig->mime;

	snprintf(out, 64, "fig-%u-%u.%s", run_number, fig->number, mime_suffix(mime));
}

/* ---- lines of the output ---- */

static void put_caption(
		const struct figures *f, struct output_line *line, const struct figure *fig, bool has_utf8)
{
	char text[400];
	char key[100];
	const char *state = fig->state == FIGURE_FAILED  ? fig->why
			    : fig->state == FIGURE_READY ? ""
			    : fig->is_named              ? key
			    : fig->rows > 1              ? "is being drawn"
							 : "";

	snprintf(key, sizeof key, "%s shows it", f->zoom_key);

	if (fig->info.type)
		snprintf(text, sizeof text, "[%s %d%s%d%s%s]", image_mime(fig->info.type), fig->info.width,
				has_utf8 ? "\u00d7" : "x", fig->info.height, *state ? ": " : "", state);
	else
		snprintf(text, sizeof text, "[%s, %zu bytes: %s]", fig->mime, fig->n, state);
	output_line_put(line, text, strlen(text), (struct style){.role = ROLE_DIM});
}

static void put_cells(struct output_line *line, const struct picture *p, int row)
{
	char text[8];

	for (int col = 0; col < p->look.cols; col++) {
		const struct picture_cell *cell = &p->cells[(size_t)row * (size_t)p->look.cols + (size_t)col];
		size_t n = trm_utf8_encode(cell->glyph, text);
		output_line_put(line, text, n,
				(struct style){.role = ROLE_TEXT, .fg = cell->fg, .bg = cell->bg});
	}
}

void figures_fill(const struct figures *f, struct output_line *line, bool has_utf8)
{
	static const char gone[] = "[an image that is no longer kept]";
	const struct figure *fig = figures_find(f, line->figure);
	const struct picture *p = fig ? fig->picture : NULL;

	if (!fig && line->figure_row == 0)
		output_line_put(line, gone, strlen(gone), (struct style){.role = ROLE_DIM});
	if (!fig)
		return;
	int row = figure_row_at(fig, line->figure_row);
	if (p && p->cells && row >= 0 && row < p->look.rows)
		put_cells(line, p, row);
	else if (!p && line->figure_row == (fig->is_named ? fig->lines - 1 : 0))
		put_caption(f, line, fig, has_utf8);
}
