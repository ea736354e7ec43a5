/* SPDX-License-Identifier: MIT */
/* The time bar of a recording, at the bottom of the screen:
 *  ▶ 0:12.3 / 3:05.0  x2        ━━━━┿━━●───┼───  run 3 of 7 */
#include "model/model.h"
#include "view/parts.h"

static void draw_bar(const struct model *m, struct canvas *c, struct rect row)
{
	const struct replay *r = &m->replay;
	struct replay_bar bar = replay_bar(m);
	int here = replay_column(m, r->at_us);

	for (int col = bar.col; col < bar.col + bar.cols; col++)
		draw_text(c, row, row.row, col, col <= here ? ROLE_TITLE : ROLE_DIM,
				m->has_utf8   ? (col <= here ? "━" : "─")
				: col <= here ? "="
					      : "-");
	for (size_t i = 0; i < r->n_runs && bar.cols; i++) {
		int col = replay_column(m, r->runs_us[i]);
		draw_text(c, row, row.row, col, col <= here ? ROLE_TITLE : ROLE_TEXT,
				m->has_utf8 ? "┼" : "|");
	}
	if (bar.cols)
		draw_text(c, row, row.row, here, ROLE_TITLE, m->has_utf8 ? "●" : "O");
}

void draw_replay(const struct model *m, struct canvas *c)
{
	const struct replay *r = &m->replay;
	struct rect row = {m->rows - 1, 0, 1, m->cols};
	struct replay_bar bar = replay_bar(m);
	const char *sign = r->is_playing ? (m->has_utf8 ? "▶" : ">") : m->has_utf8 ? "‖" : "=";
	char at[24], end[24];
	int col;

	canvas_fill(c, row, " ", style_of(ROLE_TEXT));
	col = draw_format(c, row, row.row, 1, r->is_playing ? ROLE_STATUS_OK : ROLE_WARN, "%s ", sign);
	col = draw_format(c, row, row.row, col, ROLE_TEXT, "%s / %s", replay_time(r->at_us, at),
			replay_time(r->end_us, end));
	if (r->speed_percent < 100)
		draw_format(c, row, row.row, col, ROLE_WARN, "  x0.%02u", r->speed_percent);
	else
		draw_format(c, row, row.row, col, ROLE_DIM, "  x%u", r->speed_percent / 100);
	draw_bar(m, c, row);
	draw_format(c, row, row.row, bar.cols ? bar.col + bar.cols + 2 : m->cols - 14, ROLE_TEXT,
			"run %zu of %zu%s", replay_run(m), r->n_runs, r->is_cut ? " (cut)" : "");
}
