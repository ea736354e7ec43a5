/* SPDX-License-Identifier: MIT */
/* The list of keys that may follow, above the status line. */
#include <string.h>

#include "model/model.h"
#include "model/which_key.h"
#include "text/cluster.h"
#include "view/parts.h"

enum { COLUMN_GAP = 3 };

static int row_cols(const struct which_key_row *row, int key_cols)
{
	return key_cols + 2 + (int)cluster_columns(row->words, strlen(row->words));
}

void draw_which_key(const struct model *m, struct canvas *c)
{
	struct which_key_row rows[WHICH_KEY_ROWS];
	char begun[KEYMAP_NAME_BYTES];
	int n = (int)which_key_rows(m, rows, begun), key_cols = 0, cols = 0;

	for (int i = 0; i < n; i++) {
		int one = (int)cluster_columns(rows[i].keys, strlen(rows[i].keys));
		key_cols = one > key_cols ? one : key_cols;
	}
	for (int i = 0; i < n; i++)
		cols = row_cols(&rows[i], key_cols) > cols ? row_cols(&rows[i], key_cols) : cols;
	int room = m->cols - 4, across = (room + COLUMN_GAP) / (cols + COLUMN_GAP);
	across = across < 1 ? 1 : across;
	int high = (n + across - 1) / across, most = m->layout.status_row - 3;
	high = high > most ? most : high;
	struct rect box = {m->layout.status_row - high - 1, 0, high + 2, m->cols};
	struct rect inside = {box.row + 1, 1, high, m->cols - 2};

	canvas_fill(c, box, " ", style_of(ROLE_POPUP));
	draw_box(c, m->has_utf8, box, ROLE_POPUP_DIM);
	draw_format(c, box, box.row, 2, ROLE_POPUP_MATCH, " %s ... ", begun);
	for (int i = 0; i < n && i < high * across; i++) {
		struct rect cell = inside;
		cell.col = 2 + i / high * (cols + COLUMN_GAP);
		cell.cols = inside.col + inside.cols - cell.col;
		cell.cols = cell.cols > cols ? cols : cell.cols;
		int row = inside.row + i % high;
		draw_format(c, cell, row, cell.col, ROLE_POPUP_MATCH, "%s", rows[i].keys);
		draw_text(c, cell, row, cell.col + key_cols + 2, ROLE_POPUP, rows[i].words);
	}
}
