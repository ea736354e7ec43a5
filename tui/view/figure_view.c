/* SPDX-License-Identifier: MIT */
/* Images: the rows of an image in the output, and one image on the whole screen. */
#include <stdio.h>
#include <string.h>

#include <terrarium/text.h>

#include "model/model.h"
#include "view/parts.h"

void draw_figure_row(const struct model *m, struct canvas *c, int row, struct rect area,
		const struct output_line *l)
{
	const struct figure *fig = figures_find(&m->out.figures, l->figure);
	const struct picture *p = fig ? fig->picture : NULL;

	int shown = fig ? figure_row_at(fig, l->figure_row) : -1;

	if (p && !p->cells && shown >= 0 && shown < p->look.rows)
		canvas_picture(c, p, shown,
				(struct rect){row, area.col, 1,
						p->look.cols < area.cols ? p->look.cols : area.cols});
}

static void draw_symbols(struct canvas *c, struct rect area, const struct picture *p)
{
	for (int row = 0; row < p->look.rows && row < area.rows; row++)
		for (int col = 0; col < p->look.cols && col < area.cols; col++) {
			const struct picture_cell *from =
					&p->cells[(size_t)row * (size_t)p->look.cols + (size_t)col];
			struct style style = {.role = ROLE_TEXT, .fg = from->fg, .bg = from->bg};
			char text[8];
			size_t n = trm_utf8_encode(from->glyph, text);
			canvas_put(c, area, area.row + row, area.col + col, text, n, style);
		}
}

static void draw_zoom_words(const struct model *m, struct canvas *c, const struct figure *fig)
{
	const struct figures *f = &m->out.figures;
	struct rect all = {0, 0, c->rows, c->cols};
	char words[200];
	int last = c->rows - 1;

	snprintf(words, sizeof words, " image %zu of %zu   %s %d x %d   run %u", (size_t)(fig - f->all) + 1,
			f->n, fig->info.type ? image_mime(fig->info.type) : fig->mime, fig->info.width,
			fig->info.height, fig->run);
	canvas_fill(c, (struct rect){last, 0, 1, c->cols}, " ", style_of(ROLE_STATUS));
	/* How to leave is shown at every width. */
	static const char *const keys[] = {"s save  o open  arrows: others  Esc back ",
			"s save  o open  Esc back ", "Esc back "};
	size_t k = 0;
	while (k + 1 < sizeof keys / sizeof *keys && strlen(words) + strlen(keys[k]) >= (size_t)c->cols)
		k++;
	all.cols -= (int)strlen(keys[k]);
	draw_cut_text(c, m->has_utf8, all, last, 0, ROLE_STATUS, words);
	all.cols = c->cols;
	draw_text(c, all, last, c->cols - (int)strlen(keys[k]), ROLE_STATUS, keys[k]);
}

bool draw_zoom(const struct model *m, struct canvas *c)
{
	const struct figures *f = &m->out.figures;
	const struct figure *fig = figures_find(f, f->zoomed);
	const struct picture *p = f->zoom;
	struct rect all = {0, 0, c->rows - 1, c->cols};

	if (!fig)
		return false;
	draw_zoom_words(m, c, fig);
	if (!p) {
		const char *why = f->terminal.is_off             ? "images are off (setting images)"
				  : fig->info.type == IMAGE_NONE ? fig->why
				  : *f->zoom_why                 ? f->zoom_why
								 : "being drawn";
		draw_text(c, all, c->rows / 2, 2, ROLE_DIM, why);
		return true;
	}
	struct rect area = {(all.rows - p->look.rows) / 2, (all.cols - p->look.cols) / 2, p->look.rows,
			p->look.cols};
	area.row = area.row > 0 ? area.row : 0;
	area.col = area.col > 0 ? area.col : 0;
	if (p->cells)
		draw_symbols(c, area, p);
	for (int row = 0; !p->cells && row < p->look.rows && row < all.rows; row++)
		canvas_picture(c, p, row, (struct rect){area.row + row, area.col, 1, area.cols});
	return true;
}
