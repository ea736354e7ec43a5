/* SPDX-License-Identifier: MIT */
/* The rows of the tutorial: the list of steps, and the instruction of the current step. */
#include <stdio.h>
#include <string.h>

#include "command/keymap.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "text/cluster.h"
#include "view/parts.h"

static const char *step_sign(const struct model *m, int step)
{
	if (step < m->tutor.at)
		return !m->tutor.done[step] ? "-" : m->has_utf8 ? "✓" : "+";
	return step > m->tutor.at ? " " : m->has_utf8 ? "▸" : ">";
}

/* The lines of the instruction, in the rows from `row` to before `to`. */
static void draw_instruction(
		const struct model *m, struct canvas *c, const struct tutor_text *text, int row, int to)
{
	const char *dots = sign(m->has_utf8, SIGN_ELLIPSIS);

	for (int i = 0; i < text->n_lines && row < to; i++, row++) {
		struct rect area = {row, 1, 1, m->cols - 2};
		/* The last row takes what is left, and shows that there is more. */
		size_t end = row + 1 < to ? text->at[i + 1] : strlen(text->words);
		int right = canvas_put(c, area, row, area.col, text->words + text->at[i], end - text->at[i],
				style_with(ROLE_BANNER, ATTR_BOLD));
		if (right > area.col + area.cols)
			draw_text(c, area, row,
					area.col + area.cols - (int)cluster_columns(dots, strlen(dots)),
					ROLE_BANNER, dots);
	}
}

void draw_tutor(const struct model *m, struct canvas *c)
{
	int rows = m->foot_rows > 0 ? m->foot_rows : 1; /* without a row of its own: that of the key bar */
	struct rect area = {m->rows - rows, 0, rows, m->cols};
	const struct keys *keys = key_of_command(m, command_find("tutor-next"));
	char name[KEYMAP_NAME_BYTES] = "";
	struct tutor_text text;
	int row = area.row, to = area.row + rows, col = area.col + 1;

	canvas_fill(c, area, " ", style_of(ROLE_BANNER));
	tutor_text(m, &text);
	if (text.has_steps) {
		for (int i = 0; i < TUTOR_STEPS; i++)
			col = draw_format(c, area, row, col, ROLE_BANNER, "%s %d %s   ", step_sign(m, i),
					i + 1, tutor_title(i));
		row++;
		to--;
	}
	draw_instruction(m, c, &text, row, to);
	if (keys)
		keys_name(keys, name);
	if (text.has_steps && *name)
		draw_format(c, area, to, area.col + 1, ROLE_BANNER, "%s: %s", name,
				m->tutor.at < TUTOR_STEPS ? "skip this step" : "close the tutorial");
}
