/* SPDX-License-Identifier: MIT */
/* The screen of `terrarium metrics --watch`. */
#include <string.h>

#include "model/model.h"
#include "view/parts.h"
#include "view/view.h"

enum { SMALLEST_ROWS = 3 };

struct rect view_monitor_area(int rows, int cols)
{
	return (struct rect){1, 0, rows > SMALLEST_ROWS ? rows - 2 : 1, cols};
}

/* `keys`: "c m:sort|q:quit". What does not fit is left out as a whole. */
static void draw_keys(struct canvas *c, const char *keys)
{
	struct rect row = {c->rows - 1, 0, 1, c->cols};
	int col = 0;

	canvas_fill(c, row, " ", style_of(ROLE_KEY_LABEL));
	while (*keys && col + (int)strcspn(keys, "|") + 1 <= c->cols) {
		size_t n = 0;
		while (keys[n] && keys[n] != ':')
			n++;
		col = canvas_put(c, row, row.row, col + 1, keys, n, style_of(ROLE_KEY));
		keys += keys[n] ? n + 1 : n;
		for (n = 0; keys[n] && keys[n] != '|';)
			n++;
		col = canvas_put(c, row, row.row, col + 1, keys, n, style_of(ROLE_KEY_LABEL)) + 1;
		keys += keys[n] ? n + 1 : n;
	}
}

void view_monitor(const struct model *m, struct canvas *c, const char *name, const char *keys)
{
	struct rect top = {0, 0, 1, c->cols};

	canvas_fill(c, (struct rect){0, 0, c->rows, c->cols}, " ", style_of(ROLE_TEXT));
	c->cursor_row = c->cursor_col = -1;
	c->n_pictures = 0;
	draw_horizontal(c, m->has_utf8, 0, 0, c->cols, ROLE_BORDER);
	draw_format(c, top, 0, 1, ROLE_TITLE, " %s ", name);
	draw_measured(m, c, &m->metrics, view_monitor_area(c->rows, c->cols), true, false);
	draw_keys(c, keys);
}
