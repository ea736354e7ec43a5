/* SPDX-License-Identifier: MIT */
/* The completion popup: the candidates, their kinds, and a scroll bar. */
#include <stdio.h>
#include <string.h>

#include "model/complete.h"
#include "model/model.h"
#include "view/parts.h"

static const char *short_kind(const char *kind)
{
	static const char *const names[][2] = {{"function", "func"}, {"variable", "var"},
			{"property", "attr"}, {"parameter", "param"}, {"directory", "dir"},
			{"command", "cmd"}};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(kind, names[i][0]) == 0)
			return names[i][1];
	return kind;
}

/* Does the thumb of the scroll bar cover this row? */
static bool is_thumb(const struct complete *c, int rows, int row)
{
	size_t n = c->n_shown, k = (size_t)row;

	return n > (size_t)rows && k >= c->scroll * (size_t)rows / n
	       && k <= (c->scroll + (size_t)rows - 1) * (size_t)rows / n;
}

static void draw_candidate(const struct model *m, struct canvas *c, struct rect row, size_t k)
{
	const struct candidate *one = complete_at(m, k);
	bool is_current = k == m->completion.current;
	uint16_t role = is_current ? ROLE_POPUP_CURRENT : ROLE_POPUP;
	const char *kind = short_kind(one->kind);
	int kind_cols = (int)strlen(kind);
	struct style dim = {.role = ROLE_POPUP_DIM, .ground = (uint8_t)role};
	struct rect text = {row.row, row.col + 1, 1, row.cols - kind_cols - 3};

	canvas_fill(c, row, " ", style_of(role));
	canvas_put(c, text, row.row, text.col, one->text, strlen(one->text), style_of(role));
	canvas_put(c, row, row.row, row.col + row.cols - kind_cols - 1, kind, strlen(kind), dim);
}

void draw_popup(const struct model *m, struct canvas *c)
{
	struct rect area = complete_area(m);

	for (int i = 0; i < area.rows; i++) {
		struct rect row = {area.row + i, area.col, 1, area.cols};
		draw_candidate(m, c, row, m->completion.scroll + (size_t)i);
		if (is_thumb(&m->completion, area.rows, i))
			draw_sign(c, m->has_utf8, row.row, row.col + row.cols - 1, SIGN_VERTICAL,
					ROLE_POPUP_DIM);
	}
	if (area.rows && m->completion.is_busy) {
		struct rect row = {area.row + area.rows, area.col, 1, area.cols < 30 ? 30 : area.cols};
		canvas_fill(c, row, " ", style_of(ROLE_POPUP_DIM));
		draw_text(c, row, row.row, row.col + 1, ROLE_POPUP_DIM,
				m->sandbox.state == SANDBOX_READY ? "interpreter busy: buffer's words"
								  : "no interpreter: buffer's words");
	}
}
