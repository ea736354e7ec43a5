/* SPDX-License-Identifier: MIT */
/* The page of artifacts. */
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "text/format.h"
#include "view/parts.h"

/* The start of each column. The type starts at a share of the width. Size, run and source are placed from the
 * right edge. A narrow page shows neither run nor source. */
struct gallery_columns {
	int name, type, size, run, source;
};

static struct gallery_columns gallery_columns_of(int cols)
{
	int type = cols * (cols >= 70 ? 32 : 42) / 100;

	return cols >= 70 ? (struct gallery_columns){1, type, cols - 28, cols - 18, cols - 11}
			  : (struct gallery_columns){1, type, cols - 9, cols, cols};
}

static void draw_part(struct canvas *c, struct rect line, int from, int to, uint16_t role, const char *text)
{
	struct rect part = {line.row, line.col + from, 1, to - from - 1};

	if (part.cols > 0)
		draw_text(c, part, line.row, part.col, role, text);
}

static void draw_artifact(const struct model *m, struct canvas *c, struct rect line,
		const struct artifact_row *row, bool is_current)
{
	struct gallery_columns w = gallery_columns_of(line.cols);
	uint16_t role = is_current ? ROLE_TABLE_CURRENT : ROLE_TEXT;
	const struct run_info *run = runs_find(&m->out.runs, row->run);
	char type[100], size[24], number[24];

	if (row->width)
		snprintf(type, sizeof type, "%s %dx%d", row->mime, row->width, row->height);
	else
		snprintf(type, sizeof type, "%s", row->mime);
	format_bytes(size, row->n);
	snprintf(number, sizeof number, "[%llu]",
			(unsigned long long)(run && run->number ? run->number : row->run));
	canvas_fill(c, line, " ", style_of(role));
	draw_part(c, line, w.name, w.type, role, row->name);
	draw_part(c, line, w.type, w.size, is_current ? role : ROLE_DIM, type);
	draw_part(c, line, w.size, line.cols < 70 ? line.cols : w.run, role, size);
	draw_part(c, line, w.run, w.source, role, number);
	draw_part(c, line, w.source, line.cols, is_current ? role : ROLE_DIM, row->source);
}

static void draw_gallery_head(struct canvas *c, struct rect line)
{
	struct gallery_columns w = gallery_columns_of(line.cols);

	draw_part(c, line, w.name, w.type, ROLE_TABLE_HEADER, "NAME");
	draw_part(c, line, w.type, w.size, ROLE_TABLE_HEADER, "TYPE");
	draw_part(c, line, w.size, line.cols < 70 ? line.cols : w.run, ROLE_TABLE_HEADER, "SIZE");
	draw_part(c, line, w.run, w.source, ROLE_TABLE_HEADER, "RUN");
	draw_part(c, line, w.source, line.cols, ROLE_TABLE_HEADER, "SOURCE");
}

void draw_gallery(const struct model *m, struct canvas *c)
{
	struct gallery_layout l = gallery_layout(m);
	size_t n = artifacts_count(&m->artifacts, &m->out.figures);
	const struct notice *notice = m->notices.is_shown ? notices_at(&m->notices, 0) : NULL;
	const char *keys =
			l.inner.cols < 70
					? "Enter look  s save  S all  Esc close"
					: "Enter looks at it   o opens outside   s saves   S saves all   Esc closes";

	canvas_fill(c, l.box, " ", style_of(ROLE_TEXT));
	if (l.inner.row > l.box.row) {
		draw_box(c, m->has_utf8, l.box, ROLE_BORDER_FOCUS);
	}
	draw_format(c, l.box, l.box.row, l.box.col + 2, ROLE_TITLE, " gallery: %zu ", n);
	draw_gallery_head(c, (struct rect){l.head_row, l.inner.col, 1, l.inner.cols});
	for (size_t i = m->gallery.top; i < n && (int)(i - m->gallery.top) < l.rows.rows; i++) {
		struct artifact_row row = artifacts_row(&m->artifacts, &m->out.figures, n - 1 - i);
		struct rect line = {l.rows.row + (int)(i - m->gallery.top), l.rows.col, 1, l.rows.cols};
		draw_artifact(m, c, line, &row, i == m->gallery.current);
	}
	if (n == 0)
		draw_text(c, l.inner, l.rows.row, l.rows.col + 1, ROLE_DIM,
				"no run has made images, tables or files yet");
	draw_text(c, l.inner, l.hint_row, l.inner.col + 1,
			notice && notice->is_error ? ROLE_STATUS_ERROR : ROLE_DIM,
			notice ? notice->text : keys);
}
