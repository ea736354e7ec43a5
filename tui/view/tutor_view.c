/* SPDX-License-Identifier: MIT */
/* The rows of the tutorial: the list of steps, and the instruction of the current step. */
#include <stdio.h>
#include <string.h>

#include "command/keymap.h"
#include "model/model.h"
#include "view/parts.h"

static const char *step_sign(const struct model *m, int step)
{
	if (step < m->tutor.at)
		return !m->tutor.done[step] ? "-" : m->has_utf8 ? "✓" : "+";
	return step > m->tutor.at ? " " : m->has_utf8 ? "▸" : ">";
}

void draw_tutor(const struct model *m, struct canvas *c)
{
	struct rect area = {m->rows - m->foot_rows, 0, m->foot_rows, m->cols};
	const struct keys *keys = keymap_keys(&m->keymap, command_find("tutor-next"));
	char words[400], name[KEYMAP_NAME_BYTES] = "";
	int row = area.row, col = area.col + 1;

	canvas_fill(c, area, " ", style_of(ROLE_BANNER));
	tutor_instruction(m, words);
	if (keys)
		keys_name(keys, name);
	if (area.rows >= TUTOR_ROWS) {
		for (int i = 0; i < TUTOR_STEPS; i++)
			col = draw_format(c, area, row, col, ROLE_BANNER, "%s %d %s   ", step_sign(m, i),
					i + 1, tutor_title(i));
		col = area.col + 1;
		row++;
	} else if (m->tutor.at < TUTOR_STEPS) {
		col = draw_format(c, area, row, col, ROLE_BANNER, "%d/%d ", m->tutor.at + 1, TUTOR_STEPS);
	}
	canvas_put(c, area, row, col, words, strlen(words),
			(struct style){.role = ROLE_BANNER, .attrs = ATTR_BOLD});
	if (area.rows >= TUTOR_ROWS && *name)
		draw_format(c, area, row + 1, area.col + 1, ROLE_BANNER, "%s: %s", name,
				m->tutor.at < TUTOR_STEPS ? "skip this step" : "close the tutorial");
}
