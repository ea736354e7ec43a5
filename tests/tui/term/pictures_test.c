/* SPDX-License-Identifier: MIT */
/* Pixels on the screen, below a dialog that opens and closes. */
#include "term/pictures.h"

#include <stdio.h>
#include <string.h>

#include "cells/canvas.h"
#include "cmocka_all.h"

enum { ROWS = 12, COLS = 40, TOP = 2, LEFT = 1, HIGH = 8, WIDE = 20 };

static char lines[ROWS]; /* which row of the image is on a row of the screen: 'a' …; ' ': none */
static struct picture_part places[3];
static int at_row;

static void on_redraw(int row, int rows)
{
	memset(lines + row, ' ', (size_t)rows);
}

static void on_move(int row, int col)
{
	(void)col;
	at_row = row;
}

/* A terminal that knows kitty's placements. */
static void on_write(void *user, const char *bytes, size_t n)
{
	char text[300];
	unsigned id, place;
	int y, w, h, cols, rows;

	(void)user;
	snprintf(text, sizeof text, "%.*s", (int)n, bytes);
	if (sscanf(text, "\033_Ga=p,i=%u,p=%u,x=0,y=%d,w=%d,h=%d,c=%d,r=%d", &id, &place, &y, &w, &h, &cols,
			    &rows)
			== 7)
		places[place] = (struct picture_part){.row = at_row, .first = y / 16, .rows = rows};
	else if (sscanf(text, "\033_Ga=d,d=i,i=%u,p=%u", &id, &place) == 2)
		places[place].rows = 0;
	memset(lines, ' ', sizeof lines);
	for (int i = 1; i < 3; i++)
		for (int k = 0; k < places[i].rows; k++)
			lines[places[i].row + k] = (char)('a' + places[i].first + k);
}

/* A frame with the image, and a dialog over some of its rows. */
static void paint(struct pictures *shown, const struct picture *picture, int from, int rows)
{
	struct canvas c;

	assert_int_equal(canvas_init(&c, ROWS, COLS), 0);
	for (int i = 0; i < HIGH; i++)
		canvas_picture(&c, picture, i, (struct rect){TOP + i, LEFT, 1, WIDE});
	canvas_fill(&c, (struct rect){TOP + from, LEFT + 5, rows, 10}, " ", (struct style){0});
	if (pictures_compare(shown, &c)) {
		pictures_before(shown, on_redraw);
		pictures_after(shown, on_move, on_write, NULL);
	}
	canvas_finish(&c);
}

static void rows_under_a_dialog_go_and_come_back(void **state)
{
	static uint8_t pixels[WIDE * 8 * HIGH * 16 * 3];
	struct pictures shown = {0};
	const struct picture picture = {.id = 7,
			.width = WIDE * 8,
			.height = HIGH * 16,
			.bytes = pixels,
			.n = sizeof pixels,
			.look = {.kind = PICTURE_KITTY, .cols = WIDE, .rows = HIGH}};

	(void)state;
	memset(lines, ' ', sizeof lines);
	paint(&shown, &picture, 0, 0);
	assert_memory_equal(lines, "  abcdefgh  ", ROWS);
	paint(&shown, &picture, 3, 2);
	assert_memory_equal(lines, "  abc  fgh  ", ROWS);
	paint(&shown, &picture, 0, 3); /* it moves */
	assert_memory_equal(lines, "     defgh  ", ROWS);
	paint(&shown, &picture, 0, HIGH);
	assert_memory_equal(lines, "            ", ROWS);
	paint(&shown, &picture, 0, 0);
	assert_memory_equal(lines, "  abcdefgh  ", ROWS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rows_under_a_dialog_go_and_come_back)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
