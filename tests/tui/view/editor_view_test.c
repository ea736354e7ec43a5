/* SPDX-License-Identifier: MIT */
#include "view/editor_view.h"

#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "editor/editor.h"
#include "text/text.h"

static struct clipboard clipboard;

/* Roles of a row, a letter each: . text, c current line, s selection, # number, d dialog (untouched). */
static void expect_roles(const struct canvas *c, int row, const char *want)
{
	char got[128];
	int col = 0;
	for (; col < c->cols; col++) {
		switch (c->cells[row * c->cols + col].style.role) {
		case ROLE_TEXT: got[col] = '.'; break;
		case ROLE_LINE_CURRENT: got[col] = 'c'; break;
		case ROLE_SELECTION: got[col] = 's'; break;
		case ROLE_LINE_NUMBER: got[col] = '#'; break;
		case ROLE_DIALOG: got[col] = 'd'; break;
		default: got[col] = '?'; break;
		}
	}
	got[col] = '\0';
	assert_string_equal(got, want);
}

static void draw(struct editor *e, struct canvas *c, const char *text, struct rect area)
{
	assert_int_equal(editor_init(e, NULL, &clipboard), 0);
	assert_int_equal(editor_set_text(e, text, strlen(text)), 0);
	editor_select(e, 0, 0);
	editor_resize(e, area.rows, area.cols);
	canvas_init(c, area.rows + 2 * area.row, area.cols + 2 * area.col);
	canvas_fill(c, (struct rect){0, 0, c->rows, c->cols}, ".", (struct style){.role = ROLE_DIALOG});
	editor_draw(e, c, area, true, NULL, true);
}

static void expect(const struct canvas *c, const char *want)
{
	char *got = canvas_dump(c);
	assert_string_equal(got, want);
	free(got);
}

static void test_golden(void **state)
{
	struct editor e;
	struct canvas c;
	(void)state;
	draw(&e, &c, "if x:\n\ty\x01\xFF\n\xE4\xB8\xAD|e\xCC\x81\r\n", (struct rect){1, 1, 5, 26});
	expect(&c, "............................\n"
		   ".  1 if x:                 .\n"
		   ".  2     y^A\xEF\xBF\xBD              .\n"
		   ".  3 \xE4\xB8\xAD|e\xCC\x81^M                .\n"
		   ".  4                       .\n"
		   ".                          .\n"
		   "............................\n");
	expect_roles(&c, 1, "d....ccccccccccccccccccccccd");
	expect_roles(&c, 2, "d####......................d");
	assert_int_equal(c.cursor_row, 1);
	assert_int_equal(c.cursor_col, 5);
	editor_finish(&e);
	canvas_finish(&c);
}

static void test_selection_shows_line_ends(void **state)
{
	struct editor e;
	struct canvas c;
	(void)state;
	draw(&e, &c, "ab\n\ncd\n", (struct rect){0, 0, 4, 24});
	editor_select(&e, 1, 5);
	editor_draw(&e, &c, (struct rect){0, 0, 4, 24}, true, NULL, true);
	expect_roles(&c, 0, "####.ss.................");
	expect_roles(&c, 1, "####s...................");
	expect_roles(&c, 2, "....s...................");
	assert_int_equal(c.cursor_row, 2);
	assert_int_equal(c.cursor_col, 5);
	editor_finish(&e);
	canvas_finish(&c);
}

static void test_sideways(void **state)
{
	struct editor e;
	struct canvas c;
	(void)state;
	draw(&e, &c, "0123456789abcdefghijklmnopqrstuvwxyz\n\xE4\xB8\xAD\xE6\x96\x87\xE4\xB8\xAD\xE6\x96\x87",
			(struct rect){0, 0, 2, 10});
	editor_select(&e, 36, 36);
	editor_draw(&e, &c, (struct rect){0, 0, 2, 10}, true, NULL, true);
	assert_int_equal(editor_gutter(&e), 0);
	assert_true(c.cursor_col >= 0 && c.cursor_col < 10);
	e.left_col = 3; /* cuts the second ideograph in half: a blank stands for it */
	editor_draw(&e, &c, (struct rect){0, 0, 2, 10}, false, NULL, true);
	expect(&c, "<456789ab>\n<\xE4\xB8\xAD\xE6\x96\x87\n");
	editor_finish(&e);
	canvas_finish(&c);
}

static void test_without_focus(void **state)
{
	struct editor e;
	struct canvas c;
	(void)state;
	draw(&e, &c, "x", (struct rect){0, 0, 1, 30});
	c.cursor_row = 77;
	editor_draw(&e, &c, (struct rect){0, 0, 1, 30}, false, NULL, true);
	assert_int_equal(c.cursor_row, 77);
	expect_roles(&c, 0, "..............................");
	editor_finish(&e);
	canvas_finish(&c);
}

/* What does not fit ends in a sign for it: half of a number would be another number. */
static void test_cut_notes(void **state)
{
	struct editor e;
	struct canvas c;
	struct rect area = {0, 0, 2, 30};
	(void)state;
	draw(&e, &c, "x\n1/y", area);
	struct cell_mark *mark = cell_marks_add(&e.marks, e.text, 0, 5);
	assert_non_null(mark);
	mark->state = CELL_OK;
	mark->wall_us = 4000;
	strcpy(mark->value, "0.20022582015125157");
	editor_draw(&e, &c, area, false, NULL, true);
	expect(&c, "\xE2\x9C\x93  1 x  \xE2\x9C\x93 4.0 ms = 0.20022582\xE2\x80\xA6\n"
		   "   2 1/y\n");
	strcpy(mark->value, "[1]");
	mark->is_cut = true; /* the value has more lines */
	editor_draw(&e, &c, area, false, NULL, true);
	expect(&c, "\xE2\x9C\x93  1 x        \xE2\x9C\x93 4.0 ms = [1]\xE2\x80\xA6\n"
		   "   2 1/y\n");
	mark->state = CELL_FAILED;
	mark->is_cut = false;
	mark->has_error_pos = true;
	mark->error_pos = 2;
	strcpy(mark->error, "ZeroDivisionError: division by zero");
	editor_draw(&e, &c, area, false, NULL, true);
	expect(&c, "\xE2\x9C\x97  1 x  \xE2\x9C\x97 4.0 ms ZeroDivision\xE2\x80\xA6\n"
		   "\xE2\x9C\x97  2 1/y  ZeroDivisionError: \xE2\x80\xA6\n");
	editor_finish(&e);
	canvas_finish(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_golden),
			cmocka_unit_test(test_selection_shows_line_ends),
			cmocka_unit_test(test_sideways),
			cmocka_unit_test(test_without_focus),
			cmocka_unit_test(test_cut_notes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
