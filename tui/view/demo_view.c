/* SPDX-License-Identifier: MIT */
/* The big line of a demo: the number of the cell in digits of three rows, the title of the cell, and the
 * keys. */
#include <stdio.h>
#include <string.h>

#include "command/keymap.h"
#include "model/key_hint.h"
#include "model/model.h"
#include "text/cluster.h"
#include "view/parts.h"

/* Each digit has 3 by 5 dots, stored row by row. Two rows of dots fit into one row of the screen. */
static const char *const digits[] = {"####.##.##.####", "##..#..#..#.###", "###..#####..###",
		"###..####..####", "#.##.####..#..#", "####..###..####", "####..####.####", "###..#..#..#..#",
		"####.#####.####", "####.####..####"};
static const char slash[] = "..#..#.#.#..#..";

static bool dot(const char *glyph, int row, int col)
{
	return row < 5 && glyph[row * 3 + col] == '#';
}

static void draw_glyph(struct canvas *c, struct rect area, int col, const char *glyph)
{
	for (int row = 0; row < area.rows; row++)
		for (int x = 0; x < 3; x++) {
			bool upper = dot(glyph, 2 * row, x), lower = dot(glyph, 2 * row + 1, x);
			draw_text(c, area, area.row + row, col + x, ROLE_BANNER,
					upper && lower ? "█"
					: upper        ? "▀"
					: lower        ? "▄"
						       : " ");
		}
}

/* Returns the column after the number. */
static int draw_number(const struct model *m, struct canvas *c, struct rect area)
{
	char text[48];
	int col = area.col + 1;

	snprintf(text, sizeof text, "%zu/%zu", m->demo.current + 1, m->demo.n);
	if (area.rows < DEMO_ROWS || !m->has_utf8)
		return draw_format(c, area, area.row, col, ROLE_BANNER, "CELL %s", text);
	for (const char *p = text; *p; p++, col += 4)
		draw_glyph(c, area, col, *p == '/' ? slash : digits[*p - '0']);
	return col;
}

static int draw_key(const struct model *m, struct canvas *c, struct rect area, int row, int col,
		const char *command, const char *words)
{
	const struct keys *keys = key_of_command(m, command_find(command));
	char name[KEYMAP_NAME_BYTES];

	if (!keys)
		return col;
	keys_name(keys, name);
	return draw_format(c, area, row, col, ROLE_BANNER, "%s: %s   ", name, words);
}

void draw_demo(const struct model *m, struct canvas *c)
{
	const struct demo *d = &m->demo;
	struct rect area = {m->rows - m->foot_rows, 0, m->foot_rows, m->cols};
	struct style bold = {.role = ROLE_BANNER, .attrs = ATTR_BOLD};
	const char *title = d->cells[d->current].title;

	canvas_fill(c, area, " ", style_of(ROLE_BANNER));
	int col = draw_number(m, c, area) + 2, row = area.row;
	int end = canvas_put(c, area, row, col, title, strlen(title), bold);
	if (area.rows < DEMO_ROWS) {
		draw_key(m, c, area, row, end + 3, "demo-next", demo_next_text(m));
		return;
	}
	draw_key(m, c, area, row + 1, col, "demo-next", demo_next_text(m));
	col = draw_key(m, c, area, row + 2, col, "demo-back", "back");
	col = draw_key(m, c, area, row + 2, col, "demo-run", "run");
	col = draw_key(m, c, area, row + 2, col, "demo-skip", "skip");
	draw_key(m, c, area, row + 2, col, "demo-leave", "leave");
}
